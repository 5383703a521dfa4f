"""Compute ranking runs, once for each watermark, and reproduce them."""

from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import Design
from annotation.selectors import excluded_judges
from annotation.selectors.designs import design_in_force
from annotation.services import sampling_state_record
from campaign.database.locks import named_lock_try
from campaign.models import System, SystemKind, TestSet
from ranking.code_version import code_version
from ranking.core.agreement.report import Chance, JudgeChance
from ranking.core.counting.tallies import tally
from ranking.core.judged.content_key import CONTENT_KEY_VERSION
from ranking.core.methods.registry import METHODS
from ranking.models import RankingRun
from ranking.range_choices import RangeChoice
from ranking.selectors.judged_blocks import judged_blocks, judgment_watermark
from ranking.selectors.settings import ranking_settings_in_force
from ranking.services.run_results import run_result

SEED = 0
_RESAMPLES = 1000
_AGREEMENT_CONFIDENCE = 0.95


def ranking_run_compute(*, test_set_id: int, watermark: int | None = None) -> RankingRun | None:
    """Rank a test set now and store the run, unless the same run is already stored.

    With `watermark`, rank the judgments up to this number: see `ranking_history_compute`.

    Submissions are never blocked. The watermark is read first, and then the judgments 1…watermark.
    Numbers are committed in order and without gaps, and judgments never change, so the two agree
    exactly even if more judgments arrive in between.

    Two workers never rank a test set at the same time: the second one gets None immediately. A
    worker that has ranked a test set checks again afterwards (`ranking.tasks`).

    Returns the run, or None if there is no judgment, if the run is already stored, or if another
    worker is ranking.
    """
    started_at = TestSet.objects.values_list(Now(), flat=True).get(pk=test_set_id)
    with transaction.atomic():
        if not named_lock_try(f"ranking run of test set {test_set_id}"):
            return None
        last = judgment_watermark(test_set_id=test_set_id)
        if last == 0:
            return None
        choice = ranking_settings_in_force(test_set_id=test_set_id).choice
        method = _method(test_set_id, choice)
        run = RankingRun(
            test_set_id=test_set_id,
            method=method,
            parameters=_parameters(test_set_id, method, choice),
            seed=SEED,
            watermark=last if watermark is None else min(watermark, last),
            code_version=code_version(),
            started_at=started_at,
        )
        if _is_stored(run):
            return None
        run.result = run_result(run)
        run.save(force_insert=True)
        _sampling_state_update(run)
    return run


def _sampling_state_update(run: RankingRun) -> None:
    """Store each pair's wins and ties for an active design to draw by; other designs need none.

    Excluded judges and damaged references are left out.
    """
    design = design_in_force(test_set_id=run.test_set_id)
    if design is None or design.kind != Design.Kind.ACTIVE:
        return
    blocks = judged_blocks(
        test_set_id=run.test_set_id,
        watermark=run.watermark,
        without_judges=run.parameters["excluded_judges"],
    )
    damaged = System.objects.filter(
        test_set_id=run.test_set_id, kind=SystemKind.BAD_REFERENCE
    ).values_list("name", flat=True)
    tallies = tally(blocks.without(set(damaged).intersection(blocks.systems)))
    sampling_state_record(
        test_set_id=run.test_set_id,
        watermark=run.watermark,
        systems=tallies.systems,
        wins=tallies.wins.tolist(),
        ties=tallies.ties.tolist(),
    )


