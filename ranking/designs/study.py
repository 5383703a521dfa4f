"""How many judgments each design needs, and whether its rank ranges keep what they promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.stats import binom, norm

from ranking.core.experiments import Progress, measure_experiments
from ranking.designs.campaigns import Campaign, Design, World
from ranking.designs.ranges import RANGES, RESAMPLED, Ranges, Said, said_by

Float64Array = npt.NDArray[np.float64]
Measure = Literal["pairs", "clusters"]

#: Judgments between two looks grow by this much: how exactly a number of judgments is known, and
#: how old the state is that active HITs are planned from.
_GROWTH = 1.05
_FIRST_LOOK = 30
#: What is measured of a campaign for each question.
_JUDGMENTS, _VIOLATIONS, _WRONG = range(3)


@dataclass(frozen=True, kw_only=True)
class Question:
    """When is a campaign done? A definition of a rank range, and what it has to show.

    Attributes
    ----------
    ranges : str
        See `ranking.designs.ranges.said_by`.
    measure : "pairs" or "clusters"
    target : float
        The share of pairs to be separated, or the number of clusters.
    """

    ranges: Ranges
    measure: Measure
    target: float

    def is_answered(self, said: Said) -> bool:
        """Say whether the target is reached."""
        reached = said.pairs() if self.measure == "pairs" else said.clusters()
        return reached >= self.target


@dataclass(frozen=True, kw_only=True)
class DesignRow:
    """How one design does on one question.

    Attributes
    ----------
    design : Design
    ranges, measure, target
        The question.
    reached : float
        Share of the campaigns that reached the target within the limit.
    judgments, low, high : int or None
        Median of the judged blocks until the target is first seen to be reached, and its 95 %
        interval (from order statistics); None beyond the limit.
    ratio, ratio_low, ratio_high : float or None
        Judgments needed in relation to the first design: geometric mean over the campaigns, each
        against itself under that design, and its 95 % interval. A campaign that did not finish
        counts with the limit. None if no campaign of either design finished.
    violations, violations_error : float or None
        Of the systems, the share whose true rank lies outside their range at that moment, the very
        one that a hopeful organiser stops at, and its standard error; None if none finished.
    wrong_pairs : float or None
        Of the separated pairs, the share in the wrong order.
    each : tuple of int or None
        Judgments of each campaign, None where the target was not reached.
    """

    design: Design
    ranges: str
    measure: str
    target: float
    reached: float
    judgments: int | None
    low: int | None
    high: int | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    violations: float | None
    violations_error: float | None
    wrong_pairs: float | None
    each: tuple[int | None, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison of designs, with everything needed to repeat it.

    Attributes
    ----------
    world : Model or Rates
    rows : tuple of DesignRow
        By question, then by design.
    """

    world: World
    designs: tuple[Design, ...]
    confidence: float
    resamples: int
    floor: float
    limit: int
    experiments: int
    seed: int
    rows: tuple[DesignRow, ...]


