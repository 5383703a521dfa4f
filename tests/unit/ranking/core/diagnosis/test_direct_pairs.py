"""Pairs of systems by their own comparisons, and tests of them.

Pairs that contradict the order of scores, and whether other sentences explain it.

Cycles of majorities: against all triples, and against the number Kendall and Babington Smith give.
"""

from collections.abc import Callable
from itertools import combinations, permutations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t

from ranking.core.counting.counts import Tallies
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.diagnosis.direct_pairs import (
    Contradiction,
    Cycle,
    DirectPairs,
    ScoredPair,
    contradictions,
    direct_pairs,
    majority_cycles,
    scored_on_shared_blocks,
    scored_pairs,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.registry import counts_method_named
from ranking.core.ranges import Correction
from ranking.core.scores import Scores
from tests.some_now import some_now


def block(segment: int, judge: str, *order: str) -> BlockRow:
    return BlockRow(
        judge,
        segment,
        [(name,) for name in order],
        range(1, len(order) + 1),
    )


def test_comparisons_alone_are_the_sign_test() -> None:
    blocks = blocks_from_rows(
        [block(n, "ann", "a", "b") for n in range(6)] + [block(9, "ann", "b", "a")],
        "abc",
    )
    found = direct_pairs(blocks, level="pairs", correction=Correction.HOLM)
    p = binomtest(6, 7).pvalue
    assert found.p_value[0, 1] == found.p_value[1, 0] == pytest.approx(p)
    # Three pairs are tested together; c was never compared.
    assert found.adjusted_p[0, 1] == pytest.approx(3 * p)
    assert found.p_value[2].tolist() == [1, 1, 1]
    assert np.diag(found.p_value).tolist() == [1, 1, 1]


def test_blocks_by_hand() -> None:
    blocks = blocks_from_rows(
        [block(n, "ann", "a", "b") for n in range(6)]
        + [block(n, "ann", "b", "a") for n in (1, 2)],
        "ab",
    )
    found = direct_pairs(blocks, level="blocks", correction=Correction.NONE)
    # Eight comparisons in as many blocks; the share around which they vary is (6 + 1) / (8 + 2).
    variance = (6 * 0.3**2 + 2 * 0.7**2) * (8 / 7 / 8**2) * (8 / 7)
    expected = 2 * t.sf((6 / 8 - 1 / 2) / sqrt(variance), 7)
    assert found.p_value[0, 1] == pytest.approx(expected)
    # One segment more or less alike: two of them agree with themselves and speak for b.
    of_segments = direct_pairs(blocks, level="segments", correction=Correction.NONE)
    assert of_segments.p_value[0, 1] != pytest.approx(expected)


def test_judges_who_disagree_with_each_other_count_as_judges() -> None:
    # Three judges prefer a each time, three prefer b, a seventh a: one judge of seven is the difference.
    rows = [
        block(segment, f"j{judge}", *("ab" if judge % 2 == 0 else "ba"))
        for judge in range(7)
        for segment in range(30)
    ]
    blocks = blocks_from_rows(rows, "ab")
    alone = direct_pairs(blocks, level="pairs").p_value[0, 1]
    assert alone == pytest.approx(binomtest(120, 210).pvalue)
    assert alone < 0.05
    assert direct_pairs(blocks, level="judges").p_value[0, 1] > 0.5
    assert direct_pairs(blocks, level="two_way").p_value[0, 1] > 0.5


def campaign_of_equals(random: np.random.Generator, *, judges: int = 16) -> Blocks:
    """Draw 400 blocks of six systems that are equal, but not to each judge, nor on each segment."""
    judge, segment = random.integers(0, judges, 400), random.integers(0, 100, 400)
    tastes, suits = (
        random.normal(size=(judges, 6)) * 0.4,
        random.normal(size=(100, 6)) * 0.8,
    )
    shown = np.argsort(random.random((400, 6)), axis=1)[:, :5]
    seen = np.take_along_axis((tastes[judge] + suits[segment]), shown, axis=1)
    place = np.argsort(
        np.argsort(-(seen + random.normal(size=(400, 5))), axis=1),
        axis=1,
    )
    labels = np.zeros((400, 6), dtype=np.int8)
    candidates = np.full((400, 6), -1, dtype=np.int8)
    np.put_along_axis(labels, shown, (place + 1).astype(np.int8), axis=1)
    np.put_along_axis(
        candidates,
        shown,
        np.tile(np.arange(5, dtype=np.int8), (400, 1)),
        axis=1,
    )
    return Blocks(
        systems=tuple("abcdef"),
        labels=labels,
        candidates=candidates,
        judge=judge.astype(np.int32),
        judges=tuple(str(number) for number in range(judges)),
        segment=segment.astype(np.int32),
        key=np.arange(400, dtype=np.uint64),
    )


def test_equal_systems_are_rarely_told_apart_over_segments_and_judges() -> None:
    random = np.random.default_rng(2011)
    drawn = [campaign_of_equals(random) for _ in range(40)]
    above = np.triu_indices(6, 1)

    def share_told_apart(level: Level) -> float:
        found = (
            direct_pairs(blocks, level=level).p_value[above] <= 0.05 for blocks in drawn
        )
        return float(np.mean([apart.mean() for apart in found]))

    assert share_told_apart("two_way") < 0.08
    assert share_told_apart("pairs") > 0.15


def test_four_judges_rarely_tell_any_pair_of_equal_systems_apart() -> None:
    # The variance of a pair that seems small by chance has only three degrees of freedom.
    random = np.random.default_rng(2011)
    named = [
        (direct_pairs(campaign_of_equals(random, judges=4)).adjusted_p <= 0.05).any()
        for _ in range(100)
    ]
    assert np.count_nonzero(named) <= 5


@pytest.mark.parametrize("level", some_now(LEVELS))
@given(data=st.data())
def test_relabelling_permutes(level: Level, data: st.DataObject) -> None:
    names = "abc"
    rows = data.draw(
        st.lists(
            st.builds(
                BlockRow,
                st.sampled_from(["j1", "j2", "j3", "j4", "j5"]),
                st.integers(1, 6),
                st.just([(name,) for name in names]),
                st.lists(st.sampled_from([1, 2, 3, None]), min_size=3, max_size=3),
            ),
            min_size=1,
            max_size=20,
        ),
    )
    renamed = dict(zip(names, data.draw(st.permutations(names)), strict=True))
    changed = [
        BlockRow(
            row.judge,
            row.segment,
            [(renamed[n],) for (n,) in row.candidates],
            row.labels,
        )
        for row in rows[::-1]
    ]
    one, other = (
        direct_pairs(blocks_from_rows(each, names), level=level)
        for each in (rows, changed)
    )
    place = [names.index(renamed[name]) for name in names]
    assert one.p_value == pytest.approx(other.p_value[np.ix_(place, place)])
    assert one.adjusted_p == pytest.approx(other.adjusted_p[np.ix_(place, place)])
    assert (one.p_value == one.p_value.T).all()
    assert ((one.p_value >= 0) & (one.p_value <= 1)).all()


BOJAR = counts_method_named("bojar")


def ranked_block(segment: int, *order: str) -> BlockRow:
    return BlockRow(
        "ann",
        segment,
        [(name,) for name in order],
        range(1, len(order) + 1),
    )


def test_other_sentences_explain_a_contradiction() -> None:
    # t beats b twice and loses to it once; b won against weak c elsewhere, t never met it.
    rows = [
        ranked_block(1, "t", "b"),
        ranked_block(1, "t", "b"),
        ranked_block(2, "b", "t"),
    ]
    rows += [ranked_block(segment, "b", "c") for segment in range(3, 7)]
    blocks = blocks_from_rows(rows, "bct")
    direct = direct_pairs(blocks)
    of_all = contradictions(direct, scored_pairs(blocks.systems, BOJAR.score(blocks)))
    assert of_all == (
        Contradiction(
            ScoredPair(("b", "t"), (5 / 7, 2 / 3)),
            1,
            2,
            0,
            direct.adjusted_p[0, 2],
        ),
    )
    shared = scored_on_shared_blocks(blocks, BOJAR)
    assert ScoredPair(("t", "b"), (2 / 3, 1 / 3), blocks=3, segments=2) in shared
    assert contradictions(direct, shared) == ()


def test_other_opponents_in_shared_blocks_explain_nothing() -> None:
    # In the blocks of both, b is always before c and d, and t behind them where it loses.
    rows = [
        ranked_block(1, "t", "b", "c", "d"),
        ranked_block(2, "t", "b", "c", "d"),
        ranked_block(3, "b", "c", "d", "t"),
    ]
    rows += [ranked_block(4, "b", "c", "d", "t"), ranked_block(5, "t", "b", "c", "d")]
    blocks = blocks_from_rows(rows, "bcdt")
    shared = scored_on_shared_blocks(blocks, BOJAR)
    (found,) = contradictions(direct_pairs(blocks), shared)
    assert found.pair == ScoredPair(("b", "t"), (12 / 15, 9 / 15), blocks=5, segments=5)
    assert (found.wins, found.losses) == (2, 3)


def test_pairs_without_a_common_block_have_no_shared_score() -> None:
    blocks = blocks_from_rows(
        [ranked_block(1, "a", "b"), ranked_block(2, "c", "d")],
        "abcd",
    )
    shared = {pair.systems: pair for pair in scored_on_shared_blocks(blocks, BOJAR)}
    assert shared["a", "c"] == ScoredPair(("a", "c"), (None, None), 0, 0)
    assert not shared["a", "c"].is_ordered
    assert shared["a", "b"].scores == (1.0, 0.0)


def test_one_output_of_both_is_no_comparison_of_the_two() -> None:
    rows = [BlockRow("ann", 1, [("a", "b"), ("c",)], [1, 2]), ranked_block(2, "b", "a")]
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
    name: str,
    drawn_blocks: Callable[[int], Blocks],
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


def direct(wins: list[list[int]], p: list[list[float]] | None = None) -> DirectPairs:
    n = len(wins)
    counted = np.array(wins, dtype=np.int64).reshape(n, n)
    values = np.ones((n, n)) if p is None else np.array(p)
    names = tuple("abcdefgh"[:n])
    return DirectPairs(Tallies(names, counted, np.zeros_like(counted)), values, values)


def test_the_weakest_pair_counts() -> None:
    p = [[1, 0.01, 0.2], [0.01, 1, 0.03], [0.2, 0.03, 1]]
    found = majority_cycles(direct([[0, 5, 1], [2, 0, 4], [3, 1, 0]], p))
    assert found == (Cycle(("a", "b", "c"), 0.2),)


def test_an_order_has_none() -> None:
    assert majority_cycles(direct([[0, 5, 5], [2, 0, 5], [3, 1, 0]])) == ()
    # Even pairs are no majorities.
    assert majority_cycles(direct([[0, 5, 2], [1, 0, 5], [2, 1, 0]])) == ()


@given(st.integers(3, 7), st.randoms(use_true_random=False))
def test_cycles_of_decided_pairs_follow_the_formula(n: int, random: object) -> None:
    wins = np.zeros((n, n), dtype=np.int64)
    for a, b in combinations(range(n), 2):
        one, other = (a, b) if random.random() < 0.5 else (b, a)  # type: ignore[attr-defined]
        wins[one, other] = 1
    found = majority_cycles(direct(wins.tolist()))
    beaten = wins.sum(axis=1)
    assert len(found) == n * (n - 1) * (n - 2) // 6 - int(
        (beaten * (beaten - 1) // 2).sum(),
    )
    names = "abcdefgh"
    brute = {
        names[a] + names[b] + names[c]
        for a, b, c in permutations(range(n), 3)
        if a < min(b, c) and wins[a, b] and wins[b, c] and wins[c, a]
    }
    assert {"".join(cycle.systems) for cycle in found} == brute
