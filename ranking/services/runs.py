"""Compute ranking runs, once for a watermark, and reproduce them at any time."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.models import Design
from annotation.selectors import excluded_judges
from annotation.selectors.designs import design_in_force
from annotation.services import sampling_state_record
from campaign.database.locks import named_lock_try
from campaign.models import System, TestSet
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
    """Rank a test set as of now and store the run, unless this very run is stored already.

    With `watermark`, rank it as of that judgment: see `ranking_history_compute`.

    Submissions are never held up. The watermark is read first and the judgments 1…watermark after
    it; numbers are committed in order and without a gap, and judgments never change, so the two
    agree exactly however many arrive in between.

    Two workers never rank one test set at once: while one does, another gets None at once instead
    of waiting. Whoever ranked looks again afterwards (`ranking.tasks`).

    Returns None if there is no judgment, if the run is stored, or if another worker is at it.
    """
    started_at = timezone.now()
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
    """Update the sampling state of an active design: wins and ties of each pair of systems."""
    design = design_in_force(test_set_id=run.test_set_id)
    if design is None or design.kind != Design.Kind.ACTIVE:
        return
    blocks = judged_blocks(
        test_set_id=run.test_set_id,
        watermark=run.watermark,
        without_judges=run.parameters["excluded_judges"],
    )
    damaged = System.objects.filter(
        test_set_id=run.test_set_id, kind=System.Kind.BAD_REFERENCE
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
    """Rank a test set as it would have been ranked while its judgments came in.

    For judgments that came all at once, from a file or a simulation: `steps` runs, evenly spread
    from the latest run on, the last of them as of now. Never goes back behind the latest run, so
    the run stored last stays the one with the most judgments.
    """
    runs = RankingRun.objects.of(test_set_id).order_by("-id").values_list("watermark", flat=True)
    start = runs.first() or 0
    new = judgment_watermark(test_set_id=test_set_id) - start
    stops = sorted({start + -(-new * step // steps) for step in range(1, steps + 1)} - {start})
    computed = [ranking_run_compute(test_set_id=test_set_id, watermark=stop) for stop in stops]
    return [run for run in computed if run is not None]


def ranking_run_reproduce(run: RankingRun) -> dict[str, Any]:
    """Compute the result of a run again, from nothing but what the run recorded.

    The answer equals `run.result` bit for bit, whatever was judged, revised or set up since:
    judgments after the watermark, and revisions by them, do not count; systems that came later are
    left out. (Systems and judges go into the resampling by name, so a renamed one is another.)

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
        return run_result(run)


def _method(test_set_id: int, choice: RangeChoice) -> str:
    """Expected Wins; Bradley–Terry once a design has chosen its pairs by what was judged.

    An active design leaves pairs that are told apart alone, and Expected Wins gives their few
    comparisons the weight of the many others (`docs/sampling.md`). Anytime ranges are of Expected
    Wins whatever the design: they say nothing of systems that met other opponents than the others.
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
        # Where the test set names several; runs without this took segments for independent.
        "documents": True,
        "content_key_version": CONTENT_KEY_VERSION,
        "reference": "exclude",
        # By name: what was a reference then may be marked otherwise later.
        "systems": [name for name, kind in kinds if kind == System.Kind.SYSTEM],
        "left_out": [name for name, kind in kinds if kind != System.Kind.SYSTEM],
        # By pseudonym, for the same reason; whoever is excluded, whether they judged here or not.
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

    An older one is not enough: after a judge was excluded and let back in, the run before says the
    same as the run to be, but the one between would pass for the latest.
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
