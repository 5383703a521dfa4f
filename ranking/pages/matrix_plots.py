"""Draw tables of pairs as cells."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list, labelled
from ranking.pages import svg
from ranking.pages.plot_rows import Drawing, cells_of, number_of
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
    words: object
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
        self._sheet = sheet
        if sheet.is_narrow:
            self.side = _CELL_WIDTH_NARROW
        else:
            self.side = _CELL_WIDTH
        if sheet.is_narrow:
            self.left = svg.SHORT_NAMES
        else:
            self.left = svg.NAMES
        # Vertical and centred over the column, or slanted from the middle of the column.
        self._angle = -90 if sheet.is_narrow else -40
        self.labels = sheet.labels(names)
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
            size = {"width": self.side - 2, "height": CELL_HEIGHT - 2}
            parts.append(
                svg.tag("rect", class_=cell.colour, x=x + 1, y=y + 1, **size, rx=3)
            )
        middle = x + self.side // 2
        parts += [
            svg.text(middle, y + line.down, line.words, kind=line.kind)
            for line in cell.lines
        ]
        return svg.tag("g", svg.joined(parts))

    def middle_of(self, row: int) -> int:
        """Return the height of text in the middle of a row."""
        return self.top + row * CELL_HEIGHT + CELL_HEIGHT // 2 + 4

    def drawing(self, cells: Iterable[SafeString]) -> Drawing:
        """Return the names of rows and columns, dots on the diagonal, and the cells."""
        half = self.side // 2
        if self._sheet.is_narrow:
            shift = 4
            gap = 8
        else:
            shift = 0
            gap = 14
        rows = []
        columns = []
        for number, name in enumerate(self.names):
            x = self.left + number * self.side + half
            y = self.middle_of(number)
            label = self.labels[name]
            rows.append(svg.label(name, label, self.left - gap, y, anchor="end"))
            rows.append(svg.text(x, y, "·", kind="quiet", anchor="middle"))
            turned = f"translate({x + shift} {self.top - 10}) rotate({self._angle})"
            columns.append(svg.label(name, label, "", "", transform=turned))
        group = svg.tag("g", svg.joined(cells), text_anchor="middle")
        inside = svg.joined([*rows, *columns, group])
        return Drawing(self.width, self.height, inside, left=svg.room_left(self.names))


class _Pair(NamedTuple):
    """One direction of a pair: the share of its first name, and what both directions have in common."""

    one: str
    other: str
    share: Value
    back: Value
    total: Value
    sign: str
    strength: int


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
    names = list(dict.fromkeys(pair.one for pair in pairs[::2]))
    names = list(dict.fromkeys([*names, *(pair.other for pair in pairs[::2])]))
    square = Cells(names, sheet)
    if not any(number_of(pair.share) is not None for pair in pairs) or not square.fit:
        return None
    positions = {name: number for number, name in enumerate(names)}
    cells = []
    for pair in pairs:
        cell = square.cell(_cell_of_pair(pair, positions))
        address = None
        if pair_address is not None and pair.share:
            address = pair_address(pair.one, pair.other)
        # Keyboard users reach the same lists from the table, without n² tab stops.
        cells.append(
            cell if address is None else svg.tag("a", cell, href=address, tabindex=-1)
        )
    return square.drawing(cells)


def _pairs(table: Table, plot: MatrixPlot) -> list[_Pair]:
    """Return both directions of each pair, one after the other."""
    keys = (
        plot.label,
        plot.across,
        plot.value,
        plot.back,
        plot.count,
        plot.sign,
        plot.p,
    )
    pairs = []
    for one, other, share, back, count, sign, p in cells_of(table, *keys):
        mark = str(sign or "")
        common = (count, mark, _strength(mark, p, plot.level))
        pairs.append(_Pair(str(one), str(other), share, back, *common))
        pairs.append(_Pair(str(other), str(one), back, share, *common))
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
        dash = _Line(CELL_HEIGHT // 2 + 4, "–", "quiet")
        return _Cell(row, column, labelled(names, "n = 0"), "", [dash])
    if share > back:
        outcome = "won"
    elif share < back:
        outcome = "lost"
    else:
        outcome = "even"
    percentage = _("%(share)s%%") % {"share": decimals(100 * share, 1)}
    facts = [percentage, f"n = {number_format(str(pair.total))}", *_level_of(pair.sign)]
    lines = [
        _Line(20, f"{100 * share:.0f}{pair.sign}", "more" if outcome == "won" else ""),
        _Line(36, pair.total, "small"),
    ]
    title = labelled(names, comma_list(facts))
    return _Cell(row, column, title, f"{outcome} strength-{pair.strength}", lines)


def _level_of(mark: str) -> list[str]:
    """Return "p ≤ 0.05" for a mark; nothing without one."""
    levels = {each: level for level, each in MARKS}
    if mark:
        return [f"p ≤ {decimals(levels[mark], 2)}"]
    return []


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
    cells = []
    for row, values in enumerate(table.rows):
        for column, value in enumerate(values[1:]):
            if value is not None:
                heading = table.columns[column + 1].heading
                title = labelled(f"{names[row]} – {heading}", value)
                cells.append(square.cell(_grid_cell(row, column, title, str(value))))
    return square.drawing(cells)


def _grid_cell(row: int, column: int, title: str, value: str) -> _Cell:
    figure, _separator, rest = value.partition(" (")
    number, _separator, mark = rest.partition(")")
    colour = _GRID_CLASSES.get(mark.strip(), "even strength-0")
    lines = [_Line(20, f"{figure}{mark}"), _Line(36, number, "small")]
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
    table: Table, _plot: PartialOrderPlot, sheet: svg.Sheet
) -> Drawing | None:
    """Return a cell for each sign and a bar for each row, with the best rank on the left.

    None without rows, or if they do not fit on the sheet. The bars are beside the cells; on a narrow
    sheet, below them.
    """
    names = [str(row[0]) for row in table.rows]
    square = Cells(names, sheet)
    if not names or not square.fit:
        return None
    beside = square.left + len(names) * square.side + _GAP
    cells = square.drawing(_signs(table, square))
    parts = [cells.inside]
    if sheet.is_narrow:
        width = square.width
        left = square.left + _GAP // 2
        top = square.height + _GAP
        room = sheet.width - left - _GAP
        for number, name in enumerate(names):
            y = square.middle_of(number) + top - square.top
            parts.append(
                svg.label(name, square.labels[name], square.left - 8, y, anchor="end")
            )
    else:
        width = max(square.width, beside + _RANGE + _GAP)
        left = beside
        top = square.top
        room = _RANGE
    step = room / max(1, len(names) - 1)
    bottom = top + len(names) * CELL_HEIGHT
    positions = [left + round(number * step) for number in range(len(names))]
    for number, x in enumerate(positions, 1):
        parts.append(svg.stroke("grid", x, x, top, bottom))
        parts.append(svg.text(x, bottom + 18, number, kind="quiet", anchor="middle"))
    for number, values in enumerate(table.rows):
        begin, end = (positions[int(str(rank)) - 1] for rank in values[1:_BEFORE])
        y = square.middle_of(number) + top - square.top - 4
        if begin == end:
            parts.append(svg.dot(begin, y))
        else:
            parts.append(svg.stroke("range", begin, end, y, y))
    return Drawing(width, bottom + 28, svg.joined(parts), left=cells.left)


def _signs(table: Table, square: Cells) -> list[SafeString]:
    """Return the cells with a sign."""
    cells = []
    for row, values in enumerate(table.rows):
        for column, sign in enumerate(values[_BEFORE:]):
            if sign:
                title = labelled(f"{square.names[row]} – {square.names[column]}", sign)
                colour = _SIGN_CLASSES.get(str(sign), "even strength-0")
                lines = [_Line(CELL_HEIGHT // 2 + 5, sign)]
                cells.append(square.cell(_Cell(row, column, title, colour, lines)))
    return cells
