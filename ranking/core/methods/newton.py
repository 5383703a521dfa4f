"""Maxima of concave likelihoods of many samples at once, by Newton's method."""

from collections.abc import Callable

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, as_column

#: A maximum is found when a Newton step is shorter than a thousand-millionth of a standard error;
#: this is the square. That step is still taken.
_CONVERGED = 1e-18
_HALVINGS = 60


class NotConvergedError(ArithmeticError):
    """The likelihood was not maximised within the allowed number of steps."""


def maximise(
    value: Callable[[FloatArray], FloatArray],
    derivatives: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    start: FloatArray,
    *,
    most_steps: int,
) -> tuple[FloatArray, BoolArray]:
    """Return the maximum of each of S functions of P parameters, and whether it was found.

    A step is halved until the value does not decrease. Samples do not affect each other.

    Parameters
    ----------
    value : callable
        Returns the values at parameters of shape (S, P), shape (S,).
    derivatives : callable
        Returns the gradients, shape (S, P), and positive definite matrices, shape (S, P, P): the
        negative Hessians, or approximations of them.
    start : float64, shape (S, P)
    most_steps : int

    Returns
    -------
    parameters : float64, shape (S, P)
    converged : bool, shape (S,)
    """
    point = start
    reached = value(start)
    converged = np.zeros(len(start), dtype=np.bool_)
    for _ in range(most_steps):
        gradient, information = derivatives(point)
        columns = np.linalg.solve(information, as_column(gradient))
        step = columns[:, :, 0]
        step[converged] = 0.0
        # Smaller changes of the value are rounding errors, which would halve steps forever.
        rounding = 1e-12 * np.maximum(1.0, np.abs(reached))
        least = reached - rounding
        for _halving in range(_HALVINGS):
            new_point = point + step
            new_value = value(new_point)
            worse = ~(new_value >= least)
            if not worse.any():
                break
            step[worse] /= 2
        point = np.where(as_column(worse), point, new_point)
        reached = np.where(worse, reached, new_value)
        squared_length = np.einsum("si,sij,sj->s", step, information, step)
        converged |= squared_length < _CONVERGED
        if converged.all():
            break
    return point, converged
