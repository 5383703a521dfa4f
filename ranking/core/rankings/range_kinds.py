"""Rank ranges of all kinds, from counts, scores or blocks, with tests of pairs.

Percentiles are overconfident with few blocks: after one block, a bootstrap can only draw that block
again. The required number of blocks was determined by simulation (docs/statistics/coverage.md):
with fewer, more than 6% of true ranks are outside their ranges. It grows with the number of
systems, because their scores are closer together.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import (
    Any,
    Literal,
    NamedTuple,
    Self,
    TypedDict,
    TypeGuard,
    Unpack,
    get_args,
)

import numpy as np

from ranking.core.anytime import (
    MIN_JUDGES,
    MIN_SEGMENTS,
    AnytimeRanges,
    Refusal,
    anytime_ranges_of_moments,
    number_of_pairs,
    scores_and_influence,
)
from ranking.core.arrays import FloatArray, Int64Array, as_column
from ranking.core.counting.counts import Layout, Tallies, chunks, tally
from ranking.core.counting.moments import ClusterUnit, Moments, moments_of_blocks
from ranking.core.counting.resampling import Level, Resampling, trim_count
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.lopez import QUICK, TIME_LIMIT, lopez_order
from ranking.core.methods.method import (
    CountsMethod,
    Method,
    canonical_order,
    joined,
)
from ranking.core.methods.registry import counts_method_named, method_named
from ranking.core.ranges import (
    Correction,
    PairTests,
    RankRanges,
    Sides,
    difference_tests,
    pairwise_p_values,
    ranges_of_better,
    rank_confidence_sets,
    rank_ranges,
    sign_tests,
)
from ranking.core.rankings.counted_judgments import (
    CountedJudgments,
    EffectiveUnits,
    effective_units,
    effective_units_of_sizes,
)
from ranking.core.scores import Scores, Shortage
from ranking.core.sharding import Running, in_threads, map_shards
from ranking.core.uncertainty import (
    RangeLimit,
    ScoreCovariance,
    draw_scores,
    standard_errors_of_counts,
    two_way_covariance,
)
from ranking.core.words import member_of, word_check

RangeKind = Literal["percentile", "sign_test", "confidence_set", "anytime"]
RANGE_KINDS: tuple[RangeKind, ...] = get_args(RangeKind)

#: Parameters of a method by name.
MethodParameters = Mapping[str, Any]
#: Units that a kind of ranges always treats as independent.
_FIXED_LEVELS: Mapping[RangeKind, Level] = {"sign_test": "pairs", "anytime": "two_way"}


class RangeParts(TypedDict, total=False):
    """Keyword arguments of `RangeOptions.completed`."""

    ranges: RangeKind
    resample: Level | None
    correction: Correction | str | None
    sides: Sides | None
    confidence: float
    resamples: int


class RecordedRanges(TypedDict):
    """Options of rank ranges as plain JSON, without the number of resamples."""

    resample: Level
    ranges: RangeKind
    correction: str
    sides: Sides
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeOptions:
    """Options of rank ranges and of the tests of pairs.

    All options have values, so that recorded ones do not depend on the defaults of later versions.
    The defaults here are those of percentiles; `completed` has those of each kind.

    Attributes
    ----------
    ranges : "percentile", "sign_test", "confidence_set" or "anytime"
        "percentile": percentiles of resampled or drawn ranks (Koehn 2012, §5.1). "sign_test":
        ranges from significant differences of pairs, with comparisons treated as independent
        (ibid.). "confidence_set": sets that also hold among near-equal systems
        (`ranking.core.ranges`). "anytime": ranges that may be examined at any time
        (`ranking.core.anytime`), only for Expected Wins.
    resample : Level
        Units treated as independent: "pairs" for sign tests, "two_way" for anytime ranges.
    correction : Correction
        Correction for the number of pairs. Without it, confidence sets are marginal; with `HOLM`,
        they are simultaneous. Anytime ranges are always simultaneous.
    sides : 1 or 2
        Sides of the tests of pairs.
    confidence : float
        Between 0 and 1.
    resamples : int
        Number of resamples, or of draws.

    Raises
    ------
    ValueError
        If options contradict each other.
    """

    resample: Level = "two_way"
    ranges: RangeKind = "percentile"
    correction: Correction = Correction.NONE
    sides: Sides = 2
    confidence: float = 0.95
    resamples: int = 1000

    def __post_init__(self) -> None:
        word_check("ranges", self.ranges, RangeKind)
        word_check("sides", self.sides, Sides)
        correction = member_of(Correction, "correction", self.correction)
        object.__setattr__(self, "correction", correction)  # the instance is frozen
        trim_count(self.resamples, self.confidence)
        Resampling(self.resample)
        if self.ranges in ("confidence_set", "anytime") and self.sides == 1:
            raise ValueError(f"sides: {self.ranges} ranges always use two-sided tests")
        false_share = Correction.BENJAMINI_HOCHBERG
        if self.ranges == "confidence_set" and correction is false_share:
            raise ValueError(
                "correction: confidence sets hold each by itself (none) or all together (holm)",
            )
        if self.ranges == "anytime" and correction is not Correction.HOLM:
            raise ValueError(
                "correction: anytime ranges always hold for all pairs together (holm)",
            )
        level = _FIXED_LEVELS.get(self.ranges, self.resample)
        if self.resample != level:
            raise ValueError(f"resample: {self.ranges} ranges always use {level}")

    @classmethod
    def completed(
        cls,
        *,
        ranges: RangeKind = "percentile",
        resample: Level | None = None,
        correction: Correction | str | None = None,
        sides: Sides | None = None,
        confidence: float = 0.95,
        resamples: int = 1000,
    ) -> Self:
        """Return options with the defaults of the kind of ranges.

        The tests of sign tests are one-sided, as in the paper.
        """
        if resample is None:
            resample = _FIXED_LEVELS.get(ranges, "two_way")
        if correction is None:
            if ranges == "anytime":
                correction = Correction.HOLM
            else:
                correction = Correction.NONE
        if sides is None:
            sides = 2
            if ranges == "sign_test":
                sides = 1
        return cls(
            ranges=ranges,
            resample=resample,
            correction=member_of(Correction, "correction", correction),
            sides=sides,
            confidence=confidence,
            resamples=resamples,
        )

    @classmethod
    def from_record(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the options recorded in the parameters of a ranking, among others."""
        resamples = parameters.get("resamples", 1000)
        recorded = {}
        for name in RecordedRanges.__annotations__:
            recorded[name] = parameters[name]
        return cls(resamples=resamples, **recorded)

    @property
    def recorded(self) -> RecordedRanges:
        """The options as plain JSON; see `from_record`."""
        return RecordedRanges(
            resample=self.resample,
            ranges=self.ranges,
            correction=self.correction.value,
            sides=self.sides,
            confidence=self.confidence,
        )

    @property
    def keeps(self) -> Level | None:
        """Counts needed in addition to wins and ties, see `count_judgments`."""
        if self.resample == "pairs":
            # Resamples are drawn from tallies.
            return None
        return self.resample

    @property
    def accounts_for_segments(self) -> bool:
        """True if segments are treated as a sample of units."""
        return self.resample in ("two_way", "segments")

    @property
    def accounts_for_documents(self) -> bool:
        """True if documents, if known, replace segments as units."""
        return self.resample == "two_way"

    @property
    def correction_of_pairs(self) -> Correction:
        """The correction by which pairs are told apart: that of the options, otherwise Holm."""
        if self.correction is Correction.NONE:
            return Correction.HOLM
        return self.correction

    def is_closed_form(self, method: Method) -> bool:
        """Return whether the covariance of a method's scores can be computed without resampling."""
        return self.resample == "two_way" and method.has_closed_form

    def is_live(self, method: Method) -> TypeGuard[CountsMethod]:
        """Return whether a ranking by a method can be updated, because it depends only on counts.

        Others need all judgments each time: methods that need more than counts, such as Hopkins–May
        and TrueSkill, and resamples of both segments and judges, whose weights change with every
        judgment.
        """
        if not isinstance(method, CountsMethod):
            return False
        return self.resample != "two_way" or method.has_closed_form

    @property
    def level(self) -> float:
        """Largest significant corrected p-value."""
        return round(1 - self.confidence, 12)


