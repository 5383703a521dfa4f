"""Cohen's κ of every pair of judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import sparse

from optional_packages import has_extra
from ranking.core.agreement.counts import shards_of_whole_segments
from ranking.core.agreement.statistics import cohen_of_tables
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Outcome, Pairing, collapsed_comparisons
from ranking.core.scores import NotEstimable

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
_Count = Callable[..., Int64Array]

#: The number of ratings from which a compiled loop pays: compiling takes seconds, once per
#: installation.
COMPILED_FROM = 200_000
_COMPARISONS_IN_A_BLOCK = 10


@dataclass(frozen=True)
class JudgePair:
    """Agreement of two judges on the items that both judged.

    Attributes
    ----------
    judges : tuple of two str
        In the order of `Blocks.judges`.
    comparable, agreeing : int
        Pairs of judgments of one item, one by each judge, and pairs with the same outcome.
    p_agree : float
    p_chance : float
        Cohen's P(E), from the shares of wins, ties and losses of each of the two on these items.
    kappa : float or None
    reason : NotEstimable or None
        Why `kappa` is None.
    """

    judges: tuple[str, str]
    comparable: int
    agreeing: int
    p_agree: float
    p_chance: float
    kappa: float | None
    reason: NotEstimable | None


@dataclass(frozen=True)
class JudgePairs:
    """All pairs of judges who both judged an item.

    Attributes
    ----------
    pairs : tuple of JudgePair
        In the order of the judges. Pairs without a common item are left out.
    mean, deviation : float or None
        Unweighted mean of κ over the pairs for which it is estimable, and the standard deviation (n
        − 1) around it. The mean is None without such a pair, the deviation with fewer than two.
    """

    pairs: tuple[JudgePair, ...]
    mean: float | None
    deviation: float | None


def cohen_of_judge_pairs(
    blocks: Blocks, *, pairing: Pairing = Pairing.UNORDERED, symmetric: bool = True
) -> JudgePairs:
    """Measure Cohen's κ of each pair of judges.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    pairing : Pairing
    symmetric : bool
        Read each comparison once each way, see `ranking.core.agreement.measures`.

    Returns
    -------
    JudgePairs
        Values of pairs with few common items say little: see `comparable`.

    References
    ----------
    J. Cohen (1960), A Coefficient of Agreement for Nominal Scales.
    """
    judges = len(blocks.judges)
    tables = np.zeros((judges, judges, len(Outcome), len(Outcome)), dtype=np.int64)
    compiled = len(blocks) * _COMPARISONS_IN_A_BLOCK >= COMPILED_FROM and has_extra("numba")
    for shard in shards_of_whole_segments(blocks):
        found = collapsed_comparisons(shard, pairing)
        tables += judge_pair_tables(
            found.item,
            found.judge,
            found.outcome,
            items=found.items,
            judges=judges,
            compiled=compiled,
        )
    return _judge_pairs(blocks.judges, tables, symmetric=symmetric)


def judge_pair_tables(
    item: Int64Array,
    judge: Int64Array,
    category: Int64Array,
    *,
    items: int,
    judges: int,
    categories: int = len(Outcome),
    compiled: bool | None = None,
) -> Int64Array:
    """Count the pairs of ratings of one item by two judges, by their categories.

    Parameters
    ----------
    item, judge, category : int64, shape (C,)
        One entry for each rating, in any order, repeated ratings included: 0 ≤ item < items, 0 ≤
        judge < judges, and 0 ≤ category < categories.
    items, judges : int
    categories : int
        If not said, those of `Outcome`.
    compiled : bool or None
        Whether to use the compiled loop; None decides by the number of ratings. The result is the
        same.

    Returns
    -------
    int64, shape (judges, judges, categories, categories)
        Entry (i, j, c, k) for i < j: pairs of a rating c by i and a rating k by j. Zero for i ≥ j.
        Memory grows with the square of the number of judges.
    """
    if compiled or (compiled is None and len(item) >= COMPILED_FROM and has_extra("numba")):
        ratings = [np.ascontiguousarray(column, np.int64) for column in (item, judge, category)]
        return _kernel()(*ratings, items, judges, categories)
    width = judges * categories
    ones = np.ones(len(item), dtype=np.int64)
    rated = sparse.coo_array(
        (ones, (item, judge * categories + category)), shape=(items, width)
    ).tocsr()
    pairs = (rated.T @ rated).toarray().reshape(judges, categories, judges, categories)
    ordered = np.triu(np.ones((judges, judges), dtype=np.int64), k=1)
    tables: Int64Array = pairs.transpose(0, 2, 1, 3) * ordered[:, :, np.newaxis, np.newaxis]
    return tables


@cache
def _kernel() -> _Count:
    # Imported here, because the compiler takes a second to load and most callers do not need it.
    from ranking.core.agreement.judge_pairs_kernel import count_judge_pairs

    return count_judge_pairs


def _judge_pairs(names: tuple[str, ...], tables: Int64Array, *, symmetric: bool) -> JudgePairs:
    first, second = np.nonzero(tables.any(axis=(2, 3)))
    shared = tables[first, second]
    comparable, p_agree, p_chance = cohen_of_tables(shared, symmetric=symmetric)
    kappa = (p_agree - p_chance) / np.where(p_chance < 1, 1 - p_chance, np.nan)
    agreeing = np.trace(shared, axis1=1, axis2=2)
    estimated = kappa[~np.isnan(kappa)]
    return JudgePairs(
        pairs=tuple(
            JudgePair(
                judges=(names[first[row]], names[second[row]]),
                comparable=int(comparable[row]),
                agreeing=int(agreeing[row]),
                p_agree=float(p_agree[row]),
                p_chance=float(p_chance[row]),
                kappa=None if np.isnan(kappa[row]) else float(kappa[row]),
                reason=NotEstimable.CHANCE_IS_CERTAIN if np.isnan(kappa[row]) else None,
            )
            for row in range(len(first))
        ),
        mean=float(estimated.mean()) if len(estimated) else None,
        deviation=float(estimated.std(ddof=1)) if len(estimated) > 1 else None,
    )
