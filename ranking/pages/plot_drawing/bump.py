"""Ranks by several methods: a line for each row, from column to column."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.svg import HEADS, NAMES, joined, shortened
from ranking.reports.tables import Table, Value

_GAP: Final = 76
_ROW: Final = 28
#: Styles of lines, told apart without colour: solid, dashed, dotted, dash and dot, heavy, heavy dashes.
_STYLES: Final = 6


def bump(table: Table) -> tuple[int, int, SafeString]:
    """Return width, height and lines, with the names at both ends, best above."""
    columns = [
        number
        for number in range(1, len(table.columns))
        if any(_is_rank(row[number]) for row in table.rows)
    ]
    left, right = NAMES, NAMES + max(0, len(columns) - 1) * _GAP
    lowest = max(
        (
            float(value)
            for row in table.rows
            for at in columns
            if isinstance(value := row[at], int | float)
        ),
        default=1.0,
    )
    parts = [
        format_html(
            '<text transform="translate({} {}) rotate(-40)">{}</text>'
            '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>',
            left + place * _GAP,
            HEADS - 14,
            shortened(str(table.columns[at].heading)),
            left + place * _GAP,
            left + place * _GAP,
            HEADS,
            _down(lowest) + 10,
        )
        for place, at in enumerate(columns)
    ]
    for number, row in enumerate(table.rows):
        parts.append(_path(row, columns, number % _STYLES))
    if columns:
        parts += _names(table, columns[0], left - 14, "end")
        parts += _names(table, columns[-1], right + 14, "start")
    width = max(right + NAMES, right + HEADS)
    return width, int(_down(lowest)) + 24, joined(parts)


def _is_rank(value: Value) -> bool:
    return isinstance(value, int | float)


def _down(rank: float) -> float:
    return HEADS + 14 + (rank - 1) * _ROW


def _path(row: Sequence[Value], columns: list[int], style: int) -> SafeString:
    found = [
        (NAMES + place * _GAP, _down(float(value)))
        for place, at in enumerate(columns)
        if isinstance(value := row[at], int | float)
    ]
    lines = [
        format_html(
            '<line class="path path-{}" x1="{}" y1="{}" x2="{}" y2="{}"/>', style, *one, *other
        )
        for one, other in pairwise(found)
    ]
    dots = [format_html('<circle class="dot" cx="{}" cy="{}" r="4"/>', *each) for each in found]
    return format_html("<g><title>{}</title>{}{}</g>", str(row[0]), joined(lines), joined(dots))


def _names(table: Table, at: int, x: int, anchor: str) -> list[SafeString]:
    """Return the names at an end, those of equal rank in one line."""
    by_rank: dict[float, list[str]] = {}
    for row in table.rows:
        value = row[at]
        if isinstance(value, int | float):
            by_rank.setdefault(float(value), []).append(str(row[0]))
    return [
        format_html(
            '<text x="{}" y="{}" text-anchor="{}">{}</text>',
            x,
            _down(rank) + 4,
            anchor,
            shortened(", ".join(names)),
        )
        for rank, names in sorted(by_rank.items())
    ]
