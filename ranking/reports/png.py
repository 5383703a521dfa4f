"""Drawings as PNG, for slides and word processors."""

from importlib.resources import files
from typing import Final

from optional_packages import extra_require

#: Scale of a PNG, for print quality.
_ZOOM: Final = 2
#: Maximum number of pixels, for drawings of a thousand judges.
_MOST_PIXELS: Final = 64_000_000
_FAMILY: Final = "DejaVu Sans"
#: Scripts missing from DejaVu Sans: from Devanagari to Myanmar, and from Hangul on except Latin,
#: Greek, symbols and forms of Arabic letters.
_BEYOND: Final = (range(0x0900, 0x10A0), range(0x1100, 0x1400), range(0x2E80, 0xFB00))


def png_of(svg: str) -> bytes:
    """Return a drawing as PNG on white; large drawings are scaled down.

    The font is DejaVu Sans, which is installed with Quintet, so that files are the same on all
    machines. The machine's own fonts are only used for scripts that it lacks.
    """
    # Imported here, because it takes 50 ms and a few megabytes.
    extra_require("png", "Plots as PNG")
    import resvg_py

    width, height = (_number(svg, name) for name in ("width", "height"))
    zoom = min(_ZOOM, (_MOST_PIXELS / max(1, width * height)) ** 0.5)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            background="#ffffff",
            zoom=zoom,
            font_files=[str(files("ziafont") / "fonts" / "DejaVuSans.ttf")],
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
            skip_system_fonts=not needs_other_fonts(svg),
        )
    )


def needs_other_fonts(text: str) -> bool:
    """Return whether a text needs scripts that DejaVu Sans lacks."""
    return any(ord(letter) in block for letter in set(text) for block in _BEYOND) or any(
        ord(letter) > 0x1F000 for letter in set(text)
    )


def _number(svg: str, name: str) -> int:
    return int(svg.partition(f' {name}="')[2].partition('"')[0])
