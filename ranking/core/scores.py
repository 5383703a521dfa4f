"""Scores of systems, reasons for missing scores, and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array

#: Scores that agree to this many decimals are tied. Sums of ratios of counts have rounding errors
#: of about 1e-15, and a tie must not depend on the order of summation.
TIE_DECIMALS = 12
#: Scores no further apart than this are equal. Ratios of counts differ by rounding errors of about
#: 1e-15, which depend on the order of summation and so on the names of systems.
EQUAL_WITHIN = 1e-12


class NotEstimable(StrEnum):
    """Reason for a missing number, as a code for callers to put into words."""

    NO_COMPARISON = "no_comparison"
    """No comparison: no labels of another judge, or of another system, for the same item."""

    ONLY_TIES = "only_ties"
    """All comparisons are ties, which the method drops."""

    NOT_CONVERGED = "not_converged"
    """The fit did not converge within its limits; its last iterate is no estimate."""

    CHANCE_IS_CERTAIN = "chance_is_certain"
    """Chance agreement is 1 (all comparisons are ties), so κ would divide by zero."""

    NO_INTERVAL = "no_interval"
    """κ has no interval, so nothing is known about its error."""

    INTERVAL_TOO_WIDE = "interval_too_wide"
    """The interval of κ spans more than two classes of strength, and is wide."""


#: Units whose effective numbers are found, which differ from the counts on the page.
EFFECTIVE_UNITS: Final = frozenset({"blocks", "segments", "judges"})


@dataclass(frozen=True)
class Shortage:
    """Reason why a number cannot be estimated yet; callers put it into words.

    Attributes
    ----------
    unit : str
        Unit of which there are too few: "comparisons", "blocks", "segments", "documents", "judges",
        "items" …; "counted_segments", "counted_judges" and "shared_segments" are plain numbers.
    found : float
        Number of existing units, less than `needed`: the effective number, that of equally large units, of the units
        `EFFECTIVE_UNITS`.
    needed : int
        Number of units needed for an estimate.
    """

    unit: str
    found: float
    needed: int

    @property
    def is_effective(self) -> bool:
        """True if the number found is effective, so that it differs from the count on the page."""
        return self.unit in EFFECTIVE_UNITS


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of n systems, possibly in many resamples at once.

    Attributes
    ----------
    values : float64, shape (..., n)
        Scores, higher is better; NaN if and only if `estimable` is False.
    estimable : bool, shape (..., n)
        Whether the data determine the score.
    group : int64, shape (..., n), or None
        Scores of systems in different groups cannot be compared, because no comparisons connect the
        systems. None if all scores can be compared.
    equal_within : float
        Scores no further apart than this are equal: the accuracy of the method.
    """

    values: FloatArray
    estimable: BoolArray
    group: Int64Array | None = None
    equal_within: float = EQUAL_WITHIN

    def take(self, systems: Int64Array) -> Scores:
        """Return the scores of the systems with these indices."""
        return self.rows((..., systems))

    def rows(self, index: Any) -> Scores:
        """Return the scores of the resamples selected by a numpy `index`."""
        group = self.group
        if group is not None:
            group = group[index]
        return replace(
            self,
            values=self.values[index],
            estimable=self.estimable[index],
            group=group,
        )

    def by_system(self, systems: Sequence[str]) -> dict[str, float | None]:
        """Return scores of shape (n,) by name; None where they cannot be estimated."""
        scores: dict[str, float | None] = dict.fromkeys(systems)
        for index in np.flatnonzero(self.estimable).tolist():
            scores[systems[index]] = float(self.values[index])
        return scores


def values_by_name(names: Sequence[str], values: FloatArray) -> dict[str, float | None]:
    """Return values by name; None for NaN."""
    return Scores(values, ~np.isnan(values)).by_system(names)


def shared_ranks(scores: Scores) -> tuple[Int64Array, Int64Array]:
    """Return the first and last rank of each system; systems with equal scores share them.

    The better systems come first: with scores 3, 2, 2, 1, the ranks are 1–1, 2–3, 2–3 and 4–4.
    The result does not depend on the names of the systems.

    Parameters
    ----------
    scores : Scores of shape (n,)

    Returns
    -------
    first, last : int64, shape (n,)
        0 for systems without an estimate.
    """
    first = np.zeros(scores.values.shape, dtype=np.int64)
    last = np.zeros_like(first)
    indices = np.flatnonzero(scores.estimable)
    order = indices[np.argsort(-scores.values[indices], kind="stable")]
    apart = -np.diff(scores.values[order]) > scores.equal_within
    for members in np.split(np.arange(len(order)), np.flatnonzero(apart) + 1):
        if len(members):
            first[order[members]] = members[0] + 1
            last[order[members]] = members[-1] + 1
    return first, last


def names_in_order(systems: Sequence[str], scores: Scores) -> list[str]:
    """Return the systems by rank, then those without a rank by name."""
    has_no_score = np.flatnonzero(~scores.estimable)
    ranked = [systems[index] for index in best_first(scores).tolist()]
    unranked = [systems[index] for index in has_no_score.tolist()]
    return ranked + sorted(unranked)


def best_first(scores: Scores) -> Int64Array:
    """Return the indices of the systems with a score, best first.

    Systems with equal scores are ordered by index, as in `ordinal_ranks`.
    """
    rank, _last = shared_ranks(scores)
    has_score = np.flatnonzero(scores.estimable)
    return has_score[np.argsort(rank[has_score], kind="stable")]


def ordinal_ranks(scores: Scores) -> Int64Array:
    """Return ranks 1, 2, 3 … of systems, best first, without gaps or shared ranks.

    Systems with equal scores are ordered by index, which means by name in `Blocks` built from rows.
    This order is deterministic but has no meaning: use it to list systems, and `shared_ranks` to
    rank them.

    Parameters
    ----------
    scores : Scores of shape (n,)

    Returns
    -------
    int64, shape (n,)
        1 for the best; 0 for systems without an estimate.
    """
    order = best_first(scores)
    ranks = np.zeros(len(scores.estimable), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks
