"""One table of a report as a file: its plot as SVG or PNG, or its rows as CSV."""

from importlib.resources import files
from typing import Final

from django.http import HttpResponse

from ranking.pages.plot_drawing import drawn
from ranking.reports.tables import Report, Table
from ranking.reports.writing import ReportFormat, write

PLOT_FILES: Final = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "csv": "text/csv; charset=utf-8",
}
#: Pixels of a PNG for one of the drawing: of print.
_ZOOM: Final = 2
#: A drawing of a thousand judges stays below 64 million pixels.
_MOST_PIXELS: Final = 64_000_000
_FAMILY: Final = "DejaVu Sans"
#: Scripts that DejaVu Sans has none of: from Devanagari to Myanmar, and from Hangul on but for Latin,
#: Greek, symbols and forms of Arabic letters.
_BEYOND: Final = (range(0x0900, 0x10A0), range(0x1100, 0x1400), range(0x2E80, 0xFB00))


def plot_answer(report: Report, table: str, ending: str, *, named: str) -> HttpResponse | None:
    """Return a table of a report as a download whose name begins with `named`; None where there is no such file."""
    found = next((each for each in report.tables if each.name == table), None)
    content = None if found is None or ending not in PLOT_FILES else plot_file(found, ending)
    if content is None:
        return None
    answer = HttpResponse(content, content_type=PLOT_FILES[ending])
    answer["Content-Disposition"] = f'attachment; filename="{named}-{table}.{ending}"'
    return answer


def plot_file(table: Table, ending: str) -> bytes | None:
    """Return the file; None of a plot where nothing is drawn."""
    if ending == "csv":
        return write(Report(tables=[table], data={}), ReportFormat.CSV).encode()
    svg = drawn(table, as_file=True)
    if svg is None:
        return None
    return svg.encode() if ending == "svg" else png_of(svg)


def png_of(svg: str) -> bytes:
    """Return a drawing as PNG on white.

    Letters are those of DejaVu Sans, which is installed with us, whatever the machine has: the same file
    everywhere. Only for scripts that it lacks are the fonts of the machine searched.
    """
    # Five hundredths of a second and a few megabytes, in the processes that need it only.
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
    """Return whether a text has letters of scripts that DejaVu Sans lacks."""
    return any(ord(letter) in block for letter in set(text) for block in _BEYOND) or any(
        ord(letter) > 0x1F000 for letter in set(text)
    )


def _number(svg: str, name: str) -> int:
    return int(svg.partition(f' {name}="')[2].partition('"')[0])