@dataclass(frozen=True, eq=False)
class RangesWithTests:
    """Ranges of n systems, and tests of their pairs.

    Attributes
    ----------
    ranges : RankRanges
    tests : PairTests
    limits : tuple of str
        Sources of variation that the ranges ignore: codes of `RangeLimit` or `Refusal`.
    errors : float64, shape (n,), or None
        Standard errors of the scores over segments and judges; None if unknown.
    shortages : mapping from a system's name to a Shortage
        Shortages of systems for which this kind refuses ranges.
    refusals : mapping of str to list of str, or None
        Reasons to refuse anytime ranges, by system; None for other kinds.
    """

    ranges: RankRanges
    tests: PairTests
    limits: tuple[str, ...] = ()
    errors: FloatArray | None = None
    shortages: Mapping[str, Shortage] = field(default_factory=dict)
    refusals: Mapping[str, list[str]] | None = None


def _covariance(scores: Scores, resampled: Scores) -> FloatArray:
    """Return the covariance of scores over the resamples in which both scores can be estimated."""
    is_known = resampled.estimable & scores.estimable
    values = np.where(is_known, resampled.values, 0.0)
    counts = is_known.sum(axis=0)
    mean = values.sum(axis=0) / np.maximum(1, counts)
    deviation = np.where(is_known, values - mean, 0.0)
    number = is_known.astype(np.int64)
    both_known = number.T @ number
    degrees_of_freedom = np.maximum(1, both_known - 1)
    return np.asarray(deviation.T @ deviation / degrees_of_freedom)


