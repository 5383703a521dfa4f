"""Pairs of systems by their own comparisons, and tests of them."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t

from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.diagnosis.direct_pairs import direct_pairs
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.ranges.sign_tests import Correction
from tests.some_now import some_now


def block(segment: int, judge: str, *order: str) -> BlockRow:
    return BlockRow(judge, segment, [(name,) for name in order], range(1, len(order) + 1))


def test_comparisons_alone_are_the_sign_test() -> None:
    blocks = blocks_from_rows(
        [block(n, "ann", "a", "b") for n in range(6)] + [block(9, "ann", "b", "a")], "abc"
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
        [block(n, "ann", "a", "b") for n in range(6)] + [block(n, "ann", "b", "a") for n in (1, 2)],
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


def campaign_of_equals(random: np.random.Generator) -> Blocks:
    """Draw 400 blocks of six systems that are equal, but not to each judge, nor on each segment."""
    judge, segment = random.integers(0, 16, 400), random.integers(0, 100, 400)
    tastes, suits = random.normal(size=(16, 6)) * 0.4, random.normal(size=(100, 6)) * 0.8
    shown = np.argsort(random.random((400, 6)), axis=1)[:, :5]
    seen = np.take_along_axis((tastes[judge] + suits[segment]), shown, axis=1)
    place = np.argsort(np.argsort(-(seen + random.normal(size=(400, 5))), axis=1), axis=1)
    labels = np.zeros((400, 6), dtype=np.int8)
    candidates = np.full((400, 6), -1, dtype=np.int8)
    np.put_along_axis(labels, shown, (place + 1).astype(np.int8), axis=1)
    np.put_along_axis(candidates, shown, np.tile(np.arange(5, dtype=np.int8), (400, 1)), axis=1)
    return Blocks(
        systems=tuple("abcdef"),
        labels=labels,
        candidates=candidates,
        judge=judge.astype(np.int32),
        judges=tuple(str(number) for number in range(16)),
        segment=segment.astype(np.int32),
        key=np.arange(400, dtype=np.uint64),
    )


def test_equal_systems_are_rarely_told_apart_over_segments_and_judges() -> None:
    random = np.random.default_rng(2011)
    drawn = [campaign_of_equals(random) for _ in range(40)]
    above = np.triu_indices(6, 1)

    def share_told_apart(level: Level) -> float:
        found = (direct_pairs(blocks, level=level).p_value[above] <= 0.05 for blocks in drawn)
        return float(np.mean([apart.mean() for apart in found]))

    assert share_told_apart("two_way") < 0.08
    assert share_told_apart("pairs") > 0.15


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
        )
    )
    renamed = dict(zip(names, data.draw(st.permutations(names)), strict=True))
    changed = [
        BlockRow(row.judge, row.segment, [(renamed[n],) for (n,) in row.candidates], row.labels)
        for row in rows[::-1]
    ]
    one, other = (
        direct_pairs(blocks_from_rows(each, names), level=level) for each in (rows, changed)
    )
    place = [names.index(renamed[name]) for name in names]
    assert one.p_value == pytest.approx(other.p_value[np.ix_(place, place)])
    assert one.adjusted_p == pytest.approx(other.adjusted_p[np.ix_(place, place)])
    assert (one.p_value == one.p_value.T).all()
    assert ((one.p_value >= 0) & (one.p_value <= 1)).all()
