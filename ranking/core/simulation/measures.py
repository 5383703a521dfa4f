"""Measures of simulated campaigns, whose true rankings are known."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from ranking.core.counting.bootstrap import bootstrap_wins
from ranking.core.counting.counts import Counts
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.methods.linear_ordering.lopez import lopez_order
from ranking.core.methods.shares import bojar
from ranking.core.ranges.clusters import RankRanges, clusters, rank_ranges
from ranking.core.scores import TIE_DECIMALS
from ranking.core.simulation.model import (
    Model,
    Simulated,
    generator_of,
    resampling_generator,
    simulate_blocks,
)

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

Level = Literal["pairs", "blocks", "segments"]
_SEGMENT_KEYS = 200  # Stream of random numbers, apart from those of the simulation.


def significantly_better(wins: Int64Array, *, alpha: float = 0.05) -> BoolArray:
    """Return which systems are significantly better than which by the one-sided sign test.

    A system is significantly better if at least as many wins, of the m decided comparisons of the
    pair, have a probability of at most `alpha` for equally good systems. One-sided tests at 0.05,
    in both directions of each pair, reproduce the tables of Koehn (2012). The result is that of
    `ranking.core.ranges.sign_tests.better`, but it is looked up in a table: forty times as fast for
    the curves of thousands of campaigns.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
    alpha : float
        Between 0 and ½.

    Returns
    -------
    bool, shape (..., n, n)
        ``result[..., a, b]``: a is significantly better than b.
    """
    decided = wins + np.swapaxes(wins, -1, -2)
    better: BoolArray = wins >= critical_wins(decided, alpha=alpha)
    return better


def critical_wins(decided: Int64Array, *, alpha: float = 0.05) -> Int64Array:
    """Return the fewest wins that are significant by the one-sided sign test.

    Parameters
    ----------
    decided : int64, any shape
        Numbers m of decided comparisons.
    alpha : float
        The level, between 0 and 1.

    Returns
    -------
    int64, the shape of `decided`
        m + 1 where even m wins are not significant.
    """
    # A power of two, so that campaigns of similar size share one table.
    size = 1 << int(decided.max(initial=1)).bit_length()
    return _critical_wins(size, alpha)[decided]


@lru_cache(maxsize=16)
def _critical_wins(size: int, alpha: float) -> Int64Array:
    """Return the fewest significant wins of m, for m = 0 … size; m + 1 if even m are not.

    They are computed from the normal quantile with its correction for kurtosis (the binomial with ½
    has no skew), and from the binomial distribution itself where that could round to another
    number.
    """
    from scipy.stats import binom, norm  # a fifth of the time in which Django starts

    decided = np.arange(size + 1)
    z, m = norm.isf(alpha), np.maximum(decided, 1)
    bound = (m + 1) / 2 + np.sqrt(m) / 2 * (z - (z**3 - 3 * z) / (12 * m))
    critical = np.ceil(bound).astype(np.int64)
    close = np.flatnonzero((decided < 1000) | (np.abs(bound - np.rint(bound)) < 0.01))
    m, wins = decided[close], critical[close]
    for _step in range(2):
        wins -= binom.sf(wins - 2, m, 0.5) <= alpha
        wins += binom.sf(wins - 1, m, 0.5) > alpha
    critical[close] = wins
    return np.minimum(critical, decided + 1)


def significant_pairs(wins: Int64Array, *, alpha: float = 0.05) -> Float64Array:
    """Return the share of the n(n−1)/2 pairs that the sign test separates, shape (...)."""
    n = wins.shape[-1]
    separated = np.count_nonzero(significantly_better(wins, alpha=alpha), axis=(-2, -1))
    return np.asarray(separated / (n * (n - 1) / 2))


def sign_test_ranges(wins: Int64Array, *, alpha: float = 0.05) -> RankRanges:
    """Return rank ranges from pairwise significance (Koehn 2012, §5.1).

    A system with w significantly better ones and b significantly worse ones ranks between w + 1
    and n − b.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
    alpha : float
        One-sided level of each test.

    Returns
    -------
    RankRanges
        With arrays of shape (..., n).
    """
    better = significantly_better(wins, alpha=alpha)
    return RankRanges(
        low=1 + np.count_nonzero(better, axis=-2),
        high=wins.shape[-1] - np.count_nonzero(better, axis=-1),
    )


def bootstrap_ranges(
    simulated: Simulated,
    *,
    model: Model,
    level: Level,
    resamples: int,
    confidence: float,
    seed: int,
    experiment: int,
) -> RankRanges:
    """Return rank ranges from resampled Expected Wins at each checkpoint (Koehn 2012, §5.1).

    Parameters
    ----------
    simulated : Simulated
        The experiment, with C checkpoints.
    model : Model
        Of the experiment.
    level : "pairs", "blocks" or "segments"
        Units to resample: single comparisons with replacement, as in the paper; blocks; or segments
        with all their blocks.
    resamples, confidence
        As in `ranking.core.ranges.clusters.rank_ranges`.
    seed, experiment : int
        Of the experiment.

    Returns
    -------
    RankRanges
        With arrays of shape (C, n).
    """
    parts = []
    columns = None
    if level != "pairs":
        last = int(simulated.blocks[-1])
        columns, _quality = simulate_blocks(model, blocks=last, seed=seed, experiment=experiment)
    if columns is not None and level == "segments":
        # Blocks of one segment share a key, and so their weights.
        unit = generator_of(seed, experiment, _SEGMENT_KEYS)
        keys = unit.integers(0, 2**64, size=int(columns.segment.max()), dtype=np.uint64)
        columns = replace(columns, key=keys[columns.segment - 1])
    for checkpoint, count in enumerate(simulated.blocks.tolist()):
        random = resampling_generator(seed, experiment, count)
        if columns is None:
            wins = _resample_pairs(
                simulated.wins[checkpoint], simulated.ties[checkpoint], resamples, random
            )
        else:
            key = int(random.integers(0, 2**63))
            wins = bootstrap_wins(columns.take(slice(count)), resamples=resamples, seed=key)
        parts.append(rank_ranges(expected_wins(wins), confidence=confidence))
    return RankRanges(
        low=np.array([part.low for part in parts]), high=np.array([part.high for part in parts])
    )


def _resample_pairs(
    wins: Int64Array, ties: Int64Array, resamples: int, random: np.random.Generator
) -> Int64Array:
    """Draw as many comparisons as there are, ties included, with replacement.

    Returns
    -------
    int64, shape (R, n, n)
        Wins among the drawn comparisons.
    """
    cells = np.flatnonzero(wins)
    # All ties are one outcome here: they only reduce the number of wins drawn.
    counts = np.append(wins.ravel()[cells], ties.sum() // 2)
    drawn = np.zeros((resamples, wins.size), dtype=np.int64)
    total = int(counts.sum())
    drawn[:, cells] = random.multinomial(total, counts / total, size=resamples)[:, :-1]
    return drawn.reshape(resamples, *wins.shape)


def true_ranks(quality: Float64Array) -> Int64Array:
    """Return the ranks of systems by true quality, 1 for the best, shape (n,)."""
    ranks = np.empty(len(quality), dtype=np.int64)
    ranks[np.argsort(-quality, kind="stable")] = np.arange(1, len(quality) + 1)
    return ranks


def range_violations(ranges: RankRanges, true: Int64Array) -> Float64Array:
    """Return the share of systems whose true rank is outside their range, shape (...)."""
    outside = (true < ranges.low) | (true > ranges.high)
    return np.asarray(outside.mean(axis=-1))


def cluster_violations(cluster: Int64Array, true: Int64Array) -> Float64Array:
    """Return the share of systems placed above a truly better one, or below a truly worse one.

    Systems of one cluster are not ordered. Arguments of shapes (..., n) and (n,) give shape (...).
    """
    wrong = _misplaced(cluster, true)
    return np.asarray((wrong.any(axis=-1) | wrong.any(axis=-2)).mean(axis=-1))


def _misplaced(place: Int64Array, true: Int64Array) -> BoolArray:
    """Return which systems are placed above which truly better ones, shape (..., n, n)."""
    above: BoolArray = place[..., :, np.newaxis] < place[..., np.newaxis, :]
    return above & (true[:, np.newaxis] > true[np.newaxis, :])


def clusters_at(ranges: RankRanges) -> Int64Array:
    """Return the clusters at each checkpoint of ranges of shape (C, n), shape (C, n)."""
    return np.array(
        [
            clusters(RankRanges(low=low, high=high))
            for low, high in zip(ranges.low, ranges.high, strict=True)
        ]
    )


def method_ranks(method: str, wins: Int64Array) -> Int64Array:
    """Return ranks by one of the methods of Koehn (2012, §4).

    Parameters
    ----------
    method : str
        "bojar", "expected_wins", "lopez" (the order that violates the fewest comparisons) or
        "lopez_unweighted" (the order that violates the fewest pairs of systems).
    wins : int64, shape (C, n, n)

    Returns
    -------
    int64, shape (C, n)
        1 for the best. A system without comparisons counts as one that wins half of them, and comes
        last in the orders of Lopez. Equal scores are ordered by index, which is independent of
        quality in a simulation.

    Raises
    ------
    ValueError
        If the method is none of these.
    """
    if method == "lopez":
        return np.array([_lopez_ranks(counts) for counts in wins])
    if method == "lopez_unweighted":
        return method_ranks("lopez", (wins > np.swapaxes(wins, -1, -2)).astype(np.int64))
    if method == "expected_wins":
        scores = expected_wins(wins)
    elif method == "bojar":
        scores = bojar(Counts(wins=wins))
    else:
        raise ValueError(f"method: unknown {method!r}")
    values = np.round(np.where(scores.estimable, scores.values, 0.5), TIE_DECIMALS)
    return 1 + np.argsort(np.argsort(-values, axis=-1, kind="stable"), axis=-1)


def _lopez_ranks(wins: Int64Array) -> Int64Array:
    order = lopez_order(wins).order
    never_compared = np.setdiff1d(np.arange(len(wins)), order)
    ranks = np.empty(len(wins), dtype=np.int64)
    ranks[[*order, *never_compared.tolist()]] = np.arange(1, len(wins) + 1)
    return ranks


def error_of_ranks(ranks: Int64Array, true: Int64Array) -> Float64Array:
    """Return the share of the n(n−1)/2 pairs that are in the wrong order (Koehn 2012, eq. 5).

    The printed equation has n(n−2)/2, a misprint. Arguments of shapes (..., n) and (n,) give shape
    (...).
    """
    n = len(true)
    return np.asarray(np.count_nonzero(_misplaced(ranks, true), axis=(-2, -1)) / (n * (n - 1) / 2))
