"""Simulate campaigns to measure the judgments each sampling design requires and the errors of its rank ranges."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Literal, Unpack

import numpy as np
from scipy.special import ndtri

from annotation.sampling.priorities import active_priorities
from ranking.core.anytime import separated
from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.counts import Counts, Tallies
from ranking.core.methods.bradley_terry import scores as bradley_terry
from ranking.core.methods.shares import expected_wins
from ranking.core.ranges import RankRanges, clusters, ranges_of_better, rank_ranges
from ranking.core.sharding import Running
from ranking.core.simulation.measures import (
    range_violations,
    significantly_better,
    true_ranks,
)
from ranking.core.simulation.model import (
    QUALITY_RANGE,
    Model,
    generator_of,
    measure_experiments,
)

_SYSTEMS, _DRAWING, _JUDGING, _RESAMPLING = range(4)


class ComparedDesign(StrEnum):
    """The sampling designs compared."""

    UNIFORM = "uniform"
    BALANCED = "balanced"
    ACTIVE = "active"


_CODES = {
    ComparedDesign.UNIFORM: 0,
    ComparedDesign.BALANCED: 1,
    ComparedDesign.ACTIVE: 2,
}


@dataclass(frozen=True, eq=False)
class Rates:
    """Outcomes of comparisons with the frequencies of a campaign's judgments.

    Comparisons are drawn one by one, so that those of one block are independent and slightly more
    informative than real ones. The true order is that of Expected Wins of all real judgments.

    Attributes
    ----------
    rates : float64, shape (2, n, n)
        ``rates[0, a, b]`` is the probability that a beats b, ``rates[1, a, b]`` that they tie.
    per_block : int
        Systems in a block, at most n.
    """

    rates: FloatArray
    per_block: int

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.rates.shape[-1])

    @property
    def block_size(self) -> int:
        """Systems in a block."""
        return self.per_block


JudgmentSource = Model | Rates


def rates_of(tallies: Tallies, *, per_block: int) -> Rates:
    """Return the rates of outcomes among real comparisons.

    Raises
    ------
    ValueError
        If there are fewer than two systems, or two systems have no decided comparison, so that their rates
        are unknown.
    """
    decided = tallies.wins + tallies.wins.T
    met = decided + tallies.ties
    n = len(tallies.systems)
    same = np.eye(n, dtype=np.bool_)
    unknown = np.argwhere((decided == 0) & ~same)
    if n < 2:
        raise ValueError("resampling needs judgments of at least two systems")
    if len(unknown):
        one, other = map(tallies.systems.__getitem__, unknown[0])
        raise ValueError(
            f"no judgment says whether {one!r} or {other!r} is better: cannot resample",
        )
    share = np.maximum(1, met)
    return Rates(
        rates=np.stack([tallies.wins / share, tallies.ties / share]),
        per_block=min(per_block, n),
    )


class SimulatedCampaign:
    """A simulated campaign, determined by source, design, seed and experiment.

    In experiments with the same number, all designs judge the same systems.

    Parameters
    ----------
    source : Model or Rates
        Source of the judgments.
    design : ComparedDesign
        Chooses the systems of each block.
    floor : float
        Share of the active blocks that are drawn as balanced ones.
    resamples : int
        Number R of resamples of its blocks; 0 for none.
    seed, experiment : int
        Not negative.

    Attributes
    ----------
    true_ranks : int64, shape (n,)
    quality : float64, shape (n,)
        Quality of each system; all 0 if the source is `Rates`.
    blocks : int
        Number of blocks judged so far.
    wins, ties : int64, shape (n, n)
    resampled_wins, resampled_ties : int64, shape (R, n, n)
    """

    def __init__(
        self,
        source: JudgmentSource,
        design: ComparedDesign,
        *,
        floor: float = 0.1,
        resamples: int = 0,
        seed: int,
        experiment: int,
    ) -> None:
        self._source = source
        self._design = design
        self._floor = floor
        self._drawing = generator_of(seed, experiment, _DRAWING)
        self._judging = generator_of(seed, experiment, _JUDGING)
        self._resampling = generator_of(seed, experiment, _RESAMPLING)
        n = source.systems
        self._counts = np.zeros((n, n), dtype=np.int64)
        self.blocks = 0
        self.wins = np.zeros_like(self._counts)
        self.ties = np.zeros_like(self._counts)
        self.resampled_wins = np.zeros((resamples, n, n), dtype=np.int64)
        self.resampled_ties = np.zeros_like(self.resampled_wins)
        self.quality = np.zeros(n)
        self._outputs = np.empty((0, n))
        if isinstance(source, Rates):
            self.true_ranks = true_ranks(expected_wins(source.rates[0]).values)
            return
        random = generator_of(seed, experiment, _SYSTEMS)
        self.quality = random.uniform(0, QUALITY_RANGE, n)
        errors = random.standard_normal((source.segments or 0, n))
        self._outputs = self.quality + source.noise * errors
        self.true_ranks = true_ranks(self.quality)

    def simulate_until(self, blocks: int) -> None:
        """Simulate judgments up to `blocks` blocks, all planned from the current counts."""
        # Imported here, because the compiler takes longer to load than everything else.
        from ranking.reports.design_study.kernel import (
            BlockDesign,
            CampaignCounts,
            JudgeModel,
            Streams,
            simulate_more_blocks,
        )

        source = self._source
        n = len(self.wins)
        noise = judge_noise = tie_radius = 0.0
        rates = np.empty((0, n, n))
        if isinstance(source, Rates):
            rates = source.rates
        else:
            noise = float(source.noise)
            judge_noise = float(source.judge_noise)
            tie_radius = float(source.tie_radius)
        streams = Streams(self._drawing, self._judging, self._resampling)
        design = BlockDesign(
            code=_CODES[self._design],
            floor=float(self._floor),
            priorities=self._priorities(),
            per_block=source.block_size,
        )
        model = JudgeModel(
            quality=self.quality,
            outputs=self._outputs,
            noise=noise,
            judge_noise=judge_noise,
            tie_radius=tie_radius,
            rates=rates,
        )
        counts = CampaignCounts(
            counts=self._counts,
            wins=self.wins,
            ties=self.ties,
            resampled_wins=self.resampled_wins,
            resampled_ties=self.resampled_ties,
        )
        simulate_more_blocks(streams, design, model, counts, blocks - self.blocks)
        self.blocks = blocks

    def _priorities(self) -> FloatArray:
        if self._design is not ComparedDesign.ACTIVE:
            return np.ones(self.wins.shape)
        return active_priorities(self.wins, self.ties, self._counts)


Ranges = Literal["sign_test", "anytime", "expected_wins", "bradley_terry"]
RANGES: tuple[Ranges, ...] = ("sign_test", "anytime", "expected_wins", "bradley_terry")
#: The definitions that need resampled blocks.
RESAMPLED: frozenset[Ranges] = frozenset({"expected_wins", "bradley_terry"})


@dataclass(frozen=True, eq=False)
class RangeVerdict:
    """The verdict on n systems at a given time.

    Attributes
    ----------
    above : bool, shape (n, n)
        ``above[a, b]``: a is judged better than b.
    ranges : RankRanges
    """

    above: BoolArray
    ranges: RankRanges

    def pairs(self) -> float:
        """Return the share of the n(n−1)/2 pairs that are separated."""
        n = len(self.above)
        all_pairs = n * (n - 1) / 2
        return int(np.count_nonzero(self.above)) / all_pairs

    def clusters(self) -> int:
        """Return the number of clusters (Koehn 2012, eq. 6)."""
        return int(clusters(self.ranges).max())

    def wrong_pairs(self, true: Int64Array) -> float:
        """Return the share of the separated pairs that are in the wrong order; 0 if none are separated."""
        is_worse = true[:, np.newaxis] > true[np.newaxis, :]
        wrong = self.above & is_worse
        separated_pairs = int(np.count_nonzero(self.above))
        return int(np.count_nonzero(wrong)) / max(1, separated_pairs)


def range_verdict(
    campaign: SimulatedCampaign,
    ranges: Ranges,
    *,
    confidence: float,
) -> RangeVerdict:
    """Return the verdict of a campaign's judgments on its systems.

    Parameters
    ----------
    campaign : SimulatedCampaign
        With resamples for "expected_wins" and "bradley_terry".
    ranges : str
        "sign_test" (one-sided, each pair by itself: Koehn 2012, §5.1) and "anytime"
        (`ranking.core.anytime`, each pair by itself) separate pairs, which give rank
        ranges. Anytime evidence is valid here for any design, because every comparison of a pair is
        independent of those before. "expected_wins" and "bradley_terry" compute rank ranges from
        resampled blocks, and separate pairs whose ranges do not overlap.
    confidence : float
        Confidence of each test or range.
    """
    if ranges in RESAMPLED:
        return _resampled_verdict(campaign, ranges, confidence)
    if ranges == "sign_test":
        above = significantly_better(campaign.wins, alpha=1 - confidence)
    else:
        # One-sided like the sign test: each pair can only be wrong in one direction.
        above = separated(campaign.wins, confidence=2 * confidence - 1)
    return RangeVerdict(above=above, ranges=ranges_of_better(above))


def _resampled_verdict(
    campaign: SimulatedCampaign,
    ranges: Ranges,
    confidence: float,
) -> RangeVerdict:
    counts = Counts(wins=campaign.resampled_wins, ties=campaign.resampled_ties)
    if ranges == "expected_wins":
        scores = expected_wins(counts.wins)
    else:
        scores = bradley_terry(counts)
    ranges_of_systems = rank_ranges(scores, confidence=confidence)
    high = ranges_of_systems.high
    low = ranges_of_systems.low
    above = high[:, np.newaxis] < low[np.newaxis, :]
    return RangeVerdict(above=above, ranges=ranges_of_systems)


Measure = Literal["pairs", "clusters"]

#: Measures of a campaign for each question.
JUDGMENTS, VIOLATIONS, WRONG = range(3)


@dataclass(frozen=True, kw_only=True)
class Question:
    """Criterion for the end of a campaign: a definition of a rank range, and a target.

    Attributes
    ----------
    ranges : str
        See `ranking.reports.design_study.study.range_verdict`.
    measure : "pairs" or "clusters"
    target : float
        Share of pairs to separate, or number of clusters.
    """

    ranges: Ranges
    measure: Measure
    target: float

    def is_answered(self, verdict: RangeVerdict) -> bool:
        """Return whether the target is reached."""
        if self.measure == "pairs":
            reached = verdict.pairs()
        else:
            reached = verdict.clusters()
        return reached >= self.target


@dataclass(frozen=True, kw_only=True)
class DesignRow:
    """Results of one design for one question.

    Attributes
    ----------
    design : ComparedDesign
    ranges, measure, target
        The question.
    reached : float
        Share of the campaigns that reached the target within the limit.
    judgments, low, high : int or None
        Median of the judged blocks until the target is first found to be reached, and its 95%
        interval (from order statistics); None beyond the limit.
    ratio, ratio_low, ratio_high : float or None
        Judgments required relative to the first design, with their 95% interval: the geometric
        mean over campaigns, each compared with itself under the first design. A campaign that did
        not finish counts with the limit. None if no campaign of either design finished.
    violations, violations_error : float or None
        Share of systems whose true rank is outside their range when the target is reached, which is
        when an organiser would stop, and its standard error. None if no campaign finished.
    wrong_pairs : float or None
        Share of the separated pairs that are in the wrong order.
    each : tuple of int or None
        Judgments of each campaign; None if it did not reach the target.
    """

    design: ComparedDesign
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


def row_of(
    design: ComparedDesign,
    question: Question,
    own: FloatArray,
    first: FloatArray,
    limit: int,
) -> DesignRow:
    """Return the results of one design for one question.

    Parameters
    ----------
    design, question
    own, first : float64, shape (E, 3)
        Measures of each campaign under this design and under the first one: judgments, violations
        and wrong pairs; NaN if it did not reach the target.
    limit : int
        Judgments after which campaigns were stopped.
    """
    own_judgments = own[:, JUDGMENTS]
    judgments = np.nan_to_num(own_judgments, nan=np.inf)
    needed = np.sort(judgments)
    reached = own[np.isfinite(judgments)]
    below, above = _median_places(len(needed))
    ratio, ratio_low, ratio_high = _ratio(own_judgments, first[:, JUDGMENTS], limit)
    violations = error = wrong_pairs = None
    if len(reached):
        violations = float(reached[:, VIOLATIONS].mean())
        wrong_pairs = float(reached[:, WRONG].mean())
    if len(reached) > 1:
        error = _standard_error(reached[:, VIOLATIONS])
    return DesignRow(
        design=design,
        ranges=question.ranges,
        measure=question.measure,
        target=question.target,
        reached=len(reached) / len(own),
        judgments=_finite(needed[(len(needed) - 1) // 2]),
        low=_finite(needed[below]),
        high=_finite(needed[above]),
        ratio=ratio,
        ratio_low=ratio_low,
        ratio_high=ratio_high,
        violations=violations,
        violations_error=error,
        wrong_pairs=wrong_pairs,
        each=tuple(map(_finite, judgments)),
    )


def _standard_error(values: FloatArray) -> float:
    """Return the standard error of the mean of at least two values."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _finite(value: float) -> int | None:
    if np.isfinite(value):
        return int(value)
    return None


