from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.selectors.replica_reads import ReadAt, test_set_answer
from campaign.models import TestSet, User
from campaign.pages.rights import role_remember
from campaign.pages.test_set_seen import test_set_remember
from ranking.analyses import ANALYSES
from ranking.models import RankingRun
from ranking.pages.addresses import Addresses
from ranking.pages.effects import effects_in_words
from ranking.pages.history_plot import history_plot
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.plots import bar_plot, kappa_plot, percent, rank_plot
from ranking.pages.stopping_rule import anytime_ranges_of, shown_rule_of
from ranking.pages.summary import reason_in_words, summarise_run
from ranking.selectors.dashboards import DashboardState, dashboard_state
from ranking.selectors.feedback import latest_feedback
from ranking.selectors.history import ranking_history
from ranking.selectors.judges import (
    JUDGES_SHOWN,
    JudgeRow,
    judge_rows,
    tallies_seen_last,
    tallies_with_low_agreement,
)
from ranking.selectors.left_out import judges_left_out
from ranking.selectors.one_system import systems_by_name
from ranking.selectors.progress import judging_progress
from ranking.selectors.rule_effects import effects_held
from ranking.selectors.runs import latest_run
from ranking.wording.agreement import strength_caution, strength_in_words


@require_safe
@never_cache
@login_required
def dashboard_page(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show the ranking of a test set, its progress and its judges."""
    here = _state(request, slug, test_set_id)
    test_set_remember(request.session, here.test_set)

    def page(at: ReadAt | None) -> HttpResponse:
        state = here if at is None else _state(request, slug, test_set_id)
        context = _context(state) | {"section": "ranking", "read_at": at}
        return render(request, "dashboard/test_set.html", context)

    return test_set_answer(page, test_set_id=test_set_id)


@require_safe
@never_cache
def dashboard_live(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Answer what the page asks every second: 304 while it shows what there is to show.

    Two queries then. Whoever is no longer signed in gets 401, not a sign-in page in mid-page.
    """
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    here = _state(request, slug, test_set_id)

    def part(at: ReadAt | None) -> HttpResponse:
        state = here if at is None else _state(request, slug, test_set_id)
        etag = quote_etag(_version(state))
        response = get_conditional_response(request, etag=etag)
        if response is None:
            response = render(request, "dashboard/_live.html", _context(state) | {"read_at": at})
        response["ETag"] = etag
        return response

    return test_set_answer(part, test_set_id=test_set_id)


def _version(state: DashboardState) -> str:
    return f"{state.version}-{get_language()}"


def _state(request: HttpRequest, slug: str, test_set_id: int) -> DashboardState:
    user = cast("User", request.user)
    state = dashboard_state(user=user, slug=slug, test_set_id=test_set_id)
    if state is None:
        raise Http404
    role_remember(request, state.role)
    return state


def _context(state: DashboardState) -> dict[str, Any]:
    test_set = state.test_set
    run = latest_run(test_set_id=test_set.pk) if state.ranked_at else None
    progress = judging_progress(test_set=test_set, now=state.at)
    judges, has_more = _judges_shown(test_set, run)
    agreement = run.result["agreement"] if run else None
    systems = systems_by_name(test_set_id=test_set.pk)
    addresses = Addresses(test_set, systems=systems)
    counted = addresses.judgments()
    leads = {"comparisons": counted, "blocks": counted, "judges": addresses.judges}
    return {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "version": _version(state),
        "age": _age(run),
        "run": run,
        "summary": summarise_run(run, leads=leads),
        "kinds": ANALYSES.values(),
        "left_out": len(judges_left_out(run)[test_set.pk]) if run else 0,
        "waiting": _waiting(test_set),
        "rule": shown_rule_of(run),
        "anytime": anytime_ranges_of(run),
        "plot": rank_plot(run.result["systems"]) if run else None,
        "addresses": addresses,
        "withdrawn": {name for name, system in systems.items() if system.is_withdrawn},
        "not_estimable": _not_estimable(run),
        "history": history_plot(ranking_history(test_set_id=test_set.pk, latest=run)),
        "progress": progress,
        "progress_bar": None if progress.share is None else percent(progress.share),
        "bars": bar_plot(progress.periods),
        "agreement": agreement,
        "strength": strength_in_words(agreement["inter"]["kappa"]) if agreement else None,
        "strength_caution": strength_caution(),
        "judges": kappa_plot(judges, agreement["inter"]["kappa"] if agreement else None),
        "judges_shown": JUDGES_SHOWN if has_more else None,
        "low_agreement": _low_agreement(test_set, run),
        "feedback": latest_feedback(test_set),
    }


def _judges_shown(test_set: TestSet, run: RankingRun | None) -> tuple[list[JudgeRow], bool]:
    """Return the judges who were seen last, by pseudonym, and whether there are more of them."""
    tallies, has_more = tallies_seen_last(test_set=test_set)
    rows = judge_rows(test_set=test_set, run=run, tallies=tallies)
    return sorted(rows, key=lambda row: row.pseudonym), has_more


def _low_agreement(test_set: TestSet, run: RankingRun | None) -> list[JudgeRow]:
    low = tallies_with_low_agreement(test_set=test_set)
    rows = judge_rows(test_set=test_set, run=run, tallies=low)
    return [row for row in rows if row.agreement.kappa is not None]


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
