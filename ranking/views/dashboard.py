"""The dashboard of a test set, its results pages, and saving a ranking."""

from collections.abc import Mapping
from typing import Any, Final, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.export.work_time import clock_time
from annotation.protocols import answer_kind
from annotation.selectors.replica_reads import ReadAt, task_answer
from campaign.models import Task, User
from campaign.pages.desk import TEST_SET
from campaign.pages.rights import role_remember
from campaign.views.access import organised_task
from campaign.views.decorators import action_view, page_view
from ranking.models import RankingRun
from ranking.pages.analysis_form import asked_in_words
from ranking.pages.formats import Addresses, bar_plot, percent, rank_plots
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.page_plots import history_shown, plot_links
from ranking.pages.stopping_rule import anytime_ranges_of, shown_rule_of
from ranking.pages.summary import effects_in_words, summarise_run, summary_without_order
from ranking.selectors.analyses import (
    analyses_asked,
    kind_in_place_of_ranking,
)
from ranking.selectors.dashboards import (
    DashboardState,
    JudgingProgress,
    dashboard_state,
    judging_progress,
    latest_feedback,
    task_overview,
    time_worked,
)
from ranking.selectors.judges import effects_held
from ranking.selectors.one_system import systems_by_name
from ranking.selectors.runs import judges_left_out, latest_run, ranking_history, stopping_rule_state
from ranking.services.runs import latest_ranking_keep
from ranking.views.campaigns import (
    overview_rows,
)
from ranking.views.results import Sections
from ranking.wording.agreement import strength_caution, strength_in_words
from ranking.wording.methods import reason_in_words
from ranking.wording.stopping_rules import shown_rule

_ANALYSES_LISTED: Final = 25


@page_view
def dashboard_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the ranking of a test set, its progress and its judges."""
    here = _state(request, slug, task_id)

    def page(at: ReadAt | None) -> HttpResponse:
        state = here if at is None else _state(request, slug, task_id)
        sections = Sections(request, state.task)
        shown = _context(state)
        contents = [("headline", _("Ranking"))]
        if shown["history"]:
            contents.append(("history", _("Ranking over time")))
        context = shown | {
            "section": "ranking",
            "read_at": at,
            "sections": sections.of("ranking"),
            "contents": contents,
        }
        return render(request, "dashboard/test_set.html", context, status=sections.status)

    return task_answer(page, task_id=task_id)


@page_view
def dashboard_live(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Return the current ranking and progress for polling; 304 while nothing has changed."""
    here = _state(request, slug, task_id)

    def part(at: ReadAt | None) -> HttpResponse:
        state = here if at is None else _state(request, slug, task_id)
        etag = quote_etag(_version(state))
        response = get_conditional_response(request, etag=etag)
        if response is None:
            response = render(request, "dashboard/_live.html", _context(state) | {"read_at": at})
        response["ETag"] = etag
        return response

    return task_answer(part, task_id=task_id)


def _version(state: DashboardState) -> str:
    return f"{state.version}-{get_language()}"


def _state(request: HttpRequest, slug: str, task_id: int) -> DashboardState:
    user = cast("User", request.user)
    state = dashboard_state(user=user, slug=slug, task_id=task_id)
    if state is None:
        raise Http404
    role_remember(request, state.task.role)
    return state


def _context(state: DashboardState) -> dict[str, Any]:
    task = state.task
    run = latest_run(task_id=task.pk) if task.ranked_at else None
    progress = judging_progress(task=task, now=state.at)
    systems = systems_by_name(task_id=task.pk)
    addresses = Addresses(task, systems=systems)
    counted = addresses.judgments()
    in_place = kind_in_place_of_ranking(task=task)
    compares = answer_kind(task.protocol).compares_outputs and not (
        in_place is not None and _compares_nothing(run)
    )
    unranked = _not_estimable(run) if compares else []
    leads = {"comparisons": counted, "blocks": counted, "judges": addresses.judges}
    return {
        "campaign": task.test_set.campaign,
        "task": task,
        "version": _version(state),
        "age": _age(run),
        "summary": summarise_run(run, leads=leads)
        if compares
        else summary_without_order(in_place if progress.judged else None),
        "implies_no_order": not compares,
        "left_out": len(judges_left_out(run)[task.pk]) if run else 0,
        "waiting": _waiting(task),
        "rule": shown_rule_of(run),
        "anytime": anytime_ranges_of(run),
        "plots": rank_plots(run.result["systems"], has_unranked=bool(unranked))
        if run and compares
        else (),
        "addresses": addresses,
        "withdrawn": {name for name, system in systems.items() if system.withdrawn_at},
        "not_estimable": unranked,
        "history": history_shown(ranking_history(task_id=task.pk, latest=run)),
        "plot_links": plot_links("test-set-plot", task.test_set.campaign.slug, task.pk),
        **progress_shown(progress),
        **agreement_shown(run),
    }


