"""A bar for each row, from left to right."""

from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.axis import Axis, horizontal
from ranking.pages.plot_drawing.rows import Row
from ranking.pages.plot_drawing.svg import HIGHEST, LINE_HEIGHT, Sheet, above, joined, shortened
from ranking.reports.plots import Plot
from ranking.reports.tables import Table

_LEFT: Final = 56
#: So many labels, each as long as a date, fit below.
_LABELS: Final = 7
_LABELS_NARROW: Final = 2
_FILLED: Final = 0.72


def bars(table: Table, plot: Plot, rows: list[Row], sheet: Sheet) -> tuple[int, SafeString]:
    """Return height and drawing."""
    bottom = LINE_HEIGHT - 40
    y = Axis([0.0, *(row.value for row in rows)], plot, bottom, HIGHEST)
    slot = (sheet.right - _LEFT) / len(rows)
    every = -(-len(rows) // (_LABELS_NARROW if sheet.is_narrow else _LABELS))
    parts = [above(table, plot.value), horizontal(y, _LEFT - 8, sheet.right)]
    for number, row in enumerate(rows):
        left, top = _LEFT + number * slot, float(y.at(row.value))
        parts.append(
            format_html(
                '<rect class="dot" x="{}" y="{}" width="{}" height="{}"/>',
                f"{left:.1f}",
                f"{top:.1f}",
                f"{slot * _FILLED:.1f}",
                f"{bottom - top:.1f}",
            )
        )
        if number % every == 0:
            parts.append(
                format_html(
                    '<text class="quiet" x="{}" y="{}">{}</text>',
                    f"{left:.1f}",
                    bottom + 20,
                    shortened(row.name),
                )
            )
    return LINE_HEIGHT, joined(parts)