#: Number of parts in which resamples are scored if progress is reported; few, because each part of
#: a method that counts iterates over all blocks.
_PROGRESS_PARTS = 10


def score_resamples(
    score: Callable[[range], Scores],
    *,
    resamples: int,
    **running: Unpack[Running],
) -> Scores:
    """Return scores of resamples, computed in parts for several workers or to report progress."""
    engine = running.get("engine")
    parts = 1
    if engine is not None:
        parts = engine.workers
    if running.get("progress") is not None:
        parts = max(parts, _PROGRESS_PARTS)
    ids = []
    sizes = []
    for part in chunks(resamples, math.ceil(resamples / parts)):
        own_ids = range(part.start, part.stop)
        ids.append(own_ids)
        sizes.append(len(own_ids))
    return joined(map_shards(score, ids, sizes=sizes, **running))


#: Number of blocks that each system needs: for any kind of ranges, and for percentiles, per ranked
#: system.
FEWEST_BLOCKS = 8
FEWEST_BLOCKS_PER_SYSTEM = 2.0
#: The same for percentiles of resampled comparisons, which are not truly independent.
FEWEST_BLOCKS_OF_PAIRS = 6.0
#: Number of judges needed for ranges over judges alone.
FEWEST_JUDGES = 10
#: The effective number of nearly equal shares is slightly below the number of units.
_ABOUT = 0.5


def blocks_needed(systems: int, options: RangeOptions) -> int:
    """Return the number of blocks that each of n ranked systems needs for these ranges."""
    if options.ranges != "percentile":
        return FEWEST_BLOCKS
    per_system = FEWEST_BLOCKS_PER_SYSTEM
    if options.resample == "pairs":
        per_system = FEWEST_BLOCKS_OF_PAIRS
    return max(FEWEST_BLOCKS, math.ceil(per_system * systems))


