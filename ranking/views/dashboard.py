from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaign.models import TestSet, User
from ranking.models import QualityReport, RankingRun
from ranking.pages.effects import effects_in_words
from ranking.pages.history_plot import history_plot
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.plots import bar_plot, kappa_plot, percent, rank_plot
from ranking.pages.summary import reason_in_words, summarise_run
from ranking.selectors.dashboards import DashboardState, dashboard_state, siblings
from ranking.selectors.feedback import latest_feedback
from ranking.selectors.history import ranking_history
from ranking.selectors.judges import judge_rows
from ranking.selectors.left_out import judges_left_out
from ranking.selectors.progress import judging_progress
from ranking.selectors.rule_effects import effects_held


@require_safe
@never_cache
@login_required
def dashboard_page(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show the ranking of a test set, its progress and its judges."""
    state = _state(request, slug, test_set_id)
    context = _context(state) | {"test_sets": siblings(state.test_set)}
    return render(request, "dashboard/test_set.html", context)


@require_safe
@never_cache
def dashboard_live(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Answer what the page asks every second: 204 while it shows what there is to show.

    Three queries then. Whoever is no longer signed in gets 401, not a sign-in page in mid-page.
    """
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    state = _state(request, slug, test_set_id)
    if request.GET.get("seen") == state.version:
        return HttpResponse(status=204)
    return render(request, "dashboard/_live.html", _context(state))


def _state(request: HttpRequest, slug: str, test_set_id: int) -> DashboardState:
    user = cast("User", request.user)
    state = dashboard_state(user=user, slug=slug, test_set_id=test_set_id)
    if state is None:
        raise Http404
    return state


def _context(state: DashboardState) -> dict[str, Any]:
    test_set = state.test_set
    run = RankingRun.objects.get(pk=state.run_id) if state.run_id else None
    progress = judging_progress(test_set=test_set, now=state.at)
    report = QualityReport.objects.filter(test_set=test_set).first()
    judges = judge_rows(test_set=test_set, run=run, report=report)
    agreement = run.result["agreement"] if run else None
    low_agreement = [
        row for row in judges if row.has_low_agreement and row.agreement.kappa is not None
    ]
    return {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "version": state.version,
        "age": _age(run),
        "run": run,
        "summary": summarise_run(run),
        "left_out": len(judges_left_out(run)[run.pk]) if run else 0,
        "waiting": _waiting(test_set),
        "plot": rank_plot(run.result["systems"]) if run else None,
        "not_estimable": _not_estimable(run),
        "history": history_plot(ranking_history(test_set_id=test_set.pk)),
        "progress": progress,
        "progress_bar": None if progress.share is None else percent(progress.share),
        "bars": bar_plot(progress.periods),
        "agreement": agreement,
        "judges": kappa_plot(judges, agreement["inter"]["kappa"] if agreement else None),
        "low_agreement": low_agreement,
        "feedback": latest_feedback(test_set),
    }


def _waiting(test_set: TestSet) -> list[tuple[str, list[str]]]:
    """Return each rule that waits for an organiser, in words, and what it would do here."""
    held = effects_held(campaign=test_set.campaign, test_set_id=test_set.pk)
    return [(rule_in_words(effects.acts[0].rule), effects_in_words(effects)) for effects in held]


def _age(run: RankingRun | None) -> int | None:
    """Return whole seconds since the ranking was computed, by the server's clock."""
    if run is None:
        return None
    return max(0, int((timezone.now() - run.finished_at).total_seconds()))


def _not_estimable(run: RankingRun | None) -> list[tuple[str, str]]:
    if run is None:
        return []
    return [(row["system"], reason_in_words(row["reason"])) for row in run.result["not_estimable"]]
