"""Draw the plot of a report's table as SVG: on a page, where its colours are the page's, or as a file of its own."""

import math
from collections.abc import Sequence
from typing import Any, Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from ranking.reports.plots import Plot
from ranking.reports.tables import Table, Value

_WIDTH: Final = 720
_NAMES: Final = 200
_ROW: Final = 24
#: Rows with names; of more, each is lower, and they are not named.
_NAMED_ROWS: Final = 60
_LEAST_ROW: Final = 3
_TOP: Final = 26
_MARGIN: Final = 24
_HEIGHT_OF_LINE: Final = 280
_LETTERS: Final = 28
_CELL_WIDTH: Final = 64
_CELL_HEIGHT: Final = 44
#: Room for the heads of columns, which are at an angle, above and beside the matrix.
_HEADS: Final = 148
_STRENGTH: Final = {"": 0, "*": 1, "†": 2, "‡": 3}
_LEVELS: Final = {"": "", "*": ", p ≤ 0.10", "†": ", p ≤ 0.05", "‡": ", p ≤ 0.01"}
#: Of a file, which no style sheet of ours reaches; readable in grey.
_STYLE: Final = (
    "text{font:13px system-ui,sans-serif;fill:#1d2127}.quiet{fill:#545b66}"
    ".grid{stroke:#e4e2dc}.mark{stroke:#545b66;stroke-dasharray:3 3}"
    ".range{stroke:#b9c0ea;stroke-width:7;stroke-linecap:round}.dot{fill:#3b4cca}"
    ".curve{fill:none;stroke:#3b4cca;stroke-width:2}.band{fill:#b9c0ea;opacity:.5}"
    ".won{fill:#1f5fa8}.lost{fill:#bf4f14}.even{fill:#6a6f78}.strength-0{fill-opacity:.08}"
    ".strength-1{fill-opacity:.2}.strength-2{fill-opacity:.32}.strength-3{fill-opacity:.45}"
    ".more{font-weight:700}.small{font-size:11px}"
)


def drawn(table: Table, *, as_file: bool = False) -> SafeString | None:
    """Return the plot of a table as SVG; None if it has none, or no row can be drawn."""
    plot = table.plot
    if plot is None:
        return None
    rows = _rows(table, plot)[: plot.most]
    if not rows:
        return None
    width = _WIDTH
    if plot.kind == "matrix":
        width, height, inside = _matrix(table, plot)
    else:
        draw = {"intervals": _intervals, "line": _line, "points": _points}[plot.kind]
        height, inside = draw(table, plot, rows)
    return format_html(
        '<svg class="figure" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" height="{}"'
        ' role="img" aria-label="{}">{}{}</svg>',
        width,
        height,
        width,
        height,
        table.title,
        format_html("<style>{}</style>", mark_safe(_STYLE)) if as_file else "",  # noqa: S308  ours
        inside,
    )


class _Row:
    """What is drawn of a row."""

    __slots__ = ("high", "label", "low", "value")

    def __init__(self, label: Value, value: float, low: float | None, high: float | None) -> None:
        self.label, self.value, self.low, self.high = label, value, low, high


def _rows(table: Table, plot: Plot) -> list[_Row]:
    place = {column.key: number for number, column in enumerate(table.columns)}

    def number(row: Sequence[Value], key: str | None) -> float | None:
        value = row[place[key]] if key is not None else None
        is_number = isinstance(value, int | float) and math.isfinite(value)
        return float(value) if is_number and value is not None else None

    found = []
    for row in table.rows:
        value = number(row, plot.value)
        if value is not None:
            label = row[place[plot.label]]
            found.append(_Row(label, value, number(row, plot.low), number(row, plot.high)))
    return found


class _Axis:
    """Numbers from `start` to `end` along so many units, with round ticks."""

    def __init__(self, values: Sequence[float], plot: Plot, low: float, high: float) -> None:
        start = min(values) if plot.start is None else min(plot.start, *values)
        end = max(values) if plot.end is None else max(plot.end, *values)
        if plot.mark is not None:
            start, end = min(start, plot.mark), max(end, plot.mark)
        if start == end:
            start, end = start - 0.5, end + 0.5
        self.step = _step((end - start) / 6)
        self.start = math.floor(start / self.step + 1e-9) * self.step
        self.end = math.ceil(end / self.step - 1e-9) * self.step
        self._low, self._high = low, high

    def at(self, value: float) -> str:
        share = (value - self.start) / (self.end - self.start)
        return f"{self._low + share * (self._high - self._low):.1f}"

    @property
    def ticks(self) -> list[tuple[str, str]]:
        count = round((self.end - self.start) / self.step)
        decimals = max(0, -math.floor(math.log10(self.step) + 1e-9))
        numbers = [self.start + tick * self.step for tick in range(count + 1)]
        return [(self.at(each), f"{each + 0.0:.{decimals}f}") for each in numbers]