def shortages_of(
    tallies: Tallies,
    options: RangeOptions,
    *,
    blocks: int,
    effective: EffectiveUnits,
    limits: tuple[str, ...] = (),
    refused: Mapping[str, Shortage],
) -> dict[str, Shortage]:
    """Return the shortage of each ranked system whose range and tests of pairs cannot be estimated
    yet.

    Parameters
    ----------
    tallies : Tallies of n ranked systems
    options : RangeOptions
    blocks : int
        Number of judged blocks.
    effective : EffectiveUnits
    limits : tuple of str
        Units that the ranges ignore.
    refused : mapping
        Shortages of systems whose anytime ranges are refused.

    Returns
    -------
    dict
        Shortages by system, without systems that lack nothing.
    """
    if options.ranges == "anytime":
        return dict(refused)
    few = _too_few_units(
        systems=len(tallies.systems),
        options=options,
        effective=effective,
        limits=limits,
    )
    if few is not None:
        return dict.fromkeys(tallies.systems, few)
    needed = blocks_needed(len(tallies.systems), options)
    blocks_by_system = blocks_of_systems(tallies, blocks)
    shortages = {}
    for system, count in zip(tallies.systems, blocks_by_system, strict=True):
        if count < needed - _ABOUT:
            shortages[system] = Shortage("blocks", count, needed)
    return shortages


def blocks_of_systems(tallies: Tallies, blocks: int) -> list[float]:
    """Return the number of blocks equivalent to the comparisons of each system.

    A block of s systems has s (s − 1) / 2 comparisons, s − 1 of each system.
    """
    comparisons = tallies.wins + tallies.wins.T + tallies.ties
    counts = comparisons.sum(axis=1)
    if not blocks or not counts.any():
        return [0.0] * len(counts)
    counts_per_block = float(counts.sum()) / blocks
    systems_per_block = (1 + math.sqrt(1 + 4 * counts_per_block)) / 2
    opponents = max(1.0, systems_per_block - 1)
    equivalent: list[float] = np.round(counts / opponents, 6).tolist()
    return equivalent


def _too_few_units(
    systems: int,
    options: RangeOptions,
    effective: EffectiveUnits,
    limits: tuple[str, ...],
) -> Shortage | None:
    """Return the independent unit of which there are too few for the ranges, if any."""
    if options.resample == "segments":
        needed = blocks_needed(systems, options)
        if effective.segments < needed - _ABOUT:
            return Shortage("segments", effective.segments, needed)
    over_judges = options.resample == "judges" or "few_segments" in limits
    if not over_judges or "few_judges" in limits:
        return None
    if effective.judges < FEWEST_JUDGES - _ABOUT:
        return Shortage("judges", effective.judges, FEWEST_JUDGES)
    return None


def shortages_of_refusals(
    ranges: AnytimeRanges,
    *,
    documents: bool,
) -> dict[str, Shortage]:
    """Return the shortage of each system refused by anytime ranges, in documents instead of
    segments if known.
    """
    unit = "segments"
    if documents:
        unit = "documents"
    shortages = {}
    for index, system in enumerate(ranges.systems):
        reasons = ranges.refusals.get(system, ())
        if Refusal.FEW_JUDGES in reasons:
            judges = float(ranges.judges[index])
            shortages[system] = Shortage("judges", judges, math.ceil(MIN_JUDGES))
        elif Refusal.FEW_SEGMENTS in reasons:
            segments = float(ranges.segments[index])
            shortages[system] = Shortage(unit, segments, math.ceil(MIN_SEGMENTS))
    return shortages


#: With fewer degrees of freedom, a t distribution has no useful variance.
_MIN_DEGREES_OF_FREEDOM = 4.0


def resampling_at(
    level: Level,
    blocks: Blocks,
    *,
    seed: int,
) -> tuple[Resampling, tuple[RangeLimit, ...]]:
    """Return the resampling of a level; for segments and judges, see `two_way_resampling`."""
    word_check("level", level, Level)
    if level == "two_way":
        return two_way_resampling(blocks, seed=seed)
    return Resampling(level, seed), ()


def two_way_resampling(
    blocks: Blocks,
    *,
    seed: int,
) -> tuple[Resampling, tuple[RangeLimit, ...]]:
    """Return the resampling of segments and judges, see `TwoWayResampling`, and the units that it
    ignores.
    """
    resampling = _two_way(blocks, seed=seed)
    return resampling.resampling, resampling.limits


