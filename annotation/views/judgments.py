"""Organisers' pages of judgments, skips and problem reports: filtered lists, single ones, and files for import and export."""

from http import HTTPStatus

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.export.five_way import names_shown
from annotation.models import Judgment, JudgmentNumber, ProblemReport, QualityAction
from annotation.pages.judgment_tables import (
    JudgmentFilter,
    JudgmentTable,
    SkipFilter,
    SkipTable,
    seconds_in_words,
)
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.judgment_list import (
    has_index,
    judgments_listed,
    judgments_page,
    number_near_day,
    ranked_texts,
    segments_with_few,
    skips_listed,
)
from annotation.selectors.shown import languages_data
from annotation.selectors.taking_back import taking_back_in_words
from annotation.services.quality import answer_take_back
from campaign.models import Reference, Task
from campaign.views.access import of_task, organised_task, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, page_view, refusals_as_messages

_OLDEST = "oldest"


@page_view
def judgments_list_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """List judgments, latest first; the query string may hold `sort=oldest`, `from` and `JudgmentFilter` values."""
    task = organised_task(request, slug, task_id)
    judgment_filter = JudgmentFilter.of(request, judgments_listed(task=task))
    oldest_first = request.GET.get("sort") == _OLDEST
    start = _number(request.GET.get("from", ""))
    if judgment_filter.status == HTTPStatus.OK:
        filters = judgment_filter.form.cleaned_data
    else:
        filters = {}
    day = filters.get("day")
    segments = segments_with_few(
        task=task,
        document=filters.get("document", ""),
        segment=request.GET.get("segment", ""),
    )
    is_indexed = (
        segments is not None or not judgment_filter.is_used or has_index(filters)
    )
    if day is not None and start is None and not is_indexed:
        start = number_near_day(task=task, day=day, oldest_first=oldest_first)
    page = judgments_page(
        judgment_filter.rows,
        task=task,
        start=start,
        oldest_first=oldest_first,
        is_indexed=is_indexed,
        segments=segments,
    )
    names_by_block = names_shown((row.block_id for row in page.rows), task=task)
    parameters = request.GET.copy()
    parameters.pop("from", None)
    parameters.pop("sort", None)
    if not oldest_first:
        parameters["sort"] = _OLDEST
    context = {
        **of_task(task, "judgments"),
        "filter": judgment_filter,
        "table": JudgmentTable(page.rows, task=task, names_by_block=names_by_block),
        "page": page,
        "oldest_first": oldest_first,
        "other_order": parameters.urlencode(),
    }
    return render(
        request,
        "organiser/judgments.html",
        context,
        status=judgment_filter.status,
    )


def _number(text: str) -> int | None:
    # Numbers of judgments have at most nine digits.
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return None


@page_view
def judgment_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    number: int,
) -> HttpResponse:
    """Show a judgment: the outputs in their display order, with systems, ranks, time and comment."""
    task = organised_task(request, slug, task_id)
    judgment = _judgment_or_404(task, number)
    block = judgment.block
    context = {
        **of_task(task, "judgments"),
        "number": number,
        "judgment": judgment,
        "texts": ranked_texts(
            outputs=block.outputs,
            stands_for=block.stands_for,
            labels=answer_kind_of(task).ranks(judgment.labels),
        ),
        "references": Reference.objects.filter(segment=block.segment_id).order_by(
            "number",
        ),
        "earlier": getattr(
            getattr(judgment.supersedes, "numbered", None),
            "number",
            None,
        ),
        "later": getattr(
            getattr(getattr(judgment, "superseded_by", None), "numbered", None),
            "number",
            None,
        ),
        "before": number - 1,
        # Numbers have no gaps.
        "after": number + 1 if _numbers(task, number + 1).exists() else None,
        "active": seconds_in_words(judgment.active_ms),
        "clock": seconds_in_words(judgment.duration_ms),
        "reports": ProblemReport.objects.filter(block=block, judge=judgment.judge_id),
        "taken_back": QualityAction.objects.taken_back(block=block.pk).first(),
        **languages_data(task.test_set.source_language, task.test_set.target_language),
    }
    return render(request, "organiser/judgment.html", context)


def _numbers(task: Task, number: int) -> QuerySet[JudgmentNumber]:
    # A number beyond the column's range would be a database error.
    return JudgmentNumber.objects.filter(task=task, number=min(number, 2**31 - 1))


def _judgment_or_404(task: Task, number: int) -> Judgment:
    numbered = (
        _numbers(task, number)
        .select_related(
            "judgment__judge",
            "judgment__block__hit__design",
            "judgment__block__segment__document",
            "judgment__supersedes__numbered",
            "judgment__superseded_by__numbered",
        )
        .first()
    )
    if numbered is None:
        raise Http404
    return numbered.judgment


@action_view
def judgment_take_back(
    request: HttpRequest,
    slug: str,
    task_id: int,
    number: int,
) -> HttpResponse:
    """Say what taking an answer back does; once confirmed, let it no longer count."""
    task = organised_task(request, slug, task_id)
    judgment = _judgment_or_404(task, number)
    address = redirect("judgment", slug, task_id, number)
    if not is_answered(request):
        question = Question(
            title=_("Take back judgment %(number)s") % {"number": number},
            facts=taking_back_in_words(judgment=judgment, task=task),
            after=_("You can undo this later."),
            answers=[Answer(_("Take back"))],
            cancel=address["Location"],
        )
        return ask(
            request,
            question,
            campaign=task.test_set.campaign,
            task=task,
            section="judgments",
        )
    with refusals_as_messages(request):
        answer_take_back(
            judgment=judgment,
            number=number,
            task=task,
            user=user_of(request),
        )
        messages.success(
            request,
            _("Judgment %(number)s taken back.") % {"number": number},
        )
    return address


@page_view
def skips_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """List the skips of a test set, latest first; the query string holds sorting, page and filters."""
    task = organised_task(request, slug, task_id)
    skip_filter = SkipFilter.of(request, skips_listed(task=task))
    context = {
        **of_task(task, "skips"),
        "filter": skip_filter,
        "table": SkipTable(skip_filter.rows, of=[slug, task_id]).of(request),
    }
    return render(request, "organiser/skips.html", context, status=skip_filter.status)
