"""Analyses of a task, and tables over a campaign: what can be asked, a question with its answer, and files of it."""

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
from campaign.models import Campaign, Judge, Task, User
from campaign.pages.rights import rights
from campaign.views.access import asked_task, joined_campaign, organised_campaign, organised_task
from ranking.analyses.kind import AnalysisChoice, AnalysisKind
from ranking.analyses.options import OptionError
from ranking.analyses.ranking import RANKING
from ranking.analyses.registry import ANALYSES, TABLES
from ranking.models import Analysis
from ranking.pages.acting import judges_to_act
from ranking.pages.analysis_form import AnalysisForm, asked_in_words, pair_links
from ranking.pages.formats import Addresses, TableAddresses
from ranking.pages.page_plots import CAMPAIGN_PLOTS, JUDGE_PLOTS, TEST_SET_PLOTS
from ranking.pages.report_shown import (
    PLOT_FILES,
    answer_file,
    plot_answer,
    rankings_beside,
    report_file,
    shown_tables,
)
from ranking.pages.summary import headline
from ranking.reports import Report
from ranking.reports.tables import Table
from ranking.reports.writing import FILES
from ranking.selectors.analyses import (
    Answered,
    JudgmentsToChoose,
    analyses_asked,
    analyses_of,
    answer_for_people,
    answer_with_data,
    answered,
    groups_to_choose,
    judgments_to_choose,
)
from ranking.selectors.campaign_tables import TableAnswer, linked_tasks, table_answer
from ranking.selectors.settings import stopping_rule_state
from ranking.services.analyses import (
    analysis_ask,
    analysis_check,
    analysis_choice,
    table_ask,
    watermark_check,
)
from ranking.wording.stopping_rules import RuleState, rule_notes, shown_rule

_SECTION, _TABLES = "ranking", "tables"
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
    found = _kind(ANALYSES, kind)
    data = request.POST if request.method == "POST" else request.GET.copy()
    if request.method != "POST":
        data.pop(BESIDE, None)
    form = AnalysisForm(data or None, kind=found, judgments=judgments_to_choose(task=task))
    try:
        analysis_check(found, task)
        choice = _choice(form)
        if request.method == "POST":
            user = cast("User", request.user)
            analysis_ask(task=task, choice=choice, user=user, watermark=form.watermark)
            return _to(reverse("analysis", args=[slug, task_id, kind]), form)
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
    return answer_file(_finished(request, slug, task_id, analysis_id), ending)


@require_safe
@never_cache
@login_required
def analysis_plot(
    request: HttpRequest, slug: str, task_id: int, analysis_id: int, table: str, ending: str
) -> HttpResponse:
    """Return one of its tables as a file: its plot as SVG or PNG, or its rows as CSV."""
    analysis = _finished(request, slug, task_id, analysis_id)
    answer = plot_answer(answer_with_data(analysis), table, ending, named=analysis.kind)
    if answer is None:
        raise Http404
    return answer


def _rule(task: Task, form: AnalysisForm) -> RuleState | None:
    """Return how far judging is by the stopping rule, beside questions that one might stop by."""
    if not form.kind.shows_rule:
        return None
    return stopping_rule_state(task_id=task.pk)


def _kind(known: Mapping[str, AnalysisKind], name: str) -> AnalysisKind:
    if name not in known:
        raise Http404
    return known[name]


def _choice(form: AnalysisForm) -> AnalysisChoice:
    """Return what a form asks; OptionError if it cannot be, which an invalid form says itself."""
    if form.is_bound and not form.is_valid():
        raise OptionError("", field="")
    given = form.given if form.is_bound else {}
    return analysis_choice(form.kind.name, given, of_campaign=form.kind.of_campaign)


def _to(address: str, form: AnalysisForm) -> HttpResponse:
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
        "is_awaited": answer.is_awaited,
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
    context |= {
        "tables": shown_tables(
            report, addresses=addresses, file_address=partial(_file, task, shown.pk)
        ),
        "judges_to_act": judges_to_act(shown, task) if rights(request)["may_change"] else [],
        "pair_links": pair_links(shown, task, watermark=watermark),
    }
    if shown.kind != RANKING.name:
        return context
    assert shown.data is not None  # noqa: S101  it is finished
    ranking = shown.data["rankings"][0]
    return context | {
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
    }


def _file(task: Task, analysis_id: int, table: str, ending: str) -> str:
    """Return where a table of an answer is, as a file."""
    return reverse(
        "analysis-plot", args=[task.test_set.campaign.slug, task.pk, analysis_id, table, ending]
    )


def _finished(request: HttpRequest, slug: str, task_id: int, analysis_id: int) -> Analysis:
    task = organised_task(request, slug, task_id)
    return get_object_or_404(Analysis.objects.of(task.pk).finished(), pk=analysis_id)


@require_safe
@never_cache
@login_required
def tables_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the tables there are."""
    campaign = organised_campaign(request, slug)
    context = {"campaign": campaign, "section": _TABLES, "kinds": TABLES.values()}
    return render(request, "tables/all.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def table_page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show the table of the choice in the address; POST has a worker compute it.

    Members who only read may ask, too: it changes nothing.
    """
    campaign = joined_campaign(request, slug)
    form = _table_form(request, campaign, name)
    try:
        choice = _choice(form)
        if request.method == "POST":
            if not choice.is_live:
                table_ask(campaign=campaign, choice=choice, user=cast("User", request.user))
            return _to(reverse("campaign-table", args=[slug, name]), form)
    except OptionError as error:
        form.refuse(error)
        return _table_page(request, campaign, form, None, status=400)
    return _table_page(request, campaign, form, table_answer(campaign=campaign, choice=choice))


