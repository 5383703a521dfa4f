"""Where the lines of "how the ranking formed" lie."""

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.selectors.formation import Stage

# The drawing's own units; the page stretches it, strokes keep their width.
WIDTH = 1000
ROW = 100
_TONES = 5
_FEWEST_STAGES = 3
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
class FormationPlot:
    """Lines of the systems of the latest stage, best first."""

    stages: tuple[Stage, ...]
    lines: tuple[SystemLine, ...]
    width: int
    height: int
    first: int
    last: int


def formation_plot(stages: Sequence[Stage]) -> FormationPlot | None:
    """Lay out how ranks changed with the comparisons made; None while there is little to see."""
    if len(stages) < _FEWEST_STAGES or len(stages[-1].systems) < 2:
        return None
    first, last = stages[0].comparisons, stages[-1].comparisons
    if first == last:
        return None
    names = [row["system"] for row in stages[-1].systems]
    rows = max(len(stage.systems) for stage in stages)

    def x(stage: Stage) -> float:
        return round(WIDTH * (stage.comparisons - first) / (last - first), 1)

    def line(index: int, name: str) -> SystemLine:
        ranked = [
            (x(stage), row) for stage in stages for row in stage.systems if row["system"] == name
        ]
        low = [_point(at, row["rank_low"] - _HALF) for at, row in ranked]
        high = [_point(at, row["rank_high"] + _HALF) for at, row in reversed(ranked)]
        return SystemLine(
            system=name,
            tone=1 + round((_TONES - 1) * index / (len(names) - 1)),
            points=" ".join(_point(at, row["rank"]) for at, row in ranked),
            area=" ".join(low + high),
        )

    return FormationPlot(
        stages=tuple(stages),
        lines=tuple(line(index, name) for index, name in enumerate(names)),
        width=WIDTH,
        height=ROW * rows,
        first=first,
        last=last,
    )


def _point(x: float, rank: float) -> str:
    return f"{x:g},{ROW * (rank - 0.5):g}"
