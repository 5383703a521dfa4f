"""Organisers' pages of judgments, skips and problem reports: filtered lists, single ones, and files for import and export."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.export.five_way import names_shown
from annotation.importing.answer_rows import (
    by_machines_in_words,
    repeated_in_words,
    skips_in_words,
)
from annotation.importing.answers import AnswersImported, ImportOptions, sent_answers_import
from annotation.importing.stored_answers import NoLongerInFile
from annotation.models import JudgmentNumber, ProblemReply, ProblemReport
from annotation.pages.judgment_tables import (
    JudgmentFilter,
    JudgmentTable,
    ProblemReportFilter,
    ProblemReportTable,
    SkipFilter,
    SkipTable,
    seconds_in_words,
)
from annotation.protocols.answer_files import formats_read
from annotation.selectors.judgment_list import (
    found_by_index,
    judgments_listed,
    judgments_page,
    number_near_day,
    problem_reports_of,
    ranked_texts,
    reported_block,
    segments_with_few,
    skips_listed,
)
from annotation.selectors.machines import machines_of
from annotation.selectors.shown import languages_data
from annotation.services.problem_reports import (
    REPLY_LENGTH,
    problem_reply,
    problem_reply_take_back,
)
from campaign.formats import FormatError
from campaign.formats.errors import Loss
from campaign.importing.errors import ImportRefusedError
from campaign.models import Campaign, Reference, Task
from campaign.selectors.uploads import judgments_imports
from campaign.texts.counted import counted, filled
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import of_task, organised_campaign, organised_task, user_of
from campaign.views.decorators import action_view, form_view, page_view, refusals_told


class AnswersForm(forms.Form):
    """A file of answers, and its format."""

    file = forms.FileField(
        label=gettext_lazy("Answers"),
        help_text=gettext_lazy(
            "Plain or .gz, up to 5 MB. Import larger files with the command import_answers."
        ),
    )
    file_format = forms.ChoiceField(label=gettext_lazy("Format"), required=False)
    machine = forms.ChoiceField(
        label=gettext_lazy("Machine judge"),
        required=False,
        help_text=gettext_lazy(
            "Judges in the file with the name and version of a machine judge are recognised. Choose one if all answers are of that one."
        ),
    )
    no_longer_in_file = forms.ChoiceField(
        label=gettext_lazy("Imported answers missing from the file"),
        choices=[
            ("", gettext_lazy("Ask before importing")),
            (NoLongerInFile.KEEP, gettext_lazy("Keep")),
            (NoLongerInFile.WITHDRAW, gettext_lazy("Withdraw")),
        ],
        required=False,
    )

    def __init__(self, *given: Any, task: Task) -> None:
        super().__init__(*given)
        formats = formats_read(task)
        machines = list(map(str, machines_of(campaign_id=task.test_set.campaign_id)))
        self.fields["machine"].choices = [  # type: ignore[attr-defined]  # a ChoiceField
            ("", gettext_lazy("As named in the file")),
            *((each, each) for each in machines),
        ]
        self.fields["file_format"].choices = [  # type: ignore[attr-defined]  # a ChoiceField
            ("", gettext_lazy("Detect automatically")),
            *((each, each) for each in formats),
        ]


_OLDEST = "oldest"


@page_view
def judgments_list_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """List judgments, latest first; the query string may hold `sort=oldest`, `from` and `JudgmentFilter` values."""
    task = organised_task(request, slug, task_id)
    asked = JudgmentFilter.of(request, judgments_listed(task=task))
    oldest_first = request.GET.get("sort") == _OLDEST
    start = _number(request.GET.get("from", ""))
    wanted = asked.form.cleaned_data if asked.status == HTTPStatus.OK else {}
    day = wanted.get("day")
    segments = segments_with_few(
        task=task,
        document=wanted.get("document", ""),
        segment=request.GET.get("segment", ""),
    )
    is_indexed = segments is not None or not asked.is_used or found_by_index(wanted)
    if day is not None and start is None and not is_indexed:
        start = number_near_day(task=task, day=day, oldest_first=oldest_first)
    page = judgments_page(
        asked.found,
        task=task,
        start=start,
        oldest_first=oldest_first,
        is_indexed=is_indexed,
        segments=segments,
    )
    shown = names_shown((row.block_id for row in page.rows), task=task)
    kept = request.GET.copy()
    kept.pop("from", None)
    kept.pop("sort", None)
    if not oldest_first:
        kept["sort"] = _OLDEST
    context = {
        **of_task(task, "judgments"),
        "filter": asked,
        "table": JudgmentTable(page.rows, task=task, shown=shown),
        "page": page,
        "oldest_first": oldest_first,
        "other_order": kept.urlencode(),
    }
    return render(request, "organiser/judgments.html", context, status=asked.status)


def _number(text: str) -> int | None:
    # Numbers of judgments have at most nine digits.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


@page_view
def judgment_page(request: HttpRequest, slug: str, task_id: int, number: int) -> HttpResponse:
    """Show a judgment: the outputs in their display order, with systems, ranks, time and comment."""
    task = organised_task(request, slug, task_id)
    found = JudgmentNumber.objects.select_related(
        "judgment__judge",
        "judgment__block__hit",
        "judgment__block__segment__document",
        "judgment__supersedes__numbered",
        "judgment__superseded_by__numbered",
    ).filter(task=task)
    # A number beyond the column's range would be a database error.
    numbered = found.filter(number=number).first() if number < 2**31 else None
    if numbered is None:
        raise Http404
    judgment = numbered.judgment
    block = judgment.block
    context = {
        **of_task(task, "judgments"),
        "number": number,
        "judgment": judgment,
        "texts": ranked_texts(
            outputs=block.outputs, stands_for=block.stands_for, labels=judgment.labels
        ),
        "references": Reference.objects.filter(segment=block.segment_id).order_by("number"),
        "earlier": getattr(getattr(judgment.supersedes, "numbered", None), "number", None),
        "later": getattr(
            getattr(getattr(judgment, "superseded_by", None), "numbered", None), "number", None
        ),
        "before": number - 1,
        # Numbers have no gaps.
        "after": number + 1 if found.filter(number=number + 1).exists() else None,
        "active": seconds_in_words(judgment.active_ms),
        "clock": seconds_in_words(judgment.duration_ms),
        "reports": ProblemReport.objects.filter(block=block, judge=judgment.judge_id),
        **languages_data(task.test_set.source_language, task.test_set.target_language),
    }
    return render(request, "organiser/judgment.html", context)


@page_view
def skips_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """List the skips of a test set, latest first; the query string holds sorting, page and filters."""
    task = organised_task(request, slug, task_id)
    asked = SkipFilter.of(request, skips_listed(task=task))
    context = {
        **of_task(task, "skips"),
        "filter": asked,
        "table": SkipTable(asked.found, of=[slug, task_id]).of(request),
    }
    return render(request, "organiser/skips.html", context, status=asked.status)


@form_view
def answers_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the form for importing answers, and earlier imports; POST imports a file."""
    task = organised_task(request, slug, task_id)
    given = (request.POST, request.FILES) if request.method == "POST" else ()
    form = AnswersForm(*given, task=task)
    if form.is_bound and form.is_valid() and _imported(request, task, form):
        return redirect("answers", slug, task_id)
    context = {**of_task(task, "answers"), "form": form, "imports": judgments_imports(task=task)}
    status = 400 if request.method == "POST" else 200
    return render(request, "organiser/answers.html", context, status=status)


