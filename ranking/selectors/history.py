"""The history of a ranking: the stored runs of a test set, thinned out."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from ranking.models import RankingRun

RUNS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The ranking after a number of comparisons; `systems` as in a run's result."""

    watermark: int
    comparisons: int
    systems: list[dict[str, Any]]

    @property
    def clusters(self) -> int:
        return len({row["cluster"] for row in self.systems})


def ranking_history(*, test_set_id: int) -> list[HistoryPoint]:
    """Return at most `RUNS_SHOWN` runs, evenly spread over the judgments, in their order.

    The first and the latest run are among them. It takes two queries, however many runs are
    stored: first the watermarks alone, then the results of the runs chosen.
    """
    watermarks = dict(
        RankingRun.objects.of(test_set_id).order_by("id").values_list("watermark", "pk")
    )
    chosen = _evenly_spread(sorted(watermarks))
    rows = RankingRun.objects.filter(pk__in=[watermarks[number] for number in chosen])
    return [
        HistoryPoint(watermark=watermark, comparisons=comparisons, systems=systems)
        for watermark, comparisons, systems in rows.order_by("watermark").values_list(
            "watermark", "result__input__comparisons", "result__systems"
        )
        if systems
    ]


def _evenly_spread(numbers: list[int]) -> list[int]:
    """Choose the numbers at or after `RUNS_SHOWN` evenly spaced points from first to last."""
    if len(numbers) <= RUNS_SHOWN:
        return numbers
    first, last = numbers[0], numbers[-1]
    points = (first + (last - first) * k // (RUNS_SHOWN - 1) for k in range(RUNS_SHOWN))
    return sorted({numbers[bisect_left(numbers, point)] for point in points})
