"""Abilities of systems, as TrueSkill and the relative-ability model estimate them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.tallies import Tallies, chunks, tally
from ranking.core.judged.blocks import Blocks
from ranking.core.scores import Scores

#: What methods report about a fit, as plain JSON.
Extra = Mapping[str, bool | int | float | str | None]


class AbilityProblem(StrEnum):
    """Why there is no ability; callers put the code into words."""

    NO_COMPARISON = "no_comparison"
    """No two systems were compared."""

    ONLY_TIES = "only_ties"
    """All comparisons are ties, so a fitted decision radius would be infinite."""

    NOT_CONVERGED = "not_converged"
    """The fit did not converge within its limits; its last iterate is no estimate."""


@dataclass(frozen=True, eq=False)
class Ability:
    """Abilities of n systems on the method's own scale: higher is better, only differences matter.

    Attributes
    ----------
    systems : tuple of str, length n
    mu : float64, shape (n,)
        The abilities; NaN exactly where `estimable` is False.
    sigma : float64, shape (n,)
        Standard deviations of the abilities as the method defines them, see `sigma_is`; NaN where
        `mu` is. They do not say how much abilities differ between campaigns: see
        `Method.standard_errors`.
    estimable : bool, shape (n,)
        Whether the system was compared and the fit converged.
    draws : float64, shape (R, n)
        Abilities in the R runs or posterior draws behind `mu`, for rank ranges; R may be 0.
    groups : int
        Number of connected groups of compared systems. If there are several, only the prior relates
        systems of different groups, and pages that show such a ranking must say so.
    problem : AbilityProblem or None
        Why no ability could be estimated; None if some could.
    extra : mapping
        What the method reports about the fit, see there.
    sigma_is : str
        The definition of `sigma`: the standard deviation of the model's posterior, which takes
        comparisons for independent, or that of runs on the same comparisons.
    """

    systems: tuple[str, ...]
    mu: FloatArray
    sigma: FloatArray
    estimable: BoolArray
    draws: FloatArray
    groups: int
    problem: AbilityProblem | None = None
    extra: Extra = field(default_factory=dict)
    sigma_is: Literal["posterior_sd", "sd_of_runs"] = "posterior_sd"

    @property
    def scores(self) -> Scores:
        """The abilities as scores, shape (n,); they are not shares and may be negative."""
        return Scores(values=self.mu, estimable=self.estimable)

    @property
    def drawn_scores(self) -> Scores:
        """The draws as scores, shape (R, n), for `ranking.core.ranges.clusters.rank_ranges`."""
        return Scores(
            values=self.draws, estimable=np.broadcast_to(self.estimable, self.draws.shape)
        )

    def comment(self) -> dict[str, Any]:
        """Return results beyond scores, as plain JSON; `sigma` under the name `sigma_is`."""
        sigma = {
            name: float(self.sigma[index])
            for index, name in enumerate(self.systems)
            if self.estimable[index]
        }
        return {**self.extra, "problem": self.problem, "groups": self.groups, self.sigma_is: sigma}


def no_ability(tallies: Tallies, problem: AbilityProblem, extra: Extra | None = None) -> Ability:
    """Return an `Ability` without estimates, for the reason `problem`."""
    n = len(tallies.systems)
    return Ability(
        systems=tallies.systems,
        mu=np.full(n, np.nan),
        sigma=np.full(n, np.nan),
        estimable=np.zeros(n, dtype=np.bool_),
        draws=np.empty((0, n)),
        groups=count_comparison_groups(tallies),
        problem=problem,
        extra=extra or {},
    )


def is_compared(wins: Int64Array, ties: Int64Array) -> BoolArray:
    """Return whether each system was compared with any other, shape (..., n)."""
    return np.asarray(np.any(comparisons_per_pair(wins, ties) > 0, axis=-1))


def comparisons_per_pair(wins: Int64Array, ties: Int64Array) -> Int64Array:
    """Return the number of comparisons of each pair, ties included, shape (..., n, n), diagonal 0."""
    n = wins.shape[-1]
    return (wins + np.swapaxes(wins, -1, -2) + ties) * ~np.eye(n, dtype=np.bool_)


def count_comparison_groups(tallies: Tallies) -> int:
    """Return the number of connected groups of compared systems, ties included."""
    met = comparisons_per_pair(tallies.wins, tallies.ties) > 0
    kept = np.flatnonzero(met.any(axis=1))
    if not len(kept):
        return 0
    count, _ = csgraph.connected_components(met[np.ix_(kept, kept)], directed=False)
    return int(count)


def weighted_tally(
    blocks: Blocks, weights: npt.NDArray[np.integer] | None, *, collapsed_tie: bool = False
) -> Tallies:
    """Return tallies with each block counted `weights` times, for instance in a resample.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    weights : integer, shape (B,), or None
        How often each block counts, 0 or more; None for once.
    collapsed_tie : bool
        Count two systems of one candidate as tied, as WMT did. Elsewhere the core does not, because
        nobody compared them.

    Raises
    ------
    ValueError
        If `weights` has another shape or a negative entry.
    """
    count = _tally_collapsed if collapsed_tie else tally
    if weights is None:
        return count(blocks)
    if weights.shape != (len(blocks),) or (weights.size and weights.min() < 0):
        raise ValueError("weights: expected one for each block, none negative")
    n = len(blocks.systems)
    wins, ties = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    # Blocks counted at least once, at least twice …: a few passes, each over fewer blocks.
    for least in range(1, int(weights.max(initial=0)) + 1):
        part = count(blocks.take(weights >= least))
        wins += part.wins
        ties += part.ties
    return Tallies(systems=blocks.systems, wins=wins, ties=ties)


def _tally_collapsed(blocks: Blocks) -> Tallies:
    tallies = tally(blocks)
    ties = tallies.ties.copy()
    for position in range(blocks.positions):
        here = ((blocks.candidates == position) & (blocks.labels > 0)).astype(np.float32)
        # A product of counts below 2**24 is exact, and fast, in single precision.
        for rows in chunks(len(blocks), 1 << 20):
            ties += np.rint(here[rows].T @ here[rows]).astype(np.int64)
    np.fill_diagonal(ties, 0)
    return Tallies(systems=tallies.systems, wins=tallies.wins, ties=ties)


def canonical_order(wins: Int64Array, ties: Int64Array) -> Int64Array:
    """Return an order of the systems that depends on the data, not on their names.

    Methods that draw random numbers go through the systems in this order, so that renaming the
    systems renames the result and changes nothing else. Only systems with equal totals of wins,
    losses and ties, and of their squares, remain in the order of their names.

    Parameters
    ----------
    wins, ties : int64, shape (..., n, n)

    Returns
    -------
    int64, shape (..., n)
        Indices of the systems, the fewest wins first.
    """
    lost = wins.swapaxes(-1, -2)
    columns = [each.sum(axis=-1) for each in (ties**2, lost**2, wins**2, ties, lost, wins)]
    return np.lexsort(columns, axis=-1).astype(np.int64)
