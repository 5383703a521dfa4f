"""Orders of the same systems beside each other: Kendall's τ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from ranking.core.scores import TIE_DECIMALS


def kendall_tau(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return Kendall's τ_b between two orders of systems, over the systems that both have.

    Parameters
    ----------
    one, other : mapping of str to float
        A score or a rank for each system; in both the same direction is better. Equal values, to `TIE_DECIMALS` decimals,
        are ties.

    Returns
    -------
    float
        From −1 (the other way round) to 1 (the same order); NaN if either leaves all its systems tied, or fewer than
        two systems are in both.

    References
    ----------
    M. G. Kendall (1945), The Treatment of Ties in Ranking Problems, Biometrika 33.
    """
    agreed = 0
    told_apart = [0, 0]
    for first, second in combinations(sorted(one.keys() & other.keys()), 2):
        signs = [
            int(np.sign(round(order[first] - order[second], TIE_DECIMALS)))
            for order in (one, other)
        ]
        agreed += signs[0] * signs[1]
        told_apart = [count + abs(sign) for count, sign in zip(told_apart, signs, strict=True)]
    scale = math.sqrt(told_apart[0] * told_apart[1])
    return agreed / scale if scale else math.nan
