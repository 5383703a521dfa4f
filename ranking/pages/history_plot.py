"""Lay out the plot "How the ranking formed"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ranking.selectors.history import HistoryPoint

# Units of the drawing: the page stretches it, but strokes keep their width.
WIDTH = 1000
ROW = 100
_TONES = 5
_MIN_POINTS = 3
# Half the height of a range of one rank, in ranks: less than half, so that neighbours stay apart.
_HALF = 0.3


@dataclass(frozen=True, slots=True)
class SystemLine:
    """The ranks of one system: `points` of its line, `area` of its rank ranges."""

    system: str
    tone: int
    points: str
    area: str


@dataclass(frozen=True, slots=True)
class HistoryPlot:
    """The points of a ranking's history, and a line for each system of the latest, best first.

    `left_out` counts the points at which groups that nothing compares were ranked each by itself.
    """

    points: tuple[HistoryPoint, ...]
    lines: tuple[SystemLine, ...]
    width: int
    height: int
    first: int
    last: int
    left_out: int


def history_plot(found: Sequence[HistoryPoint]) -> HistoryPlot | None:
    """Lay out how ranks changed with the comparisons made; return None while there is little to see."""
    points = [point for point in found if point.is_one_ranking]
    if len(points) < _MIN_POINTS or len(points[-1].systems) < 2:
        return None
    first, last = points[0].comparisons, points[-1].comparisons
    if first == last:
        return None
    names = [row["system"] for row in points[-1].systems]
    rows = max(len(point.systems) for point in points)

    def x(point: HistoryPoint) -> float:
        return round(WIDTH * (point.comparisons - first) / (last - first), 1)

    def line(index: int, name: str) -> SystemLine:
        ranked = [
            (x(point), row) for point in points for row in point.systems if row["system"] == name
        ]
        # Before the first range that is estimable there is only the line.
        known = [(at, row) for at, row in ranked if not row.get("shortage")]
        low = [_point(at, row["rank_low"] - _HALF) for at, row in known]
        high = [_point(at, row["rank_high"] + _HALF) for at, row in reversed(known)]
        return SystemLine(
            system=name,
            tone=1 + round((_TONES - 1) * index / (len(names) - 1)),
            points=" ".join(_point(at, _middle(row)) for at, row in ranked),
            area=" ".join(low + high),
        )

    return HistoryPlot(
        points=tuple(points),
        lines=tuple(line(index, name) for index, name in enumerate(names)),
        width=WIDTH,
        height=ROW * rows,
        first=first,
        last=last,
        left_out=len(found) - len(points),
    )


def _middle(row: dict[str, Any]) -> float:
    """Return the rank, or the middle of ranks that systems of equal score share."""
    middle: float = (row["rank"] + row.get("last_rank", row["rank"])) / 2
    return middle


def _point(x: float, rank: float) -> str:
    return f"{x:g},{ROW * (rank - 0.5):g}"
