"""How κ of all judges, and of each judge with the others, changes when judgments are left out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.counts import (
    AGREEING,
    COMPARABLE,
    COMPARISONS,
    OTHER_TIES,
    OWN_TIES,
    TIES,
    AgreementCounts,
)
from ranking.core.agreement.kappa_intervals import Spread
from ranking.core.agreement.shared_items import PairMoments
from ranking.core.agreement.statistics import scott_chance, share
from ranking.core.counting.effective_numbers import effective_number

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: The counts of a judge on a segment that are pairs with others.
_PAIRS = [COMPARABLE, AGREEING, OWN_TIES, OTHER_TIES]
#: The counts that κ of all judges is computed from.
_ALL = [COMPARABLE, AGREEING, TIES, COMPARISONS]


def cohen_chance(tied: FloatArray, others_tied: FloatArray) -> FloatArray:
    """Return P(E) of Cohen's κ with symmetric outcomes: t u + 2 (1 − t)/2 (1 − u)/2."""
    return tied * others_tied + (1 - tied) * (1 - others_tied) / 2


def kappa_of(p_agree: FloatArray, p_chance: FloatArray) -> FloatArray:
    """Return (P(A) − P(E)) / (1 − P(E)), NaN where P(E) = 1."""
    kappa: FloatArray = (p_agree - p_chance) / np.where(p_chance < 1, 1 - p_chance, np.nan)
    return kappa


def lowest_kappa(p_chance: float) -> float:
    """Return the lowest possible κ, that of P(A) = 0; 0 if P(E) = 1."""
    return -p_chance / (1 - p_chance) if p_chance < 1 else 0.0


def kappa_of_judge(sums: Int64Array, p_chance: float | None) -> tuple[FloatArray, FloatArray]:
    """Return κ of a judge with others, and its P(E).

    Parameters
    ----------
    sums : int64, shape (..., 4)
        Pairs with others: all, agreeing, with a tie of the judge, with a tie of the other judge.
    p_chance : float or None
        P(E) of all judges; None to estimate it from these pairs.

    Returns
    -------
    kappa, p_chance : float64, shape (...)
        NaN where the counts do not determine them.
    """
    pairs = sums[..., COMPARABLE]
    if p_chance is None:
        own, others = share(sums[..., OWN_TIES], pairs), share(sums[..., OTHER_TIES], pairs)
        by_chance = cohen_chance(own, others)
    else:
        by_chance = np.full(pairs.shape, p_chance)
    return kappa_of(share(sums[..., AGREEING], pairs), by_chance), by_chance


def judge_spreads(
    counts: AgreementCounts, judges: int, *, p_chance: float | None
) -> tuple[Spread, ...]:
    """Return how each judge's κ with the others changes without each segment and other judge.

    The judge is never left out of their own κ. Comparisons with one other judge on one segment
    count for both that judge and the segment, so their linearised part is subtracted once.

    Parameters
    ----------
    counts : AgreementCounts
        With `shared_items`.
    judges : int
    p_chance : float or None
        P(E) of all judges, taken as known; None to estimate it from the judge's own pairs.

    Returns
    -------
    tuple of Spread
        For each judge.

    Raises
    ------
    ValueError
        If `counts` has no `shared_items`.
    """
    if counts.shared_items is None:
        raise ValueError("counts: expected those with shared items")
    compared = np.flatnonzero(counts.counts[:, COMPARABLE])
    order = compared[np.argsort(counts.judge[compared], kind="stable")]
    starts = np.searchsorted(counts.judge[order], np.arange(judges + 1))
    found = []
    for judge in range(judges):
        others = counts.shared_items.with_others(judge)
        on_segments = counts.counts[order[starts[judge] : starts[judge + 1]]][:, _PAIRS]
        whole = on_segments.sum(axis=0)
        slope = _slope(whole, p_chance)
        found.append(
            Spread(
                kappa=float(kappa_of_judge(whole, p_chance)[0]),
                without_segment=kappa_of_judge(whole - on_segments, p_chance)[0],
                without_judge=kappa_of_judge(whole - others, p_chance)[0],
                overlap=float(slope @ counts.shared_items.moments[judge] @ slope),
                judges=effective_number(others[:, COMPARABLE]),
            )
        )
    return tuple(found)


