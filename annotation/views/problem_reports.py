"""Problem reports of judges, and replies."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import ProblemReply, ProblemReport
from annotation.pages.judgment_tables import (
    ProblemReportFilter,
    ProblemReportTable,
)
from annotation.selectors.judgment_list import (
    problem_reports_of,
    reported_block,
)
from annotation.selectors.shown import languages_data
from annotation.services.problem_reports import (
    REPLY_LENGTH,
    problem_reply,
    problem_reply_take_back,
)
from campaign.models import Campaign, Reference
from campaign.texts.lines import LinesTextarea
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import organised_campaign, user_of
from campaign.views.decorators import (
    action_view,
    form_view,
    page_view,
    refusals_as_messages,
)


class ProblemReplyForm(forms.Form):
    """A reply to a problem report, and whether it closes the report."""

    text = forms.CharField(
        label=gettext_lazy("Your answer"),
        required=False,
        max_length=REPLY_LENGTH,
        widget=LinesTextarea(attrs={"rows": 4, "dir": "auto"}),
        help_text=gettext_lazy(
            "Shown to the judge. Do not name systems, and do not reveal references or controls.",
        ),
    )
    closes = forms.BooleanField(
        label=gettext_lazy("Close report"),
        required=False,
        initial=True,
    )
    #: Number of replies shown on the page.
    seen = forms.IntegerField(
        widget=forms.HiddenInput,
        min_value=0,
        max_value=2**31 - 2,
    )


_SECTION = "problem-reports"


@page_view
def problem_reports_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the reports of a campaign, latest first; the query string holds sorting, page and filters."""
    campaign = organised_campaign(request, slug)
    report_filter = ProblemReportFilter.of(
        request,
        problem_reports_of(campaign=campaign),
        campaign=campaign,
    )
    table = ProblemReportTable(report_filter.rows, of=[slug]).of(request)
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "filter": report_filter,
        "table": table,
    }
    return render(
        request,
        "organiser/problem_reports.html",
        context,
        status=report_filter.status,
    )


@form_view
def problem_report_page(
    request: HttpRequest,
    slug: str,
    report_id: int,
) -> HttpResponse:
    """Show a report with the texts that it is about; POST replies to it, closes it or reopens it."""
    campaign = organised_campaign(request, slug)
    report = get_object_or_404(problem_reports_of(campaign=campaign), pk=report_id)
    if request.method != "POST":
        return _report_page(request, campaign, report)
    form = ProblemReplyForm(request.POST)
    if not form.is_valid():
        return _report_page(request, campaign, report, form, status=400)
    user = user_of(request)
    with RefusalsAt(form, "text"):
        problem_reply(report=report, user=user, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("problem-report", slug, report.pk)
    return _report_page(request, campaign, report, form, status=409)


@action_view
def problem_reply_take_back_page(
    request: HttpRequest,
    slug: str,
    report_id: int,
    number: int,
) -> HttpResponse:
    """Withdraw a reply."""
    campaign = organised_campaign(request, slug)
    replies = ProblemReply.objects.filter(
        report__task__test_set__campaign=campaign,
        report=report_id,
    )
    reply = get_object_or_404(replies, number=number)
    with refusals_as_messages(request):
        problem_reply_take_back(reply=reply, user=user_of(request))
        messages.success(request, _("The judge no longer sees this reply."))
    return redirect("problem-report", slug, report_id)


def _report_page(
    request: HttpRequest,
    campaign: Campaign,
    report: ProblemReport,
    form: ProblemReplyForm | None = None,
    status: int = 200,
) -> HttpResponse:
    replies = list(
        report.replies.select_related(
            "created_by",
            "taken_back_by__created_by",
        ).order_by("number"),
    )
    context = {
        "campaign": campaign,
        "task": report.task,
        "section": _SECTION,
        "report": report,
        "is_closed": replies[-1].closed if replies else False,
        "replies": [reply for reply in replies if reply.takes_back_id is None],
        "form": form or ProblemReplyForm(),
        # The submitted text is kept alongside replies added in the meantime.
        "seen": len(replies),
        "about": reported_block(report),
        "references": Reference.objects.filter(
            segment=report.block.segment_id,
        ).order_by("number"),
        **languages_data(
            report.task.test_set.source_language,
            report.task.test_set.target_language,
        ),
    }
    return render(request, "organiser/problem_report.html", context, status=status)
