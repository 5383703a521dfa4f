"""Positions in the dashboard's plots.

Positions are shares of the width in per cent, as SVG attributes take them, so that a plot fits any
width without being stretched. They are strings: a template would write 12.5 as "12,5" in German.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ranking.wording.methods import shortages_of_rows
from ranking.wording.ranges import cluster_rules

_AXIS_NUMBERS = 12


def percent(share: float) -> str:
    """Return 0.125 as "12.5%"."""
    return f"{round(100 * share, 3):g}%"


@dataclass(frozen=True, slots=True)
class Tick:
    at: str
    number: int


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A row of the ranking's table with its bar, from `low` to `high`, and dot.

    Without a bar, `low` and `high` are "": the rank range is not estimable yet.
    """

    row: dict[str, Any]
    begins_cluster: bool
    shows_cluster: bool
    is_shared: bool
    low: str
    high: str
    dot: str

    @property
    def classes(self) -> str:
        """CSS classes of its style."""
        names = (("begins-cluster", self.begins_cluster), ("shares-rank", self.is_shared))
        return " ".join(name for name, holds in names if holds)


@dataclass(frozen=True, slots=True)
class RankPlot:
    """Systems that comparisons connect; `group` is their number if there are several groups, otherwise 0.

    `notes` say what they lack where rank ranges are not estimable yet.
    """

    rows: tuple[RankedRow, ...]
    ticks: tuple[Tick, ...]
    axis: tuple[Tick, ...]
    group: int = 0
    notes: tuple[str, ...] = ()


def rank_plots(
    systems: Sequence[dict[str, Any]], *, has_unranked: bool = False
) -> tuple[RankPlot, ...]:
    """Lay out a table for each group of ranked systems.

    If there are systems without a rank, they belong into the last table: where there are several groups, or none,
    this is an empty one.
    """
    numbers = sorted({row.get("group", 1) for row in systems})
    plots = [
        rank_plot(
            [row for row in systems if row.get("group", 1) == number],
            group=number if len(numbers) > 1 else 0,
        )
        for number in numbers
    ]
    if has_unranked and len(plots) != 1:
        plots.append(rank_plot([]))
    return tuple(plots)


def rank_plot(systems: Sequence[dict[str, Any]], *, group: int = 0) -> RankPlot:
    """Lay out the rank ranges of the systems of one group, best first, on an axis from 1 to n.

    The dot of systems that share a rank is in the middle of their ranks.
    """
    count = len(systems)

    def at(rank: float) -> str:
        return percent((rank - 0.5) / count)

    ends = cluster_rules(systems)
    rows = tuple(
        RankedRow(
            row=row,
            begins_cluster=index - 1 in ends,
            shows_cluster=not row.get("shortage")
            and (index - 1 in ends or not index or bool(systems[index - 1].get("shortage"))),
            is_shared=row.get("last_rank", row["rank"]) != row["rank"],
            low="" if row.get("shortage") else at(row["rank_low"]),
            high="" if row.get("shortage") else at(row["rank_high"]),
            dot=at((row["rank"] + row.get("last_rank", row["rank"])) / 2),
        )
        for index, row in enumerate(systems)
    )
    ticks = tuple(Tick(at=at(rank), number=rank) for rank in range(1, count + 1))
    step = -(-count // _AXIS_NUMBERS)
    axis = tuple(tick for tick in ticks if tick.number == 1 or tick.number % step == 0)
    notes = tuple(shortages_of_rows(systems))
    return RankPlot(rows=rows, ticks=ticks, axis=axis, group=group, notes=notes)


def bar_plot(counts: Sequence[tuple[Any, int]], *, filled: float = 0.72) -> dict[str, Any]:
    """Lay out a bar for each count, the highest as high as the plot: its left edge, and its height from the bottom.

    `counted` are those above 0.
    """
    highest = max((count for _of, count in counts), default=0)
    slot = 1 / max(1, len(counts))
    bars = []
    for index, (of, count) in enumerate(counts):
        # Any number above 0 must be visible.
        height = max(0.04, count / highest) if count else 0.0
        place = {"x": index * slot, "y": 1 - height, "height": height}
        bars.append({"of": of, "count": count} | {key: percent(at) for key, at in place.items()})
    return {
        "bars": bars,
        "counted": [bar for bar in bars if bar["count"]],
        "width": percent(slot * filled),
        "highest": highest,
    }