@dataclass(frozen=True)
class TwoWayResampling:
    """The resampling of segments and judges.

    Resampling both segments and judges, with the product of their weights, gives the variance V_segments + V_judges + V_blocks,
    which is too large. If each unit is drawn with probability a, the variance is a (V_segments + V_judges) + a² V_blocks. a is
    chosen such that, for Expected Wins, which all campaigns have, the trace of this variance is that of
    `ranking.core.uncertainty.two_way_covariance`, enlarged as for draws with few degrees of freedom.

    Attributes
    ----------
    resampling : Resampling
        At the level "two_way", or at "segments", "judges" or "blocks" if there are too few judges
        or segments; with documents instead of segments if there are enough documents.
    limits : tuple of RangeLimit
        Units that it ignores.
    enlarged : float
        Variance over resamples divided by the estimated variance.
    degrees_of_freedom : float
        Of the estimated variance of one difference.
    """

    resampling: Resampling
    limits: tuple[RangeLimit, ...]
    enlarged: float
    degrees_of_freedom: float


def _two_way(blocks: Blocks, *, seed: int) -> TwoWayResampling:
    n = len(blocks.systems)
    moments = moments_of_blocks(blocks, Layout(n))
    _scores, influence = scores_and_influence(moments, n)
    covariance = two_way_covariance(moments, influence)
    estimated = float(np.trace(covariance.matrix))
    by_documents = blocks.document is not None and not moments.few_documents

    def drawn(unit: ClusterUnit) -> float:
        squares = getattr(moments, unit).astype(np.float64)
        return float(np.trace(influence @ squares @ influence.T))

    if RangeLimit.FEW_JUDGES in covariance.limits:
        unit: ClusterUnit = "segments"
        if RangeLimit.FEW_SEGMENTS in covariance.limits:
            unit = "blocks"
        resampling = Resampling(unit, seed, documents=by_documents)
        variance = drawn(unit)
    elif RangeLimit.FEW_SEGMENTS in covariance.limits:
        resampling = Resampling("judges", seed)
        variance = drawn("judges")
    else:
        # Draws with few degrees of freedom have a larger variance than normal ones, and so must
        # resamples.
        freedom = max(_MIN_DEGREES_OF_FREEDOM, covariance.rank_degrees_of_freedom)
        freedom = min(freedom, 1e9)
        unit_variance = drawn("segments") + drawn("judges")
        block_variance = drawn("blocks")
        share = _share(
            unit_variance,
            block_variance,
            estimated * freedom / (freedom - 2),
        )
        resampling = Resampling(
            level="two_way",
            seed=seed,
            share=share,
            documents=by_documents,
        )
        variance = share * unit_variance + share**2 * block_variance
    enlarged = 1.0
    if variance > 0 and estimated > 0:
        enlarged = variance / estimated
    return TwoWayResampling(
        resampling=resampling,
        limits=covariance.limits,
        enlarged=enlarged,
        degrees_of_freedom=covariance.degrees_of_freedom,
    )


class _Sampled(NamedTuple):
    """Covariance of scores between samples, and its degrees of freedom."""

    matrix: FloatArray
    degrees_of_freedom: float


class _Certainty(NamedTuple):
    """Variance over resamples divided by the estimated variance, and the degrees of freedom of that."""

    enlarged: float
    degrees_of_freedom: float


