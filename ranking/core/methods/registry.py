"""The methods that estimate abilities, as functions for the registry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import Counts
from ranking.core.judged.blocks import Blocks
from ranking.core.methods import hopkins_may as relative
from ranking.core.methods import trueskill as ratings
from ranking.core.methods.method import Ability, Fit, joined
from ranking.core.ranges import rank_ranges
from ranking.core.scores import NotEstimable, Scores

Weights = npt.NDArray[np.integer]


def hopkins_may(
    blocks: Blocks,
    *,
    seed: int = 0,
    weights: Weights | None = None,
    inference: Literal["collapsed", "gibbs"] = "collapsed",
    radius: float | None = None,
) -> Fit:
    """Fit relative abilities, see `ranking.core.methods.hopkins_may`."""

    return _fit(
        relative.hopkins_may(
            blocks,
            seed=seed,
            weights=weights,
            inference=inference,
            model=relative.HopkinsMayModel(radius=radius),
        )
    )


def hopkins_may_resamples(
    counts: Counts,
    *,
    seed: int,
    ids: range,
    inference: Literal["collapsed", "gibbs"],
    radius: float | None,
) -> Scores:
    """Score resamples by the collapsed estimate, which is close to that of Gibbs sampling."""

    del seed, ids, inference  # nothing is drawn
    return relative.score_counts(
        counts.wins, _ties(counts), model=relative.HopkinsMayModel(radius=radius)
    )


def hopkins_may_influence(
    counts: Counts, *, inference: Literal["collapsed", "gibbs"], radius: float | None
) -> FloatArray:
    """Return how far one more comparison moves each ability of the collapsed estimate, close to that of Gibbs sampling.

    Float64, shape (n, m) for the m cells of the layout with ties; `counts` is of shape (n, n). `inference` changes nothing.
    """

    del inference
    return relative.gradient(
        counts.wins, _ties(counts), model=relative.HopkinsMayModel(radius=radius)
    )


def trueskill_wmt(
    blocks: Blocks,
    *,
    seed: int = 0,
    weights: Weights | None = None,
    runs: int = 1000,
    collapsed_tie: bool = True,
    sigma: float = 0.5,
    draw_probability: float = 0.25,
) -> Fit:
    """Fit TrueSkill as WMT 2014–16 did, see `ranking.core.methods.trueskill`."""

    ability = ratings.trueskill_wmt(
        blocks,
        seed=seed,
        weights=weights,
        runs=runs,
        collapsed_tie=collapsed_tie,
        sigma=sigma,
        draw_probability=draw_probability,
    )
    fit = _fit(ability)
    # Rank ranges define their own resampling; the runs behind the scores do not resample.
    extra = {name: value for name, value in fit.extra.items() if name != "resample"}
    if len(ability.draws):
        extra["ranges_of_runs"] = _ranges_of_runs(ability)
    return replace(fit, extra=extra)


def _ranges_of_runs(ability: Ability) -> dict[str, list[int]]:
    """Return 95 % rank ranges over the runs themselves, as WMT14 and WMT15 published them."""
    ranges = rank_ranges(ability.drawn_scores)
    return {
        ability.systems[index]: [int(ranges.low[index]), int(ranges.high[index])]
        for index in np.flatnonzero(ability.estimable).tolist()
    }


def trueskill_wmt_resamples(
    counts: Counts,
    *,
    seed: int,
    ids: range,
    runs: int,
    collapsed_tie: bool,
    sigma: float,
    draw_probability: float,
) -> Scores:
    """Score each resample by one run of WMT's procedure; at the level of pairs, as WMT16 did."""

    del runs, collapsed_tie  # `with_collapsed_ties` has seen to them
    ties = _ties(counts)
    # Score resamples one by one: the order of games depends on all counts given, and a resample
    # must not depend on the others scored with it.
    return joined(
        [
            ratings.score_counts(
                counts.wins[row : row + 1],
                ties[row : row + 1],
                seed=seed,
                first_run=id_,
                sigma=sigma,
                draw_probability=draw_probability,
            )
            for row, id_ in enumerate(ids)
        ]
    )


def with_collapsed_ties(blocks: Blocks, *, collapsed_tie: bool, **_: Any) -> Blocks:
    """Return blocks with one candidate per system, so that all equal labels count as ties."""
    if not collapsed_tie:
        return blocks
    shown = blocks.candidates >= 0
    own = np.where(shown, np.cumsum(shown, axis=1) - 1, -1).astype(np.int8)
    return replace(blocks, candidates=own)


def trueskill(
    blocks: Blocks,
    *,
    seed: int = 0,
    weights: Weights | None = None,
    runs: int = 10,
    draw_probability: float | None = None,
) -> Fit:
    """Fit TrueSkill to the comparisons in shuffled orders; to a resample, in one order."""

    return _fit(
        ratings.trueskill_online(
            blocks,
            seed=seed,
            weights=weights,
            runs=runs if weights is None else 1,
            draw_probability=draw_probability,
        )
    )


def _fit(ability: Ability) -> Fit:
    failed = ability.problem == NotEstimable.NOT_CONVERGED.value
    without = np.flatnonzero(~ability.estimable).tolist() if failed else []
    return Fit(
        scores=ability.scores,
        extra=ability.comment(),
        reasons=dict.fromkeys(without, NotEstimable.NOT_CONVERGED),
    )


def _ties(counts: Counts) -> Int64Array:
    if counts.ties is None:
        raise ValueError("counts: ties were not counted")
    return counts.ties