def _imported(request: HttpRequest, task: Task, form: AnswersForm) -> bool:
    """Import the file; False, with an error, if refused."""
    choice = form.cleaned_data["no_longer_in_file"]
    try:
        options = ImportOptions(
            file_format=form.cleaned_data["file_format"] or None,
            no_longer_in_file=NoLongerInFile(choice) if choice else None,
            machine=form.cleaned_data["machine"],
        )
        sent = form.cleaned_data["file"]
        imported = sent_answers_import(task=task, sent=sent, options=options)
    except (FormatError, ImportRefusedError) as error:
        form.add_error("file", str(error))
        return False
    messages.success(request, _in_words(imported))
    if imported.by_machines:
        messages.success(request, by_machines_in_words(imported.by_machines))
    if imported.skips:
        messages.success(request, skips_in_words(imported.skips))
    if imported.repeated:
        messages.warning(request, repeated_in_words(imported.repeated))
    losses_told(request, imported.losses)
    return True


def losses_told(request: HttpRequest, losses: Iterable[Loss]) -> None:
    """Warn about content of a file that was not imported."""
    for loss in losses:
        words = _("Not imported: %(what)s (%(count)s times, first at %(first)s).")
        messages.warning(request, filled(words, what=loss.what, count=loss.count, first=loss.first))


