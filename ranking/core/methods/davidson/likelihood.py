"""Davidson's model, Bradley and Terry's with ties: abilities by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.methods.davidson.separation import Separation, separation

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_MAX_STEPS = 100
#: A fit has converged when a Newton step would move no parameter by more than this …
_SMALL_STEP = 1e-11
#: … or when a step would add no more than this to the likelihood, a millionth of a standard error,
#: and steps no longer shrink: with millions of comparisons, rounding errors exceed the effect of a
#: few.
_SMALL_GAIN = 1e-12


class NotConvergedError(ArithmeticError):
    """Raised if the likelihood is not maximised within the allowed number of steps."""


@dataclass(frozen=True, eq=False)
class DavidsonFit:
    """Fits of Davidson's model to S samples of comparisons between n systems.

    Attributes
    ----------
    ability : float64, shape (S, n)
        θ, the natural logarithm of the worth, with mean 0 over each group of bounded differences.
    tie : float64, shape (S,)
        ν: 0 if there was no tie, infinite if the data do not bound it. Two equal systems tie with
        probability ν / (2 + ν).
    log_likelihood : float64, shape (S,)
        Maximum of the log-likelihood, without binomial coefficients; NaN where ν is infinite.
        Comparisons between groups add nothing: in the limit, they have probability 1.
    covariance : float64, shape (S, n, n)
        Inverse of the observed information of the abilities, relative to the mean of their groups.
    response : float64, shape (S, n, n + 1)
        The same with log ν in the last column. Its product with the derivatives of the
        log-likelihood of a further comparison is how far that comparison moves each ability.
    separation : Separation
        Groups of bounded differences, and the order between them.
    """

    ability: FloatArray
    tie: FloatArray
    log_likelihood: FloatArray
    response: FloatArray
    separation: Separation

    @property
    def covariance(self) -> FloatArray:
        return self.response[:, :, :-1]


def davidson(wins: npt.NDArray[Any], ties: npt.NDArray[Any]) -> DavidsonFit:
    """Fit Davidson's extension of the Bradley–Terry model.

        P(i beats j) = exp(θi) / Z,   P(tie) = ν exp((θi + θj) / 2) / Z,
        Z = exp(θi) + exp(θj) + ν exp((θi + θj) / 2)

    The log-likelihood is concave in (θ, log ν); Newton's method with halved steps finds its maximum
    for all samples at once.

    Differences are finite only among systems that reach each other by chains of comparisons, each
    won or tied by the former system; a system that always won is infinitely better. With ties, some
    cycle of comparisons must also have more wins than ties; otherwise ν is infinite, and so is each
    difference with a win in it. For infinite differences, `separation` has the order, and abilities
    are the limits of the differences within each group of systems at finite distances.

    Parameters
    ----------
    wins, ties : number, shape (S, n, n)
        As in `ranking.core.counting.counts.Counts`; fractions are allowed.

    Returns
    -------
    DavidsonFit

    Raises
    ------
    NotConvergedError
        If Newton's method does not converge.

    References
    ----------
    R. R. Davidson (1970), On Extending the Bradley–Terry Model to Accommodate Ties in Paired
    Comparison Experiments, JASA 65.
    L. R. Ford (1957), Solution of a Ranking Problem from Binary Comparisons, Am. Math. Monthly 64
    (when the maximum exists).
    """
    n = wins.shape[-1]
    apart = ~np.eye(n, dtype=np.bool_)
    wins, ties = wins * apart, ties * apart
    has_limit = _tie_parameter_is_finite(wins, ties)
    ties_bind = has_limit[:, np.newaxis, np.newaxis] & (ties > 0)
    found = separation((wins > 0) | ties_bind, (wins + np.swapaxes(wins, 1, 2) + ties) > 0)
    data = _Data(wins * found.bounded, ties * found.bounded * ties_bind, found.bounded)
    theta, eta = data.start()
    value = data.log_likelihood(theta, eta)
    before = np.full(len(theta), np.inf)
    arrived = np.zeros(len(theta), dtype=np.bool_)
    for _ in range(_MAX_STEPS):
        step, information = data.newton_step(theta, eta)
        size = np.abs(step).max(axis=1, initial=0.0)
        gain = np.einsum("si,sij,sj->s", step, information, step)
        arrived |= (size <= _SMALL_STEP) | ((gain <= _SMALL_GAIN) & (size > before / 2))
        if arrived.all():
            break
        before = size
        theta, eta, value = _ascend(data, theta, eta, value, step)
    else:
        raise NotConvergedError(f"Bradley–Terry did not converge in {_MAX_STEPS} steps")
    _, information = data.newton_step(theta, eta)
    response = np.asarray(np.linalg.inv(information)[:, :n, :], dtype=np.float64)
    response[:, :, :n] -= data.gauge()
    return DavidsonFit(
        ability=theta,
        tie=np.where(has_limit, np.where(data.tied > 0, np.exp(eta), 0.0), np.inf),
        log_likelihood=np.where(has_limit, value, np.nan),
        response=response,
        separation=found,
    )


class _Data:
    """Sufficient statistics of S samples, and the likelihood they give.

    `bounded` says which differences of two systems are finite; the counts have no others.
    """

    def __init__(self, wins: FloatArray, ties: FloatArray, bounded: BoolArray) -> None:
        self.wins, self.ties, self.bounded = wins, ties, bounded
        self.group_size = bounded.sum(axis=2)
        self.met = wins + np.swapaxes(wins, 1, 2) + ties
        self.points = wins.sum(axis=2) + ties.sum(axis=2) / 2
        self.tied = ties.sum(axis=(1, 2)) / 2

    def start(self) -> tuple[FloatArray, FloatArray]:
        met = self.met.sum(axis=2)
        theta = np.log((self.points + 0.5) / (met - self.points + 0.5))
        decided = met.sum(axis=1) / 2 - self.tied
        eta = np.log(2 * np.maximum(self.tied, 0.5) / np.maximum(decided, 0.5))
        return self.centred(theta), eta

    def centred(self, theta: FloatArray) -> FloatArray:
        total = (self.bounded @ theta[:, :, np.newaxis])[:, :, 0]
        centred: FloatArray = theta - total / self.group_size
        return centred

    def gauge(self) -> FloatArray:
        """Return the inverse of what `newton_step` adds in directions the data do not determine."""
        inverse: FloatArray = self.bounded / self.group_size[:, :, np.newaxis] ** 2
        return inverse

    def log_likelihood(self, theta: FloatArray, eta: FloatArray) -> FloatArray:
        log_z, half = self._log_z(theta, eta)
        tie = np.where(self.ties > 0, half + eta[:, np.newaxis, np.newaxis], 0.0)
        won = (self.wins * theta[:, :, np.newaxis]).sum(axis=(1, 2))
        drawn = (self.ties * tie).sum(axis=(1, 2)) / 2
        total: FloatArray = won + drawn - (self.met * log_z).sum(axis=(1, 2)) / 2
        return total

    def _log_z(self, theta: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        own, other = theta[:, :, np.newaxis], theta[:, np.newaxis, :]
        half = (own + other) / 2
        nu = np.where(self.tied > 0, np.exp(eta), 0.0)[:, np.newaxis, np.newaxis]
        return half + np.log(2 * np.cosh((own - other) / 2) + nu), half

    def newton_step(self, theta: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the step in (θ, log ν), and the observed information, made invertible."""
        samples, n = theta.shape
        log_z, half = self._log_z(theta, eta)
        has_ties = self.tied > 0
        nu = np.where(has_ties, np.exp(eta), 0.0)[:, np.newaxis, np.newaxis]
        tie = nu * np.exp(half - log_z)
        points = np.exp(theta[:, :, np.newaxis] - log_z) + tie / 2
        gradient = np.empty((samples, n + 1))
        gradient[:, :n] = self.points - (self.met * points).sum(axis=2)
        gradient[:, n] = self.tied - (self.met * tie).sum(axis=(1, 2)) / 2
        spread = self.met * (points - tie / 4 - points**2)
        with_tie = (self.met * tie * (0.5 - points)).sum(axis=2)
        information = np.zeros((samples, n + 1, n + 1))
        information[:, :n, :n] = self.bounded - spread
        diagonal = np.arange(n)
        information[:, diagonal, diagonal] += spread.sum(axis=2)
        information[:, :n, n] = information[:, n, :n] = with_tie
        information[:, n, n] = (self.met * tie * (1 - tie)).sum(axis=(1, 2)) / 2 + ~has_ties
        gradient[:, n] *= has_ties
        step = np.linalg.solve(information, gradient[:, :, np.newaxis])[:, :, 0]
        return step, information


