"""A square table of rows and columns with the same names: a cell each, coloured where it is marked."""

from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.matrix import CELL_HEIGHT, Cells
from ranking.pages.plot_drawing.svg import Sheet, joined
from ranking.reports.tables import Table

#: The marks of cells, and the class of what is below and above what is expected.
_CLASSES: Final = {"▼": "lost strength-3", "▲": "won strength-3"}


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
                cells.append(_cell(square.at(row, column), square.cell, title, str(value)))
    inside = format_html('{}<g text-anchor="middle">{}</g>', square.heads, joined(cells))
    return square.width, square.height, inside


def _cell(corner: tuple[int, int], cell_width: int, title: str, words: str) -> SafeString:
    figure, _, rest = words.partition(" (")
    number, _, mark = rest.partition(")")
    x, y = corner
    return format_html(
        '<g><title>{}</title><rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>'
        '<text x="{}" y="{}">{}{}</text><text class="small" x="{}" y="{}">{}</text></g>',
        title,
        _CLASSES.get(mark.strip(), "even strength-0"),
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
