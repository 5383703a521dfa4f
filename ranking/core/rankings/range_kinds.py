"""Options of rank ranges, and ranges from scores and their spread.

Scores drawn at random around those of a method.

Rank ranges of a chosen kind for a ranking, with tests of its pairs.

What a ranking lacks before it has rank ranges and tests of pairs.

Percentiles of few draws promise more than they keep: after one block, a bootstrap draws this one block again and
again. How many blocks are enough was found by simulation (`tests/benchmarks/thin_coverage.py`,
docs/statistics/coverage.md): with fewer, more than 6 of 100 true ranks are outside their ranges. It grows with the
number of systems, because their scores are closer together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeGuard, get_args

import numpy as np

from ranking.core.anytime import MIN_JUDGES, MIN_SEGMENTS, AnytimeRanges, Refusal
from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.resampling import Level, Resampling, trim_count
from ranking.core.counting.tallies import Tallies, chunks
from ranking.core.methods.ability import canonical_order
from ranking.core.methods.method import CountsMethod, Method, joined
from ranking.core.ranges.clusters import RankRanges, rank_ranges
from ranking.core.ranges.confidence_sets import pairwise_p_values, rank_confidence_sets
from ranking.core.ranges.sign_tests import (
    Correction,
    PairTests,
    Sides,
    difference_tests,
    rank_ranges_by_sign_test,
    sign_tests,
)
from ranking.core.rankings.counted_judgments import EffectiveUnits
from ranking.core.scores import Scores, Shortage
from ranking.core.sharding.shards import Engine, map_shards
from ranking.core.uncertainty.two_way import ScoreCovariance, draw_scores


def draw_around(
    scores: Scores,
    wins: Int64Array,
    covariance: ScoreCovariance,
    *,
    seed: int,
    draws: int,
) -> Scores:
    """Return draws of scores with their covariance over segments and judges.

    Parameters
    ----------
    scores : Scores of shape (n,)
    wins : int64, shape (n, n)
        Comparisons won by each system against each other system. They determine the order in which
        draws are assigned to systems, so that renaming the systems renames the result.
    covariance : ScoreCovariance
        Of the scores.
    seed : int
        0 ≤ seed < 2**64.
    draws : int
        Number R of draws.

    Returns
    -------
    Scores
        Of shape (R, n).
    """
    order = canonical_order(wins, np.zeros_like(wins))
    return draw_scores(scores, covariance, range(draws), seed=seed, order=order)


Progress = Callable[[int, int], None]

RangeKind = Literal["percentile", "sign_test", "confidence_set", "anytime"]
RANGE_KINDS: tuple[RangeKind, ...] = get_args(RangeKind)


@dataclass(frozen=True, kw_only=True)
class RangeOptions:
    """Options of rank ranges.

    Attributes
    ----------
    kind : "percentile", "sign_test", "confidence_set" or "anytime"
        "percentile": percentiles of resampled or drawn ranks (Koehn 2012, §5.1). "sign_test":
        ranges from significant differences of pairs, with comparisons taken for independent
        (ibid.). "confidence_set": sets that also hold among near-equal systems
        (`ranking.core.ranges.confidence_sets`). "anytime": ranges that may be looked at every day
        (`ranking.core.anytime`), only for Expected Wins.
    resample : Level
        Units taken for independent, for percentiles and confidence sets.
    resamples : int
        Number of resamples, or of draws.
    confidence : float
        Between 0 and 1.
    correction : Correction or None
        Correction for the number of pairs; none if not given. Without it, each confidence set holds
        by itself; with `HOLM`, all hold together, by a procedure with at least as much power.
        Anytime ranges always hold together.
    sides : 1, 2 or None
        Sides of the tests of pairs. If not given, 1 for sign tests, as in the paper, and 2
        otherwise.

    Raises
    ------
    ValueError
        If options contradict each other.
    """

    kind: RangeKind = "percentile"
    resample: Level = "two_way"
    resamples: int = 1000
    confidence: float = 0.95
    correction: Correction | None = None
    sides: Sides | None = None

    def __post_init__(self) -> None:
        if self.kind not in RANGE_KINDS:
            raise ValueError(f"ranges: {self.kind!r} is none of {', '.join(RANGE_KINDS)}")
        if self.sides not in (None, 1, 2):
            raise ValueError("sides: expected 1 or 2")
        trim_count(self.resamples, self.confidence)
        Resampling(self.resample)
        if self.kind in ("confidence_set", "anytime") and self.sides == 1:
            raise ValueError(f"sides: {self.kind} ranges always use two-sided tests")
        false_share = Correction.BENJAMINI_HOCHBERG
        if self.kind == "confidence_set" and self.correction is false_share:
            raise ValueError(
                "correction: confidence sets hold each by itself (none) or all together (holm)"
            )
        if self.kind == "anytime" and self.correction not in (None, Correction.HOLM):
            raise ValueError("correction: anytime ranges always hold for all pairs together (holm)")

    @property
    def independent(self) -> Level:
        """Units that the ranges take for independent."""
        fixed: dict[RangeKind, Level] = {"sign_test": "pairs", "anytime": "two_way"}
        return fixed.get(self.kind, self.resample)

    @property
    def keeps(self) -> Level | None:
        """What must be counted beside wins and ties, see `count_judgments`."""
        drawn_from_tallies = self.independent == "pairs"
        return None if drawn_from_tallies else self.independent

    @property
    def chosen_sides(self) -> Sides:
        """Sides of the tests; the default of the kind if not given."""
        return self.sides or (1 if self.kind == "sign_test" else 2)

    @property
    def chosen_correction(self) -> Correction:
        """Correction of the tests; the default of the kind if not given."""
        return self.correction or (Correction.HOLM if self.kind == "anytime" else Correction.NONE)

    def is_closed_form(self, method: Method) -> bool:
        """Return whether the covariance of a method's scores is computed without resampling."""
        return self.resample == "two_way" and method.has_closed_form

    def is_live(self, method: Method) -> TypeGuard[CountsMethod]:
        """Return whether a ranking by a method is a function of counts that can be kept up to date.

        The others need all judgments each time: methods that need more than counts, such as
        Hopkins–May and TrueSkill, and resamples of both segments and judges, whose weights change
        with every judgment.
        """
        if not isinstance(method, CountsMethod):
            return False
        return self.independent != "two_way" or method.has_closed_form

    @property
    def level(self) -> float:
        """Largest significant corrected p-value."""
        return round(1 - self.confidence, 12)