def ranking_history_compute(*, test_set_id: int, steps: int = 24) -> list[RankingRun]:
    """Rank a test set as if its judgments had come in over time; return the runs.

    This is for judgments that came at once, from a file or a simulation. It computes `steps` runs,
    evenly spread after the latest run; the last one is of all judgments. No run is of fewer
    judgments than the latest one, so the last stored run remains the one with the most judgments.
    """
    runs = RankingRun.objects.of(test_set_id).order_by("-id").values_list("watermark", flat=True)
    start = runs.first() or 0
    new = judgment_watermark(test_set_id=test_set_id) - start
    stops = sorted({start + -(-new * step // steps) for step in range(1, steps + 1)} - {start})
    computed = [ranking_run_compute(test_set_id=test_set_id, watermark=stop) for stop in stops]
    return [run for run in computed if run is not None]


def ranking_run_reproduce(run: RankingRun) -> dict[str, Any]:
    """Return the result of a run, computed again only from what the run recorded.

    It equals `run.result` bit for bit, even after later judgments, revisions and changes: judgments
    after the watermark, and revisions by them, do not count, and later systems are left out, as are
    columns of the ranking table that were added after the run. (Resampling uses the names of systems
    and judges, so renaming one changes the result.)

    Raises
    ------
    ValueError
        If this code no longer computes runs of this kind.
    """
    if run.method not in METHODS:
        raise ValueError(f"Runs by the method {run.method!r} cannot be reproduced by this version.")
    version = run.parameters["content_key_version"]
    if version != CONTENT_KEY_VERSION:
        raise ValueError(
            f"The run resampled by content keys of version {version}; "
            f"this code has version {CONTENT_KEY_VERSION}."
        )
    if "method_parameters" not in run.parameters and METHODS[run.method].defaults:
        raise ValueError(
            f"The run does not say with which parameters {run.method!r} was fitted, "
            "and this version fits it otherwise."
        )
    with transaction.atomic():
        result = run_result(run)
    columns = {name for row in run.result["systems"] for name in row}
    rows = [{name: row[name] for name in row if name in columns} for row in result["systems"]]
    return result | {"systems": rows}


def _method(test_set_id: int, choice: RangeChoice) -> str:
    """Return Expected Wins; Bradley–Terry if a design has ever chosen pairs by their judgments.

    An active design stops showing pairs that are already separated, and Expected Wins gives their
    few comparisons as much weight as the many of others (`docs/sampling.md`). Anytime ranges are of
    Expected Wins for any design: they do not separate systems with different opponents.
    """
    if choice.ranges == "anytime":
        return "expected_wins"
    active = Design.objects.filter(test_set_id=test_set_id, kind=Design.Kind.ACTIVE)
    return "bradley_terry" if active.exists() else "expected_wins"


def _parameters(test_set_id: int, method: str, choice: RangeChoice) -> dict[str, Any]:
    campaign_id = TestSet.objects.values_list("campaign_id", flat=True).get(pk=test_set_id)
    kinds = list(
        System.objects.filter(test_set_id=test_set_id).order_by("name").values_list("name", "kind")
    )
    return {
        **choice.recorded,
        "method_parameters": METHODS[method].defaults,
        "resamples": _RESAMPLES,
        # Used if the test set names several; runs without this field took segments for independent.
        "documents": True,
        "content_key_version": CONTENT_KEY_VERSION,
        "reference": "exclude",
        # By name, because systems may later be marked as references, or no longer.
        "systems": [name for name, kind in kinds if kind == SystemKind.SYSTEM],
        "left_out": [name for name, kind in kinds if kind != SystemKind.SYSTEM],
        # By pseudonym, for the same reason: all excluded judges, even if they have not judged here.
        "excluded_judges": excluded_judges(campaign_id=campaign_id),
        "agreement": {
            "chance": Chance.SCOTT.value,
            "chance_of_judges": JudgeChance.OWN.value,
            "resample": "two_way",
            "confidence": _AGREEMENT_CONFIDENCE,
        },
    }


def _is_stored(run: RankingRun) -> bool:
    """Return whether the newest run of these judgments is the same as this one.

    An older equal run is not enough: after a judge was excluded and reinstated, the run before both
    equals the new one, but the run in between would remain the latest.
    """
    newest = (
        RankingRun.objects.of(run.test_set_id)
        .filter(method=run.method, watermark=run.watermark)
        .order_by("-id")
        .first()
    )
    return newest is not None and (newest.parameters, newest.seed, newest.code_version) == (
        run.parameters,
        run.seed,
        run.code_version,
    )
