"""Scores of systems, reasons for missing scores, and ranks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Scores that agree to this many decimals are tied. Sums of ratios of counts have rounding errors
#: of about 1e-15, and a tie must not depend on the order of summation.
TIE_DECIMALS = 12


class NotEstimable(StrEnum):
    """Why there is no number; callers put the code into words."""

    NO_COMPARISON = "no_comparison"
    """No comparison: no labels of another judge, or of another system, for the same item."""

    ONLY_TIES = "only_ties"
    """All comparisons are ties, which the method drops."""

    NOT_CONVERGED = "not_converged"
    """The fit did not converge within its limits; its last iterate is no estimate."""

    CHANCE_IS_CERTAIN = "chance_is_certain"
    """Chance agreement is 1 (all comparisons are ties), so κ would divide by zero."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of n systems, possibly in many resamples at once.

    Attributes
    ----------
    values : float64, shape (..., n)
        Scores, higher is better; NaN exactly where `estimable` is False.
    estimable : bool, shape (..., n)
        Whether the data determine the score.
    group : int64, shape (..., n), or None
        Scores of systems in different groups cannot be compared, because no comparisons connect the
        systems. None if all scores can be compared.
    """

    values: FloatArray
    estimable: BoolArray
    group: Int64Array | None = None

    def take(self, systems: Int64Array) -> Scores:
        """Return the scores of the systems with these indices."""
        return Scores(
            values=self.values[..., systems],
            estimable=self.estimable[..., systems],
            group=None if self.group is None else self.group[..., systems],
        )


def ordinal_ranks(scores: Scores) -> Int64Array:
    """Return ranks 1, 2, 3 … of systems, best first, without gaps or shared ranks.

    Systems whose scores agree to `TIE_DECIMALS` decimals are ordered by their index, that is by
    name in `Blocks` built from rows. This order is deterministic but has no meaning: rank ranges
    say which systems cannot be told apart.

    Parameters
    ----------
    scores : Scores of shape (n,)

    Returns
    -------
    int64, shape (n,)
        1 for the best; 0 for systems that are not estimable.
    """
    comparable = np.where(scores.estimable, -np.round(scores.values, TIE_DECIMALS), np.inf)
    ranks = np.empty(comparable.shape, dtype=np.int64)
    ranks[np.argsort(comparable, kind="stable")] = np.arange(1, len(comparable) + 1)
    ranks[~scores.estimable] = 0
    return ranks
