"""The time sheet: active time of judges by day."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from annotation.export.work_time import time_sheet_csv
from annotation.pages.work_time import (
    TimeSheetFilter,
    TimeSheetTable,
)
from annotation.selectors.work_time import (
    time_sheet,
    time_sheet_in_all,
    time_sheet_sums,
)
from annotation.services.numbers import waiting_judgments_number
from campaign.export.downloads import download, for_spreadsheets
from campaign.models import Campaign, Judge
from campaign.views.access import organised_campaign
from campaign.views.decorators import page_view


@page_view
def time_sheet_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show sentences, active time and days of each judge, from `?first=` to `?last=`."""
    campaign = organised_campaign(request, slug)
    return _time_sheet_page(request, campaign, _sheet_filter(request, campaign))


def _time_sheet_page(
    request: HttpRequest,
    campaign: Campaign,
    sheet_filter: TimeSheetFilter,
) -> HttpResponse:
    judges = sheet_filter.rows
    table = TimeSheetTable(
        time_sheet_sums(campaign=campaign, judges=judges, **sheet_filter.days),
        of=[campaign.slug],
    )
    table.of(request)
    if table.paginator.count:
        table.in_all = time_sheet_in_all(
            campaign=campaign,
            judges=judges,
            **sheet_filter.days,
        )
    context = {
        "campaign": campaign,
        "section": "time",
        "filter": sheet_filter,
        "table": table,
        "time_zone": campaign.zone.title,
    }
    return render(
        request,
        "organiser/time_sheet.html",
        context,
        status=sheet_filter.status,
    )


@page_view
def time_sheet_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a line for each judge and day as CSV; 400 for an invalid day."""
    campaign = organised_campaign(request, slug)
    sheet_filter = _sheet_filter(request, campaign)
    if not sheet_filter.form.is_valid():
        return _time_sheet_page(request, campaign, sheet_filter)
    sheet = time_sheet(campaign=campaign, judges=sheet_filter.rows, **sheet_filter.days)
    content = time_sheet_csv(sheet, time_zone=campaign.zone.title)
    return for_spreadsheets(download(f"{slug}-time-sheet.csv", content))


def _sheet_filter(request: HttpRequest, campaign: Campaign) -> TimeSheetFilter:
    """Count what was sent, and return the filter from the query string.

    Its form always leads to the page, even from the download.
    """
    waiting_judgments_number(campaign=campaign)
    return TimeSheetFilter.of(
        request,
        Judge.objects.filter(campaign=campaign),
        address=reverse("time-sheet", args=[campaign.slug]),
    )
