"""Parts of SVG drawings: sheets, shapes, texts and axes, with the style of files."""

import math
import unicodedata
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe

from ranking.reports.plots import Scale
from ranking.reports.tables import Table
from ranking.reports.wording.numbers import decimals

WIDTH: Final = 720
#: Width of row names.
NAMES: Final = 200
TOP: Final = 26
MARGIN: Final = 24
_MARGIN_NARROW: Final = 20
LINE_HEIGHT: Final = 280
#: Top of the value axis of a vertical drawing, below its title.
HIGHEST: Final = 28
#: Height of the title below a horizontal value axis.
BELOW: Final = 18
#: Maximum size of slanted column heads, above and beside the columns.
HEADS: Final = 148
#: Width of the label of a name; longer names are shortened.
ROOM: Final = NAMES - 14
#: Maximum width of the labels of rows: the drawing becomes narrower before a name is shortened.
_LONGEST: Final = 300
#: Width of a name beside a drawing on a narrow sheet, including the gap.
_SHORT = 90
_BESIDE_SHORT = 14
#: Space before names, and between names and the drawing, where half of an axis label must fit.
_BESIDE_NAMES: Final = 24
#: Style of files, which cannot use our style sheets; readable in greyscale.
STYLE: Final = (
    "text{font:13px system-ui,sans-serif;fill:#1d2127}.quiet{fill:#545b66}"
    ".grid{stroke:#e4e2dc}.mark{stroke:#545b66;stroke-dasharray:3 3}"
    ".range{stroke:#b9c0ea;stroke-width:7;stroke-linecap:round}.dot{fill:#3b4cca}"
    ".bars{stroke:#b9c0ea;stroke-width:2}.dots{stroke:#3b4cca;stroke-width:4;stroke-linecap:round}"
    ".curve{fill:none;stroke:#3b4cca;stroke-width:2}.band{fill:#b9c0ea;opacity:.5}"
    ".won{fill:#1f5fa8}.lost{fill:#bf4f14}.even{fill:#6a6f78}.strength-0{fill-opacity:.08}"
    ".strength-1{fill-opacity:.2}.strength-2{fill-opacity:.32}.strength-3{fill-opacity:.45}"
    ".more{font-weight:700}.small{font-size:11px}"
    ".path{fill:none;stroke:#1d2127;stroke-width:1.6}.path-1{stroke-dasharray:8 4}"
    ".path-2{stroke-dasharray:2 3}.path-3{stroke-dasharray:10 3 2 3}"
    ".path-4{stroke-width:3}.path-5{stroke-width:3;stroke-dasharray:8 4}"
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A drawing area. On a narrow one, names are above their rows; beside lines, they are shorter."""

    width: int
    is_narrow: bool = False

    @property
    def ticks(self) -> int:
        """Approximate number of labelled ticks from left to right."""
        if self.is_narrow:
            return 4
        return 6

    @property
    def right(self) -> int:
        """Right end of a drawing without names on the right."""
        if self.is_narrow:
            return self.width - _MARGIN_NARROW
        return self.width - MARGIN

    def labels(self, names: Iterable[str]) -> dict[str, str]:
        """Return the label of each name, shortened to fit beside a line, see `labels`."""
        if self.is_narrow:
            return labels(names, room=_SHORT)
        return labels(names, room=ROOM)

    def axis(
        self,
        values: Sequence[float],
        scale: Scale,
        left: float,
        right: float,
    ) -> "Axis":
        """Return a horizontal axis between two positions."""
        return Axis(values, scale, left, right, steps=self.ticks)


WIDE: Final = Sheet(WIDTH)
#: Content width of a page of 360 pixels.
NARROW: Final = Sheet(300, is_narrow=True)
SHORT_NAMES: Final = _SHORT + _BESIDE_SHORT
#: Height of a name above its row.
ABOVE: Final = 18


def heading_of(table: Table, key: str) -> str:
    """Return the heading of a column."""
    headings = {column.key: column.heading for column in table.columns}
    return headings[key]


def tag(
    name: str,
    inside: str | SafeString = "",
    /,
    **attributes: object,
) -> SafeString:
    """Return an element with these attributes except empty ones; `text_anchor` becomes `text-anchor`."""
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value != "":
            attribute = key.rstrip("_").replace("_", "-")
            parts.append(f' {attribute}="{escape(value)}"')
    if inside:
        parts.append(f">{conditional_escape(inside)}</{name}>")
    else:
        parts.append("/>")
    return mark_safe("".join(parts))  # noqa: S308  each part is escaped


def text(
    x: float,
    y: float,
    content: object,
    *,
    kind: str = "",
    anchor: str = "",
) -> SafeString:
    """Return text at a position."""
    return tag("text", str(content), class_=kind, x=x, y=y, text_anchor=anchor)


def stroke(kind: str, x1: float, x2: float, y1: float, y2: float) -> SafeString:
    """Return a line between two positions."""
    return tag("line", class_=kind, x1=x1, x2=x2, y1=y1, y2=y2)


def horizontal_stroke(kind: str, left: float, right: float, y: float) -> SafeString:
    """Return a line from left to right."""
    return stroke(kind, left, right, y, y)


def vertical_stroke(kind: str, x: float, top: float, bottom: float) -> SafeString:
    """Return a line from top to bottom."""
    return stroke(kind, x, x, top, bottom)


def path(kind: str, parts: Iterable[str]) -> SafeString:
    """Return a path of several parts."""
    return tag("path", class_=kind, d="".join(parts))


def dot(x: float, y: float, r: int = 5) -> SafeString:
    """Return the dot of a value."""
    return tag("circle", class_="dot", cx=x, cy=y, r=r)


def above(table: Table, key: str) -> SafeString:
    """Return the title of a vertical axis, above its end."""
    return text(8, 12, heading_of(table, key), kind="quiet")


def below(table: Table, key: str, sheet: Sheet, bottom: int) -> SafeString:
    """Return the title of a horizontal axis, below its end."""
    heading = heading_of(table, key)
    return text(sheet.right, bottom - 5, heading, kind="quiet", anchor="end")


def joined(parts: Iterable[SafeString]) -> SafeString:
    """Concatenate parts."""
    return mark_safe("".join(parts))  # noqa: S308  of `tag`


#: Letters shown before and after the ellipsis for a beginning that names share.
_HEAD: Final = 4
_BEFORE: Final = 2


def labels(names: Iterable[str], *, room: int = ROOM) -> dict[str, str]:
    """Return the label of each name: the name itself, or shortened by an ellipsis if it is too wide.

    Different names have different labels. Names that would be cut alike are also shortened where they begin
    alike, so that their first difference shows.

    Parameters
    ----------
    names : iterable of str
        All names of a plot.
    room : int
        Width of a label.
    """
    unique_names = list(dict.fromkeys(names))
    labels_by_name = _cut_alike(unique_names, room, shared=0)
    used_labels: set[str] = set()
    for name, cut in labels_by_name.items():
        unique_label = _unique_label(used_labels, cut, room)
        labels_by_name[name] = unique_label
        used_labels.add(unique_label)
    return labels_by_name


def _cut_alike(names: Sequence[str], room: int, *, shared: int) -> dict[str, str]:
    """Return the label of each name, leaving out the first `shared` letters except a few."""
    labels_by_name: dict[str, str] = {}
    names_by_label: dict[str, list[str]] = {}
    for name in names:
        label = _cut(_elide_shared_prefix(name, shared), room)
        labels_by_name[name] = label
        names_by_label.setdefault(label, []).append(name)
    for alike in names_by_label.values():
        more = _common_letters(alike)
        if len(alike) > 1 and more > shared:
            labels_by_name |= _cut_alike(alike, room, shared=more)
    return labels_by_name


def _common_letters(names: Sequence[str]) -> int:
    """Return the number of letters with which all names begin."""
    first = min(names)
    last = max(names)
    for number, letter in enumerate(first):
        if not last.startswith(letter, number):
            return number
    return len(first)


def _elide_shared_prefix(name: str, shared: int) -> str:
    start = shared - _BEFORE
    if start <= _HEAD:
        return name
    return f"{name[:_HEAD]}…{name[start:]}"


def _cut(name: str, room: int) -> str:
    """Return the longest beginning that has room with an ellipsis, or the whole name if it has."""
    if room_of(name) <= room:
        return name
    beginning = name
    while len(beginning) > 1 and room_of(f"{beginning}…") > room:
        beginning = beginning[:-1]
    return f"{beginning}…"


def _unique_label(used_labels: Container[str], label: str, room: int) -> str:
    """Return an unused label, with a number if the given one is used."""
    changed = label
    number = 1
    while changed in used_labels:
        number += 1
        end = f" {number}"
        changed = _cut(label, room - room_of(end)) + end
    return changed


def label(
    name: str,
    text: str,
    x: float | str,
    y: float | str,
    *,
    anchor: str = "",
    **more: object,
) -> SafeString:
    """Return the label of a name at a position, with the whole name as its title if it is shortened."""
    drawn = tag("text", text, x=x, y=y, text_anchor=anchor, **more)
    if text != name:
        return titled(name, drawn)
    return drawn


def titled(name: str, drawn: SafeString) -> SafeString:
    """Return a drawing whose title is a name."""
    return tag("g", joined([tag("title", name), drawn]))


def room_left(names: Iterable[str]) -> int:
    """Return the unused width of the space for names, which would push the drawing off small screens."""
    widest = widest_of(labels(names).values())
    return max(0, NAMES - _BESIDE_NAMES - widest)


def room_of_names(names: Iterable[str]) -> int:
    """Return the width of the labels of rows with these names."""
    widest = widest_of(names)
    return max(ROOM, min(_LONGEST, widest))


def room_of_heads(heads: Iterable[str], angle: int) -> int:
    """Return the height of column heads at an angle in degrees."""
    slope = math.sin(math.radians(abs(angle)))
    rise = round(widest_of(heads) * slope)
    return min(HEADS, 28 + rise)


def widest_of(texts: Iterable[str]) -> int:
    """Return an upper bound of the width of the widest text; 0 without texts."""
    return max(map(room_of, texts), default=0)


def room_of(content: str) -> int:
    """Return an upper bound of the width of a text at 13 pixels."""
    return sum(map(_width, content))


def _width(letter: str) -> int:
    """Return an upper bound of the width of a letter at 13 pixels."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 14
    if letter.isupper() or letter in "@%–—…":
        return 11
    return 8


class Tick(NamedTuple):
    """A tick of an axis, with its number in the reader's locale."""

    position: float
    number: str


class Axis:
    """Axis from `start` to `end` over a number of units, with about `steps` round ticks.

    `low` and `high` are the positions of its ends on the sheet.
    """

    def __init__(
        self,
        values: Sequence[float],
        scale: Scale,
        low: float,
        high: float,
        *,
        steps: int = 6,
    ) -> None:
        start, end = _ends(values, scale)
        self.step = _step((end - start) / steps)
        if scale.is_whole:
            self.step = max(self.step, 1.0)
        # Ranks begin at 1, so there is no tick at 0.
        first = 0.0
        if scale.is_whole and scale.start == start:
            first = start
        steps_before = math.floor((start - first) / self.step + _ROUNDING)
        self.start = first + steps_before * self.step
        self.end = end
        if scale.end is None:
            steps_until = math.ceil((end - first) / self.step - _ROUNDING)
            self.end = first + steps_until * self.step
        self._low = low
        self._high = high

    def position(self, value: float) -> float:
        """Return the position of a value."""
        share = (value - self.start) / (self.end - self.start)
        return round(self._low + share * (self._high - self._low), 1)

    @property
    def ticks(self) -> list[Tick]:
        """Ticks with their numbers; on horizontal axes, only those whose numbers fit side by side."""
        count = (self.end - self.start) / self.step
        places = max(0, -math.floor(math.log10(self.step) + _ROUNDING))
        ticks = []
        for number in range(math.floor(count + _ROUNDING) + 1):
            value = self.start + number * self.step
            ticks.append(Tick(self.position(value), decimals(value, places)))
        gap = (self._high - self._low) / count
        if gap <= 0:
            return ticks
        room = 8 + widest_of(tick.number for tick in ticks)
        return ticks[:: math.ceil(room / gap)]


#: Tolerance for values that are a tick but for rounding.
_ROUNDING: Final = 1e-9


def _ends(values: Sequence[float], scale: Scale) -> tuple[float, float]:
    """Return the least and the largest value that an axis shows, which differ."""
    start = min(values)
    if scale.start is not None:
        start = min(scale.start, start)
    end = max(values)
    if scale.end is not None:
        end = max(scale.end, end)
    if scale.mark is not None:
        start = min(start, scale.mark)
        end = max(end, scale.mark)
    if start == end:
        return start - 0.5, end + 0.5
    return start, end


def _step(about: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(about))
    for step in (1, 2, 5):
        if step * power >= about * (1 - _ROUNDING):
            return step * power
    return 10 * power


def upright_axis(values: Sequence[float], scale: Scale) -> Axis:
    """Return the vertical axis of a drawing with labels below."""
    return Axis(values, scale, LINE_HEIGHT - 40, HIGHEST)


def vertical(axis: Axis, scale: Scale, top: int, bottom: int) -> SafeString:
    """Return vertical lines at the marked value and at the ticks, with labels above."""
    parts = []
    for x, number in axis.ticks:
        parts.append(vertical_stroke("grid", x, top, bottom))
        parts.append(text(x, 14, number, kind="quiet", anchor="middle"))
    if scale.mark is not None:
        x = axis.position(scale.mark)
        parts.append(vertical_stroke("mark", x, top, bottom))
    return joined(parts)


def horizontal(axis: Axis, scale: Scale, left: int, right: int) -> SafeString:
    """Return horizontal lines at the marked value and at the ticks, with labels on the left."""
    parts = []
    for y, number in axis.ticks:
        parts.append(horizontal_stroke("grid", left, right, y))
        label = tag(
            "text",
            number,
            class_="quiet",
            x=left - 8,
            y=y,
            dy=4,
            text_anchor="end",
        )
        parts.append(label)
    if scale.mark is not None:
        y = axis.position(scale.mark)
        parts.append(horizontal_stroke("mark", left, right, y))
    return joined(parts)