def _slope(sums: Int64Array, p_chance: float | None) -> FloatArray:
    """Return the derivatives of a judge's κ with respect to the four sums."""
    pairs = float(sums[COMPARABLE])
    if not pairs:
        return np.full(len(sums), np.nan)
    agree, own, others = (sums[kind] / pairs for kind in (AGREEING, OWN_TIES, OTHER_TIES))
    kappa, by_chance = (float(value) for value in kappa_of_judge(sums, p_chance))
    beyond = 1 / (1 - by_chance) if by_chance < 1 else np.nan
    # With respect to P(A), and to the two shares of ties that determine P(E).
    by_agree = beyond
    by_own = (kappa - 1) * beyond * (3 * others - 1) / 2 if p_chance is None else 0.0
    by_others = (kappa - 1) * beyond * (3 * own - 1) / 2 if p_chance is None else 0.0
    by_pairs = -(by_agree * agree + by_own * own + by_others * others)
    return np.array([by_pairs, by_agree, by_own, by_others]) / pairs


def inter_spread(counts: AgreementCounts, judges: int, *, expected: float | None) -> Spread:
    """Return how κ of all judges changes without each segment, judge and pair of judges.

    Parameters
    ----------
    counts : AgreementCounts
        With `shared_items`.
    judges : int
    expected : float or None
        P(E) if it is fixed; None for Scott's, which is estimated each time.

    Returns
    -------
    Spread

    Raises
    ------
    ValueError
        If `counts` has no `shared_items`.
    """
    if counts.shared_items is None:
        raise ValueError("counts: expected those with shared items")
    cells = counts.counts[:, _ALL]
    # Each pair counts for both of its judges, so all numbers of pairs are doubled.
    whole = cells.sum(axis=0)
    on_segments = np.zeros((len(counts.segments), len(_ALL)), dtype=np.int64)
    np.add.at(on_segments, counts.segment, cells)
    # Leaving out a judge also removes the pairs that count for the other judge, but no other
    # ties.
    gone = np.array([2, 2, 1, 1])
    by_judge = counts.by_judge(judges)[:, _ALL]
    kappa, p_chance = (float(value) for value in kappa_over_all(whole, expected))
    comparable, agreeing = (int(whole[kind]) // 2 for kind in (COMPARABLE, AGREEING))
    overlap = kappa_over_all(whole - gone * cells, expected)[0] - kappa
    pairs, pairs_in_segments = squared_changes_of_pairs(
        counts.shared_items.pair_moments(), comparable, agreeing, p_chance
    )
    return Spread(
        kappa=kappa,
        without_segment=kappa_over_all(whole - on_segments, expected)[0],
        without_judge=kappa_over_all(whole - gone * by_judge[by_judge[:, 3] > 0], expected)[0],
        overlap=float(np.nansum(overlap**2)),
        judges=effective_number(by_judge[:, COMPARABLE]),
        pairs=pairs,
        pairs_in_segments=pairs_in_segments,
    )


def kappa_over_all(sums: Int64Array, expected: float | None) -> tuple[FloatArray, FloatArray]:
    """Return κ of all pairs, and P(E).

    Parameters
    ----------
    sums : int64, shape (..., 4)
        Pairs, agreeing pairs, ties, comparisons.
    expected : float or None
        P(E) if it is fixed; None for Scott's.

    Returns
    -------
    kappa, p_chance : float64, shape (...)
    """
    tied = share(sums[..., 2], sums[..., 3])
    p_chance = scott_chance(tied) if expected is None else np.full(tied.shape, expected)
    return kappa_of(share(sums[..., AGREEING], sums[..., COMPARABLE]), p_chance), p_chance


def squared_changes_of_pairs(
    moments: PairMoments, comparable: int, agreeing: int, p_chance: float
) -> tuple[float, float]:
    """Return sums of squared changes of κ without two judges' pairs, in all and on a segment.

    The changes are linearised and all pairs weigh the same: (agreeing − P(A) comparable) / (all (1
    − P(E))).

    Parameters
    ----------
    moments : PairMoments
    comparable, agreeing : int
        Numbers of all compared pairs, and of those that agree.
    p_chance : float

    Returns
    -------
    pairs, pairs_in_segments : float
    """
    if not comparable or not p_chance < 1:
        return 0.0, 0.0
    slope = np.array([-agreeing / comparable, 1.0]) / (comparable * (1 - p_chance))
    return float(slope @ moments.both @ slope), float(slope @ moments.in_segments @ slope)
