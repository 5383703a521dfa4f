"""Bradley–Terry with ties (Davidson): scores from counts, and how far counts move them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Counts, Layout
from ranking.core.methods.davidson.likelihood import DavidsonFit, davidson
from ranking.core.methods.davidson.separation import Separation
from ranking.core.scores import NotEstimable, Scores

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

#: Prior wins added in both directions for each pair of compared systems.
PRIOR = 0.1
#: The distance shown instead of an infinite one between systems: odds of 22,000 to 1.
INFINITE_GAP = 10.0
#: Abilities are accurate to about this many decimals; more would separate equal systems.
_DECIMALS = 9


def scores(counts: Counts, *, prior: float = PRIOR) -> Scores:
    """Return the abilities of systems in Davidson's model as scores.

    Parameters
    ----------
    counts : Counts of shape (..., n, n)
        With `ties`.
    prior : float
        Wins added in both directions for each pair of compared systems. A positive number keeps all
        abilities finite and draws them together, with the weight of 2 `prior` comparisons of each
        pair. 0 is maximum likelihood.

    Returns
    -------
    Scores
        θ, of shape (..., n), to 9 decimals. It is not a share; its mean is 0 over systems whose
        differences are finite. With a prior of 0, a system that always won is infinitely better
        than those it won against: then systems are ordered by the infinite differences, and each of
        these is shown as `INFINITE_GAP` more than the finite ones on both sides of it. `group`
        numbers systems that comparisons connect; the order of different groups is arbitrary.
        Systems never compared are not estimable, nor is any system if there are only ties and no
        prior.

    Raises
    ------
    ValueError
        If `prior` is negative or not finite.
    NotConvergedError
        As for `davidson`.
    """
    fit, met = _fit(counts, prior)
    shape = counts.wins.shape[:-1]
    known = np.isfinite(fit.tie) | (counts.wins > 0).any(axis=(-2, -1)).ravel()
    estimable = met.any(axis=2) & known[:, np.newaxis]
    values = np.where(estimable, np.round(_placed(fit), _DECIMALS), np.nan)
    return Scores(
        values=values.reshape(shape),
        estimable=estimable.reshape(shape),
        group=fit.separation.component.reshape(shape),
        # Rounding can set equal abilities one unit apart.
        equal_within=1.5 * 10.0**-_DECIMALS,
    )


def gradient(counts: Counts, *, prior: float = PRIOR) -> FloatArray:
    """Return how far each further comparison moves the abilities.

    This is the derivative of the maximum of the likelihood with respect to the counts, by the
    implicit function theorem: the inverse of the observed information, including that of the tie
    parameter and of the prior, times the derivatives of the log-likelihood of one comparison.

    Parameters
    ----------
    counts : Counts of shape (n, n)
        With `ties`.
    prior : float
        As for `scores`.

    Returns
    -------
    float64, shape (n, m)
        Derivatives of n abilities by the m cells of ``Layout(n, ties=True)``. 0 for unused cells,
        for ties if there was none (ν is at its bound 0), and for comparisons between systems at
        infinite distance, which do not move them.
    """
    fit, _ = _fit(counts, prior)
    n = counts.wins.shape[-1]
    theta, nu, response = fit.ability[0], fit.tie[0], fit.response[0]
    half = np.exp((theta[:, np.newaxis] - theta) / 2)
    tie = 0.0 if math.isinf(nu) else nu
    total = half + half.T + tie
    chance_of_tie = tie / total
    points = half / total + chance_of_tie / 2
    # The part of the derivative that a comparison of a and b contributes with any outcome.
    expected = (
        response[:, :n, np.newaxis] * points
        + response[:, np.newaxis, :n] * points.T
        + response[:, n, np.newaxis, np.newaxis] * chance_of_tie
    )
    won = response[:, :n, np.newaxis] - expected
    drew = (response[:, :n, np.newaxis] + response[:, np.newaxis, :n]) / 2 - expected
    drew += response[:, n, np.newaxis, np.newaxis]
    bounded = fit.separation.bounded[0] & ~np.eye(n, dtype=np.bool_)
    cells = np.zeros((n, Layout(n, ties=True).size))
    cells[:, : n * n] = (won * bounded).reshape(n, n * n)
    if tie:
        cells[:, n * n :] = (drew * np.triu(bounded)).reshape(n, n * n)
    return cells


def model_variance(counts: Counts, *, prior: float = PRIOR) -> FloatArray:
    """Return the variances of the abilities if comparisons were independent and the model true.

    Parameters
    ----------
    counts : Counts of shape (n, n)
    prior : float
        As for `scores`.

    Returns
    -------
    float64, shape (n,)
        From the inverse of the observed information; 0 for a system at an infinite distance from
        all others.
    """
    fit, _met = _fit(counts, prior)
    return np.asarray(np.nan_to_num(np.diagonal(fit.covariance[0]), nan=0.0))


def comment(
    counts: Counts, systems: tuple[str, ...], *, prior: float = PRIOR
) -> tuple[dict[str, Any], dict[int, NotEstimable]]:
    """Return ν and the likelihood as plain JSON, and groups of systems at infinite distance.

    The result has "separated" if the data do not bound a difference: lists of groups of systems,
    best first, one list for each set of systems that comparisons connect.
    """
    fit, met = _fit(counts, prior)
    bounded_tie = bool(np.isfinite(fit.tie[0]) and met.any())
    extra: dict[str, Any] = {
        "tie_parameter": float(fit.tie[0]) if bounded_tie else None,
        "log_likelihood": float(fit.log_likelihood[0]) if bounded_tie else None,
    }
    apart = _tiers_by_name(fit.separation, systems)
    if apart:
        extra["separated"] = apart
    return extra, {}


def _fit(counts: Counts, prior: float) -> tuple[DavidsonFit, BoolArray]:
    """Return fits of samples, and which pairs were compared in each, shape (S, n, n)."""
    if not 0 <= prior < math.inf:
        raise ValueError("prior: expected a number of wins, 0 or more")
    if counts.ties is None:
        raise ValueError("counts: ties were not counted")
    n = counts.wins.shape[-1]
    shape = (math.prod(counts.wins.shape[:-2]), n, n)
    wins, ties = counts.wins.reshape(shape), counts.ties.reshape(shape)
    met = ((wins + np.swapaxes(wins, 1, 2) + ties) > 0) & ~np.eye(n, dtype=np.bool_)
    return davidson(wins + prior * met, ties), met


def _placed(fit: DavidsonFit) -> FloatArray:
    """Return abilities with groups at infinite distance moved apart, shape (S, n)."""
    placed = fit.ability.copy()
    found = fit.separation
    for sample in np.flatnonzero(found.standing.any(axis=1)).tolist():
        standing, component = found.standing[sample], found.component[sample]
        size = found.bounded[sample].sum(axis=1)
        for number in np.unique(component).tolist():
            members = np.flatnonzero(component == number)
            _place(placed[sample], members, standing[members], size[members])
    return placed


def _place(
    ability: FloatArray,
    members: npt.NDArray[np.intp],
    standing: npt.NDArray[np.int64],
    size: npt.NDArray[np.int64],
) -> None:
    """Move groups of connected systems apart by their standing; the largest group stays."""
    offset, top = 0.0, -math.inf
    kept = 0.0
    largest = int(np.argmax(size))
    for value in np.unique(standing):
        tier = members[standing == value]
        if top > -math.inf:
            offset = top + INFINITE_GAP - float(ability[tier].min())
        ability[tier] += offset
        top = float(ability[tier].max())
        if value == standing[largest]:
            kept = offset
    ability[members] -= kept


def _tiers_by_name(separation: Separation, systems: tuple[str, ...]) -> list[list[list[str]]]:
    """Return the groups at infinite distance, best first, of each set of connected systems."""
    listed = []
    component, standing = separation.component[0], separation.standing[0]
    for number in np.unique(component).tolist():
        members = np.flatnonzero(component == number)
        values = np.unique(standing[members])[::-1]
        tiers = [[systems[i] for i in members[standing[members] == value]] for value in values]
        if len(tiers) > 1:
            listed.append(tiers)
    return listed
