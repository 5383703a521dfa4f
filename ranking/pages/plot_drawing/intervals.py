"""A row each, with a dot and a bar."""

from html import escape
from typing import Final

from django.utils.safestring import SafeString, mark_safe

from ranking.pages.plot_drawing.axis import Axis, vertical
from ranking.pages.plot_drawing.rows import Row
from ranking.pages.plot_drawing.svg import ABOVE, BELOW, NAMES, TOP, Sheet, below, shortened
from ranking.reports.plots import Plot
from ranking.reports.tables import Table

_ROW: Final = 24
#: Rows with names; of more, each is lower, and they are not named.
NAMED_ROWS: Final = 60
_LEAST_ROW: Final = 3
#: Half of the words of the first tick stand before it.
_LEFT_NARROW: Final = 20


def intervals(table: Table, plot: Plot, rows: list[Row], sheet: Sheet) -> tuple[int, SafeString]:
    """Return height and drawing. Written without `format_html`, which takes ten times as long for a thousand rows."""
    values = [each for row in rows for each in (row.low, row.value, row.high) if each is not None]
    left = _LEFT_NARROW if sheet.is_narrow else NAMES
    axis = Axis(values, plot, left, sheet.right, steps=sheet.ticks)
    is_named = len(rows) <= NAMED_ROWS
    name_above = ABOVE if is_named and sheet.is_narrow else 0
    each_row = _ROW + name_above if is_named else max(_LEAST_ROW, _ROW * NAMED_ROWS // len(rows))
    height = TOP + each_row * len(rows) + 8 + BELOW
    bar, radius = ("range", 5) if is_named else ("grid", 2)
    parts = [str(vertical(axis, plot, TOP - 4, height - 8 - BELOW))]
    for number, row in enumerate(rows):
        y = TOP + each_row * number + name_above + (each_row - name_above) // 2
        if is_named:
            name = escape(shortened(row.name))
            parts.append(
                f'<text y="{y - 10}">{name}</text>'
                if name_above
                else f'<text x="{NAMES - 14}" y="{y + 4}" text-anchor="end">{name}</text>'
            )
        if row.low is not None or row.high is not None:
            # An end that is not known is beyond the axis.
            low = axis.at(axis.start if row.low is None else row.low)
            high = axis.at(axis.end if row.high is None else row.high)
            parts.append(f'<line class="{bar}" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="dot" cx="{axis.at(row.value)}" cy="{y}" r="{radius}"/>')
    parts.append(str(below(table, plot.value, sheet, height)))
    # Numbers, and names that are escaped.
    return height, mark_safe("".join(parts))  # noqa: S308
