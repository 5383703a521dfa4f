"""What judgments of two systems say: the mean preference R, its standard error, and two tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from ranking.core.ranges.sign_tests import sign_test

#: Judgments from which on the normal interval and test of R hold: they miss 7 to 22 % below, at the level of 5 %.
FEWEST_NORMAL = 50
#: Fewer judgments have no test.
FEWEST_TESTED = 2


@dataclass(frozen=True)
class Preference:
    """Counts of m judgments on two systems X and Y, with rᵢ = +1 where X is better, −1 where Y is, and 0.

    Attributes
    ----------
    wins, losses : int
        Judgments for X, and for Y.
    same : int
        Judgments "same quality".
    identical : int
        Sentences for which X and Y have the same output, which nobody was shown; rᵢ = 0.

    Raises
    ------
    ValueError
        If a count is negative.
    """

    wins: int
    losses: int
    same: int = 0
    identical: int = 0

    def __post_init__(self) -> None:
        if min(self.wins, self.losses, self.same, self.identical) < 0:
            raise ValueError("a count of judgments is negative")

    @property
    def judgments(self) -> int:
        """Return m."""
        return self.wins + self.losses + self.same + self.identical

    @property
    def lead(self) -> int:
        """Return Σ rᵢ."""
        return self.wins - self.losses

    @property
    def mean(self) -> float:
        """Return R = (1/m) Σ rᵢ, from −1 to 1; NaN without judgments."""
        return self.lead / self.judgments if self.judgments else math.nan

    @property
    def error(self) -> float:
        """Return se[R] = √(((1/m) Σ rᵢ² − R²)/(m − 1)) of independent judgments; NaN for fewer than two.

        It is 0 where all judgments are the same, however few they are: then only the exact test says something, and
        `normal_p` and `interval` say what it says.
        """
        m = self.judgments
        if m < 2:
            return math.nan
        return math.sqrt(max(0.0, (self.wins + self.losses) / m - self.mean**2) / (m - 1))

    @property
    def z(self) -> float:
        """Return R/se[R]; 0 where R is 0, infinite where only se[R] is, NaN for fewer than two judgments."""
        return z_of(self.mean, self.error)

    @property
    def p_normal(self) -> float:
        """Return the two-sided p-value of z, see `normal_p`."""
        return self.normal_p(self.error)

    @cached_property
    def p_exact(self) -> float:
        """Return the two-sided p-value of the exact sign test on decided judgments; 1 if there are none.

        NaN for fewer than two judgments.
        """
        if self.judgments < FEWEST_TESTED:
            return math.nan
        return float(sign_test(np.array(self.wins), np.array(self.losses), sides=2))

    def normal_p(self, error: float) -> float:
        """Return the two-sided p-value of R with a standard error.

        An error of 0 is no certainty, it is judgments that are all the same: then the p-value is the exact one. Below
        `FEWEST_NORMAL` judgments it is the exact one if that is larger. NaN for fewer than two judgments.
        """
        if error == 0 or self.judgments < FEWEST_TESTED:
            return self.p_exact
        normal = p_of(z_of(self.mean, error))
        return normal if self.judgments >= FEWEST_NORMAL else max(normal, self.p_exact)

    def interval(self, error: float, level: float) -> tuple[float, float]:
        """Return R ∓ z·error with the confidence 1 − `level`, within −1 … 1.

        An error of 0, of judgments that are all the same, gives the interval of Clopper and Pearson, which agrees with
        the exact test. NaN below `FEWEST_NORMAL` judgments, and where none of them is decided.
        """
        reach = critical_value(level) * error
        if self.judgments < FEWEST_NORMAL or math.isnan(reach) or not self.wins + self.losses:
            return math.nan, math.nan
        if error == 0:
            nearest: float = 2 * (level / 2) ** (1 / (self.wins + self.losses)) - 1
            return (nearest, 1.0) if self.wins else (-1.0, -nearest)
        return max(-1.0, self.mean - reach), min(1.0, self.mean + reach)

    def reversed(self) -> Preference:
        """Return the same for Y and X."""
        return Preference(self.losses, self.wins, self.same, self.identical)


def z_of(mean: float, error: float) -> float:
    """Return a mean in standard errors, as `Preference.z`."""
    if math.isnan(error):
        return math.nan
    if mean == 0:
        return 0.0
    return mean / error if error > 0 else math.copysign(math.inf, mean)


def p_of(z: float) -> float:
    """Return the two-sided p-value of a normal deviate; 1 for NaN."""
    return 1.0 if math.isnan(z) else float(2 * ndtr(-abs(z)))


def critical_value(level: float) -> float:
    """Return the deviate that the two-sided normal test asks for: 1.96 at the level 0.05.

    Raises
    ------
    ValueError
        If `level` is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError("level: expected a probability between 0 and 1")
    return float(-ndtri(level / 2))
