"""Registry of ranking methods, with adapters for those that estimate abilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from ranking.core.arrays import FloatArray
from ranking.core.counting.counts import Counts
from ranking.core.judged.blocks import Blocks
from ranking.core.methods import bradley_terry, davidson_judges, lopez, shares
from ranking.core.methods import hopkins_may as relative
from ranking.core.methods import trueskill as ratings
from ranking.core.methods.method import (
    Ability,
    BlocksMethod,
    CountsMethod,
    Fit,
    Method,
    Weights,
    joined,
)
from ranking.core.methods.shares import expected_wins, expected_wins_influence
from ranking.core.ranges import rank_ranges
from ranking.core.scores import NotEstimable, Scores


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


def hopkins_may_resamples(counts: Counts, *, radius: float | None, **_: Any) -> Scores:
    """Score resamples by the deterministic collapsed estimate, which is close to that of Gibbs
    sampling.
    """
    model = relative.HopkinsMayModel(radius=radius)
    return relative.score_counts(counts.wins, counts.tied, model=model)


def hopkins_may_influence(counts: Counts, *, radius: float | None, **_: Any) -> FloatArray:
    """Return the influence of one more comparison on each ability, using the collapsed estimate.

    The result is float64 of shape (n, m) for the m cells of the layout with ties; `counts` has
    shape (n, n).
    """
    model = relative.HopkinsMayModel(radius=radius)
    return relative.gradient(counts.wins, counts.tied, model=model)


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
    """Fit TrueSkill as in WMT 2014–16, see `ranking.core.methods.trueskill`."""

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
    """Return 95% rank ranges over the runs themselves, as published by WMT14 and WMT15."""
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
    sigma: float,
    draw_probability: float,
    **_: Any,
) -> Scores:
    """Score each resample by one run of WMT's procedure; with pairs as units, this is WMT16's
    method.
    """
    ties = counts.tied
    # Resamples are scored one by one: the order of games depends on all counts given, and a
    # resample must not depend on others scored with it.
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
    """Fit TrueSkill to the comparisons in several shuffled orders, or to a resample in one
    order.
    """

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
    failed = ability.problem is NotEstimable.NOT_CONVERGED
    without = np.flatnonzero(~ability.estimable).tolist() if failed else []
    return Fit(
        scores=ability.scores,
        extra=ability.comment(),
        reasons=dict.fromkeys(without, NotEstimable.NOT_CONVERGED),
    )


def _expected_wins(counts: Counts) -> Scores:
    return expected_wins(counts.wins)


def _expected_wins_influence(counts: Counts) -> FloatArray:
    n = len(counts.wins)
    return expected_wins_influence(counts.wins).reshape(n, n * n)


def _share(name: str, of_counts: Callable[[Counts], Scores], **how: Any) -> CountsMethod:
    """Return a method whose scores are shares of comparisons, or of blocks won outright."""
    return CountsMethod(name=name, is_share=True, of_counts=of_counts, **how)


_METHODS: tuple[Method, ...] = (
    _share("geq_others", shares.geq_others, influence=shares.geq_others_influence),
    _share("gt_others", shares.gt_others, influence=shares.gt_others_influence),
    _share(
        "geq_all_in_block",
        shares.geq_all_in_block,
        influence=shares.geq_all_in_block_influence,
        outright=True,
    ),
    _share(
        "gt_all_in_block",
        shares.gt_all_in_block,
        influence=shares.gt_all_in_block_influence,
        outright=True,
    ),
    _share("bojar", shares.bojar, influence=shares.bojar_influence, uses_ties=False),
    _share("expected_wins", _expected_wins, influence=_expected_wins_influence, uses_ties=False),
    CountsMethod(
        name="lopez",
        uses_ties=False,
        of_counts=lopez.scores,
        comment=lopez.comment,
    ),
    BlocksMethod(
        name="hopkins_may",
        of_blocks=hopkins_may,
        of_resamples=hopkins_may_resamples,
        influence=hopkins_may_influence,
    ),
    BlocksMethod(
        name="trueskill_wmt",
        of_blocks=trueskill_wmt,
        of_resamples=trueskill_wmt_resamples,
        prepare=with_collapsed_ties,
    ),
    BlocksMethod(name="trueskill", of_blocks=trueskill),
    CountsMethod(
        name="bradley_terry",
        of_counts=bradley_terry.scores,
        comment=bradley_terry.comment,
        influence=bradley_terry.gradient,
        model_variance=bradley_terry.model_variance,
        iterates=True,
    ),
    BlocksMethod(
        name="davidson_judges",
        of_blocks=davidson_judges.davidson_judges,
        block_influence=davidson_judges.davidson_judges_block_influence,
    ),
)

#: All methods by name.
METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _METHODS})


def method_named(name: str) -> Method:
    """Return the method of that name; ValueError if there is none."""
    try:
        return METHODS[name]
    except KeyError:
        raise ValueError(f"method: {name!r} is none of {', '.join(METHODS)}") from None


def counts_method_named(name: str) -> CountsMethod:
    """Return the method of that name if it scores counts; ValueError otherwise."""
    method = method_named(name)
    if not isinstance(method, CountsMethod):
        raise ValueError(f"method: {name} needs more than counts")
    return method
