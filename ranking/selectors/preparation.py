"""What a campaign has before it is opened, and what it lacks."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from annotation.selectors.judges_needed import JudgesNeeded, judges_needed
from campaign.models import (
    Campaign,
    Instructions,
    Invitation,
    Job,
    JobKind,
    JobState,
    Judge,
    System,
    SystemKind,
    Upload,
)
from campaign.selectors.rehearsals import RehearsalState, rehearsal_state
from campaign.selectors.uploads import drafts
from ranking.selectors.tasks import DescribedTestSet, tasks_described


@dataclass(frozen=True, slots=True)
class Preparation:
    """How far the making of a campaign is.

    Attributes
    ----------
    tasks : sequence of DescribedTestSet
        In the order in which they came.
    systems : dict
        How many systems each has by its primary key, references not among them.
    uploads : sequence of Upload
        That no test set was made of yet, with their `file_count`.
    failed : int
        Imports that failed and were not begun again since.
    judges, links : int
        Judges who are in, and links by which others may join.
    unread : sequence of DescribedTestSet
        Those whose two languages no judge reads; empty while there are no judges.
    needed : sequence of JudgesNeeded
        What tasks that take more than one judge need.
    languages_of_instructions : int
    rehearsal : RehearsalState
    """

    tasks: Sequence[DescribedTestSet]
    systems: dict[int, int]
    uploads: Sequence[Upload]
    failed: int
    judges: int
    links: int
    unread: Sequence[DescribedTestSet]
    needed: Sequence[JudgesNeeded]
    languages_of_instructions: int
    rehearsal: RehearsalState


def preparation(*, campaign: Campaign) -> Preparation:
    """Return what a campaign has and lacks. Eleven queries, however much it has, and one for a rehearsal."""
    tasks = tasks_described(campaign=campaign)
    people = Judge.objects.filter(campaign=campaign, withdrawn_at=None)
    languages = [set(each) for each in people.values_list("languages", flat=True)]
    unread = [
        row
        for row in tasks
        if languages
        and not any(
            # Who names no language reads all of the campaign.
            not reads
            or {row.task.test_set.source_language, row.task.test_set.target_language} <= reads
            for reads in languages
        )
    ]
    uploads = list(drafts(campaign=campaign))
    written = Instructions.objects.filter(campaign=campaign)
    return Preparation(
        tasks=tasks,
        systems=_systems(campaign),
        uploads=uploads,
        failed=_failed_imports(campaign, uploads),
        judges=len(languages),
        links=Invitation.objects.valid().for_anybody().filter(campaign=campaign).count(),
        unread=unread,
        needed=judges_needed(row.task for row in tasks if row.task.closed_at is None),
        languages_of_instructions=written.aggregate(n=Count("language", distinct=True))["n"],
        rehearsal=rehearsal_state(campaign=campaign),
    )


def _systems(campaign: Campaign) -> dict[int, int]:
    systems = System.objects.filter(test_set__campaign=campaign, kind=SystemKind.SYSTEM)
    return dict(systems.values_list("test_set").annotate(count=Count("pk")))


def _failed_imports(campaign: Campaign, uploads: Sequence[Upload]) -> int:
    """Count the uploads whose latest import failed."""
    waiting = {str(upload.pk) for upload in uploads}
    imports = Job.objects.filter(campaign=campaign, kind=JobKind.TEXTS_IMPORT)
    latest = dict(imports.order_by("pk").values_list("parameters__upload", "state"))
    return sum(upload in waiting and state == JobState.FAILED for upload, state in latest.items())
