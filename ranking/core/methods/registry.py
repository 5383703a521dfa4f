"""Registry of ranking methods."""

from collections.abc import Mapping
from types import MappingProxyType

from ranking.core.arrays import FloatArray
from ranking.core.counting.counts import Counts
from ranking.core.methods import (
    bradley_terry,
    davidson_judges,
    hopkins_may,
    lopez,
    shares,
    trueskill,
)
from ranking.core.methods.method import BlocksMethod, CountsMethod, Method
from ranking.core.methods.shares import expected_wins, expected_wins_influence
from ranking.core.scores import Scores


def _share(name: str) -> CountsMethod:
    layout = shares.share_layout(name, 0)
    return CountsMethod(
        name=name,
        is_share=True,
        of_counts=shares.scores_of(name),
        influence=shares.influence_of(name),
        uses_ties=layout.ties,
        outright=layout.outright,
    )


def _expected_wins(counts: Counts) -> Scores:
    return expected_wins(counts.wins)


def _expected_wins_influence(counts: Counts) -> FloatArray:
    return expected_wins_influence(counts.wins)


_METHODS: tuple[Method, ...] = (
    *map(_share, shares.SHARES),
    CountsMethod(
        name="expected_wins",
        is_share=True,
        of_counts=_expected_wins,
        influence=_expected_wins_influence,
        uses_ties=False,
    ),
    CountsMethod(
        name="lopez",
        uses_ties=False,
        of_counts=lopez.scores,
        comment=lopez.comment,
    ),
    BlocksMethod(
        name="hopkins_may",
        of_blocks=hopkins_may.hopkins_may,
        of_resamples=hopkins_may.scores,
        influence=hopkins_may.influence,
    ),
    BlocksMethod(
        name="trueskill_wmt",
        of_blocks=trueskill.trueskill_wmt,
        of_resamples=trueskill.scores,
        prepare=trueskill.with_collapsed_ties,
    ),
    BlocksMethod(name="trueskill", of_blocks=trueskill.trueskill),
    CountsMethod(
        name="bradley_terry",
        options={"prior": (0, 100)},
        of_counts=bradley_terry.scores,
        comment=bradley_terry.comment,
        influence=bradley_terry.gradient,
        model_variance=bradley_terry.model_variance,
    ),
    BlocksMethod(
        name="davidson_judges",
        of_blocks=davidson_judges.davidson_judges,
        is_deterministic=True,
        block_influence=davidson_judges.davidson_judges_block_influence,
    ),
)

#: All methods by name.
METHODS: Mapping[str, Method] = MappingProxyType(
    {method.name: method for method in _METHODS},
)


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
