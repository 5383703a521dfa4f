"""How the rows of a table are drawn: which columns are shown, on which axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PlotKind = Literal[
    "intervals", "line", "points", "matrix", "grid", "bump", "bars", "ranks", "strips", "known"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot of a table, by the keys of its columns.

    Attributes
    ----------
    kind : "intervals", "line", "points", "matrix", "grid", "bump", "bars", "ranks", "strips" or "known"
        "intervals": a row each, with a dot at `value` and a bar from `low` to `high`. "line": `value` against
        `label`, connected, in the order of the rows. "points": `value` against `low`, each named by `label`.
        "matrix": a cell for each pair of `label` and `across` and one for the same two the other way round;
        heads are in the order in which the rows name them. "grid": all of a square table, whose cells say
        “figure (number) mark”. "bump": all of a table of ranks, a line for each row from column to column;
        `value` is the first of these columns. "bars": a bar up to `value` for each `label`, in the order of the
        rows. "ranks": for each name in `across` a line of its ranks, `value`, against the numbers in `label`, best
        above, with a band from `low` to `high`. "strips": a row each, on an axis of its own from `least` to `most_of_all`,
        with a dot at `value`, a bar from `low` to `high`, and a stroke at `middle`. "known": all of a table whose columns are
        a name, the first and the last place that it may take, and a sign for each name: "+", "−", the same in
        brackets, "?" or "".
    label : str
        The column that names a row, or is on the horizontal axis of a line.
    value : str
    low, high : str or None
        Ends of the bar; of points, `low` is on the horizontal axis.
    start, end : float or None
        Ends of the axis of values; found from the rows if not given.
    mark : float or None
        A value that is marked on the axis: what would be without any difference.
    is_whole : bool
        Whether values are whole numbers, as ranks are: ticks then are, too.
    most : int or None
        So many rows are drawn, the first ones; all if not given.
    across, back, count, sign : str or None
        Of a matrix: the column that names the other of a pair, the share of the other (`value` is that of
        the first), the number both are shares of, and marks of how clear the difference is: "", "*", "†" or
        "‡".
    least, middle, most_of_all : str or None
        Of strips: the columns of the ends of the axis of a row, and of what is marked on it.
    p, level : str, float or None
        Of a matrix: the column of p-values, and the largest for which a cell is coloured. Without them, it is
        by its mark.
    """

    kind: PlotKind
    label: str
    value: str
    low: str | None = None
    high: str | None = None
    start: float | None = None
    end: float | None = None
    mark: float | None = None
    is_whole: bool = False
    most: int | None = None
    across: str | None = None
    back: str | None = None
    count: str | None = None
    sign: str | None = None
    least: str | None = None
    middle: str | None = None
    most_of_all: str | None = None
    p: str | None = None
    level: float | None = None
