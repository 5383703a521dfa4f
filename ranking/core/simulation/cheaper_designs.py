"""What other designs would take from now on, on the systems and the noise that a campaign's judgments show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import Tallies
from ranking.core.simulation.budget_curve import ActiveDraw, budget_curve

Float64Array = npt.NDArray[np.float64]

#: Numbers of comparisons that are looked at, evenly on a logarithmic scale; between two of them, straight lines.
_POINTS = 36
#: The first one, as a share of the last.
_FIRST = 1e-3


@dataclass(frozen=True, kw_only=True)
class DesignNeed:
    """Judgments from now on until a share of the pairs is told apart under a design.

    Attributes
    ----------
    target : float
    judgments : float or None
        By which half of what is likely has reached it; None beyond the limit.
    low, high : float or None
        By which the upper and the lower end of the interval are the target.
    """

    target: float
    judgments: float | None
    low: float | None
    high: float | None


def needs_of_design(
    tallies: Tallies,
    *,
    per_block: int,
    targets: Sequence[float],
    limit: float,
    confidence: float = 0.95,
    active: ActiveDraw | None = None,
    seed: int = 0,
) -> tuple[DesignNeed, ...]:
    """Return what a design would take from now on, whatever the judgments so far were collected by.

    Parameters
    ----------
    tallies : Tallies
        Of the judgments so far, with at least one decided comparison.
    per_block : int
        Systems in a block of the design.
    targets : sequence of float
        Shares of the pairs of systems, told apart by the one-sided sign test at 0.05.
    limit : float
        Most judgments to look ahead to, from now on.
    confidence : float
    active : ActiveDraw, optional
        If the design chooses pairs by their judgments; otherwise all meet as often.
    seed : int

    Returns
    -------
    tuple of DesignNeed
    """
    n = len(tallies.systems)
    shown = min(per_block, n)
    of_block = shown * (shown - 1) / 2
    judgments = np.concatenate([[0.0], limit * np.geomspace(_FIRST, 1.0, _POINTS)])
    curve = budget_curve(
        tallies.comparisons + judgments * of_block,
        systems=n,
        per_block=shown,
        wins=tallies.wins,
        ties=tallies.tied,
        confidence=confidence,
        active=active,
        seed=seed,
    )
    pairs = n * (n - 1) / 2
    return tuple(
        DesignNeed(
            target=target,
            judgments=_reached(judgments, curve.pairs_middle, target * pairs),
            low=_reached(judgments, curve.pairs_high, target * pairs),
            high=_reached(judgments, curve.pairs_low, target * pairs),
        )
        for target in targets
    )


def _reached(judgments: Float64Array, pairs: Float64Array, wanted: float) -> float | None:
    """Return where a curve first reaches a number of pairs; None if it does not."""
    there = np.flatnonzero(pairs >= wanted - 1e-9)
    if not len(there):
        return None
    at = int(there[0])
    if at == 0:
        return 0.0
    below, above = pairs[at - 1], pairs[at]
    part = (wanted - below) / (above - below)
    return float(judgments[at - 1] + part * (judgments[at] - judgments[at - 1]))
