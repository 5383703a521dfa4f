"""Parts of SVG drawings: sheets, shapes, texts and axes, with the style of files."""

import math
import unicodedata
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

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
        return self.width - (20 if self.is_narrow else MARGIN)

    def labels(self, names: Iterable[str]) -> dict[str, str]:
        """Return the label of each name, shortened to fit beside a line, see `labels`."""
        return labels(names, room=_SHORT if self.is_narrow else ROOM)


WIDE: Final = Sheet(WIDTH)
#: Content width of a page of 360 pixels.
NARROW: Final = Sheet(300, is_narrow=True)
SHORT_NAMES: Final = _SHORT + _BESIDE_SHORT
#: Height of a name above its row.
ABOVE: Final = 18


def heading_of(table: Table, key: str) -> str:
    """Return the heading of a column."""
    return next(column.heading for column in table.columns if column.key == key)


def tag(
    name: str, inside: str | SafeString = "", /, **attributes: object
) -> SafeString:
    """Return an element with these attributes except empty ones; `text_anchor` becomes `text-anchor`."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value != ""
    )
    if inside:
        end = f">{conditional_escape(inside)}</{name}>"
    else:
        end = "/>"
    return mark_safe(f"<{name}{said}{end}")  # noqa: S308  each part is escaped


def text(
    x: float | str, y: float, words: object, *, kind: str = "", anchor: str = ""
) -> SafeString:
    """Return text at a position."""
    return tag("text", str(words), class_=kind, x=x, y=y, text_anchor=anchor)


def stroke(
    kind: str, x1: float | str, x2: float | str, y1: float | str, y2: float | str
) -> SafeString:
    """Return a line between two positions."""
    return tag("line", class_=kind, x1=x1, x2=x2, y1=y1, y2=y2)


def dot(x: float | str, y: float | str, r: int = 5) -> SafeString:
    """Return the dot of a value."""
    return tag("circle", class_="dot", cx=x, cy=y, r=r)


def above(table: Table, key: str) -> SafeString:
    """Return the title of a vertical axis, above its end."""
    return text(8, 12, heading_of(table, key), kind="quiet")


def below(table: Table, key: str, sheet: Sheet, bottom: int) -> SafeString:
    """Return the title of a horizontal axis, below its end."""
    return text(
        sheet.right, bottom - 5, heading_of(table, key), kind="quiet", anchor="end"
    )


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
    found = _cut_alike(list(dict.fromkeys(names)), room, shared=0)
    taken: set[str] = set()
    for name, label in found.items():
        found[name] = _not_in(taken, label, room)
        taken.add(found[name])
    return found


def _cut_alike(names: Sequence[str], room: int, *, shared: int) -> dict[str, str]:
    """Return the label of each name, leaving out the first `shared` letters except a few."""
    found: dict[str, str] = {}
    alike: dict[str, list[str]] = {}
    for name in names:
        label = _cut(_without_shared(name, shared), room)
        found[name] = label
        alike.setdefault(label, []).append(name)
    for same in alike.values():
        more = _common_letters(same)
        if len(same) > 1 and more > shared:
            found |= _cut_alike(same, room, shared=more)
    return found


def _common_letters(names: Sequence[str]) -> int:
    """Return the number of letters with which all names begin."""
    first = min(names)
    last = max(names)
    for number, (one, other) in enumerate(zip(first, last, strict=False)):
        if one != other:
            return number
    return len(first)


def _without_shared(name: str, shared: int) -> str:
    start = shared - _BEFORE
    if start <= _HEAD:
        return name
    return f"{name[:_HEAD]}…{name[start:]}"


def _cut(words: str, room: int) -> str:
    """Return the longest beginning that has room with an ellipsis, or all words if they do."""
    if room_of(words) <= room:
        return words
    kept = words
    while len(kept) > 1 and room_of(f"{kept}…") > room:
        kept = kept[:-1]
    return f"{kept}…"


def _not_in(taken: Container[str], label: str, room: int) -> str:
    """Return a label that is not taken, with a number if it is."""
    changed = label
    number = 1
    while changed in taken:
        number += 1
        end = f" {number}"
        changed = _cut(label, room - room_of(end)) + end
    return changed


def label(
    name: str,
    words: str,
    x: float | str,
    y: float | str,
    *,
    anchor: str = "",
    **more: object,
) -> SafeString:
    """Return the label of a name at a position, with the whole name as its title if it is shortened."""
    drawn = tag("text", words, x=x, y=y, text_anchor=anchor, **more)
    if words != name:
        return titled(name, drawn)
    return drawn


def titled(name: str, drawn: SafeString) -> SafeString:
    """Return a drawing whose title is a name."""
    return tag("g", joined([tag("title", name), drawn]))


def room_left(names: Iterable[str]) -> int:
    """Return the unused width of the space for names, which would push the drawing off small screens."""
    widest = max(map(room_of, labels(names).values()), default=0)
    return max(0, NAMES - _BESIDE_NAMES - widest)


def room_of_names(names: Iterable[str]) -> int:
    """Return the width of the labels of rows with these names."""
    return max(ROOM, min(_LONGEST, max(map(room_of, names), default=0)))


def room_of_heads(heads: Iterable[str], angle: int) -> int:
    """Return the height of column heads at an angle in degrees."""
    longest = max(map(room_of, heads), default=0)
    return min(HEADS, 28 + round(longest * math.sin(math.radians(abs(angle)))))


def room_of(words: str) -> int:
    """Return an upper bound of the width of a text at 13 pixels."""
    return sum(map(_width, words))


def _width(letter: str) -> int:
    """Return an upper bound of the width of a letter at 13 pixels."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 14
    if letter.isupper() or letter in "@%–—…":
        return 11
    return 8


