"""The content of the dashboard of a test set and of its cards."""

from collections.abc import Mapping
from typing import TypedDict

from django.utils import timezone
from django.utils.translation import get_language

from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import Campaign, Task
from ranking.core.rankings.records import RankedRow
from ranking.models import RankingRun
from ranking.pages.formats import (
    Addresses,
    BarPlotContent,
    RankPlotContent,
    bar_plot,
    percent,
    rank_plots,
)
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.page_plots import HistoryCard, PlotLinks, history_card, plot_links
from ranking.pages.ranking_settings import (
    anytime_ranges_of,
    rule_of_run,
)
from ranking.pages.summary import (
    Summary,
    effects_in_words,
    summarise_run,
    summary_without_order,
)
from ranking.reports.wording.agreement import (
    KappaWords,
    kappa_in_words,
    strength_caution,
)
from ranking.reports.wording.methods import unranked_in_words
from ranking.reports.wording.stopping_rules import RuleWithProgress
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
    pending_effects,
)
from ranking.selectors.runs import (
    judges_left_out,
    latest_run,
    ranking_history,
)


def dashboard_version(state: DashboardState) -> str:
    return f"{state.version}-{get_language()}"


class ProgressCard(TypedDict):
    """The content of the progress card."""

    progress: JudgingProgress
    progress_bar: str | None
    bars: BarPlotContent


class AgreementCard(KappaWords):
    """The content of the agreement card."""

    run: RankingRun | None
    agreement: Mapping[str, object] | None
    strength_caution: str


class DashboardContent(ProgressCard, AgreementCard):
    """The content of the dashboard."""

    campaign: Campaign
    task: Task
    version: str
    age: int | None
    summary: Summary
    implies_no_order: bool
    in_place: str | None
    left_out: int
    waiting: list[tuple[str, list[str]]]
    rule: RuleWithProgress | None
    anytime: Mapping[str, RankedRow]
    plots: list[RankPlotContent]
    addresses: Addresses
    withdrawn: set[str]
    not_estimable: list[tuple[str, str]]
    history: HistoryCard | None
    plot_links: PlotLinks


def dashboard_content(state: DashboardState) -> DashboardContent:
    task = state.task
    campaign = task.test_set.campaign
    run = None
    if task.ranked_at:
        run = latest_run(task_id=task.pk)
    progress = judging_progress(task=task, now=state.time)
    systems = systems_by_name(task_id=task.pk)
    withdrawn = {name for name, system in systems.items() if system.withdrawn_at}
    addresses = Addresses(task, systems=systems)
    in_place = kind_in_place_of_ranking(task=task)
    is_without = run is not None and not run.result["input"]["comparisons"]
    is_replaced = in_place is not None and is_without
    compares = answer_kind_of(task).compares_outputs and not is_replaced
    name_in_place = None
    if not compares and in_place is not None:
        name_in_place = in_place.name
    unranked: list[tuple[str, str]] = []
    plots: list[RankPlotContent] = []
    if run and compares:
        unranked = unranked_in_words(run.result)
        plots = rank_plots(run.result["systems"], has_unranked=bool(unranked))
    left_out = 0
    if run:
        left_out = len(judges_left_out(run)[task.pk])
    if compares:
        counted = addresses.judgments()
        leads = {
            "comparisons": counted,
            "blocks": counted,
            "judges": addresses.judges,
        }
        summary = summarise_run(run, leads=leads)
    elif progress.judged:
        summary = summary_without_order(in_place)
    else:
        summary = summary_without_order(reason=answer_kind_of(task).why_not_ranked)
    return {
        "campaign": campaign,
        "task": task,
        "version": dashboard_version(state),
        "age": _age(run),
        "summary": summary,
        "implies_no_order": not compares,
        "in_place": name_in_place,
        "left_out": left_out,
        "waiting": _waiting(task),
        "rule": rule_of_run(run),
        "anytime": anytime_ranges_of(run),
        "plots": plots,
        "addresses": addresses,
        "withdrawn": withdrawn,
        "not_estimable": unranked,
        "history": history_card(ranking_history(task_id=task.pk, latest=run)),
        "plot_links": plot_links("test-set-plot", campaign.slug, task.pk),
        **progress_card(progress),
        **agreement_card(run),
    }


def progress_card(progress: JudgingProgress) -> ProgressCard:
    """Return the content of the progress card."""
    progress_bar = None
    if progress.share is not None:
        progress_bar = percent(progress.share)
    periods = [(period.start, period.judged) for period in progress.periods]
    return {
        "progress": progress,
        "progress_bar": progress_bar,
        "bars": bar_plot(periods),
    }


def agreement_card(run: RankingRun | None) -> AgreementCard:
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
    pending = pending_effects(campaign=task.test_set.campaign, task_id=task.pk)
    return [
        (rule_in_words(effects.acts[0].rule), effects_in_words(effects))
        for effects in pending
    ]


def _age(run: RankingRun | None) -> int | None:
    """Return the age of the ranking in whole seconds, by the server's clock."""
    if run is None:
        return None
    return max(0, int((timezone.now() - run.finished_at).total_seconds()))
