"""A table over the test sets of a campaign as a file."""

from django.http import HttpResponse

from campaign.models import Campaign
from ranking.campaign_tables import TableKind
from ranking.reports import Report
from ranking.reports.writing import FILES, write


def table_file(campaign: Campaign, kind: TableKind, report: Report, ending: str) -> HttpResponse:
    """Return a report as a file of one of the formats."""
    report_format, content_type = FILES[ending]
    response = HttpResponse(
        write(report, report_format), content_type=f"{content_type}; charset=utf-8"
    )
    name = f"{campaign.slug}-{kind.name}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