@dataclass(frozen=True, eq=False)
class RangesFound:
    """Ranges of n systems, and tests of their pairs.

    Attributes
    ----------
    ranges : RankRanges
    tests : PairTests
    limits : tuple of str
        What the ranges fail to account for: codes of `RangeLimit` or `Refusal`.
    errors : float64, shape (n,), or None
        Standard errors of the scores over segments and judges; None if they are not known.
    shortages : mapping from a system's name to a Shortage
        What systems lack whose ranges this kind refuses.
    extra : mapping
        Further results for this kind of ranges, as plain JSON.
    """

    ranges: RankRanges
    tests: PairTests
    limits: tuple[str, ...] = ()
    errors: FloatArray | None = None
    shortages: Mapping[str, Shortage] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ScoreSpread:
    """Scores, their covariance, and a function that returns resampled or drawn scores."""

    scores: Scores
    matrix: FloatArray
    degrees_of_freedom: float
    limits: tuple[str, ...]
    resampled: Callable[[], Scores]
    errors: FloatArray | None = None


def ranges_by_sign_test(wins: Int64Array, options: RangeOptions) -> RangesFound:
    """Return ranges from significant differences of pairs, from the wins of n systems, (n, n)."""
    sides, correction = options.chosen_sides, options.chosen_correction
    return RangesFound(
        ranges=rank_ranges_by_sign_test(
            wins, level=options.level, sides=sides, correction=correction
        ),
        tests=sign_tests(wins, sides=sides, correction=correction),
    )


