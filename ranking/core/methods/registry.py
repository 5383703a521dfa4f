"""The registry of ranking methods."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ranking.core.arrays import FloatArray
from ranking.core.counting.counts import Counts
from ranking.core.methods import ability_methods, bradley_terry, davidson_judges, lopez, shares
from ranking.core.methods.method import BlocksMethod, CountsMethod, Method
from ranking.core.methods.shares import expected_wins, expected_wins_influence
from ranking.core.scores import Scores


def _expected_wins(counts: Counts) -> Scores:
    return expected_wins(counts.wins)


def _expected_wins_influence(counts: Counts) -> FloatArray:
    n = len(counts.wins)
    return expected_wins_influence(counts.wins).reshape(n, n * n)


_METHODS: tuple[Method, ...] = (
    CountsMethod(
        name="geq_others",
        is_share=True,
        uses_ties=True,
        of_counts=shares.geq_others,
        influence=shares.geq_others_influence,
    ),
    CountsMethod(
        name="gt_others",
        is_share=True,
        uses_ties=True,
        of_counts=shares.gt_others,
        influence=shares.gt_others_influence,
    ),
    CountsMethod(
        name="geq_all_in_block",
        is_share=True,
        uses_ties=True,
        outright=True,
        of_counts=shares.geq_all_in_block,
        influence=shares.geq_all_in_block_influence,
    ),
    CountsMethod(
        name="gt_all_in_block",
        is_share=True,
        uses_ties=True,
        outright=True,
        of_counts=shares.gt_all_in_block,
        influence=shares.gt_all_in_block_influence,
    ),
    CountsMethod(
        name="bojar",
        is_share=True,
        uses_ties=False,
        of_counts=shares.bojar,
        influence=shares.bojar_influence,
    ),
    CountsMethod(
        name="expected_wins",
        is_share=True,
        uses_ties=False,
        of_counts=_expected_wins,
        influence=_expected_wins_influence,
    ),
    CountsMethod(
        name="lopez",
        is_share=False,
        uses_ties=False,
        of_counts=lopez.scores,
        comment=lopez.comment,
    ),
    BlocksMethod(
        name="hopkins_may",
        is_share=False,
        uses_ties=True,
        of_blocks=ability_methods.hopkins_may,
        of_resamples=ability_methods.hopkins_may_resamples,
        influence=ability_methods.hopkins_may_influence,
    ),
    BlocksMethod(
        name="trueskill_wmt",
        is_share=False,
        uses_ties=True,
        of_blocks=ability_methods.trueskill_wmt,
        of_resamples=ability_methods.trueskill_wmt_resamples,
        prepare=ability_methods.with_collapsed_ties,
    ),
    BlocksMethod(
        name="trueskill", is_share=False, uses_ties=True, of_blocks=ability_methods.trueskill
    ),
    CountsMethod(
        name="bradley_terry",
        is_share=False,
        uses_ties=True,
        of_counts=bradley_terry.scores,
        comment=bradley_terry.comment,
        influence=bradley_terry.gradient,
        model_variance=bradley_terry.model_variance,
        iterates=True,
    ),
    BlocksMethod(
        name="davidson_judges",
        is_share=False,
        uses_ties=True,
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