@dataclass(frozen=True, eq=False, kw_only=True)
class RangeFinder:
    """Finds rank ranges of n systems, and tests of their pairs.

    Attributes
    ----------
    judged : Blocks or CountedJudgments
        Judgments of n systems that the method can score: counts, including those of
        `RangeOptions.keeps`, if `RangeOptions.is_live` is true, else blocks.
    method : Method
    parameters : mapping
        All parameters of the method.
    options : RangeOptions
    scores : Scores of shape (n,)
        The method's scores for these judgments.
    seed : int
        0 ≤ seed < 2**64.
    """

    judged: Blocks | CountedJudgments
    method: Method
    parameters: MethodParameters
    options: RangeOptions
    scores: Scores
    seed: int

    def find(
        self,
        *,
        all_systems: int | None = None,
        **running: Unpack[Running],
    ) -> RangesWithTests:
        """Return the ranges and tests.

        Parameters
        ----------
        all_systems : int, optional
            Number of systems, including those that the method cannot score; n if not given. Anytime
            ranges need it.
        **running : see `ranking.core.sharding.Running`
            Progress is that of resamples.

        Raises
        ------
        ValueError
            If the method cannot be resampled at this level, or has no anytime ranges.
        """
        options = self.options
        if options.ranges == "anytime":
            return self._anytime(all_systems or len(self.wins))
        if options.ranges == "sign_test":
            return self._sign_test_ranges()
        if not options.is_closed_form(self.method):
            return self._resampled_ranges(**running)
        ranges = self._closed_form_ranges()
        progress = running.get("progress")
        if progress is not None:
            progress(options.resamples, options.resamples)
        return ranges

    @property
    def wins(self) -> Int64Array:
        """Number of wins of each system against each other one."""
        if isinstance(self.judged, Blocks):
            return tally(self.judged).wins
        return self.judged.tallies.wins

    def _anytime(self, all_systems: int) -> RangesWithTests:
        """Return ranges that hold at any time."""
        if self.method.name != "expected_wins" or isinstance(self.judged, Blocks):
            raise ValueError(
                f"ranges: anytime ranges need the method expected_wins, not {self.method.name}",
            )
        # Segments are never used instead of documents here: with few documents, no pairs are
        # separated.
        moments = self.judged.chosen_moments(self.method, fewest_documents=0)
        ranges = anytime_ranges_of_moments(
            moments,
            self.judged.systems,
            confidence=self.options.confidence,
            all_systems=all_systems,
        )
        values = ranges.scores.values
        is_ahead = as_column(values) > values
        p_ahead = np.minimum(1.0, np.exp(-ranges.log_evidence))
        p = np.where(is_ahead, p_ahead, 1.0)
        adjusted = np.minimum(1.0, p * number_of_pairs(all_systems))
        refusals = {}
        for name, reasons in sorted(ranges.refusals.items()):
            refusals[name] = [str(reason) for reason in reasons]
        shortages = shortages_of_refusals(ranges, documents=self.judged.documents > 1)
        return RangesWithTests(
            ranges=ranges.ranges,
            tests=PairTests(p_value=p, adjusted_p=adjusted),
            limits=tuple(str(reason) for reason in ranges.refused),
            errors=self._standard_errors(),
            shortages=shortages,
            refusals=refusals,
        )

    def _sign_test_ranges(self) -> RangesWithTests:
        """Return ranges from significant differences of pairs."""
        options = self.options
        tests = sign_tests(
            self.wins,
            sides=options.sides,
            correction=options.correction,
        )
        return RangesWithTests(
            ranges=ranges_of_better(tests.adjusted_p <= options.level),
            tests=tests,
            errors=self._standard_errors(),
        )

    def _closed_form_ranges(self) -> RangesWithTests:
        """Return ranges from the covariance of the scores."""
        covariance = self._closed_form()
        sampled = _Sampled(covariance.matrix, covariance.degrees_of_freedom)
        tests = self._tests(sampled)
        if self.options.ranges == "confidence_set":
            ranges, tests = self._confidence_sets(sampled, tests)
        else:
            # The order in which draws are assigned to systems does not depend on their names.
            order = canonical_order(self.wins, np.zeros_like(self.wins))
            ids = range(self.options.resamples)
            drawn = draw_scores(
                self.scores,
                covariance,
                ids,
                seed=self.seed,
                order=order,
            )
            ranges = rank_ranges(drawn, confidence=self.options.confidence)
        return RangesWithTests(
            ranges=ranges,
            tests=tests,
            limits=tuple(str(limit) for limit in covariance.limits),
            errors=np.sqrt(np.diag(covariance.matrix)),
        )

    def _resampled_ranges(self, **running: Unpack[Running]) -> RangesWithTests:
        """Return ranges from the scores of resamples."""
        errors = self._standard_errors()
        score, limits = self._scorer()
        resamples = self.options.resamples
        resampled = score_resamples(score, resamples=resamples, **running)
        certainty = self._certainty()
        sampled = _Sampled(
            matrix=_covariance(self.scores, resampled) / certainty.enlarged,
            degrees_of_freedom=certainty.degrees_of_freedom,
        )
        tests = self._tests(sampled)
        if self.options.ranges == "confidence_set":
            ranges, tests = self._confidence_sets(sampled, tests)
        else:
            ranges = rank_ranges(resampled, confidence=self.options.confidence)
        return RangesWithTests(
            ranges=ranges,
            tests=tests,
            limits=tuple(str(limit) for limit in limits),
            errors=errors,
        )

    def _tests(self, sampled: _Sampled) -> PairTests:
        return difference_tests(
            self.scores,
            sampled.matrix,
            degrees_of_freedom=sampled.degrees_of_freedom,
            sides=self.options.sides,
            correction=self.options.correction,
        )

    def _confidence_sets(
        self,
        sampled: _Sampled,
        tests: PairTests,
    ) -> tuple[RankRanges, PairTests]:
        """Return confidence sets of ranks, and the tests of pairs that belong to them."""
        values = self.scores.values
        confidence = self.options.confidence
        if self.options.correction is not Correction.HOLM:
            ranges = rank_confidence_sets(
                values,
                sampled.matrix,
                confidence=confidence,
                degrees_of_freedom=sampled.degrees_of_freedom,
                group=self.scores.group,
                seed=self.seed,
            )
            return ranges, tests
        adjusted = pairwise_p_values(
            values,
            sampled.matrix,
            degrees_of_freedom=sampled.degrees_of_freedom,
            group=self.scores.group,
            seed=self.seed,
        )
        ranges = ranges_of_better(adjusted <= 1 - confidence)
        return ranges, PairTests(p_value=tests.p_value, adjusted_p=adjusted)

    def _certainty(self) -> _Certainty:
        level = self.options.resample
        if level == "two_way" and isinstance(self.judged, Blocks):
            resampling = _two_way(self.judged, seed=self.seed)
            return _Certainty(resampling.enlarged, resampling.degrees_of_freedom)
        if level not in ("segments", "judges"):
            return _Certainty(1.0, np.inf)
        if isinstance(self.judged, Blocks):
            units = effective_units(self.judged, self.method)
        else:
            units = effective_units_of_sizes(self.judged.sizes)
        effective = units.judges
        if level == "segments":
            effective = units.segments
        # Resamples of G units vary by (G − 1) / G less than new samples.
        enlarged = max(0.5, 1 - 1 / max(effective, 1))
        return _Certainty(enlarged, max(1.0, effective - 1))

    def _closed_form(self) -> ScoreCovariance:
        judged = self.judged
        method = self.method
        if isinstance(judged, Blocks):
            return method.score_covariance(judged, **self.parameters)
        layout = method.layout(len(judged.systems))
        moments = judged.chosen_moments(method)
        return method.covariance(moments, layout, **self.parameters)

    def _standard_errors(self) -> FloatArray | None:
        """Return standard errors over the independent units; None if unknown."""
        judged = self.judged
        method = self.method
        level = self.options.resample
        if not method.has_closed_form:
            return None
        if isinstance(judged, Blocks):
            return method.standard_errors(judged, level, **self.parameters)
        if method.influence is None:
            return None
        if level == "two_way":
            moments: Moments | Int64Array | None = judged.chosen_moments(method)
        elif level == "pairs" or judged.units is not None:
            moments = judged.units
        else:
            return None
        layout = method.layout(len(judged.systems))
        cells = judged.cells_for(method)
        influence = method.influence(layout.unpack(cells), **self.parameters)
        return standard_errors_of_counts(
            cells=cells,
            layout=layout,
            influence=influence,
            moments=moments,
        )

    def _scorer(self) -> tuple[Callable[[range], Scores], tuple[RangeLimit, ...]]:
        """Return a function that scores resamples, and the sources of variation that they ignore.

        Raises
        ------
        ValueError
            If the method cannot be resampled at this level, or its resamples were not counted.
        """
        judged = self.judged
        name = self.method.name
        resample = self.options.resample
        if isinstance(judged, Blocks):
            resampling, limits = resampling_at(resample, judged, seed=self.seed)
            score = partial(
                _resampled_scores,
                judged,
                name,
                self.parameters,
                resampling,
            )
            return score, limits
        layout = self.method.layout(len(judged.systems))
        cells = judged.resampled
        if resample == "pairs":
            if layout.outright:
                raise ValueError(
                    f"{name} scores blocks: it cannot be resampled by pairs",
                )
            ids = range(self.options.resamples)
            resampling = Resampling("pairs", self.seed)
            cells = resampling.pair_counts(judged.tallies, layout, ids)
        if cells is None:
            raise ValueError(f"resample: no resamples of {resample} were counted")
        return partial(_scores_of_counts, name, cells, layout, self.parameters), ()


