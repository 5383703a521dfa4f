"""The history of a ranking: the kept runs of a test set, thinned out."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from ranking.models import RankingRun

RUNS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The ranking after a number of comparisons; `systems` as in a run's result or standings."""

    watermark: int
    comparisons: int
    systems: list[dict[str, Any]]

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None while no rank range is estimable."""
        known = [row["cluster"] for row in self.systems if not row.get("shortage")]
        return len(set(known)) if known else None

    @property
    def is_one_ranking(self) -> bool:
        """Whether ranks are of all systems, not of groups that nothing compares."""
        return all(row["group"] == 1 for row in self.systems)


def ranking_history(*, task_id: int, latest: RankingRun | None = None) -> list[HistoryPoint]:
    """Return at most `RUNS_SHOWN` kept runs, evenly spread over the judgments, and then the latest ranking.

    The first and the last kept run are among them. It takes two queries, however many runs are kept:
    first the watermarks alone, then the standings of the runs chosen.
    """
    watermarks = dict(RankingRun.objects.of(task_id).order_by("id").values_list("watermark", "pk"))
    chosen = _evenly_spread(sorted(watermarks))
    rows = RankingRun.objects.filter(pk__in=[watermarks[number] for number in chosen])
    points = [
        HistoryPoint(*row)
        for row in rows.order_by("watermark").values_list("watermark", "comparisons", "standings")
    ]
    if latest is not None and latest.watermark not in watermarks:
        result = latest.result
        points.append(
            HistoryPoint(latest.watermark, result["input"]["comparisons"], result["systems"])
        )
    return [point for point in points if point.systems]


def _evenly_spread(numbers: list[int]) -> list[int]:
    """Choose the numbers at or after `RUNS_SHOWN` evenly spaced points from first to last."""
    if len(numbers) <= RUNS_SHOWN:
        return numbers
    first, last = numbers[0], numbers[-1]
    points = (first + (last - first) * k // (RUNS_SHOWN - 1) for k in range(RUNS_SHOWN))
    return sorted({numbers[bisect_left(numbers, point)] for point in points})
