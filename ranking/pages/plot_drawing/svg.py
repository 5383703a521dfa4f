"""What all drawings share: sizes, the style of files, and putting parts together."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ranking.reports.tables import Table

WIDTH: Final = 720
#: Room for the names of rows.
NAMES: Final = 200
TOP: Final = 26
MARGIN: Final = 24
LINE_HEIGHT: Final = 280
#: Where the value axis of a drawing that goes up ends: above it stands what it shows.
HIGHEST: Final = 28
#: Room for what the value axis of rows shows, below them.
BELOW: Final = 18
#: Room for heads of columns, which are at an angle, above and beside the columns.
HEADS: Final = 148
_LETTERS: Final = 28
#: Room for a name beside a drawing on a narrow sheet, and between them.
_SHORT, _BESIDE_SHORT = 90, 14
#: Before names, and between them and the drawing, where half of a figure of the axis may be.
_BESIDE_NAMES: Final = 24
#: Of a file, which no style sheet of ours reaches; readable in grey.
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
    """What a drawing is made on. On a narrow one, names stand above their rows and are shorter beside lines."""

    width: int
    is_narrow: bool = False

    @property
    def ticks(self) -> int:
        """About so many steps from left to right are labelled."""
        return 4 if self.is_narrow else 6

    @property
    def right(self) -> int:
        """Where a drawing without names at its right ends."""
        return self.width - (20 if self.is_narrow else MARGIN)

    def named(self, words: str) -> str:
        """Return a name as it fits beside a line."""
        if not self.is_narrow:
            return shortened(words)
        fitting = range(len(words), 1, -1)
        return next(
            (cut for cut in (shortened(words, most) for most in fitting) if room_of(cut) <= _SHORT),
            words[:1],
        )


WIDE: Final = Sheet(WIDTH)
#: As wide as what a page leaves of 360 pixels.
NARROW: Final = Sheet(300, is_narrow=True)
SHORT_NAMES: Final = _SHORT + _BESIDE_SHORT
#: Height of a name above its row.
ABOVE: Final = 18


def heading_of(table: Table, key: str) -> str:
    """Return the heading of a column."""
    return next(column.heading for column in table.columns if column.key == key)


def above(table: Table, key: str) -> SafeString:
    """Return what an axis that goes up shows, above its end."""
    return format_html('<text class="quiet" x="8" y="12">{}</text>', heading_of(table, key))


def below(table: Table, key: str, sheet: Sheet, bottom: int) -> SafeString:
    """Return what an axis from left to right shows, below its end."""
    return format_html(
        '<text class="quiet" x="{}" y="{}" text-anchor="end">{}</text>',
        sheet.right,
        bottom - 5,
        heading_of(table, key),
    )


def joined(parts: Sequence[Any]) -> SafeString:
    """Return parts one after the other."""
    return format_html_join("", "{}", ((part,) for part in parts))


def shortened(words: str, most: int = _LETTERS) -> str:
    """Return words with an ellipsis where they are too long for their place."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def room_left(names: Iterable[str]) -> int:
    """Return how much of the room for names they do not need: on small screens it pushes the drawing out of sight."""
    widest = max((room_of(shortened(name)) for name in names), default=0)
    return max(0, NAMES - _BESIDE_NAMES - widest)


def room_of(words: str) -> int:
    """Return at least the width of words of 13 pixels."""
    return sum(map(_width, words))


def _width(letter: str) -> int:
    """Return at least the width of a letter of 13 pixels."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 14
    return 11 if letter.isupper() or letter in "@%–—…" else 8
