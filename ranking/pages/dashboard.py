"""The content of the dashboard of a test set and of its cards."""

from typing import Any

from django.utils import timezone
from django.utils.translation import get_language

from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import Task
from ranking.models import RankingRun
from ranking.pages.formats import Addresses, bar_plot, percent, rank_plots
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.page_plots import history_shown, plot_links
from ranking.pages.ranking_settings import (
    anytime_ranges_of,
    shown_rule_of,
)
from ranking.pages.summary import effects_in_words, summarise_run, summary_without_order
from ranking.reports.wording.agreement import kappa_in_words, strength_caution
from ranking.reports.wording.methods import unranked_in_words
from ranking.selectors.analyses import (
    kind_in_place_of_ranking,
)
from ranking.selectors.dashboards import (
    DashboardState,
    JudgingProgress,
    judging_progress,
)
from ranking.selectors.one_system import systems_by_name
from ranking.selectors.quality_rules import (
    effects_held,
)
from ranking.selectors.runs import (
    judges_left_out,
    latest_run,
    ranking_history,
)


def dashboard_version(state: DashboardState) -> str:
    return f"{state.version}-{get_language()}"


def dashboard_content(state: DashboardState) -> dict[str, Any]:
    task = state.task
    run = None
    if task.ranked_at:
        run = latest_run(task_id=task.pk)
    progress = judging_progress(task=task, now=state.time)
    systems = systems_by_name(task_id=task.pk)
    addresses = Addresses(task, systems=systems)
    counted = addresses.judgments()
    in_place = kind_in_place_of_ranking(task=task)
    is_without = run is not None and not run.result["input"]["comparisons"]
    is_replaced = in_place is not None and is_without
    compares = answer_kind_of(task).compares_outputs and not is_replaced
    if run and compares:
        unranked = unranked_in_words(run.result)
    else:
        unranked = []
    leads = {"comparisons": counted, "blocks": counted, "judges": addresses.judges}
    return {
        "campaign": task.test_set.campaign,
        "task": task,
        "version": dashboard_version(state),
        "age": _age(run),
        "summary": summarise_run(run, leads=leads)
        if compares
        else summary_without_order(in_place if progress.judged else None),
        "implies_no_order": not compares,
        "in_place": None if compares or in_place is None else in_place.name,
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


def progress_shown(progress: JudgingProgress) -> dict[str, Any]:
    """Return the content of the progress card."""
    return {
        "progress": progress,
        "progress_bar": None if progress.share is None else percent(progress.share),
        "bars": bar_plot(
            [(period.start, period.judged) for period in progress.periods]
        ),
    }


def agreement_shown(run: RankingRun | None) -> dict[str, Any]:
    """Return the content of the agreement card."""
    agreement = None
    if run:
        agreement = run.result["agreement"]
    return {
        "run": run,
        "agreement": agreement,
        **kappa_in_words(agreement),
        "strength_caution": strength_caution(),
    }


def _waiting(task: Task) -> list[tuple[str, list[str]]]:
    """Return the rules that wait for an organiser, in words, with their effects in this task."""
    held = effects_held(campaign=task.test_set.campaign, task_id=task.pk)
    return [
        (rule_in_words(effects.acts[0].rule), effects_in_words(effects))
        for effects in held
    ]


def _age(run: RankingRun | None) -> int | None:
    """Return the age of the ranking in whole seconds, by the server's clock."""
    if run is None:
        return None
    return max(0, int((timezone.now() - run.finished_at).total_seconds()))