def _share(of_units: float, of_blocks: float, target: float) -> float:
    """Return the a between 0 and 1 that solves a · of_units + a² · of_blocks = target."""
    if of_blocks <= 0:
        return 1.0
    root = math.sqrt(of_units**2 + 4 * of_blocks * target)
    return min(1.0, (root - of_units) / (2 * of_blocks))


@in_threads
def _scores_of_counts(
    method: str,
    cells: Int64Array,
    layout: Layout,
    parameters: MethodParameters,
    ids: range,
) -> Scores:
    counts_method = counts_method_named(method)
    chosen = cells[ids.start : ids.stop]
    return counts_method.score_counted(chosen, layout, **parameters)


@in_threads
def _resampled_scores(
    blocks: Blocks,
    method: str,
    parameters: MethodParameters,
    resampling: Resampling,
    ids: range,
) -> Scores:
    return method_named(method).score_resamples(blocks, resampling, ids, **parameters)


#: Number of resamples to order within the time; one may take ten times as long as another.
_MOST_TRIED = 32
_SECONDS_TO_TRY = 1.0


def seconds_of_resamples(
    blocks: Blocks,
    *,
    resample: Level,
    resamples: int,
    seed: int = 0,
    time_limit: float = TIME_LIMIT,
) -> float:
    """Estimate the time that one thread takes to order the resamples of a ranking.

    The first resamples are ordered for about a second, and their mean time is extrapolated. The
    orders are discarded.

    Parameters
    ----------
    blocks : Blocks
        Blocks over n systems.
    resample : Level
        Units to resample.
    resamples : int
        At least 1.
    seed : int
        0 ≤ seed < 2**64.
    time_limit : float
        As for `ranking.core.methods.lopez.lopez_order`.

    Returns
    -------
    float
        Seconds; 0 for up to 12 systems, which always take only milliseconds per resample. Often off
        by a factor of two, because few resamples take most of the time.
    """
    word_check("resample", resample, Level)
    ranked = _drop_undecided_systems(blocks)
    layout = Layout(len(ranked.systems))
    if layout.systems <= QUICK:
        return 0.0
    resampling = resampling_at(resample, ranked, seed=seed)[0]
    cells = resampling.counts(ranked, layout, range(min(resamples, _MOST_TRIED)))
    tables = layout.unpack(cells).wins
    tried = 0
    spent = 0.0
    begun = perf_counter()
    while tried < len(tables) and spent < _SECONDS_TO_TRY:
        lopez_order(tables[tried], time_limit=time_limit)
        tried += 1
        spent = perf_counter() - begun
    return resamples * spent / tried


def _drop_undecided_systems(blocks: Blocks) -> Blocks:
    """Return the blocks without systems that Lopez cannot order, as in a ranking."""
    wins = tally(blocks).wins
    is_decided = (wins + wins.T).any(axis=0)
    return blocks.of_systems(np.flatnonzero(is_decided))
