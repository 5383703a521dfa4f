"""Draw the plot of a table as SVG: for a page, with its colours, or as a separate file."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from campaign.models.system import system_label
from campaign.texts.joining import sentence_list
from ranking.pages import svg
from ranking.pages.matrix_plots import PairAddress, grid, matrix, partial_order
from ranking.pages.plot_rows import Drawing
from ranking.pages.rank_plots import bump, ranks
from ranking.pages.value_plots import bars, intervals, line, points, strips
from ranking.reports.plots import MatrixPlot, Plot, PlotKind, RowPlot
from ranking.reports.tables import Table, Value

#: Each takes the table, its kind of plot and the sheet.
_DRAWERS: Final[dict[PlotKind, Callable[[Table, Any, svg.Sheet], Drawing | None]]] = {
    "bars": bars,
    "bump": bump,
    "grid": grid,
    "intervals": intervals,
    "known": partial_order,
    "line": line,
    "points": points,
    "ranks": ranks,
    "strips": strips,
}


def drawn_for_page(
    table: Table,
    *,
    pair_address: PairAddress | None = None,
) -> SafeString | None:
    """Return the plot of a table for wide screens and paper, followed by that for narrow screens.

    A matrix that does not fit on narrow screens is drawn once and scrolled.
    """
    narrow = drawn(table, sheet=svg.NARROW, pair_address=pair_address)
    if narrow is None:
        return drawn(table, pair_address=pair_address)
    wide = drawn(table, pair_address=pair_address, screens=" for-wide")
    if wide is None:
        return None
    return svg.joined([wide, narrow])


def drawn(
    table: Table,
    *,
    sheet: svg.Sheet = svg.WIDE,
    as_file: bool = False,
    pair_address: PairAddress | None = None,
    screens: str = "",
) -> SafeString | None:
    """Return the plot of a table as SVG; None if it has no plot, no row can be drawn, or it does not fit.

    With `pair_address`, cells of a matrix link to the address that it returns for the two systems, if any.
    """
    table = _with_system_labels(table)
    plot = table.plot
    if plot is None:
        return None
    if isinstance(plot, MatrixPlot):
        drawing = matrix(table, plot, sheet, pair_address)
    else:
        drawing = _DRAWERS[plot.kind](table, plot, sheet)
    if drawing is None:
        return None
    left = drawing.left
    name = f"plot-{table.name}"
    if sheet.is_narrow:
        left = 0
        name = f"plot-narrow-{table.name}"
        screens = " for-narrow"
    role = "img"
    if isinstance(plot, MatrixPlot) and pair_address is not None:
        # An image cannot contain links.
        role = "group"
    style = SafeString("")
    if as_file:
        # Our own style sheet, so there is nothing to escape.
        style = svg.tag("style", mark_safe(svg.STYLE))  # noqa: S308
    return format_html(
        '<svg class="figure{screens}" xmlns="http://www.w3.org/2000/svg" viewBox="{left} 0 {width} {height}"'
        ' width="{width}" height="{height}" role="{role}" aria-labelledby="{name}-title {name}-desc">'
        '<title id="{name}-title">{title}</title><desc id="{name}-desc">{description}</desc>{style}{inside}</svg>',
        screens=screens,
        left=left,
        width=drawing.width - left,
        height=drawing.height,
        role=role,
        name=name,
        title=table.title,
        description=_description(table, plot, as_file=as_file),
        style=style,
        inside=drawing.inside,
    )


def _with_system_labels(table: Table) -> Table:
    """Return a table with the display names of systems."""
    columns = []
    for column in table.columns:
        columns.append(replace(column, heading=system_label(column.heading)))
    rows = [tuple(map(_labelled_cell, row)) for row in table.rows]
    return replace(table, columns=columns, rows=rows)


def _labelled_cell(value: Value) -> Value:
    if isinstance(value, str):
        return system_label(value)
    return value


def _description(table: Table, plot: Plot, *, as_file: bool) -> str:
    """Return the text alternative of a plot. Pages have the table beside the plot; files do not."""
    description = _("The table has the same data.")
    if as_file and table.notes:
        description = sentence_list(table.notes)
    most = None
    if isinstance(plot, RowPlot):
        most = plot.most
    if most is None or most >= len(table.rows):
        return description
    limit = _("Only the first %(drawn)s of %(all)s rows are drawn.") % {
        "all": number_format(len(table.rows)),
        "drawn": number_format(most),
    }
    return f"{limit} {description}"
