"""Judgments as organisers read them: a list to filter, and one of them with its texts."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.export.shown import systems_shown
from annotation.models import JudgmentNumber, ProblemReport
from annotation.pages.judgment_table import JudgmentFilter, JudgmentTable, seconds_in_words
from annotation.selectors.judgment_list import (
    found_by_index,
    judgments_listed,
    judgments_page,
    number_near_day,
    ranked_texts,
    segments_with_few,
)
from campaign.models import Reference
from campaign.texts.languages import language_described
from campaign.views.access import organised_task

_OLDEST = "oldest"


@require_safe
@never_cache
@login_required
def judgments_list_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show judgments, the latest first; `?sort=oldest`, `?from=` a number, and what `JudgmentFilter` has."""
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
    names = dict(task.test_set.systems.values_list("id", "name"))
    shown = systems_shown(row.block_id for row in page.rows)
    table = JudgmentTable(
        page.rows,
        task=task,
        shown={
            block: [[names[system] for system in each] for each in candidates]
            for block, candidates in shown.items()
        },
    )
    kept = request.GET.copy()
    kept.pop("from", None)
    kept.pop("sort", None)
    if not oldest_first:
        kept["sort"] = _OLDEST
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "judgments",
        "filter": asked,
        "table": table,
        "page": page,
        "oldest_first": oldest_first,
        "other_order": kept.urlencode(),
    }
    return render(request, "organiser/judgments.html", context, status=asked.status)


def _number(text: str) -> int | None:
    # Ten digits would be more than a number of a judgment can have.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


@require_safe
@never_cache
@login_required
def judgment_page(request: HttpRequest, slug: str, task_id: int, number: int) -> HttpResponse:
    """Show a judgment: what its judge saw, in their order, with the systems, ranks, time and comment."""
    task = organised_task(request, slug, task_id)
    found = JudgmentNumber.objects.select_related(
        "judgment__judge",
        "judgment__block__hit",
        "judgment__block__segment__document",
        "judgment__supersedes__numbered",
        "judgment__superseded_by__numbered",
    ).filter(task=task)
    # More than the column holds would be an error of the database.
    numbered = found.filter(number=number).first() if number < 2**31 else None
    if numbered is None:
        raise Http404
    judgment = numbered.judgment
    block = judgment.block
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "judgments",
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
        "source": language_described(task.test_set.source_language),
        "target": language_described(task.test_set.target_language),
    }
    return render(request, "organiser/judgment.html", context)
