"""Evidence for a difference that may be looked at at any time.

The evidence is the ratio of two likelihoods of an estimated difference d: mixed over differences of
normal size with standard deviation τ, and under no difference. With the variance V of d, and its ν
degrees of freedom,

    E = √r · ((1 + t²/ν) / (1 + r t²/ν))^((ν + 1)/2),    t² = d² / V,    r = V / (V + τ²)

If V were known (ν = ∞) and the estimate moved like a random walk whose time is 1/V, E would be a
martingale that starts at 1, and by Ville's inequality ever reaches c with probability at most 1/c
(Robbins 1970; in the limit for means and the like, Waudby-Smith et al. 2024). For the mean of
independent normal draws, with τ a multiple of their standard deviation, the formula is that of the
sequential t-test, and the same is true exactly (Gönen et al. 2005; Lindon et al. 2022; Wang &
Ramdas 2024).

A campaign is neither: V is estimated over segments and judges, and all judges continue. So it is
shown by simulation, not proved, that equal systems are seldom told apart: see "Looking every day"
in docs/statistics/methods.md.

References
----------
H. Robbins (1970), Statistical Methods Related to the Law of the Iterated Logarithm, Ann. Math.
Stat. 41. M. Gönen, W. O. Johnson, Y. Lu, P. H. Westfall (2005), The Bayesian Two-Sample t Test,
The American Statistician 59. M. Lindon, D. W. Ham, M. Tingley, I. Bojinov (2022), Anytime-Valid
Inference in Linear Models, arXiv 2210.08589. H. Wang, A. Ramdas (2024), Anytime-valid t-tests and
Confidence Sequences for Gaussian Means with Unknown Variance, arXiv 2310.03722. I. Waudby-Smith,
D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas (2024), Time-uniform Central Limit Theory and
Asymptotic Confidence Sequences, Ann. Stat. 52.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

#: Standard deviation τ of the differences of Expected Wins in the mixture. Differences of about
#: this size are found soonest; the error probability does not depend on it.
MIXTURE = 0.1


def log_evidence(
    difference: FloatArray, variance: FloatArray, degrees_of_freedom: FloatArray
) -> FloatArray:
    """Return the logarithm of the evidence E against a difference of 0.

    Parameters
    ----------
    difference : float64
    variance : float64
        Variance of the difference, above 0.
    degrees_of_freedom : float64
        Degrees of freedom of the variance.

    Returns
    -------
    float64
        ln E, of the shape to which the arguments broadcast.
    """
    ratio = variance / (variance + MIXTURE**2)
    square = difference**2 / (variance * degrees_of_freedom)
    grown = np.log1p(square) - np.log1p(ratio * square)
    return np.asarray(np.log(ratio) / 2 + (degrees_of_freedom + 1) / 2 * grown)


def half_width(variance: FloatArray, degrees_of_freedom: FloatArray, *, level: float) -> FloatArray:
    """Return how far an estimate must be from a difference for evidence of 1 / `level` against it.

    Parameters
    ----------
    variance, degrees_of_freedom : float64, of one shape
        As for `log_evidence`.
    level : float
        Between 0 and 1.

    Returns
    -------
    float64, of that shape
        Infinite where no estimate is far enough, because evidence is bounded with few degrees of
        freedom.
    """
    ratio = variance / (variance + MIXTURE**2)
    needed = np.exp(-(2 * np.log(level) + np.log(ratio)) / (degrees_of_freedom + 1))
    bounded = needed * ratio >= 1
    square = degrees_of_freedom * (needed - 1) / np.where(bounded, 1.0, 1 - needed * ratio)
    return np.where(bounded, np.inf, np.sqrt(square * variance))