def ranges_of_spread(spread: ScoreSpread, options: RangeOptions, *, seed: int) -> RangesFound:
    """Return percentile ranges or confidence sets of scores, and tests of their differences."""
    tests = difference_tests(
        spread.scores,
        spread.matrix,
        degrees_of_freedom=spread.degrees_of_freedom,
        sides=options.chosen_sides,
        correction=options.chosen_correction,
    )
    if options.kind == "confidence_set":
        return _confidence_set(spread, tests, options, seed=seed)
    ranges = rank_ranges(spread.resampled(), confidence=options.confidence)
    return RangesFound(ranges, tests, spread.limits, spread.errors)


def spread_of_resamples(
    scores: Scores, resampled: Scores, limits: tuple[str, ...] = ()
) -> ScoreSpread:
    """Return the spread of scores over resamples, of shape (R, n)."""
    return ScoreSpread(
        scores=scores,
        matrix=_covariance(scores, resampled),
        degrees_of_freedom=np.inf,
        limits=limits,
        resampled=lambda: resampled,
    )


def spread_around(
    scores: Scores,
    wins: Int64Array,
    covariance: ScoreCovariance,
    options: RangeOptions,
    *,
    seed: int,
    progress: Progress | None,
) -> ScoreSpread:
    """Return the spread of scores with a covariance over segments and judges; call `progress` once, with all."""
    if progress is not None:
        progress(options.resamples, options.resamples)
    return ScoreSpread(
        scores=scores,
        matrix=covariance.matrix,
        degrees_of_freedom=covariance.degrees_of_freedom,
        limits=tuple(str(limit) for limit in covariance.limits),
        resampled=lambda: draw_around(scores, wins, covariance, seed=seed, draws=options.resamples),
        errors=np.sqrt(np.diag(covariance.matrix)),
    )


def _confidence_set(
    spread: ScoreSpread, tests: PairTests, options: RangeOptions, *, seed: int
) -> RangesFound:
    together = options.chosen_correction is Correction.HOLM
    ranges = rank_confidence_sets(
        spread.scores.values,
        spread.matrix,
        confidence=options.confidence,
        simultaneous=together,
        degrees_of_freedom=spread.degrees_of_freedom,
        group=spread.scores.group,
        seed=seed,
    )
    if together:
        adjusted = pairwise_p_values(
            spread.scores.values,
            spread.matrix,
            degrees_of_freedom=spread.degrees_of_freedom,
            group=spread.scores.group,
            seed=seed,
        )
        tests = PairTests(p_value=tests.p_value, adjusted_p=adjusted)
    return RangesFound(ranges, tests, spread.limits, spread.errors)


def _covariance(scores: Scores, resampled: Scores) -> FloatArray:
    """Return the covariance of scores over the resamples in which both scores are estimable."""
    known = resampled.estimable & scores.estimable
    values = np.where(known, resampled.values, 0.0)
    mean = values.sum(axis=0) / np.maximum(1, known.sum(axis=0))
    apart = np.where(known, values - mean, 0.0)
    both = known.T.astype(np.int64) @ known.astype(np.int64)
    return np.asarray(apart.T @ apart / np.maximum(1, both - 1))


