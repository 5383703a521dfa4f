"""Draw tables of pairs as cells."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list, labelled
from ranking.pages import svg
from ranking.pages.plot_rows import Drawing, cells_of, number_of, without_none
from ranking.reports.plots import GridPlot, MatrixPlot, PartialOrderPlot
from ranking.reports.tables import Table, Value
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.pair_tests import MARKS

#: Returns the address of the judgments in which the first of two systems beat the second, if any.
PairAddress = Callable[[str, str], str | None]

_CELL_WIDTH: Final = 64
_CELL_WIDTH_NARROW: Final = 32
#: Maximum number of columns on a narrow sheet; wider matrices are scrolled.
_MOST_ON_NARROW: Final = 6
CELL_HEIGHT: Final = 44
_STRENGTH: Final = {"": 0, "*": 1, "†": 2, "‡": 3}


class _Line(NamedTuple):
    """A line of text in a cell, at a vertical offset."""

    down: int
    content: object
    kind: str = ""


class _Cell(NamedTuple):
    """A cell; without `colour` it has no background."""

    row: int
    column: int
    title: str
    colour: str
    lines: Sequence[_Line]


class Cells:
    """Geometry of a matrix's cells on a sheet, and the names of its rows and columns."""

    def __init__(self, names: Sequence[str], sheet: svg.Sheet) -> None:
        self.names = names
        self.labels = sheet.labels(names)
        self._sheet = sheet
        if sheet.is_narrow:
            self.side = _CELL_WIDTH_NARROW
            self.left = svg.SHORT_NAMES
            self._gap = 8
            # Heads are vertical and centred over the column.
            self._angle = -90
            self._shift = 4
        else:
            self.side = _CELL_WIDTH
            self.left = svg.NAMES
            self._gap = 14
            # Heads are slanted from the middle of the column.
            self._angle = -40
            self._shift = 0
        self.top = svg.room_of_heads(self.labels.values(), self._angle)

    @property
    def fit(self) -> bool:
        """True if the sheet is wide enough."""
        return not self._sheet.is_narrow or len(self.names) <= _MOST_ON_NARROW

    @property
    def width(self) -> int:
        """Total width; slanted heads reach beyond the last column."""
        if self._sheet.is_narrow:
            return self._sheet.width
        return self.left + len(self.names) * self.side + svg.HEADS

    @property
    def height(self) -> int:
        """Total height."""
        return self.top + len(self.names) * CELL_HEIGHT + 8

    def cell(self, cell: _Cell) -> SafeString:
        """Return a cell."""
        x = self.left + cell.column * self.side
        y = self.top + cell.row * CELL_HEIGHT
        parts = [svg.tag("title", cell.title)]
        if cell.colour:
            background = svg.tag(
                "rect",
                class_=cell.colour,
                x=x + 1,
                y=y + 1,
                width=self.side - 2,
                height=CELL_HEIGHT - 2,
                rx=3,
            )
            parts.append(background)
        middle = self.middle_of_column(cell.column)
        for line in cell.lines:
            parts.append(svg.text(middle, y + line.down, line.content, kind=line.kind))
        return svg.tag("g", svg.joined(parts))

    def middle_of_column(self, column: int) -> int:
        """Return the horizontal position of the middle of a column."""
        return self.left + column * self.side + self.side // 2

    def middle_of(self, row: int) -> int:
        """Return the height of text in the middle of a row."""
        return self.top + row * CELL_HEIGHT + CELL_HEIGHT // 2 + 4

    def drawing(self, cells: Iterable[SafeString]) -> Drawing:
        """Return the names of rows and columns, dots on the diagonal, and the cells."""
        parts = [*self._rows(), *self._heads()]
        parts.append(svg.tag("g", svg.joined(cells), text_anchor="middle"))
        left = svg.room_left(self.names)
        return Drawing(self.width, self.height, svg.joined(parts), left=left)

    def _rows(self) -> Iterator[SafeString]:
        """Yield the name of each row, and the dot on the diagonal."""
        for number, name in enumerate(self.names):
            y = self.middle_of(number)
            right = self.left - self._gap
            yield svg.label(name, self.labels[name], right, y, anchor="end")
            x = self.middle_of_column(number)
            yield svg.text(x, y, "·", kind="quiet", anchor="middle")

    def _heads(self) -> Iterator[SafeString]:
        """Yield the name of each column."""
        for number, name in enumerate(self.names):
            x = self.middle_of_column(number) + self._shift
            turned = f"translate({x} {self.top - 10}) rotate({self._angle})"
            yield svg.label(name, self.labels[name], "", "", transform=turned)


