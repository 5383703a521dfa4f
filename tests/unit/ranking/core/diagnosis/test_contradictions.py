"""Pairs that contradict the order of scores, and whether other sentences explain it."""

from collections.abc import Callable

import numpy as np
import pytest

from ranking.core.diagnosis.direct_pairs import (
    Contradiction,
    ScoredPair,
    contradictions,
    direct_pairs,
    scored_on_shared_blocks,
    scored_pairs,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.registry import counts_method_named
from ranking.core.scores import Scores

BOJAR = counts_method_named("bojar")


def block(segment: int, *order: str) -> BlockRow:
    return BlockRow("ann", segment, [(name,) for name in order], range(1, len(order) + 1))


def test_other_sentences_explain_a_contradiction() -> None:
    # t beats b twice and loses to it once; b won against weak c elsewhere, t never met it.
    rows = [block(1, "t", "b"), block(1, "t", "b"), block(2, "b", "t")]
    rows += [block(segment, "b", "c") for segment in range(3, 7)]
    blocks = blocks_from_rows(rows, "bct")
    direct = direct_pairs(blocks)
    of_all = contradictions(direct, scored_pairs(blocks.systems, BOJAR.score(blocks)))
    assert of_all == (
        Contradiction(ScoredPair(("b", "t"), (5 / 7, 2 / 3)), 1, 2, 0, direct.adjusted_p[0, 2]),
    )
    shared = scored_on_shared_blocks(blocks, BOJAR)
    assert ScoredPair(("t", "b"), (2 / 3, 1 / 3), blocks=3, segments=2) in shared
    assert contradictions(direct, shared) == ()


def test_other_opponents_in_shared_blocks_explain_nothing() -> None:
    # In the blocks of both, b is always before c and d, and t behind them where it loses.
    rows = [
        block(1, "t", "b", "c", "d"),
        block(2, "t", "b", "c", "d"),
        block(3, "b", "c", "d", "t"),
    ]
    rows += [block(4, "b", "c", "d", "t"), block(5, "t", "b", "c", "d")]
    blocks = blocks_from_rows(rows, "bcdt")
    shared = scored_on_shared_blocks(blocks, BOJAR)
    (found,) = contradictions(direct_pairs(blocks), shared)
    assert found.pair == ScoredPair(("b", "t"), (12 / 15, 9 / 15), blocks=5, segments=5)
    assert (found.wins, found.losses) == (2, 3)


def test_pairs_without_a_common_block_have_no_shared_score() -> None:
    blocks = blocks_from_rows([block(1, "a", "b"), block(2, "c", "d")], "abcd")
    shared = {pair.systems: pair for pair in scored_on_shared_blocks(blocks, BOJAR)}
    assert shared["a", "c"] == ScoredPair(("a", "c"), (None, None), 0, 0)
    assert not shared["a", "c"].is_ordered
    assert shared["a", "b"].scores == (1.0, 0.0)


def test_one_output_of_both_is_no_comparison_of_the_two() -> None:
    rows = [BlockRow("ann", 1, [("a", "b"), ("c",)], [1, 2]), block(2, "b", "a")]
    (pair, *_others) = scored_on_shared_blocks(blocks_from_rows(rows, "abc"), BOJAR)
    assert pair == ScoredPair(("b", "a"), (1.0, 0.0), blocks=1, segments=1)


def test_equal_scores_and_other_groups_are_not_ordered() -> None:
    scores = Scores(
        values=np.array([1.0, 1.0, 0.5]),
        estimable=np.array([True, True, True]),
        group=np.array([0, 0, 1]),
    )
    pairs = scored_pairs(("a", "b", "c"), scores)
    assert [pair.is_ordered for pair in pairs] == [False, False, False]
    assert [pair.scores for pair in pairs] == [(1.0, 1.0), (None, None), (None, None)]


@pytest.mark.parametrize("name", ["expected_wins", "geq_others", "gt_all_in_block"])
def test_shared_scores_are_those_of_the_blocks_that_show_both(
    name: str, drawn_blocks: Callable[[int], Blocks]
) -> None:
    blocks, method = drawn_blocks(150), counts_method_named(name)
    for pair in scored_on_shared_blocks(blocks, method):
        a, b = (blocks.systems.index(system) for system in pair.systems)
        of_both = (blocks.labels[:, a] > 0) & (blocks.labels[:, b] > 0)
        of_both &= blocks.candidates[:, a] != blocks.candidates[:, b]
        scores = method.score(blocks.take(of_both))
        assert pair.blocks == of_both.sum()
        assert pair.segments == len(np.unique(blocks.segment[of_both]))
        assert pair.scores == pytest.approx((scores.values[a], scores.values[b]))
        assert pair.scores[0] is not None
        assert pair.scores[1] is not None
        assert pair.scores[0] >= pair.scores[1]
