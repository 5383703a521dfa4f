"""Organisers' pages of judgments and skips: filtered lists, single judgments, and files for import and export."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.answer_files import formats_read
from annotation.export.five_way import names_shown
from annotation.importing.answer_rows import repeated_in_words, skips_in_words
from annotation.importing.answers import AnswersImported, sent_answers_import
from annotation.models import JudgmentNumber, ProblemReport
from annotation.pages.judgment_tables import (
    JudgmentFilter,
    JudgmentTable,
    SkipFilter,
    SkipTable,
    seconds_in_words,
)
from annotation.selectors.judgment_list import (
    found_by_index,
    judgments_listed,
    judgments_page,
    number_near_day,
    ranked_texts,
    segments_with_few,
    skips_listed,
)
from campaign.formats import FormatError
from campaign.importing.errors import ImportRefusedError
from campaign.models import Reference, Task
from campaign.selectors.uploads import judgments_imports
from campaign.texts.languages import language_described
from campaign.views.access import of_task, organised_task
from campaign.views.decorators import form_view, page_view


class AnswersForm(forms.Form):
    """A file of answers, and its format."""

    file = forms.FileField(
        label=gettext_lazy("Answers"),
        help_text=gettext_lazy(
            "Plain or .gz, up to 5 MB. Import larger files with the command import_answers."
        ),
    )
    file_format = forms.ChoiceField(label=gettext_lazy("Format"), required=False)

    def __init__(self, *given: Any, formats: Sequence[str]) -> None:
        super().__init__(*given)
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
        "source": language_described(task.test_set.source_language),
        "target": language_described(task.test_set.target_language),
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
    form = AnswersForm(*given, formats=formats_read(task))
    if form.is_bound and form.is_valid() and _imported(request, task, form):
        return redirect("answers", slug, task_id)
    context = {**of_task(task, "answers"), "form": form, "imports": judgments_imports(task=task)}
    status = 400 if request.method == "POST" else 200
    return render(request, "organiser/answers.html", context, status=status)


def _imported(request: HttpRequest, task: Task, form: AnswersForm) -> bool:
    """Import the file; False, with an error, if refused."""
    try:
        imported = sent_answers_import(
            task=task,
            sent=form.cleaned_data["file"],
            file_format=form.cleaned_data["file_format"] or None,
        )
    except (FormatError, ImportRefusedError) as error:
        form.add_error("file", str(error))
        return False
    messages.success(request, _in_words(imported))
    if imported.skips:
        messages.success(request, skips_in_words(imported.skips))
    if imported.repeated:
        messages.warning(request, repeated_in_words(imported.repeated))
    for loss in imported.losses:
        messages.warning(
            request,
            _("Not carried over: %(what)s (%(count)s times, first at %(first)s).")
            % {"what": loss.what, "count": number_format(loss.count), "first": loss.first},
        )
    return True


def _in_words(imported: AnswersImported) -> str:
    said = ngettext(
        "%(judgments)s judgment imported, %(there)s already there.",
        "%(judgments)s judgments imported, %(there)s already there.",
        imported.judgments,
    )
    return said % {
        "judgments": number_format(imported.judgments),
        "there": number_format(imported.already_there),
    }
