"""Compute rankings, now or as of earlier judgments, and store them.

Rankings that are not kept can be recomputed bit for bit from watermark and parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import Design
from annotation.selectors.designs import design_in_force
from annotation.selectors.judges import excluded_judges
from annotation.selectors.systems import left_out_recorded
from annotation.services.numbers import judgments_number
from annotation.services.planning.pool import sampling_state_record
from campaign.models import SystemKind, Task
from ranking.core.agreement.report import JudgeChance
from ranking.core.agreement.statistics import Chance
from ranking.core.agreement.tallies import AgreementTallies
from ranking.core.counting.counts import Tallies
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.core.judges.tallies import JudgeTallies
from ranking.core.methods.registry import METHODS
from ranking.models import LatestRanking, RankingRun
from ranking.models.ranking_run import Ranking
from ranking.selectors.runs import (
    judges_outside,
    live_method,
    ranking_basis,
    ranking_settings_in_force,
    stopping_rule_in_force,
    system_kinds,
)
from ranking.services.kept_rankings import (
    kept_for,
    ranking_keep,
    ranking_lock_try,
    ranking_of_day_keep,
)
from ranking.services.live_tallies import live_tallies
from ranking.services.run_results import run_result_of
from version import code_version

SEED = 0
_RESAMPLES = 1000
_AGREEMENT_CONFIDENCE = 0.95


def planned_run(basis: Any, kinds: Mapping[str, str]) -> RankingRun:
    """Return a run of all judgments without its result; `kinds` are the kinds of systems by name."""
    settings = ranking_settings_in_force(task_id=basis.pk)
    method = live_method(settings, has_active_design=basis.has_active_design)
    ranked = [name for name, kind in kinds.items() if kind == SystemKind.SYSTEM]
    parameters = {
        **settings.choice.recorded,
        "method_parameters": METHODS[method].complete(settings.method_options),
        "resamples": _RESAMPLES,
        "content_key_version": CONTENT_KEY_VERSION,
        "reference": "exclude",
        # Record names, because the kind of a system may change later.
        "systems": ranked,
        "left_out": [name for name in kinds if name not in ranked],
        # Record all excluded judges by pseudonym, even if they have not judged this task.
        "excluded_judges": excluded_judges(campaign_id=basis.test_set.campaign_id),
        **left_out_recorded(basis.pk),
        "agreement": {
            "chance": Chance.CONGER.value,
            "chance_of_judges": JudgeChance.OWN.value,
            "resample": "two_way",
            "confidence": _AGREEMENT_CONFIDENCE,
        },
    }
    if group := settings.judge_group:
        # Record the judges outside the group now; joining it later does not change the run.
        others = judges_outside(task_id=basis.pk, group_id=group.pk)
        parameters["judge_group"] = {"name": group.name, "others": others}
    if rule := stopping_rule_in_force(task_id=basis.pk):
        parameters["stopping_rule"] = rule.recorded
    return RankingRun(
        task=basis,
        method=method,
        parameters=parameters,
        seed=SEED,
        watermark=basis.last_number,
        code_version=code_version(),
        started_at=basis.now,
    )


class ComputedRun(NamedTuple):
    """A new ranking, and the tallies for the measures of its judges.

    `judges` are the tallies of all judges; `agreement` leaves excluded judges and references out.
    """

    run: RankingRun
    judges: JudgeTallies
    agreement: AgreementTallies


def ranking_run_compute(
    *,
    task_id: int,
    watermark: int | None = None,
) -> RankingRun | None:
    """Rank a test set now, as `ranking_compute` does; return only the run."""
    computed = ranking_compute(task_id=task_id, watermark=watermark)
    if computed is None:
        return None
    return computed.run


def ranking_compute(
    *,
    task_id: int,
    watermark: int | None = None,
    again: bool = False,
) -> ComputedRun | None:
    """Rank a task now and store the ranking as the latest, unless it is unchanged.

    With `watermark`, rank the judgments up to this number and keep the run: see
    `ranking_history_compute`. Other runs are kept if they are milestones (see `kept_for`), and only
    then have a primary key.

    Submissions are never blocked. First, judgments without a number get one; then the watermark and the
    judgments 1…watermark are read. Numbers are committed in order and without gaps, and judgments
    never change, so the two agree exactly even if more judgments arrive in between.

    Two workers never rank a test set at the same time: the second one gets None immediately. A
    worker that has ranked a test set checks again afterwards (`ranking.tasks`).

    With `again`, it is ranked even if the latest ranking is up to date.

    Returns the run and its tallies, or None if there are no judgments, if the latest ranking is
    up to date, or if another worker is ranking.
    """
    # Assign numbers before the transaction, which would block others from assigning them until it ends.
    judgments_number(task_id=task_id)
    return _compute(task_id, watermark, again=again)


@transaction.atomic
def _compute(task_id: int, watermark: int | None, *, again: bool) -> ComputedRun | None:
    if not ranking_lock_try(task_id=task_id):
        return None
    basis = ranking_basis(task_id=task_id)
    if basis.last_number == 0:
        return None
    kinds = system_kinds(task_id=task_id)
    run = planned_run(basis, kinds)
    if watermark is not None:
        run.watermark = min(watermark, basis.last_number)
    rows = LatestRanking.objects.filter(pk=task_id).select_related("last_kept")
    latest = rows.defer("result", "last_kept__result", "last_kept__standings").first()
    if latest is not None and not again:
        is_same_recipe = latest.recipe == run.recipe
        if is_same_recipe and latest.watermark == run.watermark:
            return None
    live = live_tallies(run, kinds=kinds)
    tallies = live.ranking.tallies()
    run.result = run_result_of(tallies, run.parameters, seed=run.seed)
    _latest_replace(run, latest, is_asked=watermark is not None)
    if basis.has_active_design:
        _sampling_state_update(run, live.pairs, kinds)
    return ComputedRun(run, live.judges, tallies.agreement)


def _latest_replace(
    run: RankingRun,
    latest: LatestRanking | None,
    *,
    is_asked: bool,
) -> None:
    """Store a new ranking as the latest of its task, and keep milestones.

    The previous ranking is kept if it was the last of its day, and the new one if `kept_for` gives a
    reason, in which case `run` is saved. Call it in the transaction that read `latest`, under the lock of
    the test set's ranking.
    """
    last = None
    met = None
    if latest is not None:
        last = ranking_of_day_keep(latest=latest, now=run.started_at)
        if latest.rule == run.parameters.get("stopping_rule", {}):
            met = latest.rule_met
    criteria = []
    if met is None:
        criteria = run.result.get("stopping", {}).get("criteria", [])
    reason = kept_for(
        run,
        last=last,
        is_asked=is_asked,
        is_first_of_rule=bool(criteria),
    )
    if reason is not None:
        last = ranking_keep(run=run, reason=reason)
    else:
        run.finished_at = Task.objects.values_list(Now(), flat=True).get(pk=run.task_id)
    if criteria:
        # The first ranking that meets the rule is always kept, so it has a number.
        met = {
            "run": run.pk,
            "judgments": run.result["input"]["blocks"],
            "at": run.started_at.isoformat().replace("+00:00", "Z"),
            "criteria": criteria,
        }
    run.rule_met = met
    replacement = LatestRanking(
        task_id=run.task_id,
        rule_met=met,
        last_kept=last,
        is_kept=reason is not None,
    )
    for local_field in Ranking._meta.local_fields:
        setattr(replacement, local_field.name, getattr(run, local_field.name))
    is_new = latest is None
    replacement.save(force_insert=is_new, force_update=not is_new)


def _sampling_state_update(
    run: RankingRun,
    pairs: Tallies,
    kinds: Mapping[str, str],
) -> None:
    """Store each pair's wins and ties for active designs; other designs need none.

    `pairs` do not include excluded judges; this function leaves out damaged references.
    """
    design = design_in_force(task_id=run.task_id)
    if design is None or design.kind != Design.Kind.ACTIVE:
        return
    damaged = {name for name, kind in kinds.items() if kind == SystemKind.BAD_REFERENCE}
    tallies = pairs.without(damaged)
    sampling_state_record(
        task_id=run.task_id,
        watermark=run.watermark,
        systems=tallies.systems,
        wins=tallies.wins.tolist(),
        ties=tallies.ties.tolist(),
    )


def ranking_history_compute(*, task_id: int, steps: int = 24) -> list[RankingRun]:
    """Rank a test set as if its judgments had arrived over time; return the runs.

    This is for judgments that were imported or simulated all at once. It computes and keeps `steps`
    runs, evenly spread after the latest ranking; the last one covers all judgments. No run has fewer
    judgments than the latest ranking, so that the last run has the most judgments.
    """
    latest = LatestRanking.objects.filter(pk=task_id)
    start = latest.values_list("watermark", flat=True).first() or 0
    new = judgments_number(task_id=task_id) - start
    stops = set()
    for step in range(1, steps + 1):
        stops.add(start + _divided_up(new * step, steps))
    stops.discard(start)
    runs = []
    for stop in sorted(stops):
        run = ranking_run_compute(task_id=task_id, watermark=stop)
        if run is not None:
            runs.append(run)
    return runs


def _divided_up(number: int, divisor: int) -> int:
    """Return a quotient, rounded up."""
    return -(-number // divisor)
