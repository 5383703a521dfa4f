"""A row each, on an axis of its own, from the least to the most of all."""

from collections.abc import Sequence
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.rows import number_of
from ranking.pages.plot_drawing.svg import MARGIN, NAMES, TOP, WIDTH, joined, shortened
from ranking.reports.plots import Plot
from ranking.reports.tables import Table, Value

_ROW: Final = 40
#: What is measured has long names.
_LEFT, _RIGHT = NAMES + 160, WIDTH - MARGIN
_LETTERS: Final = 48


def strips(table: Table, plot: Plot) -> tuple[int, int, SafeString] | None:
    """Return width, height and drawing; None where no row has an axis."""
    place = {column.key: number for number, column in enumerate(table.columns)}

    def numbers(row: Sequence[Value]) -> dict[str, float | None]:
        keys = (plot.value, plot.low, plot.high, plot.least, plot.middle, plot.most_of_all)
        return {key: number_of(row[place[key]]) for key in keys if key is not None}

    parts: list[SafeString] = []
    for row in table.rows:
        found = numbers(row)
        value = found[plot.value]
        least, most = found.get(plot.least or ""), found.get(plot.most_of_all or "")
        if value is None or least is None or most is None:
            continue
        y = TOP + _ROW * len(parts)
        ends = [found.get(key or "") for key in (plot.low, plot.high)]
        parts.append(
            joined(
                [
                    _axis(str(row[place[plot.label]]), least, most, y),
                    _range(ends, least, most, y),
                    _mark(found.get(plot.middle or ""), least, most, y),
                    format_html(
                        '<circle class="dot" cx="{}" cy="{}" r="5"/>', _at(value, least, most), y
                    ),
                ]
            )
        )
    if not parts:
        return None
    return WIDTH, TOP + _ROW * len(parts), joined(parts)


def _at(value: float, least: float, most: float) -> str:
    """Return where a value is; one beyond an end is at that end."""
    share = (value - least) / (most - least) if most > least else 0.5
    return f"{_LEFT + min(1.0, max(0.0, share)) * (_RIGHT - _LEFT):.1f}"


def _axis(label: str, least: float, most: float, y: int) -> SafeString:
    return format_html(
        '<text x="{}" y="{}" text-anchor="end">{}</text>'
        '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        '<text class="quiet small" x="{}" y="{}">{}</text>'
        '<text class="quiet small" x="{}" y="{}" text-anchor="end">{}</text>',
        *(_LEFT - 14, y + 4, shortened(label, _LETTERS)),
        *(_LEFT, _RIGHT, y, y),
        *(_LEFT, y + 20, f"{least:.3g}"),
        *(_RIGHT, y + 20, f"{most:.3g}"),
    )


def _mark(middle: float | None, least: float, most: float, y: int) -> SafeString:
    if middle is None:
        return SafeString("")
    at = _at(middle, least, most)
    return format_html(
        '<line class="mark" x1="{}" x2="{}" y1="{}" y2="{}"/>', at, at, y - 10, y + 10
    )


def _range(ends: Sequence[float | None], least: float, most: float, y: int) -> SafeString:
    low, high = ends
    if low is None or high is None:
        return SafeString("")
    return format_html(
        '<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>',
        _at(low, least, most),
        _at(high, least, most),
        y,
        y,
    )
