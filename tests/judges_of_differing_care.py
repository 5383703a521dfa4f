"""Simulated campaigns whose judges differ in care, to see whether intervals of κ hold what they say.

A judge perceives the quality of an output with noise of his own, calls a tie within a radius of his
own, or clicks at random. All three are drawn from one population, so that there is a κ of the
population: that of two of its judges on a segment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.report import (
    AgreementReport,
    JudgeChance,
    inter_judge_agreement,
)
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import Blocks

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_SYSTEMS = 15
_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class CareWorld:
    """Model of judgments; qualities of systems are evenly spaced from 0 to 10.

    Attributes
    ----------
    judges, segments : int
    judged_by : int
        Judges of a segment, drawn anew for each.
    care : float
        Standard deviation of the logarithm of judges' noise; its median is `noise`.
    clicking : float
        Probability that a judge gives labels 1–5 at random.
    tie_radius : float
        Median of judges' tie radius: outputs as near to the best of a label get that label.
    tie_care : float
        Standard deviation of its logarithm.
    tie_even : bool
        Whether that logarithm is evenly spread, and not normal.
    noise, segment_sd : float
        Standard deviations of what a judge perceives, and of an output's quality on a segment.
    difficulty : float
        Standard deviation of the logarithm of a factor of the noise of all judges on a segment.
    taste : float
        Standard deviation of a judge's own liking of a system.
    same_outputs : bool
        Whether all judges of a segment see the same five outputs, or each five of fifteen.
    unequal : bool
        Whether judge j is drawn with weight 1/j and not like the others.
    """

    judges: int = 20
    segments: int = 300
    judged_by: int = 3
    care: float = 0.5
    clicking: float = 0.1
    tie_radius: float = 2.0
    tie_care: float = 0.5
    tie_even: bool = False
    noise: float = 6.0
    segment_sd: float = 8.0
    difficulty: float = 0.0
    taste: float = 0.0
    same_outputs: bool = True
    unequal: bool = False


@dataclass(frozen=True, eq=False)
class Judges:
    """J judges: their noise, their tie radius, whether they click at random, and their taste."""

    noise: FloatArray
    radius: FloatArray
    clicks: npt.NDArray[np.bool_]
    taste: FloatArray

    def joined(self, others: Judges) -> Judges:
        """Put others behind these."""
        return Judges(
            noise=np.concatenate([self.noise, others.noise]),
            radius=np.concatenate([self.radius, others.radius]),
            clicks=np.concatenate([self.clicks, others.clicks]),
            taste=np.concatenate([self.taste, others.taste]),
        )

    def one(self, judge: int) -> Judges:
        """Pick one of them."""
        here = slice(judge, judge + 1)
        return Judges(
            self.noise[here],
            self.radius[here],
            self.clicks[here],
            self.taste[here],
        )


def draw_judges(world: CareWorld, count: int, random: np.random.Generator) -> Judges:
    """Draw judges from the population."""
    noise = world.noise * np.exp(world.care * random.normal(size=count))
    if world.tie_even:
        spread = random.uniform(-(3**0.5), 3**0.5, size=count)
    else:
        spread = random.normal(size=count)
    return Judges(
        noise=noise,
        radius=world.tie_radius * np.exp(world.tie_care * spread),
        clicks=random.random(count) < world.clicking,
        taste=world.taste * random.normal(size=(count, _SYSTEMS))
        if world.taste
        else np.zeros((count, _SYSTEMS)),
    )


def draw_campaign(world: CareWorld, seed: int) -> tuple[Blocks, Judges]:
    """Draw a campaign, reproducible by seed, and return its judges."""
    random = np.random.default_rng(seed)
    judges = draw_judges(world, world.judges, random)
    weight = (
        1 / np.arange(1, world.judges + 1) if world.unequal else np.ones(world.judges)
    )
    # The first few of exponential times are a draw without replacement.
    times = random.exponential(size=(world.segments, world.judges)) / weight
    who = np.argsort(times, axis=1)[:, : world.judged_by]
    return judged(world, judges, who, random), judges


def judged(
    world: CareWorld,
    judges: Judges,
    who: IntArray,
    random: np.random.Generator,
) -> Blocks:
    """Let judges ``who[s]`` judge segment s, `who` of shape (S, K)."""
    segments, by = who.shape
    quality = np.linspace(0, 10, _SYSTEMS) + random.normal(
        0,
        world.segment_sd,
        (segments, _SYSTEMS),
    )
    order = random.random(
        (segments, 1 if world.same_outputs else by, _SYSTEMS),
    ).argsort(axis=2)
    shown = np.broadcast_to(order[:, :, :_SHOWN], (segments, by, _SHOWN)).reshape(
        -1,
        _SHOWN,
    )
    segment, judge = np.repeat(np.arange(segments), by), who.ravel()
    perceived = (
        quality[segment[:, np.newaxis], shown]
        + judges.taste[judge[:, np.newaxis], shown]
    )
    noise = judges.noise[judge]
    if world.difficulty:
        noise = noise * np.exp(world.difficulty * random.normal(size=segments))[segment]
    perceived = perceived + random.normal(size=shown.shape) * noise[:, np.newaxis]
    labels = _labels(perceived, judges.radius[judge])
    at_random = random.integers(1, 6, shown.shape)
    labels = np.where(judges.clicks[judge][:, np.newaxis], at_random, labels)
    rows = np.arange(len(judge))[:, np.newaxis]
    label = np.zeros((len(judge), _SYSTEMS), dtype=np.int8)
    candidate = np.full(label.shape, -1, dtype=np.int8)
    label[rows, shown] = labels
    candidate[rows, shown] = np.arange(_SHOWN)
    return Blocks(
        systems=tuple(f"s{index:02}" for index in range(_SYSTEMS)),
        labels=label,
        candidates=candidate,
        judge=judge.astype(np.int32),
        judges=tuple(f"j{index:06}" for index in range(len(judges.noise))),
        segment=segment.astype(np.int32),
        key=np.arange(len(judge), dtype=np.uint64),
    )


def _labels(perceived: FloatArray, radius: FloatArray) -> IntArray:
    """From best to worst, what lies within the radius of the best of a label gets that label."""
    order = np.argsort(-perceived, axis=1)
    ordered = np.take_along_axis(perceived, order, axis=1)
    labels = np.ones(perceived.shape, dtype=np.int64)
    best = ordered[:, 0]
    for place in range(1, perceived.shape[1]):
        further = best - ordered[:, place] > radius
        labels[:, place] = labels[:, place - 1] + further
        best = np.where(further, ordered[:, place], best)
    found = np.empty_like(labels)
    np.put_along_axis(found, order, labels, axis=1)
    return found


def population_kappa(world: CareWorld, pairs: int = 100_000) -> float:
    """Return κ (Scott's) of two judges drawn from the population, by that many such pairs."""
    large = replace(world, judges=2 * pairs, segments=pairs, judged_by=2)
    random = np.random.default_rng(2012)
    judges = draw_judges(large, large.judges, random)
    everybody_once = np.arange(large.judges).reshape(-1, 2)
    return _kappa(judged(large, judges, everybody_once, random))


def kappa_of_judge(
    world: CareWorld,
    judges: Judges,
    judge: int,
    seed: int,
    segments: int = 2000,
) -> float:
    """Return the κ that a judge has with the population, with P(E) from his own ties."""
    random = np.random.default_rng([seed, judge])
    both = judges.one(judge).joined(draw_judges(world, segments, random))
    who = np.stack(
        [np.zeros(segments, dtype=np.int64), 1 + np.arange(segments)],
        axis=1,
    )
    blocks = judged(world, both, who, random)
    # To be the others' ties they need not be one judge; the κ of two is that of either.
    two = replace(blocks, judge=np.minimum(blocks.judge, 1), judges=("j", "others"))
    found = _report(two).judges[0].agreement.kappa
    assert found is not None
    return found


def _kappa(blocks: Blocks) -> float:
    # Who judged what no longer matters: one name for the first judge of a segment, one for the other.
    two = replace(blocks, judge=blocks.judge % 2, judges=("one", "other"))
    found = _report(two).inter.kappa
    assert found is not None
    return found


def _report(blocks: Blocks) -> AgreementReport:
    return inter_judge_agreement(
        blocks,
        chance=Chance.SCOTT,
        chance_of_judges=JudgeChance.OWN,
        resample="segments",
        resamples=1,
    )
