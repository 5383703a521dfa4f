"""A square table of rows and columns with the same names: a cell each, coloured where it is marked."""

from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.matrix import CELL_HEIGHT, CELL_WIDTH, heads
from ranking.pages.plot_drawing.svg import HEADS, NAMES, joined
from ranking.reports.tables import Table

#: The marks of cells, and the class of what is below and above what is expected.
_CLASSES: Final = {"▼": "lost strength-3", "▲": "won strength-3"}


def grid(table: Table) -> tuple[int, int, SafeString]:
    """Return width, height and cells. A cell says “figure (number) mark”; most have no mark, and no colour."""
    names = [str(row[0]) for row in table.rows]
    cells = []
    for row, values in enumerate(table.rows):
        for column, value in enumerate(values[1:]):
            if value is not None:
                title = f"{names[row]} – {table.columns[column + 1].heading}: {value}"
                cells.append(_cell(row, column, title, str(value)))
    width = NAMES + len(names) * CELL_WIDTH + HEADS
    inside = format_html('{}<g text-anchor="middle">{}</g>', heads(names), joined(cells))
    return width, HEADS + len(names) * CELL_HEIGHT + 8, inside


def _cell(row: int, column: int, title: str, words: str) -> SafeString:
    figure, _, rest = words.partition(" (")
    number, _, mark = rest.partition(")")
    x, y = NAMES + column * CELL_WIDTH, HEADS + row * CELL_HEIGHT
    return format_html(
        '<g><title>{}</title><rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>'
        '<text x="{}" y="{}">{}{}</text><text class="small" x="{}" y="{}">{}</text></g>',
        title,
        _CLASSES.get(mark.strip(), "even strength-0"),
        x + 1,
        y + 1,
        CELL_WIDTH - 2,
        CELL_HEIGHT - 2,
        x + CELL_WIDTH // 2,
        y + 20,
        figure,
        mark,
        x + CELL_WIDTH // 2,
        y + 36,
        number,
    )
