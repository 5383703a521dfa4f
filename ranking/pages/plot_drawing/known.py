"""An order as far as it is known: a square of signs, and the places that each row may take.

The places stand beside the square, on a narrow sheet below it.
"""

from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.matrix import CELL_HEIGHT, Cells
from ranking.pages.plot_drawing.svg import HEADS, Sheet, joined
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


def known(table: Table, sheet: Sheet) -> tuple[int, int, SafeString] | None:
    """Return width, height, a cell for each sign and a bar for each row; None where they do not fit on the sheet.

    The best place is on the left.
    """
    names = [str(row[0]) for row in table.rows]
    square = Cells(names, sheet)
    if not square.fit:
        return None
    cells = [
        _cell(square, (row, column), str(sign))
        for row, values in enumerate(table.rows)
        for column, sign in enumerate(values[_BEFORE:])
        if sign
    ]
    beside = square.left + len(names) * square.cell + _GAP
    left, top = (
        (square.left + _GAP // 2, square.height + _GAP) if sheet.is_narrow else (beside, HEADS)
    )
    room = sheet.width - left - _GAP if sheet.is_narrow else _RANGE
    step = room / max(1, len(names) - 1)
    bottom = top + len(names) * CELL_HEIGHT
    bars = [
        _bar(
            left,
            top + number * CELL_HEIGHT + CELL_HEIGHT // 2,
            step,
            int(str(values[1])),
            int(str(values[2])),
        )
        for number, values in enumerate(table.rows)
    ]
    rows = [
        format_html(
            '<text x="{}" y="{}" text-anchor="end">{}</text>',
            square.left - 8,
            top + number * CELL_HEIGHT + CELL_HEIGHT // 2 + 4,
            sheet.named(name),
        )
        for number, name in enumerate(names)
        if sheet.is_narrow
    ]
    places = [
        format_html(
            '<line class="grid" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
            '<text class="quiet" x="{0}" y="{3}" text-anchor="middle">{4}</text>',
            left + round(place * step),
            top,
            bottom,
            bottom + 18,
            place + 1,
        )
        for place in range(len(names))
    ]
    inside = format_html(
        '{}<g text-anchor="middle">{}</g>{}{}{}',
        square.heads,
        joined(cells),
        joined(rows),
        joined(places),
        joined(bars),
    )
    width = square.width if sheet.is_narrow else max(square.width, beside + _RANGE + _GAP)
    return width, bottom + 28, inside


def _cell(square: Cells, place: tuple[int, int], sign: str) -> SafeString:
    x, y = square.at(*place)
    row, column = place
    return format_html(
        '<g><title>{}</title><rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>'
        '<text x="{}" y="{}">{}</text></g>',
        f"{square.names[row]} – {square.names[column]}: {sign}",
        _CLASSES.get(sign, "even strength-0"),
        x + 1,
        y + 1,
        square.cell - 2,
        CELL_HEIGHT - 2,
        x + square.cell // 2,
        y + CELL_HEIGHT // 2 + 5,
        sign,
    )


def _bar(left: int, y: int, step: float, low: int, high: int) -> SafeString:
    begin, end = (left + round((place - 1) * step) for place in (low, high))
    if low == high:
        return format_html('<circle class="dot" cx="{}" cy="{}" r="5"/>', begin, y)
    return format_html('<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>', begin, end, y, y)