@require_safe
@never_cache
@login_required
def table_report(request: HttpRequest, slug: str, name: str, ending: str) -> HttpResponse:
    """Return the table of the choice in the address as a file."""
    campaign = organised_campaign(request, slug)
    if ending not in FILES:
        raise Http404
    return report_file(_report(request, campaign, name), ending, named=f"{slug}-{name}")


@require_safe
@never_cache
@login_required
def table_plot(request: HttpRequest, slug: str, name: str, table: str, ending: str) -> HttpResponse:
    """Return one of its parts as a file: its plot as SVG or PNG, or its rows as CSV."""
    campaign = organised_campaign(request, slug)
    report = _report(request, campaign, name)
    answer = plot_answer(report, table, ending, named=f"{slug}-{name}")
    if answer is None:
        raise Http404
    return answer


def _table_form(request: HttpRequest, campaign: Campaign, name: str) -> AnalysisForm:
    data = request.POST if request.method == "POST" else request.GET
    judgments = JudgmentsToChoose(groups=groups_to_choose(campaign_id=campaign.pk))
    return AnalysisForm(data or None, kind=_kind(TABLES, name), judgments=judgments)


def _report(request: HttpRequest, campaign: Campaign, name: str) -> Report:
    """Return the report of the choice in the address; 404 where there is none yet."""
    try:
        choice = _choice(_table_form(request, campaign, name))
    except OptionError as error:
        raise Http404 from error
    report = table_answer(campaign=campaign, choice=choice).report
    if report is None:
        raise Http404
    return report


def _table_file(request: HttpRequest, slug: str, name: str, table: str, ending: str) -> str:
    """Return where a part of the table of the choice in the address is, as a file."""
    address = reverse("campaign-table-plot", args=[slug, name, table, ending])
    query = request.GET.urlencode()
    return f"{address}?{query}" if query else address


def _table_page(
    request: HttpRequest,
    campaign: Campaign,
    form: AnalysisForm,
    answer: TableAnswer | None,
    *,
    status: int = 200,
) -> HttpResponse:
    report = None if answer is None else answer.report
    context: dict[str, Any] = {
        "campaign": campaign,
        "section": _TABLES,
        "kind": form.kind,
        "kinds": TABLES.values(),
        "form": form,
        "endings": list(FILES),
        "query": request.GET.urlencode(),
    }
    if answer is not None:
        pending = answer.asked.pending
        context |= {
            "answer": answer.asked,
            "shown": answer.asked.shown,
            "job": None if pending is None else pending.job,
            "is_awaited": answer.asked.is_awaited,
        }
    if report is not None:
        tasks = linked_tasks(campaign=campaign)
        context |= {
            "is_there": True,
            "notes": report.notes,
            "tables": shown_tables(
                report,
                of_task=TableAddresses(campaign, report, there=tasks),
                file_address=partial(_table_file, request, campaign.slug, form.kind.name),
            ),
            "tasks": tasks,
        }
    is_part = request.headers.get("HX-Request") and request.method == "GET"
    name = "tables/_answer.html" if is_part else "tables/table.html"
    return render(request, name, context, status=status)


@require_safe
@never_cache
@login_required
def campaign_plot(request: HttpRequest, slug: str, table: str, ending: str) -> HttpResponse:
    """Return a plot of a campaign as SVG or PNG, or what it is drawn from as CSV."""
    campaign = organised_campaign(request, slug)
    _check(table in CAMPAIGN_PLOTS, ending)
    return _plot_answer(CAMPAIGN_PLOTS[table](campaign), ending, named=slug)


@require_safe
@never_cache
@login_required
def task_plot(
    request: HttpRequest, slug: str, task_id: int, table: str, ending: str
) -> HttpResponse:
    """Return a plot of a test set likewise."""
    task = organised_task(request, slug, task_id)
    _check(table in TEST_SET_PLOTS, ending)
    return _plot_answer(TEST_SET_PLOTS[table](request, task), ending, named=f"{slug}-{task_id}")


@require_safe
@never_cache
@login_required
def judge_plot(
    request: HttpRequest, slug: str, task_id: int, judge_id: int, table: str, ending: str
) -> HttpResponse:
    """Return a plot of a judge likewise."""
    task = organised_task(request, slug, task_id)
    _check(table in JUDGE_PLOTS, ending)
    judge = get_object_or_404(Judge, pk=judge_id, campaign=task.test_set.campaign_id)
    return _plot_answer(JUDGE_PLOTS[table](judge, task), ending, named=f"{slug}-judge-{judge_id}")


def _check(is_known: bool, ending: str) -> None:
    """Raise a 404, before anything is computed."""
    if not is_known or ending not in PLOT_FILES:
        raise Http404


def _plot_answer(table: Table | None, ending: str, *, named: str) -> HttpResponse:
    report = Report(tables=[] if table is None else [table], data={})
    answer = None if table is None else plot_answer(report, table.name, ending, named=named)
    if answer is None:
        raise Http404
    return answer
