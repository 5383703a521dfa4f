"""Draws from the posterior of the relative-ability model by an exact Gibbs sampler.

A sweep draws the radius given the abilities, the latent difference of each comparison given both (a
normal distribution truncated by the outcome), and all abilities together given the differences.
Hopkins & May draw the two qualities of each comparison and then the abilities one by one. Drawing
differences, and all abilities together, has the same posterior without the slow drift of the mean
ability, which no comparison determines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from ranking.core.methods.ability import Extra, comparisons_per_pair
from ranking.core.methods.convergence import effective_draws, split_rhat
from ranking.core.methods.hopkins_may.model import HopkinsMayModel, Modes
from ranking.core.sharding.marks import on_any_engine
from ranking.core.sharding.shards import Engine, map_shards

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
Progress = Callable[[int, int], None]

#: Chains have converged when R̂ of every ability and of the radius is at most this (Vehtari et al.
#: 2021) …
RHAT_LIMIT = 1.01
#: … and their draws are worth this many independent ones, which give a mean to within 0.05 σ.
MIN_EFFECTIVE_DRAWS = 400
_FIRST_SWEEPS = 500
#: Chains start this many standard deviations apart, wider than the posterior.
_APART = 3.0


@dataclass(frozen=True, eq=False)
class PosteriorDraws:
    """Draws of all chains, one chain after the other.

    Attributes
    ----------
    mu : float64, shape (R, n)
        Abilities, centred on 0 in each draw.
    radius : float64, shape (R,)
    converged : bool
    extra : mapping
        "inference", "radius", "radius_sigma", "radius_fitted", "rhat" (the largest),
        "effective_draws" (the fewest), "sweeps" (of a chain), "chains".
    """

    mu: FloatArray
    radius: FloatArray
    converged: bool
    extra: Extra


@dataclass(frozen=True, eq=False)
class _Chain:
    """State of one chain, and of its stream of random numbers.

    Attributes
    ----------
    mu : float64, shape (n,)
    radius : float64, shape (1,)
    start, used : uint64
        The stream, and how many of its numbers were drawn.
    """

    mu: FloatArray
    radius: FloatArray
    start: np.uint64
    used: np.uint64


def _first_state(found: Modes, seed: int, number: int) -> _Chain:
    """Return where a chain starts: a function of the seed and its number."""
    from ranking.core.methods.normal_kernels import stream

    n = found.mu.shape[1]
    covariance = np.linalg.inv(found.information[0])
    apart = np.random.default_rng([seed, number]).standard_normal(n + 1) * _APART
    radius = found.radius[:1].copy()
    if found.fitted[0]:
        sigma = float(np.sqrt(covariance[n, n]))
        radius[0] = max(radius[0] + apart[n] * sigma, radius[0] / 2)
    return _Chain(
        mu=found.mu[0] + apart[:n] * np.sqrt(np.diagonal(covariance)[:n]),
        radius=radius,
        start=np.uint64(stream(np.uint64(seed), np.uint64(number))),
        used=np.uint64(0),
    )


def _radius_step(found: Modes) -> float:
    """Return the step of the walk over the radius; 0 if the radius is given."""
    n = found.mu.shape[1]
    # 2.4 conditional standard deviations are the best step of a Metropolis walk in one dimension
    # (Gelman, Roberts & Gilks 1996).
    return 2.4 / float(np.sqrt(found.information[0, n, n])) if found.fitted[0] else 0.0


@on_any_engine(threads=True)
def _swept(
    wins: Int64Array,
    ties: Int64Array,
    noise: float,
    factor: FloatArray,
    radius_step: float,
    sweeps: int,
    chain: _Chain,
) -> tuple[_Chain, FloatArray]:
    """Return a chain after some sweeps, with their centred abilities and radius, (sweeps, n + 1)."""
    from ranking.core.methods.hopkins_may.kernels import gibbs

    mu, radius = np.empty((sweeps, len(wins))), np.empty(sweeps)
    # The sampler moves the state in place, and a lost shard is computed again from the same state.
    at, radius_at = chain.mu.copy(), chain.radius.copy()
    used = gibbs(
        wins, ties, noise, factor, radius_step, chain.start, chain.used, at, radius_at, mu, radius
    )
    after = _Chain(mu=at, radius=radius_at, start=chain.start, used=np.uint64(used))
    return after, np.column_stack([mu - mu.mean(axis=1, keepdims=True), radius])


def posterior_draws(
    wins: Int64Array,
    ties: Int64Array,
    model: HopkinsMayModel,
    found: Modes,
    *,
    seed: int = 0,
    chains: int = 4,
    most_sweeps: int = 20_000,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> PosteriorDraws:
    """Draw abilities and radius until the chains agree, and return the draws.

    Chains start at different points around the mode and sweep 500 times. Until they converge (R̂ ≤
    1.01 and draws worth 400 independent ones in all quantities), they double their length. The
    first half of each chain is left out.

    Parameters
    ----------
    wins, ties : int64, shape (n, n)
        Counts as in `Tallies`; all systems compared.
    model : HopkinsMayModel
    found : Modes of one sample
        Where to start from.
    seed : int
        0 ≤ seed < 2**64; a chain is a function of the seed and its number.
    chains : int
        At least 2, because convergence cannot be checked with a single chain.
    most_sweeps : int
        The most sweeps of a chain. Each takes about 10 ns per comparison.
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.
    progress : callable, optional
        Called with (sweeps done, most sweeps) whenever convergence is checked.

    Returns
    -------
    PosteriorDraws

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    if not 0 <= seed < 1 << 64:
        raise ValueError("seed: expected 0 ≤ seed < 2**64")
    if chains < 2 or most_sweeps < 8:
        raise ValueError("expected at least 2 chains, and 8 sweeps")
    n = len(wins)
    counts = comparisons_per_pair(wins, ties)
    precision = np.diag(counts.sum(axis=1) + (model.noise / model.prior) ** 2) - counts
    factor = np.ascontiguousarray(np.linalg.cholesky(precision))
    states = [_first_state(found, seed, number) for number in range(chains)]
    given = (wins, ties, model.noise, factor, _radius_step(found))
    drawn = np.empty((chains, 0, n + 1))
    stretch = min(_FIRST_SWEEPS, most_sweeps)
    while True:
        swept = map_shards(partial(_swept, *given, stretch), states, engine=engine)
        states = [state for state, _draws in swept]
        drawn = np.concatenate([drawn, np.stack([draws for _state, draws in swept])], axis=1)
        kept = drawn[:, drawn.shape[1] // 2 :]
        rhat, effective = float(split_rhat(kept).max()), float(effective_draws(kept).min())
        converged = rhat <= RHAT_LIMIT and effective >= MIN_EFFECTIVE_DRAWS
        if progress is not None:
            progress(drawn.shape[1], most_sweeps)
        stretch = min(drawn.shape[1], most_sweeps - drawn.shape[1])
        if converged or stretch <= 0:
            break
    radius = kept[:, :, n].ravel()
    return PosteriorDraws(
        mu=kept[:, :, :n].reshape(-1, n),
        radius=radius,
        converged=converged,
        extra={
            "inference": "gibbs",
            "radius": float(radius.mean()),
            "radius_sigma": float(radius.std()) if found.fitted[0] else None,
            "radius_fitted": bool(found.fitted[0]),
            "rhat": rhat,
            "effective_draws": effective,
            "sweeps": drawn.shape[1],
            "chains": chains,
        },
    )
