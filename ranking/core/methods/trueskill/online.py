"""TrueSkill online: one pass over all comparisons (Herbrich, Minka & Graepel 2006).

`ranking.core.methods.trueskill.wmt` has the formulas, and the procedure of the Workshops on Machine
Translation.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np

from ranking.core.judged.blocks import Blocks
from ranking.core.methods.ability import (
    Ability,
    AbilityProblem,
    count_comparison_groups,
    no_ability,
    weighted_tally,
)
from ranking.core.methods.trueskill.wmt import Weights, draw_margin

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
    """Estimate abilities by one pass over the comparisons, averaged over orders.

    TrueSkill learns from each comparison once, so its estimate depends on their order. With
    ``order="key"``, a run shuffles the blocks by a hash of (seed, run, content key), and the result
    is the mean over runs. With ``order="rows"``, there is one run over the blocks in the given
    order, for instance that of judging. Within a block, comparisons are ordered by shown position.

    Ties count, as draws. Collapsed outputs are expanded to every system they stand for. Unlike
    in `ranking.core.methods.trueskill.wmt`, β does not grow with the number of comparisons, so the
    standard deviations shrink as it grows. Comparisons of a block count as independent, which they
    are not.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    seed : int
        0 ≤ seed < 2**64; only used with ``order="key"``.
    order : {"key", "rows"}
    runs : int
        Number R of orders; ignored with ``order="rows"``, which has 1.
    weights : integer, shape (B,), optional
        How often each block counts.
    mu, sigma : float
        Mean and standard deviation of the prior; the defaults are those of the paper.
    beta : float
        Standard deviation of the noise of each side of a game.
    tau : float
        Standard deviation added to each side before a game; 0, since systems do not improve.
    draw_probability : float, optional
        Between 0 and 1 (exclusively); None for the share of ties in the data.

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
    from ranking.core.methods.trueskill.kernels import one_pass, shuffled

    runs = 1 if order == "rows" else runs
    if runs < 1 or not 0 <= seed < 1 << 64:
        raise ValueError("runs: expected at least one; seed: expected 0 ≤ seed < 2**64")
    if sigma <= 0 or beta <= 0 or tau < 0:
        raise ValueError("sigma and beta must be positive, tau not negative")
    tallies = weighted_tally(blocks, weights)
    if not tallies.comparisons:
        return no_ability(tallies, AbilityProblem.NO_COMPARISON)
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
    # The mean of all skills differs between orders, and has no meaning.
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
    """The N comparisons of blocks as games, sorted by block and then by shown position.

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
        Index of the game in the order of all games.
    """

    def __init__(self, blocks: Blocks) -> None:
        # Systems of each block by shown position, systems without a label last.
        shown = np.where(blocks.labels > 0, blocks.candidates, np.int8(127))
        by_position = np.argsort(shown, axis=1, kind="stable")
        most = int(np.count_nonzero(blocks.labels, axis=1).max(initial=0))
        systems = by_position[:, :most].astype(np.int32)
        label = np.take_along_axis(blocks.labels, systems, axis=1)
        candidate = np.take_along_axis(blocks.candidates, systems, axis=1)
        pairs = list(combinations(range(most), 2))
        p = np.array([pair[0] for pair in pairs], dtype=np.intp)
        q = np.array([pair[1] for pair in pairs], dtype=np.intp)
        games = (label[:, p] > 0) & (label[:, q] > 0) & (candidate[:, p] != candidate[:, q])
        block, pair = np.nonzero(games)
        left, right = systems[block, p[pair]], systems[block, q[pair]]
        margin = label[block, q[pair]] - label[block, p[pair]]
        self.first = np.where(margin >= 0, left, right)
        self.second = np.where(margin >= 0, right, left)
        self.tie = margin == 0
        self.shown = np.sign(margin).astype(np.int8)
        self.block = block
        self.turn = np.arange(len(block))
