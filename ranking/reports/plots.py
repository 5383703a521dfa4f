"""Kinds of plots of a table: which columns they show, and how reports store that."""

from dataclasses import asdict, dataclass, fields
from typing import ClassVar, Literal, TypedDict, Unpack

from campaign.formats.json_text import JSONObject

PlotKind = Literal[
    "intervals",
    "line",
    "points",
    "matrix",
    "grid",
    "bump",
    "bars",
    "ranks",
    "strips",
    "known",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot of a table, by the keys of its columns."""

    kind: ClassVar[PlotKind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Define what an axis shows besides the values of the rows.

    Attributes
    ----------
    start, end : float or None
        Ends of the axis; by default determined from the rows.
    mark : float or None
        A value marked on the axis: the one expected if there is no difference.
    is_whole : bool
        Whether values and therefore ticks are whole numbers, such as ranks.
    """

    start: float | None = None
    end: float | None = None
    mark: float | None = None
    is_whole: bool = False


class ScaleParts(TypedDict, total=False):
    """Keyword arguments of `Scale`, and `most` of `RowPlot`."""

    start: float | None
    end: float | None
    mark: float | None
    is_whole: bool
    most: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlot(Plot, Scale):
    """One value for each row, on a common axis.

    Attributes
    ----------
    label : str
        The column that names a row.
    value : str
    low, high : str or None
        Ends of the interval of the value.
    most : int or None
        Maximum number of rows drawn; all by default.
    """

    label: str
    value: str
    low: str | None = None
    high: str | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalPlot(RowPlot):
    """A dot at the value of each row, and a bar from `low` to `high`."""

    kind: ClassVar[PlotKind] = "intervals"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePlot(RowPlot):
    """Values against `label`, connected in the order of the rows, with a band from `low` to `high`."""

    kind: ClassVar[PlotKind] = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class BarPlot(RowPlot):
    """A bar up to the value of each row."""

    kind: ClassVar[PlotKind] = "bars"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointPlot(Plot):
    """Points of two columns, each named by `label`.

    Attributes
    ----------
    label : str
    value : str
        The column of the vertical axis.
    x : str
        The column of the horizontal axis.
    bars : tuple of four str, or None
        The columns of the ends of the horizontal bar, then of the vertical one.
    """

    kind: ClassVar[PlotKind] = "points"
    label: str
    value: str
    x: str
    bars: tuple[str, str, str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlot(Plot):
    """A line of ranks for each name, best at the top, with a band from `low` to `high`.

    Attributes
    ----------
    label : str
        The column of numbers on the horizontal axis.
    value : str
        The column of ranks.
    across : str
        The column of names.
    low, high : str
    """

    kind: ClassVar[PlotKind] = "ranks"
    label: str
    value: str
    across: str
    low: str
    high: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StripPlot(Plot):
    """A row on its own axis, with a dot at its value, a bar and a stroke.

    Attributes
    ----------
    label, value : str
    low, high : str
        Ends of the bar.
    least, most : str
        Ends of the axis.
    middle : str
        The stroke.
    """

    kind: ClassVar[PlotKind] = "strips"
    label: str
    value: str
    low: str = "low"
    high: str = "high"
    least: str = "least"
    middle: str = "middle"
    most: str = "most"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixPlot(Plot):
    """Two cells for each pair of names, one per direction; headings are in order of appearance.

    Attributes
    ----------
    label, across : str
        The columns of the two names.
    value, back : str
        Shares of the first and of the second name.
    count : str
        Total of both.
    sign : str
        Marks of significance: "", "*", "†" or "‡".
    p, level : str, float or None
        The column of p-values, and the largest one that is coloured. Without them, marks determine
        the colour.
    """

    kind: ClassVar[PlotKind] = "matrix"
    label: str
    across: str
    value: str
    back: str
    count: str
    sign: str
    p: str | None = None
    level: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPlot(Plot):
    """A square table whose first column has names, and whose cells are “figure (number) mark”."""

    kind: ClassVar[PlotKind] = "grid"


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpPlot(Plot):
    """A table of names and ranks, with a line for each row across the columns of ranks."""

    kind: ClassVar[PlotKind] = "bump"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialOrderPlot(Plot):
    """A table of names, first and last possible rank, and a sign for each name.

    Signs are "+", "−", either in brackets, "?" or "".
    """

    kind: ClassVar[PlotKind] = "known"


def interval_plot(
    label: str,
    value: str,
    ends: str = "",
    **scale: Unpack[ScaleParts],
) -> IntervalPlot:
    """Return the plot of a value with its interval, in columns whose keys begin with `ends`."""
    return IntervalPlot(
        label=label,
        value=value,
        low=f"{ends}low",
        high=f"{ends}high",
        **scale,
    )


_STORED_PLOTS: tuple[type[Plot], ...] = (
    IntervalPlot,
    LinePlot,
    BarPlot,
    PointPlot,
    MatrixPlot,
    GridPlot,
    BumpPlot,
    PartialOrderPlot,
)
#: Plots of reports, which are stored, by kind.
_STORED = {plot.kind: plot for plot in _STORED_PLOTS}


def recorded_plot(plot: Plot | None) -> JSONObject | None:
    """Return a plot as plain JSON; see `plot_from_record`."""
    if plot is None:
        return None
    return {"kind": plot.kind, **asdict(plot)}


def plot_from_record(record: JSONObject | None) -> Plot | None:
    """Return a recorded plot; None without one.

    Up to version 1.0, all kinds had the same fields, and the horizontal axis of points was `low`.
    """
    if record is None:
        return None
    plot = _STORED[record["kind"]]
    if plot is PointPlot:
        return _points_from_record(record)
    return plot(**{field.name: record[field.name] for field in fields(plot)})


def _points_from_record(record: JSONObject) -> PointPlot:
    bars = record["bars"]
    return PointPlot(
        label=record["label"],
        value=record["value"],
        x=record["x"] if "x" in record else record["low"],
        bars=None if bars is None else tuple(bars),
    )