class _Pair(NamedTuple):
    """One direction of a pair: the share of its first name, and what both directions have in common."""

    one: str
    other: str
    share: Value
    back: Value
    total: Value
    sign: str
    strength: int

    def reversed(self) -> "_Pair":
        """Return the other direction."""
        return self._replace(
            one=self.other,
            other=self.one,
            share=self.back,
            back=self.share,
        )


def matrix(
    table: Table,
    plot: MatrixPlot,
    sheet: svg.Sheet,
    pair_address: PairAddress | None = None,
) -> Drawing | None:
    """Return cells with share in %, mark and number; colour adds no information.

    None without a share, or if the cells do not fit on the sheet.
    """
    pairs = _pairs(table, plot)
    if not without_none([number_of(pair.share) for pair in pairs]):
        return None
    square = Cells(_names(pairs), sheet)
    if not square.fit:
        return None
    positions = {name: number for number, name in enumerate(square.names)}
    cells = []
    for pair in pairs:
        cell = square.cell(_cell_of_pair(pair, positions))
        address = None
        if pair_address is not None and pair.share:
            address = pair_address(pair.one, pair.other)
        if address is not None:
            # Keyboard users reach the same lists from the table, without n² tab stops.
            cell = svg.tag("a", cell, href=address, tabindex=-1)
        cells.append(cell)
    return square.drawing(cells)


def _names(pairs: Sequence[_Pair]) -> list[str]:
    """Return the names in order of appearance, first those of rows of the table."""
    rows = [pair.one for pair in pairs[::2]]
    others = [pair.other for pair in pairs[::2]]
    return list(dict.fromkeys(rows + others))


def _pairs(table: Table, plot: MatrixPlot) -> list[_Pair]:
    """Return both directions of each pair, one after the other."""
    pairs = []
    for cells in cells_of(table):
        mark = str(cells.get(plot.sign) or "")
        pair = _Pair(
            one=str(cells.get(plot.label)),
            other=str(cells.get(plot.across)),
            share=cells.get(plot.value),
            back=cells.get(plot.back),
            total=cells.get(plot.count),
            sign=mark,
            strength=_strength(mark, cells.get(plot.p), plot.level),
        )
        pairs.append(pair)
        pairs.append(pair.reversed())
    return pairs


def _strength(mark: str, p: Value, level: float | None) -> int:
    """Return the colour strength of a pair: by its mark, 0 if p is above the level, otherwise at least 1."""
    strength = _STRENGTH.get(mark, 0)
    if level is None:
        return strength
    if isinstance(p, int | float) and p <= level:
        return max(1, strength)
    return 0


