"""One table of a report as a file: its plot as SVG or PNG, or its rows as CSV."""

from typing import Final

from django.http import HttpResponse

from optional_packages import has_extra
from ranking.pages.plot_drawing import drawn
from ranking.reports.png import png_of
from ranking.reports.tables import Report, Table
from ranking.reports.writing import ReportFormat, write

PLOT_FILES: Final = {
    "svg": "image/svg+xml",
    **({"png": "image/png"} if has_extra("png") else {}),
    "csv": "text/csv; charset=utf-8",
}


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
