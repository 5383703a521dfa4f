"""What an organiser should know before a result of a test set is published."""

from dataclasses import dataclass

from django.db.models import F

from annotation.models import PageChanges
from campaign.models import Task
from ranking.models import RankingRun
from ranking.selectors.runs import ranking_is_due


@dataclass(frozen=True, slots=True)
class PublishingWorries:
    """What is open of a test set.

    Attributes
    ----------
    is_open : bool
        Judges still get sentences.
    is_due : bool
        There are judgments, or settings, that the ranking does not have yet.
    open_reports : int
        Problem reports that nobody has closed.
    judges : int
        Whose judgments count.
    """

    is_open: bool
    is_due: bool
    open_reports: int
    judges: int


def publishing_worries(*, task: Task, run: RankingRun) -> PublishingWorries:
    """Return what should worry before a ranking is published. A handful of queries."""
    reports = PageChanges.objects.filter(task=task).values_list(
        F("problem_reports") - F("problems_closed"), flat=True
    )
    return PublishingWorries(
        is_open=task.closed_at is None,
        is_due=ranking_is_due(task_id=task.pk),
        open_reports=reports.first() or 0,
        judges=run.result["input"]["judges"],
    )