def _in_words(imported: AnswersImported) -> str:
    return counted(
        "%(count)s judgment imported, %(there)s already there.",
        "%(count)s judgments imported, %(there)s already there.",
        imported.judgments,
        there=imported.already_there,
    )


class ProblemReplyForm(forms.Form):
    """A reply to a problem report, and whether it closes the report."""

    text = forms.CharField(
        label=gettext_lazy("Your answer"),
        required=False,
        max_length=REPLY_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
        help_text=gettext_lazy(
            "Shown to the judge. Do not name systems, and do not reveal references or controls."
        ),
    )
    closes = forms.BooleanField(label=gettext_lazy("Close report"), required=False, initial=True)
    #: Number of replies shown on the page.
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31 - 2)


_SECTION = "problem-reports"


@page_view
def problem_reports_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the reports of a campaign, latest first; the query string holds sorting, page and filters."""
    campaign = organised_campaign(request, slug)
    asked = ProblemReportFilter.of(
        request, problem_reports_of(campaign=campaign), campaign=campaign
    )
    table = ProblemReportTable(asked.found, of=[slug]).of(request)
    context = {"campaign": campaign, "section": _SECTION, "filter": asked, "table": table}
    return render(request, "organiser/problem_reports.html", context, status=asked.status)


@form_view
def problem_report_page(request: HttpRequest, slug: str, report_id: int) -> HttpResponse:
    """Show a report with the texts that it is about; POST replies to it, closes it or reopens it."""
    campaign = organised_campaign(request, slug)
    report = get_object_or_404(problem_reports_of(campaign=campaign), pk=report_id)
    if request.method != "POST":
        return _shown(request, campaign, report)
    form = ProblemReplyForm(request.POST)
    if not form.is_valid():
        return _shown(request, campaign, report, form, status=400)
    user = user_of(request)
    with RefusalsAt(form, "text"):
        problem_reply(report=report, user=user, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("problem-report", slug, report.pk)
    return _shown(request, campaign, report, form, status=409)


@action_view
def problem_reply_take_back_page(
    request: HttpRequest, slug: str, report_id: int, number: int
) -> HttpResponse:
    """Withdraw a reply."""
    campaign = organised_campaign(request, slug)
    replies = ProblemReply.objects.filter(
        report__task__test_set__campaign=campaign, report=report_id
    )
    reply = get_object_or_404(replies, number=number)
    with refusals_told(request):
        problem_reply_take_back(reply=reply, user=user_of(request))
        messages.success(request, _("The judge no longer sees this reply."))
    return redirect("problem-report", slug, report_id)


def _shown(
    request: HttpRequest,
    campaign: Campaign,
    report: ProblemReport,
    form: ProblemReplyForm | None = None,
    status: int = 200,
) -> HttpResponse:
    replies = list(
        report.replies.select_related("created_by", "taken_back_by__created_by").order_by("number")
    )
    context = {
        "campaign": campaign,
        "task": report.task,
        "section": _SECTION,
        "report": report,
        "is_closed": replies[-1].closed if replies else False,
        "replies": [each for each in replies if each.takes_back_id is None],
        "form": form or ProblemReplyForm(),
        # The submitted text is kept alongside replies added in the meantime.
        "seen": len(replies),
        "about": reported_block(report),
        "references": Reference.objects.filter(segment=report.block.segment_id).order_by("number"),
        **languages_data(
            report.task.test_set.source_language, report.task.test_set.target_language
        ),
    }
    return render(request, "organiser/problem_report.html", context, status=status)
