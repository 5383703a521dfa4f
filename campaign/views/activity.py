"""The activity log of a campaign: a page, the newest first, and files."""

import re
from collections.abc import Sequence
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaign.export.activity import activity_csv, activity_jsonl
from campaign.export.downloads import for_spreadsheets, streamed_download
from campaign.models import Campaign
from campaign.pages.activity import (
    ActivityFilter,
    ActivityRow,
    ChangedField,
    activity_rows,
)
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn
from campaign.selectors.activity import activity_events
from campaign.texts.joining import labelled_html
from campaign.views.access import organised_campaign
from campaign.views.decorators import page_view


class ActivityTable(DeskTable):
    """Rows of `ActivityRow`, the newest first. The view pages the log, which has too many rows to count."""

    time = PlainColumn(pgettext_lazy("moment", "Time"), by="event", kind="seen")
    user = PlainColumn(gettext_lazy("User"), by="user", kind="judge")
    subject = PlainColumn(gettext_lazy("Object"), by="subject", kind="wide")
    changed = PlainColumn(gettext_lazy("Changes"), by="fields", kind="wide changes")

    caption = gettext_lazy("Activity")

    def __init__(self, rows: Sequence[ActivityRow]) -> None:
        super().__init__(list(rows))
        self.whole()

    def cell_time(self, row: ActivityRow) -> SafeString:
        moment = row.event.happened_at
        text = date_format(localtime(moment), "DATETIME_FORMAT")
        return format_html('<time datetime="{}">{}</time>', moment.isoformat(), text)

    def cell_user(self, row: ActivityRow) -> SafeString:
        return format_html("<bdi>{}</bdi>", row.user)

    def cell_subject(self, row: ActivityRow) -> SafeString:
        text = format_html("{}", row.subject)
        if row.name:
            text = labelled_html(row.subject, format_html("<bdi>{}</bdi>", row.name))
        if not row.test_set:
            return text
        return format_html('{}<br><bdi class="quiet">{}</bdi>', text, row.test_set)

    def cell_changed(self, row: ActivityRow) -> str | SafeString:
        if not row.fields:
            return ""
        lines = (
            (labelled_html(field.name, _change_html(field)),) for field in row.fields
        )
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", lines))


EVENTS_ON_A_PAGE: Final = 50
_ID: Final = re.compile(r"[0-9]{1,18}")


@page_view
def activity_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show changes and their authors, filtered by the fields of the form; the page begins at `?before=`."""
    campaign = organised_campaign(request, slug)
    filtered = _activity_filter(request, campaign)
    matching = filtered.rows
    before = request.GET.get("before", "")
    if _ID.fullmatch(before):
        matching = matching.filter(pk__lt=int(before))
    events = list(matching[: EVENTS_ON_A_PAGE + 1])
    page_events = events[:EVENTS_ON_A_PAGE]
    parameters = request.GET.copy()
    parameters.pop("before", None)
    older = None
    if len(events) > len(page_events):
        older = page_events[-1].pk
    context = {
        "campaign": campaign,
        "section": "activity",
        "filter": filtered,
        "table": ActivityTable(activity_rows(campaign, page_events)),
        "parameters": parameters.urlencode(),
        "is_first": not before,
        "older": older,
    }
    return render(request, "organiser/activity.html", context, status=filtered.status)


def _activity_filter(request: HttpRequest, campaign: Campaign) -> DeskFilter:
    events = activity_events(campaign=campaign)
    return ActivityFilter.of(request, events, keeps=(), campaign=campaign)


@page_view
def activity_file(request: HttpRequest, slug: str, ending: str) -> HttpResponseBase:
    """Download the changes that the filters select, as CSV or as JSON Lines."""
    campaign = organised_campaign(request, slug)
    filtered = _activity_filter(request, campaign)
    if not filtered.form.is_valid():
        return activity_page(request, slug)
    if ending == "csv":
        lines = activity_csv
    else:
        lines = activity_jsonl
    written = lines(campaign=campaign, events=filtered.rows)
    return for_spreadsheets(streamed_download(f"{slug}-activity.{ending}", written))


def _change_html(field: ChangedField) -> SafeString:
    if field.before is None or field.after is None:
        return format_html(
            "<bdi>{}</bdi>",
            field.after if field.before is None else field.before,
        )
    # Right-to-left languages translate it with an arrow to the left.
    pattern = _("<bdi>%(before)s</bdi> → <bdi>%(after)s</bdi>")
    escaped = {"before": escape(field.before), "after": escape(field.after)}
    return mark_safe(pattern % escaped)  # noqa: S308
