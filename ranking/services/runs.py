"""Ranking runs: computed once for a watermark, stored for good, reproduced at any time."""

from dataclasses import asdict
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Design
from annotation.selectors import excluded_judges
from annotation.selectors.designs import design_in_force
from annotation.services import sampling_state_record
from campaign.models import System, TestSet
from ranking.code_version import code_version
from ranking.core.agreement import (
    Agreement,
    AgreementReport,
    Chance,
    JudgeChance,
    inter_judge_agreement,
)
from ranking.core.blocks import Blocks, Int32Array
from ranking.core.content_key import CONTENT_KEY_VERSION
from ranking.core.effective_units import effective_units
from ranking.core.methods import METHODS
from ranking.core.ranking import Ranking, rank
from ranking.core.tallies import tally
from ranking.models import RankingRun
from ranking.range_choices import RangeChoice, recorded_choice
from ranking.range_limits import range_limits
from ranking.selectors.judged_blocks import (
    documents_of_segments,
    judged_blocks,
    judgment_watermark,
)
from ranking.selectors.settings import ranking_settings_in_force
from ranking.stored_pairs import stored_pairs

SEED = 0
_RESAMPLES = 1000
_AGREEMENT_CONFIDENCE = 0.95
_PARAMETERS_BEFORE = {"bradley_terry": {"prior": 0.0}}


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
        if not _lock(test_set_id):
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
        run.result = _result(run)
        run.save(force_insert=True)
        _drawing_tell(run)
    return run


def _drawing_tell(run: RankingRun) -> None:
    """Tell an active design what the judges said of each pair of systems; others need not know."""
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
        return _result(run)


def _lock(test_set_id: int) -> bool:
    """Take the test set's lock until the transaction ends, unless another holds it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))",
            [f"ranking run of test set {test_set_id}"],
        )
        return bool(cursor.fetchone()[0])


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
    """Whether the newest run of these judgments is this very run.

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


def _result(run: RankingRun) -> dict[str, Any]:
    """Compute what a run says, from the fields it records."""
    parameters = run.parameters
    everything = judged_blocks(
        test_set_id=run.test_set_id,
        watermark=run.watermark,
        without_judges=parameters.get("excluded_judges", ()),
    )
    blocks = everything.without(set(everything.systems).difference(parameters["systems"]))
    choice = recorded_choice(parameters)
    ranking = rank(
        blocks,
        run.method,
        resamples=parameters["resamples"],
        seed=run.seed,
        # Runs from before recorded no parameters of their methods.
        parameters=parameters.get("method_parameters", _PARAMETERS_BEFORE.get(run.method)),
        documents=_documents(run, blocks) if choice.ranges == "anytime" else None,
        **choice.arguments,
    )
    agreement = parameters["agreement"]
    report = inter_judge_agreement(
        blocks,
        chance=Chance(agreement["chance"]),
        # Older runs say nothing of it: P(E) was the same for all.
        chance_of_judges=JudgeChance(agreement.get("chance_of_judges", JudgeChance.POOLED)),
        resample=agreement["resample"],
        resamples=agreement.get("resamples", _RESAMPLES),
        confidence=agreement["confidence"],
        seed=run.seed,
    )
    result = {
        "systems": [asdict(row) for row in ranking.systems],
        "not_estimable": [asdict(row) for row in ranking.not_estimable],
        "groups": [list(group) for group in ranking.groups],
        "input": _input(blocks, ranking),
        "agreement": _agreement(report, is_older="chance_of_judges" not in agreement),
    }
    if "ranges" in parameters:
        return result | _units_and_limits(run, blocks, ranking)
    return result


def _documents(run: RankingRun, blocks: Blocks) -> Int32Array | None:
    """Number the document of each block; None if the test set names no documents.

    Segments imported without documents are all in one.
    """
    numbers = np.unique(blocks.segment).tolist()
    of_segment = documents_of_segments(test_set_id=run.test_set_id, segments=numbers)
    documents = sorted(set(of_segment.values()))
    if len(documents) < 2:
        return None
    number_of = {document: number for number, document in enumerate(documents)}
    place = [number_of[of_segment[number]] for number in blocks.segment.tolist()]
    return np.array(place, dtype=np.int32)


def _input(blocks: Blocks, ranking: Ranking) -> dict[str, int]:
    return {
        "blocks": ranking.blocks,
        "comparisons": ranking.comparisons,
        "ties": ranking.ties,
        "judges": ranking.judges,
        "systems": len(blocks.systems),
    }


def _units_and_limits(run: RankingRun, blocks: Blocks, ranking: Ranking) -> dict[str, Any]:
    """Say how many segments and judges the ranges rest on, and what they do not account for."""
    effective = effective_units(blocks, METHODS[run.method])
    segments = np.unique(blocks.segment).tolist()
    documents = documents_of_segments(test_set_id=run.test_set_id, segments=segments)
    return {
        "input": {
            **_input(blocks, ranking),
            "segments": len(segments),
            "effective_segments": effective.segments,
            "effective_judges": effective.judges,
        },
        "limits": range_limits(
            recorded_choice(run.parameters),
            ranking.limits,
            effective,
            one_document=len(set(documents.values())) == 1,
        ),
        "refusals": ranking.extra.get("refusals", {}),
        "pairs": stored_pairs(ranking),
    }


def _agreement(report: AgreementReport, *, is_older: bool) -> dict[str, Any]:
    return {
        "chance": report.chance.value,
        "p_chance": report.p_chance,
        "comparisons": report.comparisons,
        "ties": report.ties,
        "inter": _kappa(report.inter, is_older=is_older),
        "judges": [
            {
                "judge": row.judge,
                "blocks": row.blocks,
                "comparisons": row.comparisons,
                "ties": row.ties,
                **_kappa(row.agreement, is_older=is_older),
            }
            for row in report.judges
        ],
    }


def _kappa(agreement: Agreement, *, is_older: bool) -> dict[str, Any]:
    said = asdict(agreement)
    if is_older:
        # A run says what it said, to the bit.
        del said["p_chance"], said["no_interval"]
    return said
