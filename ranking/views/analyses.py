"""Analyses of a test set: what can be asked, a question with its answer, and files of it."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.protocols import answer_kind
from campaign.models import Task, User
from campaign.pages.rights import rights
from campaign.views.access import asked_task, organised_task
from ranking.analyses import ANALYSES, AnalysisKind, OptionError
from ranking.models import Analysis
from ranking.pages.addresses import Addresses
from ranking.pages.analysis_form import AnalysisForm
from ranking.pages.analysis_words import asked_in_words
from ranking.pages.beside import rankings_beside
from ranking.pages.judges_to_act import judges_to_act
from ranking.pages.pair_links import pair_links
from ranking.pages.plot_file import plot_answer
from ranking.pages.plots import rank_plots
from ranking.pages.report_file import report_file
from ranking.pages.report_shown import plot_files, shown_tables
from ranking.pages.summary import headline
from ranking.reports import Report
from ranking.reports.stored import report_in
from ranking.reports.writing import FILES
from ranking.selectors.analyses import (
    Answered,
    analyses_asked,
    analyses_of,
    answer_for_people,
    answered,
    judgments_to_choose,
)
from ranking.selectors.stopping_rules import stopping_rule_state
from ranking.services.analyses import (
    analysis_ask,
    analysis_check,
    analysis_choice,
    is_being_computed,
    watermark_check,
)
from ranking.wording.rule_states import RuleState, rule_notes, shown_rule

_SECTION = "ranking"
_ON_A_PAGE = 25
#: In the address: the ranking that is shown beside the one asked for.
BESIDE = "beside"


@require_safe
@never_cache
@login_required
def analyses_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show what can be asked of the judgments of a test set, and what was."""
    task = organised_task(request, slug, task_id)
    asked = Paginator(analyses_asked(task=task), _ON_A_PAGE)
    page = asked.get_page(request.GET.get("page"))
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": _SECTION,
        "kinds": analyses_of(task=task).values(),
        "page": page,
        "rows": [asked_in_words(analysis, task) for analysis in page],
    }
    return render(request, "analyses/all.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def analysis_page(request: HttpRequest, slug: str, task_id: int, kind: str) -> HttpResponse:
    """Show the question in the address with its newest answer; POST has a worker compute it."""
    task = asked_task(request, slug, task_id)
    found = _kind(kind)
    data = request.POST if request.method == "POST" else request.GET.copy()
    if request.method != "POST":
        data.pop(BESIDE, None)
    judgments = judgments_to_choose(task=task)
    try:
        analysis_check(found, task)
    except OptionError as error:
        form = AnalysisForm(data, kind=found, judgments=judgments)
        form.refuse(error)
        return _page(request, task, form, None, status=400)
    form = AnalysisForm(data or None, kind=found, judgments=judgments)
    if form.is_bound and not form.is_valid():
        return _page(request, task, form, None, status=400)
    try:
        choice = analysis_choice(kind, form.given if form.is_bound else {})
        if request.method == "POST":
            analysis_ask(
                task=task,
                choice=choice,
                user=cast("User", request.user),
                watermark=form.watermark,
            )
            return _to(task, form)
        answer = answered(task=task, choice_digest=choice.digest, watermark=form.watermark)
        if form.watermark is not None:
            watermark_check(form.watermark, answer.last)
    except OptionError as error:
        form.refuse(error)
        return _page(request, task, form, None, status=400)
    return _page(request, task, form, answer)


@require_safe
@never_cache
@login_required
def analysis_file(
    request: HttpRequest, slug: str, task_id: int, analysis_id: int, ending: str
) -> HttpResponse:
    """Return the report of an analysis as a file."""
    if ending not in FILES:
        raise Http404
    return report_file(_finished(request, slug, task_id, analysis_id), ending)


@require_safe
@never_cache
@login_required
def analysis_plot(
    request: HttpRequest, slug: str, task_id: int, analysis_id: int, table: str, ending: str
) -> HttpResponse:
    """Return one of its tables as a file: its plot as SVG or PNG, or its rows as CSV."""
    analysis = _finished(request, slug, task_id, analysis_id)
    answer = plot_answer(_report(analysis), table, ending, named=analysis.kind)
    if answer is None:
        raise Http404
    return answer


def _rule(task: Task, form: AnalysisForm) -> RuleState | None:
    """Return how far judging is by the stopping rule, beside questions that one might stop by."""
    if not form.kind.shows_rule:
        return None
    return stopping_rule_state(task_id=task.pk)


def _kind(name: str) -> AnalysisKind:
    if name not in ANALYSES:
        raise Http404
    return ANALYSES[name]


def _to(task: Task, form: AnalysisForm) -> HttpResponse:
    address = reverse("analysis", args=[task.test_set.campaign.slug, task.pk, form.kind.name])
    return redirect(f"{address}?{form.query}" if form.query else address)


def _page(
    request: HttpRequest,
    task: Task,
    form: AnalysisForm,
    answer: Answered | None,
    *,
    status: int = 200,
) -> HttpResponse:
    rule = _rule(task, form)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": _SECTION,
        "kind": form.kind,
        "kinds": analyses_of(task=task).values(),
        "form": form,
        "rule": None if rule is None else shown_rule(rule),
        **({} if answer is None else _answer(request, task, answer, form.watermark, rule)),
    }
    is_part = request.headers.get("HX-Request") and request.method == "GET"
    name = "analyses/_answer.html" if is_part else "analyses/question.html"
    return render(request, name, context, status=status)


