"""What each judge of a campaign worked, for pay: a page of sums, and a file of days."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.export.work_time import time_sheet_csv
from annotation.pages.time_sheet_table import TimeSheetFilter, TimeSheetTable
from annotation.selectors import time_sheet, time_sheet_in_all, time_sheet_sums
from campaign.models import Campaign, Judge
from campaign.views.access import organised_campaign


@require_safe
@login_required
@never_cache
def time_sheet_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show sentences, active time and days of each judge; `?first=` and `?last=` are days."""
    campaign = organised_campaign(request, slug)
    return _page(request, campaign, _asked(request, campaign))


def _page(request: HttpRequest, campaign: Campaign, asked: TimeSheetFilter) -> HttpResponse:
    judges = asked.found
    table = TimeSheetTable(time_sheet_sums(judges=judges, **asked.days), campaign=campaign)
    table.of(request)
    if table.paginator.count:
        table.in_all = time_sheet_in_all(campaign=campaign, judges=judges, **asked.days)
    context = {
        "campaign": campaign,
        "section": "time",
        "filter": asked,
        "table": table,
        "time_zone": settings.TIME_ZONE,
    }
    return render(request, "organiser/time_sheet.html", context, status=asked.status)


@require_safe
@login_required
@never_cache
def time_sheet_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a line for each judge and day as CSV; 400 if a day is none."""
    campaign = organised_campaign(request, slug)
    asked = _asked(request, campaign)
    if not asked.form.is_valid():
        return _page(request, campaign, asked)
    sheet = time_sheet(campaign=campaign, judges=asked.found, **asked.days)
    return HttpResponse(
        time_sheet_csv(sheet, time_zone=settings.TIME_ZONE),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-time-sheet.csv"'},
    )


def _asked(request: HttpRequest, campaign: Campaign) -> TimeSheetFilter:
    """Return what the address asks for; of the file too, the page's filters lead to the page."""
    return TimeSheetFilter.of(
        request,
        Judge.objects.filter(campaign=campaign),
        at=reverse("time-sheet", args=[campaign.slug]),
    )
