"""A report as a file."""

from django.http import HttpResponse

from ranking.models import Analysis
from ranking.reports import Report
from ranking.reports.writing import FILES, write
from ranking.selectors.analyses import answer_with_data


def report_file(report: Report, ending: str, *, named: str) -> HttpResponse:
    """Return a report as a file of one of the formats."""
    report_format, content_type = FILES[ending]
    return HttpResponse(
        write(report, report_format),
        content_type=f"{content_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{named}.{ending}"'},
    )


def answer_file(analysis: Analysis, ending: str) -> HttpResponse:
    """Return the answer of an analysis of a task as a file of one of the formats."""
    named = f"{analysis.kind}-{analysis.task_id}-{analysis.watermark}"
    return report_file(answer_with_data(analysis), ending, named=named)
