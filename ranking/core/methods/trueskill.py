"""TrueSkill (Herbrich, Minka & Graepel 2006), as used by WMT 2014–16 and online.

TrueSkill treats comparisons as games between two systems. A system's skill is a normal distribution
(μ, σ²); a game adds noise with variance β² to each side, and is a draw if the difference is within
the margin ε. After i beats j, with c² = 2β² + σᵢ² + σⱼ²,

    μᵢ += σᵢ²/c · v,  μⱼ −= σⱼ²/c · v,  σᵢ² *= 1 − σᵢ²/c² · w,  σⱼ² *= 1 − σⱼ²/c² · w

where v, w are functions of (μᵢ − μⱼ)/c and ε/c. Systems do not improve between games, so τ = 0.
"""

import math
from dataclasses import replace
from typing import Any, Required, TypedDict

import numpy as np
from scipy import special

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import Counts, Tallies, listed_comparisons, tally
from ranking.core.counting.resampling import (
    generator_states,
    keys_without_names,
    shuffled,
)
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import (
    Fit,
    Weights,
    canonical_order,
    comparisons_per_pair,
    fit_of_abilities,
    is_compared,
)
from ranking.core.ranges import rank_ranges
from ranking.core.scores import NotEstimable, Scores

#: WMT's constants: σ of the prior, β in units of σ·N, and draw probability.
SIGMA = 0.5
BETA_SHARE = 1 / 40
DRAW_PROBABILITY = 0.25


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
    collapsed_tie: bool = True,
    sigma: float = SIGMA,
    draw_probability: float = DRAW_PROBABILITY,
) -> Fit:
    """Fit TrueSkill as the Workshops on Statistical Machine Translation (WMT) did in 2014–16.

    A run plays as many games as there are comparisons, N. Each game takes the system with the
    largest variance and an opponent with probability ∝ exp(−|Δμ|) among those compared with it,
    draws one of their stored comparisons with replacement, and updates both. Prior μ 0 and σ 0.5, β
    = σ·N/40, τ 0, draw probability 0.25. The ability is the mean over the runs. The runs differ
    only in the games drawn, as in 2014–15; in 2016, comparisons were resampled before each run, as
    rank ranges with pairs as units do.

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
    collapsed_tie : bool
        Whether to count pairs inside one candidate as tied; other methods leave them out.
    sigma : float
        Standard deviation of the prior; β and the abilities are proportional to it.
    draw_probability : float
        Between 0 and 1.

    Returns
    -------
    Fit
        See `fit_of_abilities`. The standard deviations are those over the runs (not TrueSkill's σ,
        which is meaningless because the prior is narrow compared with β). `extra`: "comparisons",
        "runs", "beta", "ranges_of_runs" (95% rank ranges over the runs themselves, as published by
        WMT14 and WMT15).

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
    tallies = tally(with_collapsed_ties(blocks, collapsed_tie=collapsed_tie))
    if not tallies.comparisons:
        return _no_abilities(tallies)
    draws = _runs(
        tallies.wins,
        tallies.ties,
        range(runs),
        seed=seed,
        sigma=sigma,
        draw_probability=draw_probability,
    )
    estimable = ~np.isnan(draws)
    ranges = rank_ranges(Scores(values=draws, estimable=estimable))
    ranges_of_runs = {}
    for index in np.flatnonzero(estimable[0]).tolist():
        low = int(ranges.low[index])
        high = int(ranges.high[index])
        ranges_of_runs[tallies.systems[index]] = [low, high]
    extra: TrueSkillDiagnostics = {
        "comparisons": tallies.comparisons,
        "runs": runs,
        "beta": sigma * tallies.comparisons * BETA_SHARE,
        "ranges_of_runs": ranges_of_runs,
    }
    return fit_of_abilities(
        tallies,
        draws.mean(axis=0),
        draws.std(axis=0),
        extra,
        sigma_is="sd_of_runs",
    )


class TrueSkillDiagnostics(TypedDict, total=False):
    """Further results of TrueSkill, as plain JSON, by WMT or with orders of the comparisons."""

    comparisons: Required[int]
    runs: Required[int]
    beta: float
    ranges_of_runs: dict[str, list[int]]
    order: str
    draw_probability: float
    error_of_orders: dict[str, float]


def _no_abilities(tallies: Tallies) -> Fit:
    """Return the fit of systems that were never compared."""
    unknown = np.full(len(tallies.systems), np.nan)
    problem = NotEstimable.NO_COMPARISON
    return fit_of_abilities(tallies, unknown, unknown, problem=problem)


def with_collapsed_ties(blocks: Blocks, *, collapsed_tie: bool, **_: Any) -> Blocks:
    """Return blocks with one candidate per system, so that all equal labels count as ties."""
    if not collapsed_tie:
        return blocks
    is_shown = blocks.candidates >= 0
    numbers = np.cumsum(is_shown, axis=1) - 1
    candidates = np.where(is_shown, numbers, -1).astype(np.int8)
    return replace(blocks, candidates=candidates)


def scores(counts: Counts, *, seed: int, ids: range, **parameters: Any) -> Scores:
    """Score each of R resamples by one run of WMT's procedure; with pairs as units, this is WMT16's
    method.

    Resample `ids[r]` is scored by the run of that number. A system without comparisons in a
    resample cannot be estimated in it.
    """
    skills = np.empty(counts.wins.shape[:2])
    for row, id_ in enumerate(ids):
        own = range(id_, id_ + 1)
        wins = counts.wins[row]
        ties = counts.tied[row]
        skills[row] = _runs(wins, ties, own, seed=seed, **parameters)[0]
    return Scores(values=skills, estimable=~np.isnan(skills))


def _runs(
    wins: Int64Array,
    ties: Int64Array,
    ids: range,
    *,
    seed: int,
    sigma: float,
    draw_probability: float,
    **_: Any,
) -> FloatArray:
    """Return the abilities in each run, shape (R, n); NaN for systems never compared."""
    from ranking.core.methods.trueskill_kernels import Noise, matched_runs

    if sigma <= 0:
        raise ValueError("sigma: expected a positive number")
    order = canonical_order(wins, ties)
    in_order = np.ix_(order, order)
    total = comparisons_per_pair(wins, ties)
    beta = sigma * int(total.sum() // 2) * BETA_SHARE
    noise = Noise(beta, draw_margin(draw_probability) * beta)
    states = generator_states(np.array(ids, dtype=np.uint64), seed=seed)
    mu = np.empty((len(ids), len(wins)))
    matched_runs(
        np.ascontiguousarray(wins[in_order]),
        np.ascontiguousarray(total[in_order]),
        states,
        sigma,
        noise,
        mu,
    )
    skills = np.empty_like(mu)
    skills[:, order] = mu
    skills[:, ~is_compared(wins, ties)] = np.nan
    return skills


#: The prior's mean and standard deviation, and the standard deviation of the noise on each side of
#: a game: those of the paper.
_MU = 25.0
_SIGMA = 25 / 3
_BETA = 25 / 6
_MAX_DRAW = 0.99


def trueskill(
    blocks: Blocks,
    *,
    seed: int = 0,
    weights: Weights | None = None,
    runs: int = 10,
    draw_probability: float | None = None,
) -> Fit:
    """Fit TrueSkill by one pass over the comparisons in each of several orders, averaged.

    TrueSkill learns from each comparison once, so its estimate depends on their order. A run
    shuffles the blocks by a hash of (seed, run, segment, judge), and the result is the mean over
    runs. So other names of the systems do not change it, nor do exchanged sides of a pair. Within a
    block, comparisons are ordered by shown position.

    Ties count as draws. Collapsed outputs are expanded to every system they stand for. Unlike in
    `trueskill_wmt`, β does not grow with the number of comparisons, so standard deviations shrink
    as that number grows. Comparisons of a block are treated as independent, which they are not.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    seed : int
        0 ≤ seed < 2**64.
    weights : integer, shape (B,), optional
        Weight of each block in a resample, which gets only one run.
    runs : int
        Number R of orders.
    draw_probability : float, optional
        Between 0 and 1 (exclusive); None for the share of ties in the data.

    Returns
    -------
    Fit
        See `fit_of_abilities`. The standard deviation is the root of TrueSkill's mean variance plus
        the variance between orders (of skills relative to their mean). `extra`: "comparisons",
        "runs", "order", "draw_probability", and "error_of_orders": by how much the mean over runs
        would vary with other orders (standard error, by system; absent with one run).

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    from ranking.core.methods.trueskill_kernels import Noise, one_pass

    if runs < 1 or not 0 <= seed < 1 << 64:
        raise ValueError("runs: expected at least one; seed: expected 0 ≤ seed < 2**64")
    if weights is not None:
        rows = np.repeat(np.arange(len(blocks)), weights)
        blocks = blocks.take(rows)
        runs = 1
    tallies = tally(blocks)
    if not tallies.comparisons:
        return _no_abilities(tallies)
    if draw_probability is None:
        draw_probability = min(tallies.tied / tallies.comparisons, _MAX_DRAW)
    noise = Noise(_BETA, draw_margin(draw_probability) * _BETA)
    games = Games(blocks)
    key = keys_without_names(blocks, canonical_order(tallies.wins, tallies.ties))
    n = len(blocks.systems)
    draws = np.full((runs, n), _MU)
    variances = np.full((runs, n), _SIGMA**2)
    for run in range(runs):
        position = shuffled(key, seed=seed, run=run)
        played = np.argsort(position[games.block], kind="stable")
        first = games.first[played]
        second = games.second[played]
        tie = games.tie[played]
        one_pass(draws[run], variances[run], first, second, tie, noise)
    estimable = np.zeros(n, dtype=np.bool_)
    estimable[games.first] = True
    estimable[games.second] = True
    draws[:, ~estimable] = np.nan
    variances[:, ~estimable] = np.nan
    # The mean of all skills varies between orders and is meaningless.
    level = draws[:, estimable].mean(axis=1, keepdims=True)
    order_variance = (draws - level).var(axis=0)
    spread = variances.mean(axis=0) + order_variance
    extra: TrueSkillDiagnostics = {
        "comparisons": tallies.comparisons,
        "runs": runs,
        "order": "key",
        "draw_probability": draw_probability,
    }
    if runs > 1:
        errors = np.sqrt(order_variance / (runs - 1))
        extra["error_of_orders"] = {
            blocks.systems[index]: float(errors[index])
            for index in np.flatnonzero(estimable).tolist()
        }
    return fit_of_abilities(tallies, draws.mean(axis=0), np.sqrt(spread), extra)


class Games:
    """The N comparisons of blocks as games, sorted by block and shown position.

    Attributes
    ----------
    first, second : int32, shape (N,)
        Winner and loser, or the two sides of a tie: indices of systems.
    tie : bool, shape (N,)
    outcome_as_shown : int8, shape (N,)
        1 if the side shown first won, −1 if the other side won, 0 for a tie.
    block : int64, shape (N,)
        Row of the block.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.block, left, right, outcome = listed_comparisons(blocks, as_shown=True)
        left_is_first = outcome >= 0
        self.first = np.where(left_is_first, left, right).astype(np.int32)
        self.second = np.where(left_is_first, right, left).astype(np.int32)
        self.tie = outcome == 0
        self.outcome_as_shown = outcome.astype(np.int8)
