"""What each judge of a campaign worked, for pay: a page of sums, and a file of days."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.export.work_time import clock_time, time_sheet_csv
from annotation.forms import DaysForm
from annotation.selectors import JudgeTime, Worked, time_sheet
from campaign.models import Campaign
from campaign.views.access import organised_campaign

JUDGES_ON_A_PAGE = 50


@require_safe
@login_required
@never_cache
def time_sheet_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show sentences, active time and days of each judge; `?first=` and `?last=` are days."""
    campaign = organised_campaign(request, slug)
    form = DaysForm(request.GET)
    sheet = _sheet(campaign, form)
    page = Paginator(sheet, JUDGES_ON_A_PAGE).get_page(request.GET.get("page"))
    total = sum((each.total for each in sheet), Worked())
    context = {
        "campaign": campaign,
        "section": "time",
        "form": form,
        "page": page,
        "rows": [(each, clock_time(each.total.active_seconds)) for each in page],
        "total": total,
        "total_time": clock_time(total.active_seconds),
        "time_zone": settings.TIME_ZONE,
        "days": {name: request.GET[name] for name in form.fields if request.GET.get(name)},
    }
    status = 200 if form.is_valid() else 400
    return render(request, "organiser/time_sheet.html", context, status=status)


@require_safe
@login_required
@never_cache
def time_sheet_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a line for each judge and day as CSV; 400 if a day is none."""
    campaign = organised_campaign(request, slug)
    form = DaysForm(request.GET)
    if not form.is_valid():
        return time_sheet_page(request, slug)
    return HttpResponse(
        time_sheet_csv(_sheet(campaign, form), time_zone=settings.TIME_ZONE),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-time-sheet.csv"'},
    )


def _sheet(campaign: Campaign, form: DaysForm) -> list[JudgeTime]:
    """Return the time sheet that the form asks for; nothing where it is wrong."""
    if not form.is_valid():
        return []
    return time_sheet(campaign=campaign, **form.cleaned_data)