def _cell_of_pair(pair: _Pair, positions: dict[str, int]) -> _Cell:
    row = positions[pair.one]
    column = positions[pair.other]
    names = f"{pair.one} – {pair.other}"
    share = pair.share
    back = pair.back
    if not isinstance(share, int | float) or not isinstance(back, int | float):
        title = labelled(names, "n = 0")
        dash = _Line(CELL_HEIGHT // 2 + 4, "–", "quiet")
        return _Cell(row, column, title, "", [dash])
    kind = ""
    if share > back:
        outcome = "won"
        kind = "more"
    elif share < back:
        outcome = "lost"
    else:
        outcome = "even"
    colour = f"{outcome} strength-{pair.strength}"
    percent = 100 * share
    lines = [
        _Line(20, f"{percent:.0f}{pair.sign}", kind),
        _Line(36, pair.total, "small"),
    ]
    facts = [
        _("%(share)s%%") % {"share": decimals(percent, 1)},
        f"n = {number_format(str(pair.total))}",
    ]
    if pair.sign:
        facts.append(f"p ≤ {decimals(_LEVELS[pair.sign], 2)}")
    title = labelled(names, comma_list(facts))
    return _Cell(row, column, title, colour, lines)


#: Significance level of each mark.
_LEVELS: Final = {mark: level for level, mark in MARKS}


#: Marks of cells with the classes of values below and above the expected one.
_GRID_CLASSES: Final = {"▼": "lost strength-3", "▲": "won strength-3"}


def grid(table: Table, _plot: GridPlot, sheet: svg.Sheet) -> Drawing | None:
    """Return cells; None without rows, or if they do not fit on the sheet.

    Cells are “figure (number) mark”; most have no mark and no colour.
    """
    names = [str(row[0]) for row in table.rows]
    square = Cells(names, sheet)
    if not names or not square.fit:
        return None
    headings = [column.heading for column in table.columns[1:]]
    cells = []
    for row, values in enumerate(table.rows):
        for column, value in enumerate(values[1:]):
            if value is None:
                continue
            title = labelled(f"{names[row]} – {headings[column]}", value)
            cell = _grid_cell(row, column, title, str(value))
            cells.append(square.cell(cell))
    return square.drawing(cells)


def _grid_cell(row: int, column: int, title: str, value: str) -> _Cell:
    figure, _separator, rest = value.partition(" (")
    number, _separator, mark = rest.partition(")")
    colour = _GRID_CLASSES.get(mark.strip(), "even strength-0")
    lines = [
        _Line(20, f"{figure}{mark}"),
        _Line(36, number, "small"),
    ]
    return _Cell(row, column, title, colour, lines)


#: Classes by sign: signs in brackets are faint. In greyscale, the text distinguishes them.
_SIGN_CLASSES: Final = {
    "+": "won strength-3",
    "(+)": "won strength-0",
    "−": "lost strength-3",
    "(−)": "lost strength-0",
    "?": "even strength-2",
}
#: Number of columns before the matrix: name and ends of the rank range.
_BEFORE: Final = 3
_RANGE: Final = 180
_GAP: Final = 28


def partial_order(
    table: Table,
    _plot: PartialOrderPlot,
    sheet: svg.Sheet,
) -> Drawing | None:
    """Return a cell for each sign and a bar for each row, with the best rank on the left.

    None without rows, or if they do not fit on the sheet. The bars are beside the cells; on a narrow
    sheet, below them.
    """
    names = [str(row[0]) for row in table.rows]
    square = Cells(names, sheet)
    if not names or not square.fit:
        return None
    cells = square.drawing(_signs(table, square))
    parts = [cells.inside]
    if sheet.is_narrow:
        width = square.width
        left = square.left + _GAP // 2
        top = square.height + _GAP
        room = sheet.width - left - _GAP
        parts += _names_below(square, top)
    else:
        left = square.left + len(names) * square.side + _GAP
        width = max(square.width, left + _RANGE + _GAP)
        top = square.top
        room = _RANGE
    step = room / max(1, len(names) - 1)
    positions = [left + round(number * step) for number in range(len(names))]
    bottom = top + len(names) * CELL_HEIGHT
    for number, x in enumerate(positions, 1):
        parts.append(svg.vertical_stroke("grid", x, top, bottom))
        parts.append(svg.text(x, bottom + 18, number, kind="quiet", anchor="middle"))
    y = top + CELL_HEIGHT // 2
    for _name, best, worst, *_signs_of_row in table.rows:
        left_end = positions[int(str(best)) - 1]
        right_end = positions[int(str(worst)) - 1]
        if left_end == right_end:
            parts.append(svg.dot(left_end, y))
        else:
            parts.append(svg.horizontal_stroke("range", left_end, right_end, y))
        y += CELL_HEIGHT
    return Drawing(width, bottom + 28, svg.joined(parts), left=cells.left)


def _names_below(square: Cells, top: int) -> Iterator[SafeString]:
    """Yield the names of the bars below the cells."""
    x = square.left - 8
    for number, name in enumerate(square.names):
        y = square.middle_of(number) + top - square.top
        yield svg.label(name, square.labels[name], x, y, anchor="end")


def _signs(table: Table, square: Cells) -> Iterator[SafeString]:
    """Yield the cells with a sign."""
    names = square.names
    for row, values in enumerate(table.rows):
        for column, sign in enumerate(values[_BEFORE:]):
            if not sign:
                continue
            title = labelled(f"{names[row]} – {names[column]}", sign)
            colour = _SIGN_CLASSES.get(str(sign), "even strength-0")
            lines = [_Line(CELL_HEIGHT // 2 + 5, sign)]
            yield square.cell(_Cell(row, column, title, colour, lines))
