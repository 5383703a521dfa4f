"""TrueSkill (Herbrich, Minka & Graepel 2006), as used by WMT 2014–16 and online.

TrueSkill treats comparisons as games between two systems. A system's skill is a normal distribution
(μ, σ²); a game adds noise with variance β² to each side, and is a draw if the difference is within
the margin ε. After i beats j, with c² = 2β² + σᵢ² + σⱼ²,

    μᵢ += σᵢ²/c · v,  μⱼ −= σⱼ²/c · v,  σᵢ² *= 1 − σᵢ²/c² · w,  σⱼ² *= 1 − σⱼ²/c² · w

where v, w are functions of (μᵢ − μⱼ)/c and ε/c. Systems do not improve between games, so τ = 0.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy import special

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import Tallies, listed_comparisons
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import (
    Ability,
    Weights,
    canonical_order,
    count_comparison_groups,
    is_compared,
    no_ability,
    weighted_tally,
)
from ranking.core.scores import NotEstimable, Scores

#: WMT's constants: σ of the prior, β in units of σ·N, and draw probability.
SIGMA, BETA_SHARE, DRAW_PROBABILITY = 0.5, 1 / 40, 0.25


def draw_margin(draw_probability: float) -> float:
    """Return the margin ε, in units of β, at which equal systems draw with the given probability.

    Herbrich, Minka and Graepel (2006), TrueSkill, §2. Raises ValueError unless 0 ≤ `draw_probability` < 1.
    """
    if not 0 <= draw_probability < 1:
        raise ValueError("draw_probability: expected 0 ≤ p < 1")
    return math.sqrt(2) * float(special.ndtri((draw_probability + 1) / 2))


def trueskill_wmt(
    blocks: Blocks,
    *,
    seed: int = 0,
    runs: int = 1000,
    resample: Literal["none", "pairs"] = "none",
    weights: Weights | None = None,
    collapsed_tie: bool = True,
    sigma: float = SIGMA,
    draw_probability: float = DRAW_PROBABILITY,
) -> Ability:
    """Estimate abilities as the Workshops on Statistical Machine Translation (WMT) did in 2014–16.

    A run plays as many games as there are comparisons, N. Each game takes the system with the
    largest variance and an opponent with probability ∝ exp(−|Δμ|) among those compared with it,
    draws one of their stored comparisons with replacement, and updates both. Prior μ 0 and σ 0.5, β
    = σ·N/40, τ 0, draw probability 0.25. The ability is the mean over the runs.

    Ties count as draws. Collapsed outputs are expanded to every system they stand for, and two
    systems of one candidate count as tied: no judge compared them, but reproducing the published
    abilities requires it (on WMT15 English–Finnish, abilities without it differ by up to 0.08). The
    reference counts as a system unless it was removed with `Blocks.without`.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    seed : int
        0 ≤ seed < 2**64. Run r depends only on (seed, r), not on `runs`.
    runs : int
        Number R of runs; WMT published ranges over 1,000.
    resample : {"none", "pairs"}
        "pairs" resamples the comparisons with replacement before each run, as in 2016; "none" does
        not, as in 2014–15, so that runs differ only in the games drawn.
    weights : integer, shape (B,), optional
        Weight of each block, for a bootstrap of blocks, segments or judges.
    collapsed_tie : bool
        Whether to count pairs inside one candidate as tied; other methods leave them out.
    sigma : float
        Standard deviation of the prior; β and the abilities are proportional to it.
    draw_probability : float
        Between 0 and 1.

    Returns
    -------
    Ability
        `mu` is the mean and `sigma` the standard deviation of the abilities over the runs (not
        TrueSkill's σ, which is meaningless because the prior is narrow compared with β); `draws`
        are the runs. `extra`: "comparisons", "runs", "resample", "beta".

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    K. Sakaguchi, M. Post, B. Van Durme (2014), Efficient Elicitation of Annotations for Human
    Evaluation of Machine Translation, WMT; O. Bojar et al. (2015, 2016), Findings of the WMT.
    """
    if runs < 1:
        raise ValueError("runs: expected at least one")
    tallies = weighted_tally(blocks, weights, collapsed_tie=collapsed_tie)
    if not tallies.comparisons:
        return no_ability(tallies, NotEstimable.NO_COMPARISON)
    wins, ties = tallies.wins[np.newaxis], tallies.ties[np.newaxis]
    if resample == "pairs":
        wins, ties = _resampled_pairs(tallies, seed=seed, runs=runs)
    draws = _runs(
        wins,
        ties,
        order=canonical_order(tallies.wins, tallies.ties),
        seed=seed,
        runs=runs,
        sigma=sigma,
        margin=draw_margin(draw_probability),
    )
    estimable = is_compared(tallies.wins, tallies.ties)
    draws[:, ~estimable] = np.nan
    return Ability(
        systems=tallies.systems,
        mu=draws.mean(axis=0),
        sigma=draws.std(axis=0),
        estimable=estimable,
        draws=draws,
        groups=count_comparison_groups(tallies),
        extra={
            "comparisons": tallies.comparisons,
            "runs": runs,
            "resample": resample,
            "beta": sigma * tallies.comparisons * BETA_SHARE,
        },
        sigma_is="sd_of_runs",
    )


def score_counts(
    wins: Int64Array,
    ties: Int64Array,
    *,
    seed: int,
    first_run: int = 0,
    sigma: float = SIGMA,
    draw_probability: float = DRAW_PROBABILITY,
) -> Scores:
    """Score R resamples by one run of WMT's procedure each.

    Parameters
    ----------
    wins, ties : int64, shape (R, n, n)
        Counts as in `Tallies`, of each resample.
    seed : int
        0 ≤ seed < 2**64; resample r is scored by run ``first_run + r``.

    Returns
    -------
    Scores
        Shape (R, n); a system without comparisons in a resample cannot be estimated in it.
    """
    values = _runs(
        wins,
        ties,
        order=canonical_order(wins, ties),
        seed=seed,
        first_run=first_run,
        runs=len(wins),
        sigma=sigma,
        margin=draw_margin(draw_probability),
    )
    estimable = is_compared(wins, ties)
    return Scores(values=np.where(estimable, values, np.nan), estimable=estimable)


def _runs(
    wins: Int64Array,
    ties: Int64Array,
    *,
    order: Int64Array,
    seed: int,
    runs: int,
    sigma: float,
    margin: float,
    first_run: int = 0,
) -> FloatArray:
    """Return the abilities in each run, shape (R, n); 0 for systems never compared.

    `order` is the order in which runs iterate over systems, one for each sample or one for all.
    """
    from ranking.core.methods.trueskill_kernels import matched_runs

    if not 0 <= seed < 1 << 64:
        raise ValueError("seed: expected 0 ≤ seed < 2**64")
    if sigma <= 0:
        raise ValueError("sigma: expected a positive number")
    n = wins.shape[-1]
    mu = np.empty((runs, n))
    matched_runs(
        _ordered(wins, order),
        _ordered(ties, order),
        np.uint64(seed),
        first_run,
        sigma,
        BETA_SHARE,
        margin,
        mu,
        np.empty_like(mu),
    )
    result = np.empty_like(mu)
    np.put_along_axis(result, np.broadcast_to(order, (runs, n)), mu, axis=1)
    return result


def _ordered(counts: Int64Array, order: Int64Array) -> Int64Array:
    """Return counts with the systems of each sample reordered by its own order, or all by the
    same.
    """
    shape = (len(counts), counts.shape[-1])
    place = np.broadcast_to(order, shape)
    rows = np.take_along_axis(counts, place[:, :, np.newaxis], axis=1)
    return np.ascontiguousarray(
        np.take_along_axis(rows, place[:, np.newaxis, :], axis=2), dtype=np.int64
    )


def _resampled_pairs(tallies: Tallies, *, seed: int, runs: int) -> tuple[Int64Array, Int64Array]:
    """Return resampled comparisons for each run, by one multinomial draw over the counted cells."""
    n = len(tallies.systems)
    order = canonical_order(tallies.wins, tallies.ties)
    upper = np.triu_indices(n, 1)
    wins, ties = tallies.wins[np.ix_(order, order)], tallies.ties[np.ix_(order, order)]
    cells = np.concatenate([wins[upper], wins.T[upper], ties[upper]])
    shares = cells / cells.sum()
    new_wins = np.zeros((runs, n, n), dtype=np.int64)
    new_ties = np.zeros((runs, n, n), dtype=np.int64)
    first, second = order[upper[0]], order[upper[1]]
    for run in range(runs):
        drawn = np.random.default_rng([seed, run]).multinomial(cells.sum(), shares).reshape(3, -1)
        new_wins[run, first, second], new_wins[run, second, first] = drawn[0], drawn[1]
        new_ties[run, first, second] = new_ties[run, second, first] = drawn[2]
    return new_wins, new_ties


_MAX_DRAW = 0.99


def trueskill_online(
    blocks: Blocks,
    *,
    seed: int = 0,
    order: Literal["key", "rows"] = "key",
    runs: int = 10,
    weights: Weights | None = None,
    mu: float = 25.0,
    sigma: float = 25 / 3,
    beta: float = 25 / 6,
    tau: float = 0.0,
    draw_probability: float | None = None,
) -> Ability:
    """Estimate abilities by one pass over the comparisons in each of several orders, averaged.

    TrueSkill learns from each comparison once, so its estimate depends on their order. With
    ``order="key"``, a run shuffles the blocks by a hash of (seed, run, content key), and the result
    is the mean over runs. With ``order="rows"``, there is one run over the blocks in the given
    order, for instance that of judging. Within a block, comparisons are ordered by shown position.

    Ties count as draws. Collapsed outputs are expanded to every system they stand for. Unlike in
    `trueskill_wmt`, β does not grow with the number of comparisons, so standard deviations shrink
    as that number grows. Comparisons of a block are treated as independent, which they are not.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    seed : int
        0 ≤ seed < 2**64; only used with ``order="key"``.
    order : {"key", "rows"}
    runs : int
        Number R of orders; ignored with ``order="rows"``, which has only one.
    weights : integer, shape (B,), optional
        Weight of each block.
    mu, sigma : float
        Mean and standard deviation of the prior; the defaults are those of the paper.
    beta : float
        Standard deviation of the noise on each side of a game.
    tau : float
        Standard deviation added to each side before a game; 0, since systems do not improve.
    draw_probability : float, optional
        Between 0 and 1 (exclusive); None for the share of ties in the data.

    Returns
    -------
    Ability
        `mu` is the mean over the runs; `sigma` the root of TrueSkill's mean variance plus the
        variance between orders (of skills relative to their mean); `draws` are the runs. `extra`:
        "comparisons", "runs", "order", "draw_probability".

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    from ranking.core.methods.trueskill_kernels import one_pass, shuffled

    runs = 1 if order == "rows" else runs
    if runs < 1 or not 0 <= seed < 1 << 64:
        raise ValueError("runs: expected at least one; seed: expected 0 ≤ seed < 2**64")
    if sigma <= 0 or beta <= 0 or tau < 0:
        raise ValueError("sigma and beta must be positive, tau not negative")
    tallies = weighted_tally(blocks, weights)
    if not tallies.comparisons:
        return no_ability(tallies, NotEstimable.NO_COMPARISON)
    if draw_probability is None:
        draw_probability = min(tallies.tied / tallies.comparisons, _MAX_DRAW)
    margin = draw_margin(draw_probability) * beta
    if weights is not None:
        blocks = blocks.take(np.repeat(np.arange(len(blocks)), weights))
    games = Games(blocks)
    n = len(blocks.systems)
    draws, variances = np.full((runs, n), float(mu)), np.full((runs, n), float(sigma**2))
    for run in range(runs):
        first, second, tie = games.first, games.second, games.tie
        if order == "key":
            place = shuffled(np.ascontiguousarray(blocks.key), np.uint64(seed), run)
            played = np.lexsort((games.turn, place[games.block]))
            first, second, tie = first[played], second[played], tie[played]
        one_pass(draws[run], variances[run], first, second, tie, beta, margin, tau)
    estimable = np.zeros(n, dtype=np.bool_)
    estimable[games.first] = estimable[games.second] = True
    draws[:, ~estimable] = variances[:, ~estimable] = np.nan
    # The mean of all skills varies between orders and is meaningless.
    level = draws[:, estimable].mean(axis=1, keepdims=True)
    spread = variances.mean(axis=0) + (draws - level).var(axis=0)
    return Ability(
        systems=blocks.systems,
        mu=draws.mean(axis=0),
        sigma=np.sqrt(spread),
        estimable=estimable,
        draws=draws,
        groups=count_comparison_groups(tallies),
        extra={
            "comparisons": tallies.comparisons,
            "runs": runs,
            "order": order,
            "draw_probability": draw_probability,
        },
    )


class Games:
    """The N comparisons of blocks as games, sorted by block and shown position.

    Attributes
    ----------
    first, second : int32, shape (N,)
        Winner and loser, or the two sides of a tie: indices of systems.
    tie : bool, shape (N,)
    shown : int8, shape (N,)
        1 if the side shown first won, −1 if the other side won, 0 for a tie.
    block : int64, shape (N,)
        Row of the block.
    turn : int64, shape (N,)
        Index of the game among all games.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.block, left, right, outcome = listed_comparisons(blocks, as_shown=True)
        self.first = np.where(outcome >= 0, left, right).astype(np.int32)
        self.second = np.where(outcome >= 0, right, left).astype(np.int32)
        self.tie = outcome == 0
        self.shown = outcome.astype(np.int8)
        self.turn = np.arange(len(left))