class Axis:
    """Axis from `start` to `end` over a number of units, with about `steps` round ticks."""

    def __init__(
        self,
        values: Sequence[float],
        scale: Scale,
        low: float,
        high: float,
        *,
        steps: int = 6,
    ) -> None:
        if scale.start is None:
            start = min(values)
        else:
            start = min(scale.start, *values)
        if scale.end is None:
            end = max(values)
        else:
            end = max(scale.end, *values)
        if scale.mark is not None:
            start = min(start, scale.mark)
            end = max(end, scale.mark)
        if start == end:
            start = start - 0.5
            end = end + 0.5
        self.step = max(_step((end - start) / steps), 1.0 if scale.is_whole else 0.0)
        # Ranks begin at 1, so there is no tick at 0.
        if scale.is_whole and scale.start == start:
            first = scale.start
        else:
            first = 0.0
        self.start = first + math.floor((start - first) / self.step + 1e-9) * self.step
        self.end = end
        if scale.end is None:
            self.end = first + math.ceil((end - first) / self.step - 1e-9) * self.step
        self._low = low
        self._high = high

    def at(self, value: float) -> str:
        """Return the position of a value."""
        share = (value - self.start) / (self.end - self.start)
        return f"{self._low + share * (self._high - self._low):.1f}"

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Positions of ticks, and their numbers in the reader's locale; on horizontal axes, only those that fit."""
        count = (self.end - self.start) / self.step
        places = max(0, -math.floor(math.log10(self.step) + 1e-9))
        numbers = [
            self.start + tick * self.step
            for tick in range(math.floor(count + 1e-9) + 1)
        ]
        found = [(self.at(number), decimals(number, places)) for number in numbers]
        apart = (self._high - self._low) / count
        room = 8 + max(room_of(words) for _, words in found)
        if apart > 0:
            return found[:: math.ceil(room / apart)]
        return found


def _step(about: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(
        step * power for step in (1, 2, 5, 10) if step * power >= about * (1 - 1e-9)
    )


def vertical(axis: Axis, scale: Scale, top: int, bottom: int) -> SafeString:
    """Return vertical lines at the marked value and at the ticks, with labels above."""
    parts = []
    for at, words in axis.ticks:
        parts.append(stroke("grid", at, at, top, bottom))
        parts.append(text(at, 14, words, kind="quiet", anchor="middle"))
    if scale.mark is not None:
        at = axis.at(scale.mark)
        parts.append(stroke("mark", at, at, top, bottom))
    return joined(parts)


def horizontal(axis: Axis, scale: Scale, left: int, right: int) -> SafeString:
    """Return horizontal lines at the marked value and at the ticks, with labels on the left."""
    parts = []
    for at, words in axis.ticks:
        parts.append(stroke("grid", left, right, at, at))
        parts.append(
            tag(
                "text", words, class_="quiet", x=left - 8, y=at, dy=4, text_anchor="end"
            )
        )
    if scale.mark is not None:
        at = axis.at(scale.mark)
        parts.append(stroke("mark", left, right, at, at))
    return joined(parts)
