"""The relative-ability model: its constants and its mode."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_MAX_STEPS = 100


@dataclass(frozen=True)
class HopkinsMayModel:
    """Constants of the model; the defaults are those of WMT 2013–14.

    Attributes
    ----------
    radius : float or None
        The decision radius d; None to fit it, with a flat prior. WMT used 0.5.
    prior : float
        σ₀, standard deviation of the abilities.
    system : float
        σₐ, standard deviation of the quality of a system's outputs.
    observation : float
        σ_obs, standard deviation of the quality that a judge sees around that of the output.

    Raises
    ------
    ValueError
        If a standard deviation is not positive and finite, or the radius is negative or not finite.
    """

    radius: float | None = None
    prior: float = 1.0
    system: float = 0.5
    observation: float = 1.0

    def __post_init__(self) -> None:
        for name in ("prior", "system", "observation"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name}: expected a positive number")
        if self.radius is not None and not 0 <= self.radius < math.inf:
            raise ValueError("radius: expected a number, 0 or more, or None to fit it")

    @property
    def noise(self) -> float:
        """Standard deviation s of the difference of two qualities that a judge sees."""
        return math.sqrt(2 * (self.system**2 + self.observation**2))


@dataclass(frozen=True, eq=False)
class Modes:
    """Posterior modes of R samples over n systems.

    Attributes
    ----------
    mu : float64, shape (R, n)
    radius : float64, shape (R,)
    information : float64, shape (R, n + 1, n + 1)
        Negative Hessian of the log posterior at the mode; the radius is last.
    fitted : bool, shape (R,)
        Whether the radius was fitted: not if it was given, nor without ties (it is 0), nor with
        only ties (it would be infinite).
    converged : bool, shape (R,)
    """

    mu: FloatArray
    radius: FloatArray
    information: FloatArray
    fitted: BoolArray
    converged: BoolArray


def posterior_modes(
    wins: Int64Array, ties: Int64Array, model: HopkinsMayModel, *, most_steps: int = _MAX_STEPS
) -> Modes:
    """Return the most probable abilities for R samples of counts, with qualities integrated out.

    The posterior is log-concave in abilities and radius, so damped Newton steps find its only mode;
    `converged` says whether they did within `most_steps`.

    Parameters
    ----------
    wins, ties : int64, shape (R, n, n)
        Counts as in `Tallies`.

    Raises
    ------
    ValueError
        If there are ties and the radius is 0, which makes them impossible.
    """
    from ranking.core.methods.hopkins_may import kernels

    runs, n = wins.shape[:2]
    decided, tied = wins.sum(axis=(1, 2)), ties.sum(axis=(1, 2)) // 2
    if model.radius == 0 and tied.any():
        raise ValueError("radius: there are ties, which a radius of 0 makes impossible")
    if model.radius is None:
        fitted = (tied > 0) & (decided > 0)
        rate = np.where(fitted, tied / np.maximum(tied + decided, 1), 0.0)
        radius = model.noise * special.ndtri((1 + rate) / 2)
        # With only ties, any radius will do to start with: the caller must not use the result.
        radius[(tied > 0) & (decided == 0)] = model.noise
    else:
        fitted, radius = np.zeros(runs, dtype=np.bool_), np.full(runs, model.radius)
    result = Modes(
        mu=np.zeros((runs, n)),
        radius=np.ascontiguousarray(radius, dtype=np.float64),
        information=np.zeros((runs, n + 1, n + 1)),
        fitted=fitted,
        converged=np.zeros(runs, dtype=np.bool_),
    )
    kernels.posterior_modes(
        np.ascontiguousarray(wins, dtype=np.int64),
        np.ascontiguousarray(ties, dtype=np.int64),
        fitted,
        model.noise,
        model.prior,
        most_steps,
        result.mu,
        result.radius,
        result.information,
        result.converged,
    )
    return result


def outcome_chances(mu: FloatArray, radius: float, noise: float) -> FloatArray:
    """Return probabilities of a win, tie and loss of each system against each, shape (3, n, n)."""
    delta = (mu[:, np.newaxis] - mu[np.newaxis, :]) / noise
    win = special.ndtr(delta - radius / noise)
    loss = special.ndtr(-delta - radius / noise)
    return np.stack([win, 1 - win - loss, loss])
