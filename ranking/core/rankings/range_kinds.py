"""Rank ranges of a chosen kind for a ranking, with tests of its pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ranking.core.anytime.ranges import anytime_ranges
from ranking.core.counting.bootstrap import trim_count
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.counting.tallies import chunks, tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import Method, joined
from ranking.core.ranges.clusters import RankRanges, rank_ranges
from ranking.core.ranges.confidence_sets import pairwise_p_values, rank_confidence_sets
from ranking.core.ranges.pairs import PairTests, difference_tests, sign_tests
from ranking.core.ranges.sign_tests import Correction, Sides, rank_ranges_by_sign_test
from ranking.core.rankings.drawn_scores import draw_around
from ranking.core.rankings.two_way_resampling import resampling_at
from ranking.core.scores import Scores

FloatArray = npt.NDArray[np.float64]
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
        (`ranking.core.anytime.ranges`), only for Expected Wins.
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
    extra : mapping
        Further results for this kind of ranges, as plain JSON.
    """

    ranges: RankRanges
    tests: PairTests
    limits: tuple[str, ...] = ()
    errors: FloatArray | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Spread:
    """Scores, their covariance, and a function that returns resampled or drawn scores."""

    scores: Scores
    matrix: FloatArray
    degrees_of_freedom: float
    limits: tuple[str, ...]
    resampled: Callable[[], Scores]
    errors: FloatArray | None = None


def find_ranges(
    blocks: Blocks,
    method: Method,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    scores: Scores,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> RangesFound:
    """Return rank ranges of the systems, and tests of their pairs.

    Parameters
    ----------
    blocks : Blocks
        Blocks over n systems that the method can score.
    method : Method
    parameters : mapping
        All parameters of the method.
    options : RangeOptions
    scores : Scores of shape (n,)
        The method's scores for these blocks.
    seed : int
        0 ≤ seed < 2**64.
    jobs : int
        Number of threads. Does not affect the result.
    progress : callable, optional
        Called with (resamples scored, all resamples).

    Returns
    -------
    RangesFound

    Raises
    ------
    ValueError
        If the method cannot be resampled at this level, or has no anytime ranges.
    """
    if options.kind == "sign_test":
        return _by_sign_test(blocks, options)
    if options.kind == "anytime":
        return _anytime(blocks, method, options)
    if options.is_closed_form(method):
        spread = _closed_form(blocks, method, parameters, options, scores=scores, seed=seed)
        if progress is not None:
            progress(options.resamples, options.resamples)
    else:
        spread = _of_resamples(
            blocks,
            method,
            parameters,
            options,
            scores=scores,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
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


def _by_sign_test(blocks: Blocks, options: RangeOptions) -> RangesFound:
    wins = tally(blocks).wins
    sides, correction = options.chosen_sides, options.chosen_correction
    return RangesFound(
        ranges=rank_ranges_by_sign_test(
            wins, level=options.level, sides=sides, correction=correction
        ),
        tests=sign_tests(wins, sides=sides, correction=correction),
    )


def _anytime(blocks: Blocks, method: Method, options: RangeOptions) -> RangesFound:
    if method.name != "expected_wins":
        raise ValueError(f"ranges: anytime ranges need the method expected_wins, not {method.name}")
    found = anytime_ranges(blocks, confidence=options.confidence)
    ahead = found.scores.values[:, np.newaxis] > found.scores.values
    p = np.where(ahead, np.minimum(1.0, np.exp(-found.log_evidence)), 1.0)
    n = len(blocks.systems)
    adjusted = np.minimum(1.0, p * max(1, n * (n - 1) // 2))
    return RangesFound(
        ranges=found.ranges,
        tests=PairTests(p_value=p, adjusted_p=adjusted),
        limits=tuple(str(reason) for reason in found.refused),
        extra={
            "refusals": {
                name: [str(reason) for reason in reasons]
                for name, reasons in sorted(found.refusals.items())
            }
        },
    )


def _confidence_set(
    spread: _Spread, tests: PairTests, options: RangeOptions, *, seed: int
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


def _of_resamples(
    blocks: Blocks,
    method: Method,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    scores: Scores,
    seed: int,
    jobs: int,
    progress: Progress | None,
) -> _Spread:
    resampling, limits = resampling_at(options.resample, blocks, seed=seed)
    resampled = _score_resamples(
        lambda ids: method.score_resamples(blocks, resampling, ids, **parameters),
        resamples=options.resamples,
        jobs=jobs,
        progress_parts=method.progress_parts,
        progress=progress,
    )
    return _Spread(
        scores=scores,
        matrix=_covariance(scores, resampled),
        degrees_of_freedom=np.inf,
        limits=tuple(str(limit) for limit in limits),
        resampled=lambda: resampled,
    )


def _closed_form(
    blocks: Blocks,
    method: Method,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    scores: Scores,
    seed: int,
) -> _Spread:
    covariance = method.score_covariance(blocks, **parameters)
    return _Spread(
        scores=scores,
        matrix=covariance.matrix,
        degrees_of_freedom=covariance.degrees_of_freedom,
        limits=tuple(str(limit) for limit in covariance.limits),
        resampled=lambda: draw_around(
            scores, tally(blocks).wins, covariance, seed=seed, draws=options.resamples
        ),
        errors=np.sqrt(np.diag(covariance.matrix)),
    )


def _covariance(scores: Scores, resampled: Scores) -> FloatArray:
    """Return the covariance of scores over the resamples in which both scores are estimable."""
    known = resampled.estimable & scores.estimable
    values = np.where(known, resampled.values, 0.0)
    mean = values.sum(axis=0) / np.maximum(1, known.sum(axis=0))
    apart = np.where(known, values - mean, 0.0)
    both = known.T.astype(np.int64) @ known.astype(np.int64)
    return np.asarray(apart.T @ apart / np.maximum(1, both - 1))


def _score_resamples(
    score: Callable[[range], Scores],
    *,
    resamples: int,
    jobs: int,
    progress_parts: int,
    progress: Progress | None,
) -> Scores:
    """Return scores of resamples, computed in parts for several threads or to report progress."""
    parts = jobs if progress is None else max(jobs, progress_parts)
    ids = [range(part.start, part.stop) for part in chunks(resamples, -(-resamples // parts))]
    scored: list[Scores] = []
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        # Threads suffice, because numpy and the compiled kernels release the interpreter's lock.
        for part, scores in zip(ids, pool.map(score, ids), strict=True):
            scored.append(scores)
            if progress is not None:
                progress(part.stop, resamples)
    return joined(scored)