def _step(about: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least so much."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= about * (1 - 1e-9))


def _intervals(_table: Table, plot: Plot, rows: list[_Row]) -> tuple[int, SafeString]:
    values = [each for row in rows for each in (row.low, row.value, row.high) if each is not None]
    axis = _Axis(values, plot, _NAMES, _WIDTH - _MARGIN)
    is_named = len(rows) <= _NAMED_ROWS
    each_row = _ROW if is_named else max(_LEAST_ROW, _ROW * _NAMED_ROWS // len(rows))
    height = _TOP + each_row * len(rows) + 8
    parts = [_vertical(axis, plot, _TOP - 4, height - 8)]
    for number, row in enumerate(rows):
        y = _TOP + each_row * number + each_row // 2
        if is_named:
            parts.append(
                format_html(
                    '<text x="{}" y="{}" text-anchor="end">{}</text>',
                    _NAMES - 14,
                    y + 4,
                    _short(row),
                )
            )
        if row.low is not None or row.high is not None:
            # An end that is not known is beyond the axis.
            parts.append(
                format_html(
                    '<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>'
                    if is_named
                    else '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>',
                    axis.at(axis.start if row.low is None else row.low),
                    axis.at(axis.end if row.high is None else row.high),
                    y,
                    y,
                )
            )
        parts.append(
            format_html(
                '<circle class="dot" cx="{}" cy="{}" r="{}"/>',
                axis.at(row.value),
                y,
                5 if is_named else 2,
            )
        )
    return height, _joined(parts)


def _vertical(axis: _Axis, plot: Plot, top: int, bottom: int) -> SafeString:
    ticks = format_html_join(
        "",
        '<line class="grid" x1="{0}" x2="{0}" y1="{2}" y2="{3}"/>'
        '<text class="quiet" x="{0}" y="14" text-anchor="middle">{1}</text>',
        ((at, words, top, bottom) for at, words in axis.ticks),
    )
    return _joined([ticks, _mark(axis, plot, top, bottom)])


def _mark(axis: _Axis, plot: Plot, top: int, bottom: int) -> SafeString:
    if plot.mark is None:
        return SafeString("")
    at = axis.at(plot.mark)
    return format_html('<line class="mark" x1="{}" x2="{}" y1="{}" y2="{}"/>', at, at, top, bottom)


def _line(table: Table, plot: Plot, rows: list[_Row]) -> tuple[int, SafeString]:
    values = [each for row in rows for each in (row.low, row.value, row.high) if each is not None]
    y = _Axis(values, plot, _HEIGHT_OF_LINE - 40, 16)
    across = _places(rows, _WIDTH)
    parts = [_horizontal(y, 48, _WIDTH - _MARGIN), _across(y, plot, 48, _WIDTH - _MARGIN)]
    parts += [
        format_html('<polygon class="band" points="{}"/>', each) for each in _bands(across, rows, y)
    ]
    points = [f"{x:.1f},{y.at(row.value)}" for x, row in zip(across, rows, strict=True)]
    parts.append(format_html('<polyline class="curve" points="{}"/>', " ".join(points)))
    every = -(-len(rows) // 10)
    parts += [
        format_html(
            '<text class="quiet" x="{}" y="{}" text-anchor="middle">{}</text>',
            f"{x:.1f}",
            _HEIGHT_OF_LINE - 20,
            _short(row),
        )
        for number, (x, row) in enumerate(zip(across, rows, strict=True))
        if number % every == 0
    ]
    parts.append(_below(table, plot.label))
    return _HEIGHT_OF_LINE, _joined(parts)


def _bands(across: list[float], rows: list[_Row], y: _Axis) -> list[str]:
    """Return the points of a band for each stretch of at least two rows that have both ends."""
    found: list[str] = []
    upper: list[str] = []
    lower: list[str] = []
    for x, row in [*zip(across, rows, strict=True), (0.0, None)]:
        if row is not None and row.low is not None and row.high is not None:
            upper.append(f"{x:.1f},{y.at(row.high)}")
            lower.append(f"{x:.1f},{y.at(row.low)}")
            continue
        if len(upper) > 1:
            found.append(" ".join(upper + lower[::-1]))
        upper, lower = [], []
    return found


def _places(rows: list[_Row], width: int) -> list[float]:
    """Return where the rows of a line are: by their numbers, or evenly where they have none."""
    left, right = 56, width - _MARGIN - 12
    found = [float(row.label) for row in rows if isinstance(row.label, int | float)]
    if len(found) == len(rows):
        low, high = min(found), max(found)
        if high > low:
            return [left + (each - low) / (high - low) * (right - left) for each in found]
    gap = (right - left) / max(1, len(rows) - 1)
    return [left + number * gap for number in range(len(rows))]


def _points(table: Table, plot: Plot, rows: list[_Row]) -> tuple[int, SafeString]:
    found = [row for row in rows if row.low is not None]
    if not found:
        return _TOP, SafeString("")
    y = _Axis([row.value for row in found], plot, _HEIGHT_OF_LINE - 40, 16)
    free = Plot(kind="points", label=plot.label, value=plot.value)
    x = _Axis([row.low or 0.0 for row in found], free, 64, _WIDTH - 120)
    parts = [_horizontal(y, 48, _WIDTH - _MARGIN)]
    parts += [
        format_html(
            '<text class="quiet" x="{}" y="{}" text-anchor="middle">{}</text>',
            at,
            _HEIGHT_OF_LINE - 20,
            words,
        )
        for at, words in x.ticks
    ]
    parts += [
        format_html(
            '<circle class="dot" cx="{0}" cy="{1}" r="4"/><text x="{0}" y="{1}" dx="8" dy="4">{2}</text>',
            x.at(row.low or 0.0),
            y.at(row.value),
            _short(row),
        )
        for row in found
    ]
    parts.append(_below(table, plot.low or plot.label))
    return _HEIGHT_OF_LINE, _joined(parts)


def _horizontal(axis: _Axis, left: int, right: int) -> SafeString:
    return format_html_join(
        "",
        '<line class="grid" x1="{2}" x2="{3}" y1="{0}" y2="{0}"/>'
        '<text class="quiet" x="{4}" y="{0}" dy="4" text-anchor="end">{1}</text>',
        ((at, words, left, right, left - 8) for at, words in axis.ticks),
    )


def _across(axis: _Axis, plot: Plot, left: int, right: int) -> SafeString:
    """Return the marked value of an axis that goes up."""
    if plot.mark is None:
        return SafeString("")
    at = axis.at(plot.mark)
    return format_html('<line class="mark" x1="{}" x2="{}" y1="{}" y2="{}"/>', left, right, at, at)


def _below(table: Table, key: str) -> SafeString:
    heading = next(column.heading for column in table.columns if column.key == key)
    return format_html(
        '<text class="quiet" x="{}" y="{}" text-anchor="end">{}</text>',
        _WIDTH - _MARGIN,
        _HEIGHT_OF_LINE - 5,
        heading,
    )


def _matrix(table: Table, plot: Plot) -> tuple[int, int, SafeString]:
    """Return width, height and cells: share in %, mark and number; the colour says nothing that these do not."""
    place = {column.key: number for number, column in enumerate(table.columns)}
    keys = (plot.label, plot.across, plot.value, plot.back, plot.count, plot.sign)
    pairs = [[row[place[key]] if key in place else None for key in keys] for row in table.rows]
    names = list(dict.fromkeys([*(str(row[0]) for row in pairs), *(str(row[1]) for row in pairs)]))
    at = {name: number for number, name in enumerate(names)}
    cells = []
    for one, other, share, back, count, sign in pairs:
        shares = (share, back)
        for row, column, (own, against) in (
            (str(one), str(other), shares),
            (str(other), str(one), shares[::-1]),
        ):
            cells.append(
                _cell(at[row], at[column], f"{row} – {column}", (own, against, count, sign))
            )
    width = _NAMES + len(names) * _CELL_WIDTH + _HEADS
    inside = format_html('{}<g text-anchor="middle">{}</g>', _heads(names), _joined(cells))
    return width, _HEADS + len(names) * _CELL_HEIGHT + 8, inside


def _heads(names: Sequence[str]) -> SafeString:
    rows = format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="end">{}</text><text class="quiet" x="{}" y="{}"'
        ' text-anchor="middle">·</text>',
        (
            (
                _NAMES - 14,
                _HEADS + number * _CELL_HEIGHT + _CELL_HEIGHT // 2 + 4,
                _shortened(name),
                _NAMES + number * _CELL_WIDTH + _CELL_WIDTH // 2,
                _HEADS + number * _CELL_HEIGHT + _CELL_HEIGHT // 2 + 4,
            )
            for number, name in enumerate(names)
        ),
    )
    columns = format_html_join(
        "",
        '<text transform="translate({} {}) rotate(-40)">{}</text>',
        (
            (_NAMES + number * _CELL_WIDTH + _CELL_WIDTH // 2, _HEADS - 10, _shortened(name))
            for number, name in enumerate(names)
        ),
    )
    return _joined([rows, columns])


def _cell(row: int, column: int, names: str, said: tuple[Value, Value, Value, Value]) -> SafeString:
    share, back, count, sign = said
    x, y = _NAMES + column * _CELL_WIDTH, _HEADS + row * _CELL_HEIGHT
    if not isinstance(share, int | float) or not isinstance(back, int | float):
        return format_html(
            '<g><title>{}: n = 0</title><text class="quiet" x="{}" y="{}">–</text></g>',
            names,
            x + _CELL_WIDTH // 2,
            y + _CELL_HEIGHT // 2 + 4,
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
        _STRENGTH.get(mark, 0),
        x + 1,
        y + 1,
        _CELL_WIDTH - 2,
        _CELL_HEIGHT - 2,
        mark_safe(' class="more"') if outcome == "won" else "",
        x + _CELL_WIDTH // 2,
        y + 20,
        f"{100 * share:.0f}",
        mark,
        x + _CELL_WIDTH // 2,
        y + 36,
        count,
    )


def _short(row: _Row) -> str:
    return _shortened(str(row.label))


def _shortened(words: str) -> str:
    return words if len(words) <= _LETTERS else f"{words[: _LETTERS - 1]}…"


def _joined(parts: Sequence[Any]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))
