"""A row each, on an axis of its own, from the least to the most of all."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.rows import number_of
from ranking.pages.plot_drawing.svg import ABOVE, NAMES, TOP, Sheet, joined, shortened
from ranking.reports.plots import Plot
from ranking.reports.tables import Table, Value

_ROW: Final = 40
#: What is measured has long names.
_LEFT: Final = NAMES + 160
_LEFT_NARROW: Final = 8
_LETTERS: Final = 48


class _Strip(NamedTuple):
    """The axis of a row, from the least to the most of all, at a height of a sheet."""

    least: float
    most: float
    y: int
    sheet: Sheet

    @property
    def left(self) -> int:
        return _LEFT_NARROW if self.sheet.is_narrow else _LEFT

    def at(self, value: float) -> str:
        """Return where a value is; one beyond an end is at that end."""
        share = (value - self.least) / (self.most - self.least) if self.most > self.least else 0.5
        return f"{self.left + min(1.0, max(0.0, share)) * (self.sheet.right - self.left):.1f}"


def strips(table: Table, plot: Plot, sheet: Sheet) -> tuple[int, int, SafeString] | None:
    """Return width, height and drawing; None where no row has an axis."""
    place = {column.key: number for number, column in enumerate(table.columns)}

    def numbers(row: Sequence[Value]) -> dict[str, float | None]:
        keys = (plot.value, plot.low, plot.high, plot.least, plot.middle, plot.most_of_all)
        return {key: number_of(row[place[key]]) for key in keys if key is not None}

    above = ABOVE if sheet.is_narrow else 0
    parts: list[SafeString] = []
    for row in table.rows:
        found = numbers(row)
        value = found[plot.value]
        least, most = found.get(plot.least or ""), found.get(plot.most_of_all or "")
        if value is None or least is None or most is None:
            continue
        strip = _Strip(least, most, TOP + above + (_ROW + above) * len(parts), sheet)
        ends = [found.get(key or "") for key in (plot.low, plot.high)]
        parts.append(
            joined(
                [
                    _axis(str(row[place[plot.label]]), strip),
                    _range(ends, strip),
                    _mark(found.get(plot.middle or ""), strip),
                    format_html(
                        '<circle class="dot" cx="{}" cy="{}" r="5"/>', strip.at(value), strip.y
                    ),
                ]
            )
        )
    if not parts:
        return None
    return sheet.width, TOP + (_ROW + above) * len(parts), joined(parts)


def _axis(label: str, strip: _Strip) -> SafeString:
    left, right, y = strip.left, strip.sheet.right, strip.y
    name = (
        format_html('<text x="{}" y="{}">{}</text>', 0, y - 14, shortened(label, _LETTERS))
        if strip.sheet.is_narrow
        else format_html(
            '<text x="{}" y="{}" text-anchor="end">{}</text>',
            *(left - 14, y + 4, shortened(label, _LETTERS)),
        )
    )
    return format_html(
        '{}<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        '<text class="quiet small" x="{}" y="{}">{}</text>'
        '<text class="quiet small" x="{}" y="{}" text-anchor="end">{}</text>',
        name,
        *(left, right, y, y),
        *(left, y + 20, f"{strip.least:.3g}"),
        *(right, y + 20, f"{strip.most:.3g}"),
    )


def _mark(middle: float | None, strip: _Strip) -> SafeString:
    if middle is None:
        return SafeString("")
    at = strip.at(middle)
    return format_html(
        '<line class="mark" x1="{}" x2="{}" y1="{}" y2="{}"/>', at, at, strip.y - 10, strip.y + 10
    )


def _range(ends: Sequence[float | None], strip: _Strip) -> SafeString:
    low, high = ends
    if low is None or high is None:
        return SafeString("")
    return format_html(
        '<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>',
        strip.at(low),
        strip.at(high),
        strip.y,
        strip.y,
    )