def _median_places(count: int) -> tuple[int, int]:
    """Return the indices of the order statistics that bound the median with 95% confidence."""
    from scipy.stats import (
        binom,
    )  # imported here: takes a fifth of Django's startup time

    successes = int(binom.ppf(0.025, count, 0.5))
    low = max(0, successes - 1)
    return low, count - 1 - low


def _ratio(
    own: FloatArray,
    first: FloatArray,
    limit: int,
) -> tuple[float | None, float | None, float | None]:
    if np.isnan(own).all() or np.isnan(first).all():
        return None, None, None
    judgments = np.nan_to_num(own, nan=limit)
    judgments_of_first = np.nan_to_num(first, nan=limit)
    logs = np.log(judgments / judgments_of_first)
    mean = float(logs.mean())
    reach = 0.0
    if len(logs) > 1:
        reach = float(ndtri(0.975)) * _standard_error(logs)
    low = float(np.exp(mean - reach))
    high = float(np.exp(mean + reach))
    return float(np.exp(mean)), low, high


#: Growth of the judgments between two looks. It limits the precision of the numbers of judgments,
#: and the age of the state that active HITs are planned from.
_GROWTH = 1.05
_FIRST_LOOK = 30


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison of designs, with everything needed to repeat it.

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
    rows: tuple[DesignRow, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DesignStudy:
    """Settings of a comparison of designs.

    Attributes
    ----------
    source : Model or Rates
        Source of the judgments.
    designs : sequence of ComparedDesign
        The other designs are compared with the first one.
    ranges : sequence of str
        Definitions of a rank range, see `ranking.reports.design_study.study.range_verdict`.
    target_pairs, clusters : sequences
        Shares of pairs to separate; numbers of clusters to reach.
    confidence : float
        Confidence of the ranges, above ½.
    active_confidence : float, optional
        Confidence of the ranges under the active design, if different: a higher one makes up for
        the errors caused by drawing nearly significant pairs most often.
    resamples : int
        Number of resamples, for ranges that need them.
    floor : float
        Share of active blocks drawn as balanced ones.
    limit : int
        Judgments (blocks) after which a campaign is stopped.
    experiments, seed : int
    """

    source: JudgmentSource
    designs: Sequence[ComparedDesign] = tuple(ComparedDesign)
    ranges: Sequence[Ranges] = RANGES
    target_pairs: Sequence[float] = (0.9,)
    clusters: Sequence[int] = ()
    confidence: float = 0.95
    active_confidence: float | None = None
    resamples: int = 200
    floor: float = 0.1
    limit: int = 100_000
    experiments: int = 100
    seed: int = 0

    @property
    def questions(self) -> tuple[Question, ...]:
        """The targets, by definition of a rank range."""
        questions = []
        for ranges in self.ranges:
            for share in self.target_pairs:
                questions.append(Question(ranges=ranges, measure="pairs", target=share))
            for count in self.clusters:
                questions.append(
                    Question(ranges=ranges, measure="clusters", target=count),
                )
        return tuple(questions)

    def confidence_of(self, design: ComparedDesign) -> float:
        """Return the confidence of the ranges under a design."""
        if design is ComparedDesign.ACTIVE and self.active_confidence is not None:
            return self.active_confidence
        return self.confidence

    def check(self) -> None:
        """Raise ValueError as described at `compare_designs`."""
        if not self.designs or not self.ranges:
            raise ValueError("designs and ranges: expected at least one")
        for design in (ComparedDesign.BALANCED, ComparedDesign.ACTIVE):
            if not 0.5 < self.confidence_of(design) < 1:
                raise ValueError(
                    "confidence: expected a share above one half and below 1",
                )
        if not 0 <= self.floor <= 1:
            raise ValueError("floor: expected a share")
        if self.limit < 1:
            raise ValueError("limit: expected at least one judgment")
        shares_segments = (
            isinstance(self.source, Model) and self.source.segments is not None
        )
        if "anytime" in self.ranges and shares_segments:
            raise ValueError(
                "anytime: comparisons of shared segments are not independent, and this evidence is for "
                "independent ones only; leave out `segments` or `anytime`",
            )
        if not self.questions:
            raise ValueError("specify a target share of pairs or number of clusters")


def compare_designs(study: DesignStudy, **running: Unpack[Running]) -> Comparison:
    """Simulate campaigns under each design until they reach their targets.

    A campaign is examined whenever its judgments have grown by 5%, and is finished at the first
    look that shows the target, as if an organiser looked repeatedly. Active blocks
    between two looks are planned from the state at the first of these looks.

    Parameters
    ----------
    study : DesignStudy
    **running : see `ranking.core.sharding.Running`
        Progress is that of campaigns.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If a setting is out of range, or "anytime" is used with shared segments: it is only valid
        if each comparison of a pair is independent of those before.
    """
    study.check()
    measured = measure_experiments(
        partial(_measure, study),
        range(study.experiments),
        **running,
    )
    rows = []
    for number, question in enumerate(study.questions):
        first = measured[:, 0, number]
        for index, design in enumerate(study.designs):
            own = measured[:, index, number]
            rows.append(row_of(design, question, own, first, study.limit))
    return Comparison(
        source=study.source,
        designs=tuple(study.designs),
        confidence=study.confidence,
        active_confidence=study.confidence_of(ComparedDesign.ACTIVE),
        resamples=study.resamples,
        floor=study.floor,
        limit=study.limit,
        experiments=study.experiments,
        seed=study.seed,
        rows=tuple(rows),
    )


def _measure(study: DesignStudy, experiment: int) -> FloatArray:
    """Return the measures of one experiment, shape (designs, questions, measures)."""
    return np.stack(
        [
            _simulate_until_answered(study, design, experiment)
            for design in study.designs
        ],
    )


def _simulate_until_answered(
    study: DesignStudy,
    design: ComparedDesign,
    experiment: int,
) -> FloatArray:
    """Return the measures of a campaign when each question is answered; NaN if it is not."""
    needs_resamples = not RESAMPLED.isdisjoint(study.ranges)
    campaign = SimulatedCampaign(
        study.source,
        design,
        floor=study.floor,
        resamples=study.resamples if needs_resamples else 0,
        seed=study.seed,
        experiment=experiment,
    )
    limit = study.limit
    confidence = study.confidence_of(design)
    questions = study.questions
    answers = np.full((len(questions), 3), np.nan)
    look = float(_FIRST_LOOK)
    while campaign.blocks < limit and np.isnan(answers).any():
        next_look = max(campaign.blocks + 1, round(look))
        campaign.simulate_until(min(limit, next_look))
        look *= _GROWTH
        verdicts: dict[Ranges, RangeVerdict] = {}
        for row, question in enumerate(questions):
            if not np.isnan(answers[row, JUDGMENTS]):
                continue
            if question.ranges not in verdicts:
                verdicts[question.ranges] = range_verdict(
                    campaign,
                    question.ranges,
                    confidence=confidence,
                )
            verdict = verdicts[question.ranges]
            if question.is_answered(verdict):
                answers[row, JUDGMENTS] = campaign.blocks
                answers[row, VIOLATIONS] = range_violations(
                    verdict.ranges,
                    campaign.true_ranks,
                )
                answers[row, WRONG] = verdict.wrong_pairs(campaign.true_ranks)
    return answers
