"""The answer of an analysis as a file."""

from django.http import HttpResponse
from django.utils.translation import get_language

from ranking.models import Analysis
from ranking.reports.stored import report_in
from ranking.reports.writing import FILES, write


def report_file(analysis: Analysis, ending: str) -> HttpResponse:
    """Return the answer of an analysis as a file of one of the formats."""
    report_format, content_type = FILES[ending]
    report = report_in(analysis.reports or {}, get_language() or "en", data=analysis.data)
    response = HttpResponse(
        write(report, report_format), content_type=f"{content_type}; charset=utf-8"
    )
    name = f"{analysis.kind}-{analysis.task_id}-{analysis.watermark}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
