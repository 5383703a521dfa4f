"""A row each, with a dot and a bar."""

from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.axis import Axis, vertical
from ranking.pages.plot_drawing.rows import Row
from ranking.pages.plot_drawing.svg import MARGIN, NAMES, TOP, WIDTH, joined, shortened
from ranking.reports.plots import Plot

_ROW: Final = 24
#: Rows with names; of more, each is lower, and they are not named.
_NAMED_ROWS: Final = 60
_LEAST_ROW: Final = 3


def intervals(plot: Plot, rows: list[Row]) -> tuple[int, SafeString]:
    """Return height and drawing."""
    values = [each for row in rows for each in (row.low, row.value, row.high) if each is not None]
    axis = Axis(values, plot, NAMES, WIDTH - MARGIN)
    is_named = len(rows) <= _NAMED_ROWS
    each_row = _ROW if is_named else max(_LEAST_ROW, _ROW * _NAMED_ROWS // len(rows))
    height = TOP + each_row * len(rows) + 8
    parts = [vertical(axis, plot, TOP - 4, height - 8)]
    for number, row in enumerate(rows):
        y = TOP + each_row * number + each_row // 2
        if is_named:
            parts.append(
                format_html(
                    '<text x="{}" y="{}" text-anchor="end">{}</text>',
                    NAMES - 14,
                    y + 4,
                    shortened(str(row.label)),
                )
            )
        if row.low is not None or row.high is not None:
            # An end that is not known is beyond the axis.
            parts.append(
                format_html(
                    '<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>'
                    if is_named
                    else '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>',
                    axis.at(axis.start if row.low is None else row.low),
                    axis.at(axis.end if row.high is None else row.high),
                    y,
                    y,
                )
            )
        parts.append(
            format_html(
                '<circle class="dot" cx="{}" cy="{}" r="{}"/>',
                axis.at(row.value),
                y,
                5 if is_named else 2,
            )
        )
    return height, joined(parts)
