"""An order as far as it is known: a square of signs, and beside it the places that each row may take."""

from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.matrix import CELL_HEIGHT, CELL_WIDTH, heads
from ranking.pages.plot_drawing.svg import HEADS, NAMES, joined
from ranking.reports.tables import Table

#: By sign: signs in brackets are faint. In grey they differ by what they say.
_CLASSES: Final = {
    "+": "won strength-3",
    "(+)": "won strength-0",
    "−": "lost strength-3",
    "(−)": "lost strength-0",
    "?": "even strength-2",
}
#: The columns before the square: the name, and the ends of its places.
_BEFORE: Final = 3
_RANGE: Final = 180
_GAP: Final = 28


def known(table: Table) -> tuple[int, int, SafeString]:
    """Return width, height, a cell for each sign, and a bar for each row, best place on the left."""
    names = [str(row[0]) for row in table.rows]
    cells = [
        _cell(row, column, f"{names[row]} – {names[column]}: {sign}", str(sign))
        for row, values in enumerate(table.rows)
        for column, sign in enumerate(values[_BEFORE:])
        if sign
    ]
    left = NAMES + len(names) * CELL_WIDTH + _GAP
    step = _RANGE / max(1, len(names) - 1)
    bars = [
        _bar(number, left, step, int(str(values[1])), int(str(values[2])))
        for number, values in enumerate(table.rows)
    ]
    places = [
        format_html(
            '<line class="grid" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
            '<text class="quiet" x="{0}" y="{3}" text-anchor="middle">{4}</text>',
            left + round(place * step),
            HEADS,
            HEADS + len(names) * CELL_HEIGHT,
            HEADS + len(names) * CELL_HEIGHT + 18,
            place + 1,
        )
        for place in range(len(names))
    ]
    inside = format_html(
        '{}<g text-anchor="middle">{}</g>{}{}',
        heads(names),
        joined(cells),
        joined(places),
        joined(bars),
    )
    width = left + _RANGE + _GAP
    return max(width, NAMES + len(names) * CELL_WIDTH + HEADS), _height(len(names)), inside


def _height(rows: int) -> int:
    return HEADS + rows * CELL_HEIGHT + 28


def _cell(row: int, column: int, title: str, sign: str) -> SafeString:
    x, y = NAMES + column * CELL_WIDTH, HEADS + row * CELL_HEIGHT
    return format_html(
        '<g><title>{}</title><rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>'
        '<text x="{}" y="{}">{}</text></g>',
        title,
        _CLASSES.get(sign, "even strength-0"),
        x + 1,
        y + 1,
        CELL_WIDTH - 2,
        CELL_HEIGHT - 2,
        x + CELL_WIDTH // 2,
        y + CELL_HEIGHT // 2 + 5,
        sign,
    )


def _bar(row: int, left: int, step: float, low: int, high: int) -> SafeString:
    y = HEADS + row * CELL_HEIGHT + CELL_HEIGHT // 2
    begin, end = (left + round((place - 1) * step) for place in (low, high))
    if low == high:
        return format_html('<circle class="dot" cx="{}" cy="{}" r="5"/>', begin, y)
    return format_html('<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>', begin, end, y, y)