def _compares_nothing(run: RankingRun | None) -> bool:
    """Return whether no judgments compare outputs so far."""
    return run is not None and not run.result["input"]["comparisons"]


def progress_shown(progress: JudgingProgress) -> dict[str, Any]:
    """Return the content of the progress card."""
    return {
        "progress": progress,
        "progress_bar": None if progress.share is None else percent(progress.share),
        "bars": bar_plot([(each.start, each.judged) for each in progress.periods]),
    }


def agreement_shown(run: RankingRun | None) -> dict[str, Any]:
    """Return the content of the agreement card."""
    agreement = run.result["agreement"] if run else None
    return {
        "run": run,
        "agreement": agreement,
        "strength": strength_in_words(agreement["inter"]["kappa"]) if agreement else None,
        "strength_caution": strength_caution(),
    }


def _waiting(task: Task) -> list[tuple[str, list[str]]]:
    """Return the rules that wait for an organiser, in words, with their effects in this task."""
    held = effects_held(campaign=task.test_set.campaign, task_id=task.pk)
    return [(rule_in_words(effects.acts[0].rule), effects_in_words(effects)) for effects in held]


def _age(run: RankingRun | None) -> int | None:
    """Return the age of the ranking in whole seconds, by the server's clock."""
    if run is None:
        return None
    return max(0, int((timezone.now() - run.finished_at).total_seconds()))


def _not_estimable(run: RankingRun | None) -> list[tuple[str, str]]:
    if run is None:
        return []
    return [(row["system"], reason_in_words(row["reason"])) for row in run.result["not_estimable"]]


def _results(
    request: HttpRequest, task: Task, page: str, context: Mapping[str, Any]
) -> HttpResponse:
    """Show a results page: its main answer, updated while the page is open, then its sections."""
    sections = Sections(request, task)
    shown = {
        "campaign": task.test_set.campaign,
        "task": task,
        "heading": next(tab.words for tab in TEST_SET if tab.name == page),
        "section": page,
        "sections": sections.of(page),
        "refreshes": True,
        "addresses": Addresses(task),
        **context,
    }
    return render(request, f"results/{page}.html", shown, status=sections.status)


@page_view
def progress_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the progress of a test set: judged blocks, pace, time, and forecast end."""
    task = organised_task(request, slug, task_id)
    now = timezone.localtime()
    progress = judging_progress(task=task, now=now)
    worked = time_worked(task=task)
    overview = task_overview(task=task, now=now)
    (row,) = overview_rows([overview], today=now.date())
    state = stopping_rule_state(task_id=task.pk)
    context = {
        **progress_shown(progress),
        "row": row,
        "worked": clock_time(worked) if worked else "",
        "seconds_per_block": worked / progress.judged if worked and progress.judged else None,
        "rule": None if state is None else shown_rule(state),
        "plot_links": plot_links("test-set-plot", task.test_set.campaign.slug, task.pk),
        "contents": [("progress", _("Progress")), ("pace", _("Pace, cost and forecast"))],
    }
    return _results(request, task, "progress", context)


@page_view
def agreement_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the agreement of the judges of a test set."""
    task = organised_task(request, slug, task_id)
    return _results(request, task, "agreement", agreement_shown(latest_run(task_id=task.pk)))


@page_view
def data_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the data of a task, judges' remarks, and the computed analyses."""
    task = organised_task(request, slug, task_id)
    asked = Paginator(analyses_asked(task=task), _ANALYSES_LISTED)
    page = asked.get_page(request.GET.get("page"))
    run = latest_run(task_id=task.pk)
    context = {
        "progress": judging_progress(task=task),
        "left_out": len(judges_left_out(run)[task.pk]) if run else 0,
        "feedback": latest_feedback(task),
        "page": page,
        "rows": [asked_in_words(analysis, task) for analysis in page],
        "contents": [("collected", _("Collected"))],
    }
    return _results(request, task, "data", context)


@action_view
def ranking_keep(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Save the current ranking of a test set permanently, and show its number."""
    task = organised_task(request, slug, task_id)
    run = latest_ranking_keep(task_id=task.pk)
    if run is None:
        messages.info(request, _("This test set has no ranking yet."))
    else:
        messages.success(
            request,
            _("Saved as ranking %(id)s (judgments up to %(watermark)s).")
            % {"id": run.pk, "watermark": run.watermark},
        )
    return redirect("test-set-dashboard", slug, task_id)