def _ascend(
    data: _Data, theta: FloatArray, eta: FloatArray, value: FloatArray, step: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the parameters after a Newton step, halved until the likelihood does not fall."""
    length = np.ones(len(theta))
    # Smaller changes of the likelihood are rounding errors, which would halve steps for ever.
    grain = 1e-12 * np.maximum(1.0, np.abs(value))
    for _ in range(40):
        new_theta = data.centred(theta + length[:, np.newaxis] * step[:, :-1])
        new_eta = eta + length * step[:, -1]
        new_value = data.log_likelihood(new_theta, new_eta)
        worse = ~(new_value >= value - grain)
        if not worse.any():
            return new_theta, new_eta, new_value
        length = np.where(worse, length / 2, length)
    # No step is short enough for these samples: they stay, and count as not converged.
    return (
        np.where(worse[:, np.newaxis], theta, new_theta),
        np.where(worse, eta, new_eta),
        np.where(worse, value, new_value),
    )


def _tie_parameter_is_finite(wins: FloatArray, ties: FloatArray) -> BoolArray:
    """Return whether each sample has no tie, or a cycle with more wins than ties."""
    return np.array(
        [
            not tied.any() or bool(np.any((won > 0) & (won.T > 0))) or _has_winning_cycle(won, tied)
            for won, tied in zip(wins, ties, strict=True)
        ],
        dtype=np.bool_,
    )


def _has_winning_cycle(wins: FloatArray, ties: FloatArray) -> bool:
    """Return whether a cycle is negative if a win costs −1 and a tie +1 (Floyd–Warshall)."""
    length = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, np.inf))
    for via in range(len(length)):
        length = np.minimum(length, length[:, via, np.newaxis] + length[np.newaxis, via, :])
    return bool(np.any(np.diagonal(length) < 0))
