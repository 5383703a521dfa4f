"""By every method, the order of rows changes no bit, and other names of systems, or exchanged sides of pairs, no rank."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.methods.trueskill import trueskill
from ranking.core.rankings.rank import Ranking, rank

_QUICK: dict[str, dict[str, Any]] = {"trueskill_wmt": {"runs": 20}}
_NAMES = ("alpha", "beta", "gamma", "delta", "eps")
#: In another order than `_NAMES`.
_OTHER_NAMES = ("zeta", "yak", "mu", "omega", "aa")

Judgment = tuple[str, int, tuple[int, ...], tuple[int, ...]]


def judgments(seed: int, *, most: int = 4) -> list[Judgment]:
    """Draw eighty judgments of up to `most` of five systems, some of one segment by the same judge."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=5)
    drawn = []
    for _ in range(80):
        shown = random.choice(5, size=int(random.integers(2, most + 1)), replace=False)
        seen = np.round(quality[shown] + random.normal(size=len(shown)))
        ranks = tuple(1 + int(np.count_nonzero(seen > one)) for one in seen)
        judge, segment = f"j{random.integers(5)}", int(random.integers(1, 20))
        drawn.append((judge, segment, tuple(shown.tolist()), ranks))
    return drawn


def blocks_of(drawn: list[Judgment], names: tuple[str, ...] = _NAMES) -> Blocks:
    rows = [
        BlockRow(judge, segment, [(names[system],) for system in shown], ranks)
        for judge, segment, shown, ranks in drawn
    ]
    return blocks_from_rows(rows, sorted(names))


def ranked(method: str, blocks: Blocks) -> Ranking:
    return rank(blocks, method, resamples=40, parameters=_QUICK.get(method))


def scores_of(ranking: Ranking, names: tuple[str, ...]) -> dict[int, float | None]:
    return {names.index(row.system): row.score for row in ranking.systems}


def table(ranking: Ranking, names: tuple[str, ...]) -> dict[int, tuple[Any, ...]]:
    return {
        names.index(row.system): (
            row.rank,
            row.last_rank,
            row.rank_low,
            row.rank_high,
            row.cluster,
        )
        for row in ranking.systems
    }


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_changes_no_bit(method: str) -> None:
    drawn = judgments(0)
    other = [drawn[row] for row in np.random.default_rng(1).permutation(len(drawn))]
    assert ranked(method, blocks_of(other)) == ranked(method, blocks_of(drawn))


@pytest.mark.parametrize("method", METHODS)
def test_other_names_of_systems_change_no_rank_and_at_most_last_digits(
    method: str,
) -> None:
    drawn = judgments(0)
    one, other = (
        ranked(method, blocks_of(drawn)),
        ranked(method, blocks_of(drawn, _OTHER_NAMES)),
    )
    assert scores_of(other, _OTHER_NAMES) == pytest.approx(
        scores_of(one, _NAMES),
        rel=1e-9,
    )
    assert table(other, _OTHER_NAMES) == table(one, _NAMES)


@pytest.mark.parametrize("method", METHODS)
def test_exchanged_sides_of_pairs_change_no_rank_and_at_most_last_digits(
    method: str,
) -> None:
    drawn = judgments(3, most=2)
    turned = [
        (judge, segment, shown[::-1], ranks[::-1])
        for judge, segment, shown, ranks in drawn[::2]
    ]
    one, other = (
        ranked(method, blocks_of(drawn)),
        ranked(method, blocks_of([*drawn[1::2], *turned])),
    )
    assert scores_of(other, _NAMES) == pytest.approx(scores_of(one, _NAMES), rel=1e-9)
    assert table(other, _NAMES) == table(one, _NAMES)


def test_other_names_change_no_bit_of_a_trueskill_score() -> None:
    for seed in range(5):
        drawn = judgments(seed)
        one = trueskill(blocks_of(drawn)).scores.by_system(sorted(_NAMES))
        other = trueskill(blocks_of(drawn, _OTHER_NAMES)).scores.by_system(
            sorted(_OTHER_NAMES),
        )
        assert [other[name] for name in _OTHER_NAMES] == [one[name] for name in _NAMES]


def test_the_error_of_orders_is_that_of_means_over_other_orders() -> None:
    blocks = blocks_of(judgments(0))
    fits = [trueskill(blocks, seed=seed) for seed in range(60)]
    values = np.array([fit.scores.values for fit in fits])
    level = values.mean(axis=1, keepdims=True)
    errors = np.array([list(fit.extra["error_of_orders"].values()) for fit in fits])
    expected = (values - level).std(axis=0, ddof=1)
    assert np.sqrt((errors**2).mean(axis=0)) == pytest.approx(expected, rel=0.3)
    assert "error_of_orders" not in trueskill(blocks, runs=1).extra
    more = trueskill(replace(blocks), runs=1000).extra["error_of_orders"]
    assert max(more.values()) < errors.mean() / 5
