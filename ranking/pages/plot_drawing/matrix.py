"""Squares of cells: pairs of a table, a table whose rows and columns have the same names, and an order as far as it is known."""

from collections.abc import Callable, Sequence
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from ranking.pages.plot_drawing.svg import HEADS, NAMES, SHORT_NAMES, Sheet, joined
from ranking.reports.tables import Plot, Table, Value

#: Says of two names where the judgments are in which the first beat the second; None for nowhere.
PairAddress = Callable[[str, str], str | None]

_CELL_WIDTH: Final = 64
_CELL_WIDTH_NARROW: Final = 32
#: Maximum columns on a narrow sheet; more are scrolled.
_MOST_ON_NARROW: Final = 6
CELL_HEIGHT: Final = 44
_STRENGTH: Final = {"": 0, "*": 1, "†": 2, "‡": 3}
_LEVELS: Final = {"": "", "*": ", p ≤ 0.10", "†": ", p ≤ 0.05", "‡": ", p ≤ 0.01"}


class Cells:
    """Geometry of a matrix's cells on a sheet, and the names of its rows and columns."""

    def __init__(self, names: Sequence[str], sheet: Sheet) -> None:
        self.names = names
        self._sheet = sheet
        self.cell = _CELL_WIDTH_NARROW if sheet.is_narrow else _CELL_WIDTH
        self.left = SHORT_NAMES if sheet.is_narrow else NAMES

    @property
    def fit(self) -> bool:
        """True if the sheet is wide enough."""
        return not self._sheet.is_narrow or len(self.names) <= _MOST_ON_NARROW

    @property
    def width(self) -> int:
        """The width of all: heads at an angle reach beyond the last column."""
        if self._sheet.is_narrow:
            return self._sheet.width
        return self.left + len(self.names) * self.cell + HEADS

    @property
    def height(self) -> int:
        """The height of all."""
        return HEADS + len(self.names) * CELL_HEIGHT + 8

    def at(self, row: int, column: int) -> tuple[int, int]:
        """Return the upper left corner of a cell."""
        return self.left + column * self.cell, HEADS + row * CELL_HEIGHT

    @property
    def heads(self) -> SafeString:
        """The names of rows and columns, and a dot where both are the same."""
        half = self.cell // 2
        # Upright, and their middle over the middle of the column; or at an angle, from the middle of the column on.
        angle, shift = (-90, 4) if self._sheet.is_narrow else (-40, 0)
        rows = format_html_join(
            "",
            '<text x="{}" y="{}" text-anchor="end">{}</text><text class="quiet" x="{}" y="{}"'
            ' text-anchor="middle">·</text>',
            (
                (
                    self.left - (8 if self._sheet.is_narrow else 14),
                    HEADS + number * CELL_HEIGHT + CELL_HEIGHT // 2 + 4,
                    self._sheet.named(name),
                    self.left + number * self.cell + half,
                    HEADS + number * CELL_HEIGHT + CELL_HEIGHT // 2 + 4,
                )
                for number, name in enumerate(self.names)
            ),
        )
        columns = format_html_join(
            "",
            '<text transform="translate({} {}) rotate({})">{}</text>',
            (
                (
                    self.left + number * self.cell + half + shift,
                    HEADS - 10,
                    angle,
                    self._sheet.named(name),
                )
                for number, name in enumerate(self.names)
            ),
        )
        return joined([rows, columns])


def matrix(
    table: Table, plot: Plot, sheet: Sheet, pair_address: PairAddress | None = None
) -> tuple[int, int, SafeString] | None:
    """Return width, height and cells: share in %, mark and number; the colour says nothing that these do not.

    None where they do not fit on the sheet.
    """
    place = {column.key: number for number, column in enumerate(table.columns)}
    keys = (plot.label, plot.across, plot.value, plot.back, plot.count, plot.sign, plot.p)
    pairs = [[row[place[key]] if key in place else None for key in keys] for row in table.rows]
    names = list(dict.fromkeys([*(str(row[0]) for row in pairs), *(str(row[1]) for row in pairs)]))
    square = Cells(names, sheet)
    if not square.fit:
        return None
    at = {name: number for number, name in enumerate(names)}
    cells = []
    for one, other, share, back, count, sign, p in pairs:
        shares, strength = (share, back), _strength(str(sign or ""), p, plot.level)
        for row, column, (own, against) in (
            (str(one), str(other), shares),
            (str(other), str(one), shares[::-1]),
        ):
            said = (own, against, count, sign)
            corner = square.at(at[row], at[column])
            cell = _cell(corner, square.cell, f"{row} – {column}", said, strength)
            leads = pair_address(row, column) if pair_address is not None and own else None
            # Keyboards reach the same lists from the table, without a stop at each of n² cells.
            cells.append(
                cell
                if leads is None
                else format_html('<a href="{}" tabindex="-1">{}</a>', leads, cell)
            )
    inside = format_html('{}<g text-anchor="middle">{}</g>', square.heads, joined(cells))
    return square.width, square.height, inside


