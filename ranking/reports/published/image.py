"""The plot of a published result as PNG, which everybody may ask for: drawn once, one at a time, and not large."""

from functools import lru_cache
from threading import Lock
from typing import Final

from ranking.reports.png import png_of
from ranking.reports.published.plot import svg_file
from ranking.reports.published.report import PublishedFile

#: Up to some thirty systems are drawn as for print, more with fewer pixels.
_MOST_PIXELS: Final = 4_000_000
#: Some hundred kilobytes each, in each process.
_KEPT: Final = 8
_DRAWING: Final = Lock()


def png_file(file: PublishedFile) -> bytes:
    """Return the plot as PNG: the same bytes as long as the SVG is the same, whatever address was asked for."""
    svg = svg_file(file)
    # resvg keeps the interpreter while it draws. Without the lock, those who ask at once would draw in turn.
    with _DRAWING:
        return drawn(svg)


@lru_cache(maxsize=_KEPT)
def drawn(svg: str) -> bytes:
    """Draw it, or return what was drawn of it. The text is the key: no other version or result has the same."""
    return png_of(svg, most_pixels=_MOST_PIXELS)
