"""A cell for each pair, and one for the same two the other way round."""

from collections.abc import Callable, Sequence
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from ranking.pages.plot_drawing.svg import HEADS, NAMES, joined, shortened
from ranking.reports.plots import Plot
from ranking.reports.tables import Table, Value

#: Says of two names where the judgments are in which the first beat the second; None for nowhere.
PairAddress = Callable[[str, str], str | None]

CELL_WIDTH: Final = 64
CELL_HEIGHT: Final = 44
_STRENGTH: Final = {"": 0, "*": 1, "†": 2, "‡": 3}
_LEVELS: Final = {"": "", "*": ", p ≤ 0.10", "†": ", p ≤ 0.05", "‡": ", p ≤ 0.01"}


def matrix(
    table: Table, plot: Plot, pair_address: PairAddress | None = None
) -> tuple[int, int, SafeString]:
    """Return width, height and cells: share in %, mark and number; the colour says nothing that these do not."""
    place = {column.key: number for number, column in enumerate(table.columns)}
    keys = (plot.label, plot.across, plot.value, plot.back, plot.count, plot.sign, plot.p)
    pairs = [[row[place[key]] if key in place else None for key in keys] for row in table.rows]
    names = list(dict.fromkeys([*(str(row[0]) for row in pairs), *(str(row[1]) for row in pairs)]))
    at = {name: number for number, name in enumerate(names)}
    cells = []
    for one, other, share, back, count, sign, p in pairs:
        shares, strength = (share, back), _strength(str(sign or ""), p, plot.level)
        for row, column, (own, against) in (
            (str(one), str(other), shares),
            (str(other), str(one), shares[::-1]),
        ):
            said = (own, against, count, sign)
            cell = _cell(at[row], at[column], f"{row} – {column}", said, strength)
            leads = pair_address(row, column) if pair_address is not None and own else None
            # Keyboards reach the same lists from the table, without a stop at each of n² cells.
            cells.append(
                cell
                if leads is None
                else format_html('<a href="{}" tabindex="-1">{}</a>', leads, cell)
            )
    width = NAMES + len(names) * CELL_WIDTH + HEADS
    inside = format_html('{}<g text-anchor="middle">{}</g>', heads(names), joined(cells))
    return width, HEADS + len(names) * CELL_HEIGHT + 8, inside


def heads(names: Sequence[str]) -> SafeString:
    """Return the names of rows and columns, and a dot where both are the same."""
    rows = format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="end">{}</text><text class="quiet" x="{}" y="{}"'
        ' text-anchor="middle">·</text>',
        (
            (
                NAMES - 14,
                HEADS + number * CELL_HEIGHT + CELL_HEIGHT // 2 + 4,
                shortened(name),
                NAMES + number * CELL_WIDTH + CELL_WIDTH // 2,
                HEADS + number * CELL_HEIGHT + CELL_HEIGHT // 2 + 4,
            )
            for number, name in enumerate(names)
        ),
    )
    columns = format_html_join(
        "",
        '<text transform="translate({} {}) rotate(-40)">{}</text>',
        (
            (NAMES + number * CELL_WIDTH + CELL_WIDTH // 2, HEADS - 10, shortened(name))
            for number, name in enumerate(names)
        ),
    )
    return joined([rows, columns])


def _strength(mark: str, p: Value, level: float | None) -> int:
    """Return how strong the colour of a pair is: by its mark, but none beyond the level, and some up to it."""
    strength = _STRENGTH.get(mark, 0)
    if level is None:
        return strength
    return max(1, strength) if isinstance(p, int | float) and p <= level else 0


def _cell(
    row: int,
    column: int,
    names: str,
    said: tuple[Value, Value, Value, Value],
    strength: int,
) -> SafeString:
    share, back, count, sign = said
    x, y = NAMES + column * CELL_WIDTH, HEADS + row * CELL_HEIGHT
    if not isinstance(share, int | float) or not isinstance(back, int | float):
        return format_html(
            '<g><title>{}: n = 0</title><text class="quiet" x="{}" y="{}">–</text></g>',
            names,
            x + CELL_WIDTH // 2,
            y + CELL_HEIGHT // 2 + 4,
        )
    mark = str(sign or "")
    outcome = "won" if share > back else "lost" if share < back else "even"
    return format_html(
        '<g><title>{}: {} %, n = {}{}</title><rect class="{} strength-{}" x="{}" y="{}" width="{}" height="{}"'
        ' rx="3"/><text{} x="{}" y="{}">{}{}</text><text class="small" x="{}" y="{}">{}</text></g>',
        names,
        f"{100 * share:.1f}",
        count,
        _LEVELS.get(mark, ""),
        outcome,
        strength,
        x + 1,
        y + 1,
        CELL_WIDTH - 2,
        CELL_HEIGHT - 2,
        mark_safe(' class="more"') if outcome == "won" else "",
        x + CELL_WIDTH // 2,
        y + 20,
        f"{100 * share:.0f}",
        mark,
        x + CELL_WIDTH // 2,
        y + 36,
        count,
    )