def compare_designs(
    world: World,
    *,
    designs: Sequence[Design] = tuple(Design),
    ranges: Sequence[Ranges] = RANGES,
    target_pairs: Sequence[float] = (0.9,),
    clusters: Sequence[int] = (),
    confidence: float = 0.95,
    resamples: int = 200,
    floor: float = 0.1,
    limit: int = 100_000,
    experiments: int = 100,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Simulate campaigns under each design until they reach their targets.

    A campaign is looked at whenever its judgments have grown by 5 %, and is done at the first look
    that shows the target: peeking included, as organisers peek. Active blocks between two looks are
    planned from the state at the former.

    Parameters
    ----------
    world : Model or Rates
        Where judgments come from.
    designs : sequence of Design
        The first is what the others are compared with.
    ranges : sequence of str
        Definitions of a rank range, see `ranking.designs.ranges.said_by`.
    target_pairs, clusters : sequences
        Shares of pairs to be separated; numbers of clusters to be told apart.
    confidence : float
        Of the ranges, above ½.
    resamples : int
        For the ranges that rest on resampling.
    floor : float
        Share of active blocks drawn as balanced ones.
    limit : int
        Judgments (blocks) after which a campaign is given up.
    experiments, seed : int
    jobs : int
        Worker processes; they do not change the result.
    progress : callable, optional
        Called with (campaigns done, all of them).

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    _check(designs, ranges, confidence, floor, limit)
    questions = tuple(
        Question(ranges=each, measure=measure, target=target)
        for each in ranges
        for measure, target in (
            *(("pairs", share) for share in target_pairs),
            *(("clusters", number) for number in clusters),
        )
    )
    if not questions:
        raise ValueError("give a share of pairs or a number of clusters to be reached")
    measured = measure_experiments(
        partial(
            _measure, world, tuple(designs), questions, confidence, resamples, floor, limit, seed
        ),
        range(experiments),
        jobs=jobs,
        progress=progress,
    )
    return Comparison(
        world=world,
        designs=tuple(designs),
        confidence=confidence,
        resamples=resamples,
        floor=floor,
        limit=limit,
        experiments=experiments,
        seed=seed,
        rows=tuple(
            _row(design, question, measured[:, d, q], measured[:, 0, q], limit)
            for q, question in enumerate(questions)
            for d, design in enumerate(designs)
        ),
    )


def _check(
    designs: Sequence[Design], ranges: Sequence[Ranges], confidence: float, floor: float, limit: int
) -> None:
    if not designs or not ranges:
        raise ValueError("designs and ranges: expected at least one")
    if not 0.5 < confidence < 1:
        raise ValueError("confidence: expected a share above one half and below 1")
    if not 0 <= floor <= 1:
        raise ValueError("floor: expected a share")
    if limit < 1:
        raise ValueError("limit: expected at least one judgment")


def _measure(
    world: World,
    designs: tuple[Design, ...],
    questions: tuple[Question, ...],
    confidence: float,
    resamples: int,
    floor: float,
    limit: int,
    seed: int,
    experiment: int,
) -> Float64Array:
    """Run one experiment under each design; shape (designs, questions, measures)."""
    resampled = resamples if any(each.ranges in RESAMPLED for each in questions) else 0
    return np.stack(
        [
            _until_answered(
                Campaign(
                    world,
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
            for design in designs
        ]
    )


def _until_answered(
    campaign: Campaign, questions: tuple[Question, ...], confidence: float, limit: int
) -> Float64Array:
    """Grow a campaign until each question is answered; NaN for those that are not."""
    answers = np.full((len(questions), 3), np.nan)
    look = float(_FIRST_LOOK)
    while campaign.blocks < limit and np.isnan(answers).any():
        campaign.grow(min(limit, max(campaign.blocks + 1, round(look))))
        look *= _GROWTH
        said: dict[Ranges, Said] = {}
        for row, question in enumerate(questions):
            if not np.isnan(answers[row, _JUDGMENTS]):
                continue
            if question.ranges not in said:
                said[question.ranges] = said_by(campaign, question.ranges, confidence=confidence)
            found = said[question.ranges]
            if question.is_answered(found):
                answers[row, _JUDGMENTS] = campaign.blocks
                answers[row, _VIOLATIONS] = found.range_violations(campaign.true_ranks)
                answers[row, _WRONG] = found.wrong_pairs(campaign.true_ranks)
    return answers


def _row(
    design: Design, question: Question, own: Float64Array, first: Float64Array, limit: int
) -> DesignRow:
    needed = np.sort(np.nan_to_num(own[:, _JUDGMENTS], nan=np.inf))
    done = own[~np.isnan(own[:, _JUDGMENTS])]
    below, above = _median_places(len(needed))
    ratio, ratio_low, ratio_high = _ratio(own[:, _JUDGMENTS], first[:, _JUDGMENTS], limit)
    error = None
    if len(done) > 1:
        error = float(done[:, _VIOLATIONS].std(ddof=1) / np.sqrt(len(done)))
    return DesignRow(
        design=design,
        ranges=question.ranges,
        measure=question.measure,
        target=question.target,
        reached=len(done) / len(own),
        judgments=_finite(needed[(len(needed) - 1) // 2]),
        low=_finite(needed[below]),
        high=_finite(needed[above]),
        ratio=ratio,
        ratio_low=ratio_low,
        ratio_high=ratio_high,
        violations=float(done[:, _VIOLATIONS].mean()) if len(done) else None,
        violations_error=error,
        wrong_pairs=float(done[:, _WRONG].mean()) if len(done) else None,
        each=tuple(_finite(value) for value in np.nan_to_num(own[:, _JUDGMENTS], nan=np.inf)),
    )


def _finite(value: float) -> int | None:
    return int(value) if np.isfinite(value) else None


def _median_places(count: int) -> tuple[int, int]:
    """Places of the order statistics that hold the median with 95 %, or the first and the last."""
    low = max(0, int(binom.ppf(0.025, count, 0.5)) - 1)
    return low, count - 1 - low


def _ratio(
    own: Float64Array, first: Float64Array, limit: int
) -> tuple[float | None, float | None, float | None]:
    if np.isnan(own).all() or np.isnan(first).all():
        return None, None, None
    logs = np.log(np.nan_to_num(own, nan=limit) / np.nan_to_num(first, nan=limit))
    mean = float(logs.mean())
    error = float(logs.std(ddof=1) / np.sqrt(len(logs))) if len(logs) > 1 else 0.0
    reach = float(norm.ppf(0.975)) * error
    return float(np.exp(mean)), float(np.exp(mean - reach)), float(np.exp(mean + reach))