def score_resamples(
    score: Callable[[range], Scores],
    *,
    resamples: int,
    engine: Engine | None,
    progress_parts: int,
    progress: Progress | None,
    at_a_time: int = 1,
) -> Scores:
    """Return scores of resamples, computed in parts for several workers or to report progress.

    Parts begin at multiples of `at_a_time`.
    """
    workers = 1 if engine is None else engine.workers
    parts = workers if progress is None else max(workers, progress_parts)
    size = -(-resamples // (parts * at_a_time)) * at_a_time
    ids = [range(part.start, part.stop) for part in chunks(resamples, size)]
    sizes = [len(part) for part in ids]
    return joined(map_shards(score, ids, engine=engine, progress=progress, sizes=sizes))


#: Blocks that every system needs: for any kind of ranges, and for percentiles per ranked system.
FEWEST_BLOCKS, FEWEST_BLOCKS_PER_SYSTEM = 8, 2.0
#: The same for percentiles of resampled comparisons, which are not independent in truth.
FEWEST_BLOCKS_OF_PAIRS = 6.0
#: Judges needed for ranges over judges alone.
FEWEST_JUDGES = 10
#: Effective numbers of about equal shares are slightly below the number of units.
_ABOUT = 0.5


def blocks_needed(systems: int, options: RangeOptions) -> int:
    """Return how many blocks each of n ranked systems needs for these ranges."""
    if options.kind != "percentile":
        return FEWEST_BLOCKS
    each = FEWEST_BLOCKS_OF_PAIRS if options.resample == "pairs" else FEWEST_BLOCKS_PER_SYSTEM
    return max(FEWEST_BLOCKS, math.ceil(each * systems))


def shortages_of(
    tallies: Tallies,
    options: RangeOptions,
    *,
    blocks: int,
    effective: EffectiveUnits,
    limits: tuple[str, ...] = (),
    refused: Mapping[str, Shortage],
) -> dict[str, Shortage]:
    """Return what each ranked system lacks before its range and the tests of its pairs are estimable.

    Parameters
    ----------
    tallies : Tallies of n ranked systems
    options : RangeOptions
    blocks : int
        Judged blocks.
    effective : EffectiveUnits
    limits : tuple of str
        Units that the ranges do not account for.
    refused : mapping
        What systems lack whose anytime ranges are refused.

    Returns
    -------
    dict
        By system; systems that lack nothing are left out.
    """
    if options.kind == "anytime":
        return dict(refused)
    few = _too_few_units(len(tallies.systems), options, effective, limits)
    if few is not None:
        return dict.fromkeys(tallies.systems, few)
    needed = blocks_needed(len(tallies.systems), options)
    shown = blocks_of_systems(tallies, blocks)
    return {
        system: Shortage("blocks", found, needed)
        for system, found in zip(tallies.systems, shown, strict=True)
        if found < needed - _ABOUT
    }


def blocks_of_systems(tallies: Tallies, blocks: int) -> list[float]:
    """Return the number of blocks that the comparisons of each system are worth.

    A block of s systems has s (s − 1) / 2 comparisons, s − 1 of each system.
    """
    counts = (tallies.wins + tallies.wins.T + tallies.ties).sum(axis=1)
    if not blocks or not counts.any():
        return [0.0] * len(counts)
    shown = (1 + math.sqrt(1 + 4 * float(counts.sum()) / blocks)) / 2
    worth: list[float] = np.round(counts / max(1.0, shown - 1), 6).tolist()
    return worth


def _too_few_units(
    systems: int, options: RangeOptions, effective: EffectiveUnits, limits: tuple[str, ...]
) -> Shortage | None:
    """Return which unit that ranges take for independent there is too little of, if any."""
    if options.independent == "segments":
        needed = blocks_needed(systems, options)
        if effective.segments < needed - _ABOUT:
            return Shortage("segments", effective.segments, needed)
    over_judges = options.independent == "judges" or "few_segments" in limits
    if over_judges and "few_judges" not in limits and effective.judges < FEWEST_JUDGES - _ABOUT:
        return Shortage("judges", effective.judges, FEWEST_JUDGES)
    return None


def shortages_of_refusals(found: AnytimeRanges, *, documents: bool) -> dict[str, Shortage]:
    """Return what each system lacks that anytime ranges refuse; its segments are documents if these are known."""
    shortages = {}
    for index, system in enumerate(found.systems):
        reasons = found.refusals.get(system, ())
        if Refusal.FEW_JUDGES in reasons:
            judges = float(found.judges[index])
            shortages[system] = Shortage("judges", judges, math.ceil(MIN_JUDGES))
        elif Refusal.FEW_SEGMENTS in reasons:
            unit = "documents" if documents else "segments"
            segments = float(found.segments[index])
            shortages[system] = Shortage(unit, segments, math.ceil(MIN_SEGMENTS))
    return shortages
