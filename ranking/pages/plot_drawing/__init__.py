"""Draw the plot of a table as SVG: for a page, with its colours, or as a separate file."""

from dataclasses import replace
from typing import Final

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from campaign.models.system import system_label
from ranking.pages.plot_drawing.kinds import (
    NAMED_ROWS,
    PairAddress,
    bars,
    bump,
    grid,
    intervals,
    known,
    line,
    matrix,
    points,
    ranks,
    strips,
)
from ranking.pages.plot_drawing.svg import (
    NARROW,
    STYLE,
    WIDE,
    Sheet,
    joined,
    room_left,
    rows_of,
    tag,
)
from ranking.reports.tables import Plot, Table

_OF_TABLE: Final = {"bump": bump, "grid": grid, "known": known}
_OF_COLUMNS: Final = {"ranks": ranks, "strips": strips}
_OF_ROWS: Final = {"bars": bars, "intervals": intervals, "line": line, "points": points}


def drawn_for_page(table: Table, *, pair_address: PairAddress | None = None) -> SafeString | None:
    """Return the plot of a table for wide screens and paper, followed by that for narrow screens.

    A matrix that does not fit on narrow screens is drawn once and scrolled.
    """
    narrow = drawn(table, sheet=NARROW, pair_address=pair_address)
    wide = drawn(table, pair_address=pair_address, screens="" if narrow is None else " for-wide")
    return wide if wide is None or narrow is None else joined([wide, narrow])


def drawn(
    table: Table,
    *,
    sheet: Sheet = WIDE,
    as_file: bool = False,
    pair_address: PairAddress | None = None,
    screens: str = "",
) -> SafeString | None:
    """Return the plot of a table as SVG; None if it has no plot, no row can be drawn, or it does not fit.

    With `pair_address`, cells of a matrix link to the address that it returns for the two systems, if any.
    """
    table = _read(table)
    plot = table.plot
    found = None if plot is None else _drawn(table, plot, sheet, pair_address)
    if plot is None or found is None:
        return None
    width, height, inside = found
    left = 0 if sheet.is_narrow else _left(table, plot)
    name = f"plot-narrow-{table.name}" if sheet.is_narrow else f"plot-{table.name}"
    # Our own style sheet, so there is nothing to escape.
    style = tag("style", mark_safe(STYLE)) if as_file else ""  # noqa: S308
    return format_html(
        '<svg class="figure{}" xmlns="http://www.w3.org/2000/svg" viewBox="{} 0 {} {}" width="{}" height="{}"'
        ' role="{}" aria-labelledby="{}-title {}-desc"><title id="{}-title">{}</title>'
        '<desc id="{}-desc">{}</desc>{}{}</svg>',
        " for-narrow" if sheet.is_narrow else screens,
        left,
        *(width - left, height) * 2,
        # An image cannot contain links.
        "group" if plot.kind == "matrix" and pair_address is not None else "img",
        *(name,) * 3,
        table.title,
        name,
        _described(table, plot, as_file=as_file),
        style,
        inside,
    )


def _read(table: Table) -> Table:
    """Return a table with the display names of systems."""
    return replace(
        table,
        columns=[replace(column, heading=system_label(column.heading)) for column in table.columns],
        rows=[
            tuple(system_label(value) if isinstance(value, str) else value for value in row)
            for row in table.rows
        ],
    )


def _drawn(
    table: Table, plot: Plot, sheet: Sheet, pair_address: PairAddress | None
) -> tuple[int, int, SafeString] | None:
    if plot.kind in _OF_TABLE:
        return _OF_TABLE[plot.kind](table, sheet) if table.rows else None
    if plot.kind in _OF_COLUMNS:
        return _OF_COLUMNS[plot.kind](table, plot, sheet)
    rows = rows_of(table, plot)
    if not rows:
        return None
    if plot.kind == "matrix":
        return matrix(table, plot, sheet, pair_address)
    return (sheet.width, *_OF_ROWS[plot.kind](table, plot, rows, sheet))


def _left(table: Table, plot: Plot) -> int:
    """Return the unused width of the space for names to the left of the rows."""
    if plot.kind not in {"intervals", "grid", "matrix", "known"}:
        return 0
    if plot.kind == "intervals" and len(rows_of(table, plot)) > NAMED_ROWS:
        # Too few for labels.
        return room_left(())
    named = (plot.label, plot.across)
    places = [place for place, column in enumerate(table.columns) if column.key in named]
    return room_left(str(row[place]) for row in table.rows[: plot.most] for place in places)


def _described(table: Table, plot: Plot, *, as_file: bool) -> str:
    """Return the text alternative of a plot. Pages have the table beside the plot; files do not."""
    words = " ".join(table.notes) if as_file and table.notes else _("The table has the same data.")
    if plot.most is None or plot.most >= len(table.rows):
        return words
    drawn = _("Only the first %(drawn)s of %(all)s rows are drawn.") % {
        "all": number_format(len(table.rows)),
        "drawn": number_format(plot.most),
    }
    return f"{drawn} {words}"
