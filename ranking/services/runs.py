"""Compute rankings, once for each watermark, and reproduce them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.models import Design
from annotation.selectors.corrections import corrections_recorded
from annotation.selectors.designs import design_in_force
from annotation.services.numbers import judgments_number
from annotation.services.planning.standby import sampling_state_record
from campaign.models import SystemKind
from ranking.core.agreement.tallies import AgreementTallies
from ranking.core.counting.counts import Tallies
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.core.judges.tallies import JudgeTallies
from ranking.core.methods.registry import METHODS
from ranking.models import LatestRanking, RankingRun
from ranking.selectors.runs import ranking_basis, system_kinds
from ranking.services.latest_rankings import latest_ranking_replace, ranking_lock_try
from ranking.services.live_tallies import (
    TalliesMissingError,
    live_tallies,
    planned_run,
    tallies_build_request,
)
from ranking.services.run_results import run_result, run_result_of


@dataclass(frozen=True, slots=True)
class ComputedRun:
    """A new ranking, and the tallies that the measures of its judges are computed from.

    `judges` are of all judges; `agreement` leaves excluded judges and references out.
    """

    run: RankingRun
    judges: JudgeTallies
    agreement: AgreementTallies


def ranking_run_compute(*, task_id: int, watermark: int | None = None) -> RankingRun | None:
    """Rank a test set now, as `ranking_compute` does; return the run alone."""
    computed = ranking_compute(task_id=task_id, watermark=watermark)
    return None if computed is None else computed.run


def ranking_compute(
    *,
    task_id: int,
    watermark: int | None = None,
    is_awaited: bool = True,
    again: bool = False,
) -> ComputedRun | None:
    """Rank a task now and store the ranking as the latest, unless that is the same.

    With `watermark`, rank the judgments up to this number and keep the run: see
    `ranking_history_compute`. Other runs are kept, and have a primary key then, if they are milestones:
    see `ranking.services.latest_rankings`.

    Submissions are never blocked. Judgments without a number get one; then the watermark is read, and
    then the judgments 1…watermark. Numbers are committed in order and without gaps, and judgments
    never change, so the two agree exactly even if more judgments arrive in between.

    Two workers never rank a test set at the same time: the second one gets None immediately. A
    worker that has ranked a test set checks again afterwards (`ranking.tasks`).

    If all judgments have to be recounted and the caller does not wait (`is_awaited`), many of them
    are counted in the background, while the latest ranking stays. With `again`, rank even if the
    latest ranking is the same.

    Returns the run and its tallies, or None if there is no judgment, if the latest ranking is the
    same, if another worker is ranking, or if judgments are counted in the background first.
    """
    # Before the transaction, which would keep others who give numbers waiting until the ranking is done.
    judgments_number(task_id=task_id)
    try:
        return _compute(task_id, watermark, is_awaited=is_awaited, again=again)
    except TalliesMissingError:
        tallies_build_request(task_id=task_id)
        return None


@transaction.atomic
def _compute(
    task_id: int, watermark: int | None, *, is_awaited: bool, again: bool
) -> ComputedRun | None:
    if not ranking_lock_try(task_id=task_id):
        return None
    basis = ranking_basis(task_id=task_id)
    if basis.last_number == 0:
        return None
    kinds = system_kinds(task_id=task_id)
    run = planned_run(basis, kinds)
    if watermark is not None:
        run.watermark = min(watermark, basis.last_number)
    latest = basis.latest
    is_same = latest is not None and (
        (latest.watermark, latest.recipe) == (run.watermark, run.recipe)
    )
    if is_same and not again:
        return None
    live = live_tallies(run, kinds=kinds, is_awaited=is_awaited)
    tallies = live.ranking.tallies()
    run.result = run_result_of(tallies, run.parameters, seed=run.seed)
    latest_ranking_replace(
        run=run,
        latest=latest,
        is_asked=watermark is not None,
        has_webhooks=basis.has_webhooks,
    )
    if basis.has_active_design:
        _sampling_state_update(run, live.pairs, kinds)
    return ComputedRun(run, live.judges, tallies.agreement)


def _sampling_state_update(run: RankingRun, pairs: Tallies, kinds: Mapping[str, str]) -> None:
    """Store each pair's wins and ties for an active design to draw by; other designs need none.

    `pairs` are of the judges who are not excluded; damaged references are left out here.
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
    """Rank a test set as if its judgments had come in over time; return the runs.

    This is for judgments that came at once, from a file or a simulation. It computes and keeps `steps`
    runs, evenly spread after the latest ranking; the last one is of all judgments. No run is of fewer
    judgments than the latest ranking, so that the last run remains the one with the most judgments.
    """
    latest = LatestRanking.objects.filter(pk=task_id).values_list("watermark", flat=True)
    start = latest.first() or 0
    new = judgments_number(task_id=task_id) - start
    stops = sorted({start + -(-new * step // steps) for step in range(1, steps + 1)} - {start})
    computed = [ranking_run_compute(task_id=task_id, watermark=stop) for stop in stops]
    return [run for run in computed if run is not None]


def ranking_run_reproduce(run: RankingRun) -> dict[str, Any]:
    """Return the result of a run, kept or not, recomputed only from its record.

    It equals `run.result` bit for bit, even after later judgments, revisions and changes: judgments
    after the watermark, and revisions by them, do not count, and later systems are left out, as are
    columns of the ranking table that were added after the run. (Resampling uses the names of systems
    and judges, so renaming one changes the result.)

    Raises
    ------
    ValueError
        If this code no longer computes runs of this kind, or judgments of wrong outputs were left out, or counted again,
        since.
    """
    if run.method not in METHODS:
        raise ValueError(
            f"Rankings by {run.method!r} cannot be reproduced by this version of Quintet."
        )
    version = run.parameters["content_key_version"]
    if version != CONTENT_KEY_VERSION:
        raise ValueError(
            f"The run resampled by content keys of version {version}; "
            f"this code has version {CONTENT_KEY_VERSION}."
        )
    left_out = run.parameters.get("corrections", [])
    if corrections_recorded(run.task_id).get("corrections", []) != left_out:
        raise ValueError(
            "This run cannot be reproduced: judgments of corrected outputs were excluded or included again after it."
        )
    with transaction.atomic():
        result = run_result(run)
    columns = {name for row in run.result["systems"] for name in row}
    rows = [{name: row[name] for name in row if name in columns} for row in result["systems"]]
    return result | {"systems": rows}
