"""The judgments that each design requires, and the errors of its rank ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ranking.core.arrays import FloatArray
from ranking.core.sharding.shards import Engine, on_any_engine
from ranking.core.simulation.model import Model, Progress, measure_experiments
from ranking.design_study.campaigns import ComparedDesign, JudgmentSource, SimulatedCampaign
from ranking.design_study.ranges import RANGES, RESAMPLED, Ranges, RangeVerdict, range_verdict
from ranking.design_study.rows import JUDGMENTS, VIOLATIONS, WRONG, DesignRow, Question, row_of

#: Growth of the judgments between two looks. It limits the precision of the numbers of judgments,
#: and the age of the state that active HITs are planned from.
_GROWTH = 1.05
_FIRST_LOOK = 30


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison of designs, with all that is needed to repeat it.

    Attributes
    ----------
    source : Model or Rates
    confidence, active_confidence : float
        Confidence of ranges, and of those under the active design.
    rows : tuple of DesignRow
        By question, then by design.
    """

    source: JudgmentSource
    designs: tuple[ComparedDesign, ...]
    confidence: float
    active_confidence: float
    resamples: int
    floor: float
    limit: int
    experiments: int
    seed: int
    rows: tuple[DesignRow, ...]


def compare_designs(
    source: JudgmentSource,
    *,
    designs: Sequence[ComparedDesign] = tuple(ComparedDesign),
    ranges: Sequence[Ranges] = RANGES,
    target_pairs: Sequence[float] = (0.9,),
    clusters: Sequence[int] = (),
    confidence: float = 0.95,
    active_confidence: float | None = None,
    resamples: int = 200,
    floor: float = 0.1,
    limit: int = 100_000,
    experiments: int = 100,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Simulate campaigns under each design until they reach their targets.

    A campaign is examined whenever its judgments have grown by 5 %, and is finished at the first
    look that shows the target. So looks are repeated, as organisers look repeatedly. Active blocks
    between two looks are planned from the state at the first of these looks.

    Parameters
    ----------
    source : Model or Rates
        Source of the judgments.
    designs : sequence of ComparedDesign
        The other designs are compared with the first one.
    ranges : sequence of str
        Definitions of a rank range, see `ranking.design_study.ranges.range_verdict`.
    target_pairs, clusters : sequences
        Shares of pairs to separate; numbers of clusters to reach.
    confidence : float
        Confidence of the ranges, above ½.
    active_confidence : float, optional
        Confidence of the ranges under the active design, if different: a higher one makes up for
        the errors that come from asking most about nearly significant pairs.
    resamples : int
        Number of resamples, for ranges that need them.
    floor : float
        Share of active blocks drawn as balanced ones.
    limit : int
        Judgments (blocks) after which a campaign is stopped.
    experiments, seed : int
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.
    progress : callable, optional
        Called with (campaigns done, all of them).

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If an argument is out of range, or "anytime" is used with shared segments: it is only valid
        if each comparison of a pair is independent of those before.
    """
    active_confidence = confidence if active_confidence is None else active_confidence
    _check(designs, ranges, min(confidence, active_confidence), floor, limit)
    _check(designs, ranges, max(confidence, active_confidence), floor, limit)
    confidences = tuple(
        active_confidence if design is ComparedDesign.ACTIVE else confidence for design in designs
    )
    if "anytime" in ranges and isinstance(source, Model) and source.segments is not None:
        raise ValueError(
            "anytime: comparisons of shared segments are not independent, and this evidence is for "
            "independent ones only; leave out `segments` or `anytime`"
        )
    questions = _questions(ranges, target_pairs, clusters)
    if not questions:
        raise ValueError("give a share of pairs or a number of clusters to be reached")
    measured = measure_experiments(
        partial(
            _measure, source, tuple(designs), questions, confidences, resamples, floor, limit, seed
        ),
        range(experiments),
        engine=engine,
        progress=progress,
    )
    return Comparison(
        source=source,
        designs=tuple(designs),
        confidence=confidence,
        active_confidence=active_confidence,
        resamples=resamples,
        floor=floor,
        limit=limit,
        experiments=experiments,
        seed=seed,
        rows=tuple(
            row_of(design, question, measured[:, d, q], measured[:, 0, q], limit)
            for q, question in enumerate(questions)
            for d, design in enumerate(designs)
        ),
    )


def _questions(
    ranges: Sequence[Ranges], target_pairs: Sequence[float], clusters: Sequence[int]
) -> tuple[Question, ...]:
    questions: list[Question] = []
    for each in ranges:
        questions += [
            Question(ranges=each, measure="pairs", target=share) for share in target_pairs
        ]
        questions += [Question(ranges=each, measure="clusters", target=k) for k in clusters]
    return tuple(questions)


def _check(
    designs: Sequence[ComparedDesign],
    ranges: Sequence[Ranges],
    confidence: float,
    floor: float,
    limit: int,
) -> None:
    if not designs or not ranges:
        raise ValueError("designs and ranges: expected at least one")
    if not 0.5 < confidence < 1:
        raise ValueError("confidence: expected a share above one half and below 1")
    if not 0 <= floor <= 1:
        raise ValueError("floor: expected a share")
    if limit < 1:
        raise ValueError("limit: expected at least one judgment")


@on_any_engine()
def _measure(
    source: JudgmentSource,
    designs: tuple[ComparedDesign, ...],
    questions: tuple[Question, ...],
    confidences: tuple[float, ...],
    resamples: int,
    floor: float,
    limit: int,
    seed: int,
    experiment: int,
) -> FloatArray:
    """Return the measures of one experiment, shape (designs, questions, measures)."""
    resampled = resamples if any(each.ranges in RESAMPLED for each in questions) else 0
    return np.stack(
        [
            _until_answered(
                SimulatedCampaign(
                    source,
                    design,
                    floor=floor,
                    resamples=resampled,
                    seed=seed,
                    experiment=experiment,
                ),
                questions,
                confidence,
                limit,
            )
            for design, confidence in zip(designs, confidences, strict=True)
        ]
    )


def _until_answered(
    campaign: SimulatedCampaign, questions: tuple[Question, ...], confidence: float, limit: int
) -> FloatArray:
    """Return the measures of a campaign when each question is answered; NaN if it is not."""
    answers = np.full((len(questions), 3), np.nan)
    look = float(_FIRST_LOOK)
    while campaign.blocks < limit and np.isnan(answers).any():
        campaign.simulate_until(min(limit, max(campaign.blocks + 1, round(look))))
        look *= _GROWTH
        said: dict[Ranges, RangeVerdict] = {}
        for row, question in enumerate(questions):
            if not np.isnan(answers[row, JUDGMENTS]):
                continue
            if question.ranges not in said:
                said[question.ranges] = range_verdict(
                    campaign, question.ranges, confidence=confidence
                )
            found = said[question.ranges]
            if question.is_answered(found):
                answers[row, JUDGMENTS] = campaign.blocks
                answers[row, VIOLATIONS] = found.range_violations(campaign.true_ranks)
                answers[row, WRONG] = found.wrong_pairs(campaign.true_ranks)
    return answers
