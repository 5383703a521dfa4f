"""Compute rankings again, those kept and the present one, and compare bit for bit."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ranking.models import LatestRanking, RankingRun
from ranking.services.runs import ranking_run_reproduce


@dataclass(kw_only=True)
class RunsChecked:
    """What a comparison of a task's rankings found.

    Attributes
    ----------
    same : int
        Rankings that came out bit for bit as they are stored.
    differing : list[int]
        Watermarks of those that came out otherwise.
    refused : list[str]
        Why this version does not compute some of them.
    """

    same: int = 0
    differing: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def runs_check(*, task_id: int) -> RunsChecked:
    """Compute each ranking of a task again from what it recorded; nothing is changed."""
    checked = RunsChecked()
    for run in _runs(task_id):
        try:
            again = ranking_run_reproduce(run)
        except ValueError as reason:
            checked.refused.append(str(reason))
            continue
        if again == run.result:
            checked.same += 1
        else:
            checked.differing.append(run.watermark)
    return checked


def _runs(task_id: int) -> Iterator[RankingRun]:
    yield from RankingRun.objects.of(task_id).order_by("pk").iterator(chunk_size=20)
    latest = LatestRanking.objects.filter(pk=task_id).first()
    if latest is not None:
        yield latest.as_run()