def _answer(
    request: HttpRequest,
    task: Task,
    answer: Answered,
    watermark: int | None,
    rule: RuleState | None,
) -> dict[str, Any]:
    pending = answer.pending
    context: dict[str, Any] = {
        "answer": answer,
        "job": pending.job if pending is not None else None,
        "is_awaited": pending is not None and is_being_computed(pending),
        "endings": list(FILES),
    }
    if answer.shown is None:
        return context
    shown = answer.shown
    report = answer_for_people(analysis=shown, language=get_language() or "en")
    # The page says how far judging is now; what the answer says of it is shown where that was otherwise.
    beside = [] if rule is None else rule_notes(rule)
    notes = [note for note in report.notes if note not in beside]
    context |= {"shown": shown, "notes": notes}
    addresses = Addresses(task, compares_outputs=answer_kind(task.protocol).compares_outputs)
    address_of = partial(_file, task, shown.pk)
    if shown.kind != "ranking":
        return context | {
            "tables": shown_tables(report, addresses=addresses, file_address=address_of),
            "judges_to_act": judges_to_act(shown, task) if rights(request)["may_change"] else [],
            "pair_links": pair_links(shown, task, watermark=watermark),
        }
    assert shown.data is not None  # noqa: S101  it is finished
    ranking = shown.data["rankings"][0]
    plots = rank_plots(ranking["systems"])
    own_tables = _tables_of_groups(ranking)
    return context | {
        "run": ranking,
        "plots": plots,
        "headline": headline(ranking["systems"], ranking["groups"]),
        "beside": rankings_beside(
            task=task,
            this=shown,
            systems=ranking["systems"],
            chosen=request.GET.get(BESIDE, ""),
        ),
        "kept": [
            (name, value)
            for name, values in request.GET.lists()
            if name != BESIDE
            for value in values
        ],
        # The ranking's own tables, one for each group, are shown with their ranges drawn.
        "tables": shown_tables(
            report,
            without=frozenset(own_tables),
            addresses=addresses,
            file_address=address_of,
        ),
        "addresses": addresses,
        "table_notes": [
            note
            for table in report.tables
            if table.name in own_tables
            for note in table.notes
            if not any(note in plot.notes for plot in plots)
        ],
        "plot_title": report.tables[0].title,
        "plot_files": plot_files(report.tables[0], address_of),
    }


def _tables_of_groups(ranking: Mapping[str, Any]) -> list[str]:
    """Return the names of a ranking's own tables in its report."""
    name, count = ranking["method"], len(ranking["groups"])
    return [name] if count < 2 else [f"{name}_group_{number}" for number in range(1, count + 1)]


def _file(task: Task, analysis_id: int, table: str, ending: str) -> str:
    """Return where a table of an answer is, as a file."""
    return reverse(
        "analysis-plot", args=[task.test_set.campaign.slug, task.pk, analysis_id, table, ending]
    )


def _report(analysis: Analysis) -> Report:
    assert analysis.reports is not None  # noqa: S101  it is finished
    return report_in(analysis.reports, get_language() or "en", data=analysis.data)


def _finished(request: HttpRequest, slug: str, task_id: int, analysis_id: int) -> Analysis:
    task = organised_task(request, slug, task_id)
    return get_object_or_404(Analysis.objects.of(task.pk).finished(), pk=analysis_id)
