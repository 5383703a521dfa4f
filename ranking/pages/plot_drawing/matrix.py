"""Squares of cells: pairs of a table, a table whose rows and columns have the same names, and an order as far as it is known."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.svg import (
    HEADS,
    NAMES,
    SHORT_NAMES,
    Sheet,
    dot,
    joined,
    room_of_heads,
    stroke,
    tag,
    text,
)
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
        self.side = _CELL_WIDTH_NARROW if sheet.is_narrow else _CELL_WIDTH
        self.left = SHORT_NAMES if sheet.is_narrow else NAMES
        # Upright, and their middle over the middle of the column; or at an angle, from the middle of the column on.
        self._angle = -90 if sheet.is_narrow else -40
        self.top = room_of_heads(map(sheet.named, names), self._angle)

    @property
    def fit(self) -> bool:
        """True if the sheet is wide enough."""
        return not self._sheet.is_narrow or len(self.names) <= _MOST_ON_NARROW

    @property
    def width(self) -> int:
        """The width of all: heads at an angle reach beyond the last column."""
        if self._sheet.is_narrow:
            return self._sheet.width
        return self.left + len(self.names) * self.side + HEADS

    @property
    def height(self) -> int:
        """The height of all."""
        return self.top + len(self.names) * CELL_HEIGHT + 8

    def cell(
        self, row: int, column: int, title: str, colour: str, *lines: tuple[int, object, str]
    ) -> SafeString:
        """Return a cell; each of its lines is how far down it is, the words, and their class."""
        x, y = self.left + column * self.side, self.top + row * CELL_HEIGHT
        parts = [tag("title", title)]
        if colour:
            size = {"width": self.side - 2, "height": CELL_HEIGHT - 2}
            parts.append(tag("rect", class_=colour, x=x + 1, y=y + 1, **size, rx=3))
        parts += [
            text(x + self.side // 2, y + down, words, kind=kind) for down, words, kind in lines
        ]
        return tag("g", joined(parts))

    def drawn(self, cells: Iterable[SafeString]) -> SafeString:
        """Return the names of rows and columns, a dot where both are the same, and the cells."""
        half = self.side // 2
        shift, gap = (4, 8) if self._sheet.is_narrow else (0, 14)
        rows, columns = [], []
        for number, name in enumerate(map(self._sheet.named, self.names)):
            x, y = self.left + number * self.side + half, _middle_of(self.top, number)
            rows.append(text(self.left - gap, y, name, anchor="end"))
            rows.append(text(x, y, "·", kind="quiet", anchor="middle"))
            turned = f"translate({x + shift} {self.top - 10}) rotate({self._angle})"
            columns.append(tag("text", name, transform=turned))
        return joined([*rows, *columns, tag("g", joined(cells), text_anchor="middle")])


def _middle_of(top: int, row: int) -> int:
    """Return the height of words in the middle of a row."""
    return top + row * CELL_HEIGHT + CELL_HEIGHT // 2 + 4


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
            cell = _cell(square, (at[row], at[column]), (own, against, count, sign), strength)
            leads = pair_address(row, column) if pair_address is not None and own else None
            # Keyboards reach the same lists from the table, without a stop at each of n² cells.
            cells.append(cell if leads is None else tag("a", cell, href=leads, tabindex=-1))
    return square.width, square.height, square.drawn(cells)


def _strength(mark: str, p: Value, level: float | None) -> int:
    """Return how strong the colour of a pair is: by its mark, but none beyond the level, and some up to it."""
    strength = _STRENGTH.get(mark, 0)
    if level is None:
        return strength
    return max(1, strength) if isinstance(p, int | float) and p <= level else 0


def _cell(
    square: Cells, place: tuple[int, int], said: tuple[Value, Value, Value, Value], strength: int
) -> SafeString:
    share, back, count, sign = said
    names = " – ".join(square.names[each] for each in place)
    if not isinstance(share, int | float) or not isinstance(back, int | float):
        return square.cell(*place, f"{names}: n = 0", "", (CELL_HEIGHT // 2 + 4, "–", "quiet"))
    mark = str(sign or "")
    outcome = "won" if share > back else "lost" if share < back else "even"
    return square.cell(
        *place,
        f"{names}: {100 * share:.1f}%, n = {count}{_LEVELS.get(mark, '')}",
        f"{outcome} strength-{strength}",
        (20, f"{100 * share:.0f}{mark}", "more" if outcome == "won" else ""),
        (36, count, "small"),
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
                figure, _, rest = str(value).partition(" (")
                number, _, mark = rest.partition(")")
                colour = _GRID_CLASSES.get(mark.strip(), "even strength-0")
                lines = (20, f"{figure}{mark}", ""), (36, number, "small")
                cells.append(square.cell(row, column, title, colour, *lines))
    return square.width, square.height, square.drawn(cells)


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
        square.cell(
            row,
            column,
            f"{names[row]} – {names[column]}: {sign}",
            _KNOWN_CLASSES.get(str(sign), "even strength-0"),
            (CELL_HEIGHT // 2 + 5, sign, ""),
        )
        for row, values in enumerate(table.rows)
        for column, sign in enumerate(values[_BEFORE:])
        if sign
    ]
    beside = square.left + len(names) * square.side + _GAP
    left, top = (
        (square.left + _GAP // 2, square.height + _GAP) if sheet.is_narrow else (beside, square.top)
    )
    room = sheet.width - left - _GAP if sheet.is_narrow else _RANGE
    step = room / max(1, len(names) - 1)
    bottom = top + len(names) * CELL_HEIGHT
    parts = [square.drawn(cells)]
    if sheet.is_narrow:
        parts += [
            text(square.left - 8, _middle_of(top, number), sheet.named(name), anchor="end")
            for number, name in enumerate(names)
        ]
    for place in range(len(names)):
        at = left + round(place * step)
        parts.append(stroke("grid", at, at, top, bottom))
        parts.append(text(at, bottom + 18, place + 1, kind="quiet", anchor="middle"))
    for number, values in enumerate(table.rows):
        begin, end = (left + round((int(str(place)) - 1) * step) for place in values[1:_BEFORE])
        y = _middle_of(top, number) - 4
        parts.append(dot(begin, y) if values[1] == values[2] else stroke("range", begin, end, y, y))
    width = square.width if sheet.is_narrow else max(square.width, beside + _RANGE + _GAP)
    return width, bottom + 28, joined(parts)
