"""Relative ability with a decision radius (Hopkins & May 2013).

System i has an ability μᵢ ~ N(0, σ₀²). A judge who compares outputs of i and j sees two qualities,
each normal about the ability, with variance σₐ² (from output to output) + σ_obs² (from look to
look), and calls a tie if they differ by less than the radius d. With s² = 2 (σₐ² + σ_obs²),

    P(i wins) = Φ((μᵢ − μⱼ − d) / s),   P(j wins) = Φ((μⱼ − μᵢ − d) / s),   else a tie:

an ordered probit in the differences. The qualities can be integrated out, so that the counts of
wins and ties are sufficient ("collapsed", here), or drawn with the abilities ("gibbs", in
`ranking.core.methods.hopkins_may.gibbs`). Both have the same posterior.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import Tallies
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.ability import (
    Ability,
    AbilityProblem,
    Extra,
    canonical_order,
    count_comparison_groups,
    is_compared,
    no_ability,
    weighted_tally,
)
from ranking.core.methods.hopkins_may.gibbs import posterior_draws
from ranking.core.methods.hopkins_may.model import HopkinsMayModel, Modes, posterior_modes
from ranking.core.scores import Scores
from ranking.core.sharding.shards import Engine

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
Progress = Callable[[int, int], None]


def hopkins_may(
    blocks: Blocks,
    *,
    inference: Literal["collapsed", "gibbs"] = "collapsed",
    model: HopkinsMayModel | None = None,
    weights: npt.NDArray[np.integer] | None = None,
    seed: int = 0,
    chains: int = 4,
    most_sweeps: int = 20_000,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Ability:
    """Estimate relative abilities from wins, losses and ties.

    Ties count, by the decision radius. Collapsed outputs are expanded to every system they stand
    for; a pair inside one candidate is not a comparison. The reference counts as a system unless it
    was left out with `Blocks.without`. As in the paper, comparisons are taken for independent;
    resample blocks for uncertainty that allows for their dependence.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    inference : {"collapsed", "gibbs"}
        The mode with Laplace's normal approximation around it, or draws from the exact posterior.
    model : HopkinsMayModel, optional
        Constants; by default WMT's, with the radius fitted.
    weights : integer, shape (B,), optional
        How often each block counts, for a bootstrap.
    seed : int
        Seed of the draws, 0 ≤ seed < 2**64. The collapsed estimate draws nothing.
    chains, most_sweeps, engine, progress
        Options of the draws, see `ranking.core.methods.hopkins_may.gibbs.posterior_draws`.

    Returns
    -------
    Ability
        `mu`, centred on 0 over the compared systems, and `sigma` of the centred abilities;
        `draws` of "gibbs". `problem` is NOT_CONVERGED if the fit did not converge; then there are
        no abilities. `extra`: "inference", "radius", "radius_sigma", "radius_fitted", and of
        "gibbs" "rhat", "effective_draws", "sweeps", "chains".

    Raises
    ------
    ValueError
        If an argument is out of range, or ties contradict a radius of 0.

    References
    ----------
    M. Hopkins, J. May (2013), Models of Translation Competitions, ACL.
    """
    model = model or HopkinsMayModel()
    tallies = weighted_tally(blocks, weights)
    if not tallies.comparisons:
        return no_ability(tallies, AbilityProblem.NO_COMPARISON)
    if model.radius is None and not tallies.wins.any():
        return no_ability(tallies, AbilityProblem.ONLY_TIES)
    order = canonical_order(tallies.wins, tallies.ties)
    kept = order[is_compared(tallies.wins, tallies.ties)[order]]
    wins, ties = tallies.wins[np.ix_(kept, kept)], tallies.ties[np.ix_(kept, kept)]
    found = posterior_modes(wins[np.newaxis], ties[np.newaxis], model)
    if not found.converged[0]:
        return no_ability(tallies, AbilityProblem.NOT_CONVERGED, {"inference": "collapsed"})
    if inference == "collapsed":
        return _laplace(tallies, found, kept)
    drawn = posterior_draws(
        wins,
        ties,
        model,
        found,
        seed=seed,
        chains=chains,
        most_sweeps=most_sweeps,
        engine=engine,
        progress=progress,
    )
    if not drawn.converged:
        return no_ability(tallies, AbilityProblem.NOT_CONVERGED, drawn.extra)
    return _ability(
        tallies, kept, drawn.mu.mean(axis=0), drawn.mu.std(axis=0), drawn.extra, drawn.mu
    )


def score_counts(
    wins: Int64Array, ties: Int64Array, *, model: HopkinsMayModel | None = None
) -> Scores:
    """Score R resamples by their collapsed estimates.

    Parameters
    ----------
    wins, ties : int64, shape (R, n, n)
        Counts as in `Tallies`, of each resample.
    model : HopkinsMayModel, optional

    Returns
    -------
    Scores
        Of shape (R, n), centred in each resample. A system without comparisons is not estimable,
        nor is any system of a resample with only ties, or without convergence.
    """
    model = model or HopkinsMayModel()
    found = posterior_modes(wins, ties, model)
    known = wins.any(axis=(1, 2)) if model.radius is None else np.ones(len(wins), dtype=np.bool_)
    estimable = is_compared(wins, ties) & (found.converged & known)[:, np.newaxis]
    count = np.maximum(np.count_nonzero(estimable, axis=1, keepdims=True), 1)
    centre = np.where(estimable, found.mu, 0).sum(axis=1, keepdims=True) / count
    values = np.where(estimable, found.mu - centre, np.nan)
    return Scores(values=values, estimable=estimable)


def _laplace(tallies: Tallies, found: Modes, kept: Int64Array) -> Ability:
    covariance = np.linalg.inv(found.information[0])
    m = len(kept)
    centring = np.eye(m) - 1 / m
    sigma = np.sqrt(np.diagonal(centring @ covariance[:m, :m] @ centring))
    fitted = bool(found.fitted[0])
    extra: Extra = {
        "inference": "collapsed",
        "radius": float(found.radius[0]),
        "radius_sigma": math.sqrt(covariance[m, m]) if fitted else None,
        "radius_fitted": fitted,
    }
    return _ability(tallies, kept, found.mu[0] - found.mu[0].mean(), sigma, extra)


def _ability(
    tallies: Tallies,
    kept: Int64Array,
    mu: FloatArray,
    sigma: FloatArray,
    extra: Extra,
    draws: FloatArray | None = None,
) -> Ability:
    """Return an `Ability` of all systems, with estimates for the kept ones."""
    n = len(tallies.systems)
    every = np.full((3, n), np.nan)
    every[0, kept], every[1, kept], every[2, kept] = mu, sigma, 1.0
    all_draws = np.full((0 if draws is None else len(draws), n), np.nan)
    if draws is not None:
        all_draws[:, kept] = draws
    return Ability(
        systems=tallies.systems,
        mu=every[0],
        sigma=every[1],
        estimable=every[2] == 1.0,
        draws=all_draws,
        groups=count_comparison_groups(tallies),
        extra=extra,
    )
