"""Test sets of a campaign with their contents, and the steps missing before it opens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Design, JudgmentSequence
from annotation.selectors.judges_needed import JudgesNeeded, judges_needed
from annotation.selectors.target import blocks_left_out
from campaign.database.many_rows import count_of
from campaign.models import (
    Campaign,
    Document,
    Instructions,
    Invitation,
    Job,
    JobKind,
    JobState,
    Judge,
    Segment,
    System,
    Task,
    TestSet,
    Upload,
)
from campaign.selectors.rehearsals import RehearsalState, rehearsal_state
from campaign.selectors.uploads import drafts
from campaign.texts.languages import reads_languages


def tasks_listed(*, campaign: Campaign) -> QuerySet[Task]:
    """Return the test sets of a campaign in order of creation, with their contents.

    Contents are `segment_count`, `document_count`, `system_count` of competing systems, `judged`, `excluded` of them
    by judges whom its ranking leaves out, and `drawn_by`, the kind of the design in force or None. One query per page.
    """
    judged = JudgmentSequence.objects.filter(task=OuterRef("pk")).values("judged")
    designs = Design.objects.filter(task=OuterRef("pk")).not_imported().order_by("-pk")
    here = OuterRef("test_set")
    systems = System.objects.competing().filter(test_set=here)
    return (
        Task.objects.of(campaign)
        .named()
        .select_related("test_set__campaign")
        .annotate(
            segment_count=count_of(Segment.objects.filter(test_set=here), "test_set"),
            document_count=count_of(Document.objects.filter(test_set=here), "test_set"),
            system_count=count_of(systems, "test_set"),
            judged=Coalesce(Subquery(judged), 0),
            excluded=blocks_left_out("pk"),
            drawn_by=Subquery(designs.values("kind")[:1]),
        )
        .order_by("test_set__created_at", "test_set", "pk")
    )


def design_in_words(kind: str | None) -> str:
    """Return the name of a kind of design; empty for None."""
    if kind is None:
        return ""
    return str(Design.Kind(kind).label)


@dataclass(frozen=True, slots=True)
class Preparation:
    """Progress of setting up a campaign.

    Attributes
    ----------
    tasks : sequence of Task
        From `tasks_listed`.
    uploads : sequence of Upload
        Uploads without a test set so far, with their `file_count`.
    failed : int
        Failed imports that were not restarted since.
    judges, links : int
        Active judges, and links for joining.
    unread : sequence of Task
        Tasks without a judge who reads both languages; empty while there are no judges.
    needed : sequence of JudgesNeeded
        Requirements of tasks that need more than one judge.
    languages_of_instructions : int
    rehearsal : RehearsalState
    """

    tasks: Sequence[Any]
    uploads: Sequence[Upload]
    failed: int
    judges: int
    links: int
    unread: Sequence[Any]
    needed: Sequence[JudgesNeeded]
    languages_of_instructions: int
    rehearsal: RehearsalState


def preparation(*, campaign: Campaign) -> Preparation:
    """Return the progress of setting up a campaign. Ten queries, and one for a rehearsal."""
    tasks: list[Any] = list(tasks_listed(campaign=campaign))
    people = Judge.objects.filter(campaign=campaign, withdrawn_at=None)
    languages = list(people.values_list("languages", flat=True))
    unread = []
    for row in tasks:
        if languages and not _is_read(row.test_set, languages):
            unread.append(row)
    uploads = list(drafts(campaign=campaign, with_files=True))
    written = Instructions.objects.filter(campaign=campaign)
    open_tasks = []
    for row in tasks:
        if row.closed_at is None:
            open_tasks.append(row)
    return Preparation(
        tasks=tasks,
        uploads=uploads,
        failed=_failed_imports(campaign, uploads),
        judges=len(languages),
        links=Invitation.objects.valid()
        .for_anybody()
        .filter(campaign=campaign)
        .count(),
        unread=unread,
        needed=judges_needed(open_tasks),
        languages_of_instructions=written.aggregate(n=Count("language", distinct=True))[
            "n"
        ],
        rehearsal=rehearsal_state(campaign=campaign),
    )


def _is_read(test_set: TestSet, languages: Sequence[list[str]]) -> bool:
    pair = (test_set.source_language, test_set.target_language)
    return any(reads_languages(tags, pair) for tags in languages)


def _failed_imports(campaign: Campaign, uploads: Sequence[Upload]) -> int:
    """Return the number of uploads whose latest import failed."""
    waiting = {str(upload.pk) for upload in uploads}
    imports = Job.objects.filter(campaign=campaign, kind=JobKind.TEXTS_IMPORT)
    latest = dict(imports.order_by("pk").values_list("parameters__upload", "state"))
    failed = 0
    for upload, state in latest.items():
        failed += upload in waiting and state == JobState.FAILED
    return failed
