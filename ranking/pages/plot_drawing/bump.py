"""Ranks by several methods: a line for each row, from column to column."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.svg import HEADS, NAMES, SHORT_NAMES, Sheet, joined, shortened
from ranking.reports.tables import Table, Value

_GAP: Final = 76
_ROW: Final = 28
#: With columns nearer than this, heads are upright, and so many letters fit.
_LEAST_GAP: Final = 60
_UPRIGHT_LETTERS: Final = 18
#: Styles of lines, told apart without colour: solid, dashed, dotted, dash and dot, heavy, heavy dashes.
_STYLES: Final = 6


class _Columns(NamedTuple):
    """The columns that hold ranks, where the first is, and how far the next ones are."""

    places: Sequence[int]
    left: float
    gap: float

    def at(self, place: int) -> str:
        return f"{self.left + place * self.gap:.1f}"


def bump(table: Table, sheet: Sheet) -> tuple[int, int, SafeString]:
    """Return width, height and lines, with the names at both ends, at the left one of a narrow sheet; best above."""
    found = [
        number
        for number in range(1, len(table.columns))
        if any(_is_rank(row[number]) for row in table.rows)
    ]
    gaps = max(1, len(found) - 1)
    if sheet.is_narrow:
        columns = _Columns(
            found, SHORT_NAMES, min(_GAP, (sheet.right - SHORT_NAMES) / max(2, gaps))
        )
    else:
        columns = _Columns(found, NAMES, _GAP)
    lowest = max(
        (
            float(value)
            for row in table.rows
            for at in found
            if isinstance(value := row[at], int | float)
        ),
        default=1.0,
    )
    # Upright where columns are too near for heads at an angle.
    angle = -90 if columns.gap < _LEAST_GAP else -40
    parts = [
        format_html(
            '<text transform="translate({} {}) rotate({})">{}</text>'
            '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>',
            columns.at(place),
            HEADS - 14,
            angle,
            shortened(str(table.columns[at].heading), _UPRIGHT_LETTERS)
            if angle == -90
            else shortened(str(table.columns[at].heading)),
            *(columns.at(place),) * 2,
            HEADS,
            _down(lowest) + 10,
        )
        for place, at in enumerate(found)
    ]
    for number, row in enumerate(table.rows):
        parts.append(_path(row, columns, number % _STYLES))
    width = sheet.width
    if found:
        parts += _names(table, found[0], columns.left - 14, "end", sheet)
        if not sheet.is_narrow:
            right = NAMES + (len(found) - 1) * _GAP
            parts += _names(table, found[-1], right + 14, "start", sheet)
            width = right + NAMES
    return width, int(_down(lowest)) + 24, joined(parts)


def _is_rank(value: Value) -> bool:
    return isinstance(value, int | float)


def _down(rank: float) -> float:
    return HEADS + 14 + (rank - 1) * _ROW


def _path(row: Sequence[Value], columns: _Columns, style: int) -> SafeString:
    found = [
        (columns.at(place), _down(float(value)))
        for place, at in enumerate(columns.places)
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


def _names(table: Table, at: int, x: float, anchor: str, sheet: Sheet) -> list[SafeString]:
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
            sheet.named(", ".join(names)),
        )
        for rank, names in sorted(by_rank.items())
    ]