def _strength(mark: str, p: Value, level: float | None) -> int:
    """Return how strong the colour of a pair is: by its mark, but none beyond the level, and some up to it."""
    strength = _STRENGTH.get(mark, 0)
    if level is None:
        return strength
    return max(1, strength) if isinstance(p, int | float) and p <= level else 0


def _cell(
    corner: tuple[int, int],
    cell_width: int,
    names: str,
    said: tuple[Value, Value, Value, Value],
    strength: int,
) -> SafeString:
    share, back, count, sign = said
    x, y = corner
    if not isinstance(share, int | float) or not isinstance(back, int | float):
        return format_html(
            '<g><title>{}: n = 0</title><text class="quiet" x="{}" y="{}">–</text></g>',
            names,
            x + cell_width // 2,
            y + CELL_HEIGHT // 2 + 4,
        )
    mark = str(sign or "")
    outcome = "won" if share > back else "lost" if share < back else "even"
    return format_html(
        '<g><title>{}: {}%, n = {}{}</title><rect class="{} strength-{}" x="{}" y="{}" width="{}" height="{}"'
        ' rx="3"/><text{} x="{}" y="{}">{}{}</text><text class="small" x="{}" y="{}">{}</text></g>',
        names,
        f"{100 * share:.1f}",
        count,
        _LEVELS.get(mark, ""),
        outcome,
        strength,
        x + 1,
        y + 1,
        cell_width - 2,
        CELL_HEIGHT - 2,
        mark_safe(' class="more"') if outcome == "won" else "",
        x + cell_width // 2,
        y + 20,
        f"{100 * share:.0f}",
        mark,
        x + cell_width // 2,
        y + 36,
        count,
    )


#: Marks of cells, with the class of values below and above the expected one.
_GRID_CLASSES: Final = {"▼": "lost strength-3", "▲": "won strength-3"}


def grid(table: Table, sheet: Sheet) -> tuple[int, int, SafeString] | None:
    """Return width, height and cells, None where they do not fit on the sheet.

    A cell says “figure (number) mark”; most have no mark, and no colour.
    """
    names = [str(row[0]) for row in table.rows]
    square = Cells(names, sheet)
    if not square.fit:
        return None
    cells = []
    for row, values in enumerate(table.rows):
        for column, value in enumerate(values[1:]):
            if value is not None:
                title = f"{names[row]} – {table.columns[column + 1].heading}: {value}"
                cells.append(_grid_cell(square.at(row, column), square.cell, title, str(value)))
    inside = format_html('{}<g text-anchor="middle">{}</g>', square.heads, joined(cells))
    return square.width, square.height, inside


def _grid_cell(corner: tuple[int, int], cell_width: int, title: str, words: str) -> SafeString:
    figure, _, rest = words.partition(" (")
    number, _, mark = rest.partition(")")
    x, y = corner
    return format_html(
        '<g><title>{}</title><rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>'
        '<text x="{}" y="{}">{}{}</text><text class="small" x="{}" y="{}">{}</text></g>',
        title,
        _GRID_CLASSES.get(mark.strip(), "even strength-0"),
        x + 1,
        y + 1,
        cell_width - 2,
        CELL_HEIGHT - 2,
        x + cell_width // 2,
        y + 20,
        figure,
        mark,
        x + cell_width // 2,
        y + 36,
        number,
    )


#: By sign: signs in brackets are faint. In grey they differ by their text.
_KNOWN_CLASSES: Final = {
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
        _known_cell(square, (row, column), str(sign))
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


def _known_cell(square: Cells, place: tuple[int, int], sign: str) -> SafeString:
    x, y = square.at(*place)
    row, column = place
    return format_html(
        '<g><title>{}</title><rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>'
        '<text x="{}" y="{}">{}</text></g>',
        f"{square.names[row]} – {square.names[column]}: {sign}",
        _KNOWN_CLASSES.get(sign, "even strength-0"),
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
