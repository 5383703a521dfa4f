"""The activity log of a campaign: a page, the newest first, and files."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from campaign.export.activity import activity_csv, activity_jsonl
from campaign.export.downloads import streamed_download
from campaign.forms.activity import ActivityFilterForm
from campaign.models import ActivityEvent
from campaign.pages.activity import activity_rows
from campaign.pages.activity_table import ActivityTable
from campaign.selectors.activity import activity_events
from campaign.views.access import organised_campaign
from campaign.views.decorators import page_view

EVENTS_ON_A_PAGE: Final = 50
_ID: Final = re.compile(r"[0-9]{1,18}")


@page_view
def activity_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what was changed, by whom; the fields of the form filter, `?before=` is where a page begins."""
    campaign = organised_campaign(request, slug)
    form = ActivityFilterForm(request.GET, campaign=campaign)
    events: list[ActivityEvent] = []
    before = request.GET.get("before", "")
    if form.is_valid():
        found = activity_events(campaign=campaign, wanted=form.wanted)
        if _ID.fullmatch(before):
            found = found.filter(pk__lt=int(before))
        events = list(found[: EVENTS_ON_A_PAGE + 1])
    shown = events[:EVENTS_ON_A_PAGE]
    asked = request.GET.copy()
    asked.pop("before", None)
    context = {
        "campaign": campaign,
        "section": "activity",
        "filter": {
            "form": form,
            "at": request.path,
            "is_used": bool(asked),
            "all_of_it": request.path,
        },
        "table": ActivityTable(activity_rows(campaign, shown)),
        "asked": asked.urlencode(),
        "is_first": not before,
        "older": shown[-1].pk if len(events) > len(shown) else None,
    }
    return render(
        request, "organiser/activity.html", context, status=200 if form.is_valid() else 400
    )


@page_view
def activity_csv_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the events that are wanted as CSV; 400 with the page if a filter is none."""
    return _file(request, slug, "csv", activity_csv)


@page_view
def activity_jsonl_file(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the events that are wanted as JSON Lines; 400 with the page if a filter is none."""
    return _file(request, slug, "jsonl", activity_jsonl)


def _file(
    request: HttpRequest, slug: str, ending: str, lines: Callable[..., Iterator[str]]
) -> HttpResponseBase:
    campaign = organised_campaign(request, slug)
    form = ActivityFilterForm(request.GET, campaign=campaign)
    if not form.is_valid():
        return activity_page(request, slug)
    events: QuerySet[ActivityEvent] = activity_events(campaign=campaign, wanted=form.wanted)
    return streamed_download(f"{slug}-activity.{ending}", lines(campaign=campaign, events=events))
