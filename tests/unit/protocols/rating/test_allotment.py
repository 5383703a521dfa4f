"""Allotments exist exactly where the rule says so, and keep what the protocol promises."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.frame.scale.statistics.feasibility import feasibility
from tests.simulated.allotment import NotFeasibleError, allot

sizes = st.lists(st.integers(1, 5), min_size=1, max_size=7)


def exists(needed: list[int], judges: int, most: int) -> bool:
    """Try to give each segment the judges with most room, which finds an allotment if there is one.

    So Gale and Ryser (1957) build a table of 0 and 1 with these sums of rows and columns.
    """
    room = [most] * judges
    for count in sorted(needed, reverse=True):
        room.sort(reverse=True)
        if count > judges or (count and room[count - 1] < 1):
            return False
        room[:count] = [left - 1 for left in room[:count]]
    return True


@given(sizes, st.integers(0, 14), st.integers(1, 3), st.integers(1, 8))
def test_an_allotment_exists_exactly_if_the_rule_says_so(
    texts: list[int],
    judges: int,
    raters: int,
    most: int,
) -> None:
    found = feasibility(texts, judges=judges, raters=raters, items_per_judge=most)
    needed = [raters * count for count in texts]
    assert found.is_feasible == exists(needed, judges, min(most, len(texts)))
    assert found.is_feasible == (
        found.ratings <= judges * min(most, len(texts))
        and found.judges_of_a_segment <= judges
    )


@given(sizes, st.integers(1, 14), st.integers(1, 3), st.integers(1, 8))
def test_feasibility_states_minimum_judges_and_items(
    texts: list[int],
    judges: int,
    raters: int,
    most: int,
) -> None:
    def feasible(judges: int, most: int) -> bool:
        return feasibility(
            texts,
            judges=judges,
            raters=raters,
            items_per_judge=most,
        ).is_feasible

    found = feasibility(texts, judges=judges, raters=raters, items_per_judge=most)
    assert feasible(found.needed_judges, most)
    assert not feasible(found.needed_judges - 1, most)
    if found.needed_items_per_judge is None:
        assert not feasible(judges, len(texts))
    else:
        assert feasible(judges, found.needed_items_per_judge)
        assert found.needed_items_per_judge == 1 or not feasible(
            judges,
            found.needed_items_per_judge - 1,
        )


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 20), st.integers(1, 3))
def test_with_equal_segments_the_room_alone_decides(
    systems: int,
    segments: int,
    judges: int,
    raters: int,
) -> None:
    found = feasibility([systems] * segments, judges=judges, raters=raters)
    assert found.is_feasible == (found.ratings <= judges * segments)


def test_26_systems_need_52_judges() -> None:
    assert feasibility([26] * 400, judges=125).needed_judges == 52
    assert not feasibility([26] * 400, judges=51).is_feasible
    # The paper's 20,360 ratings by 125 judges with "around 163" each just go.
    paper = feasibility([1] * 10180, judges=125, items_per_judge=163)
    assert (paper.ratings, paper.is_feasible) == (20360, True)


@given(
    st.integers(1, 5),
    st.integers(1, 9),
    st.integers(1, 3),
    st.integers(0, 9),
    st.integers(0, 2**32),
)
def test_judges_meet_every_system_equally_often_and_no_segment_twice(
    systems: int,
    segments: int,
    raters: int,
    more: int,
    seed: int,
) -> None:
    judges = raters * systems + more
    found = allot(
        systems=systems,
        segments=segments,
        judges=judges,
        raters=raters,
        seed=seed,
    )
    pairs = Counter(zip(found.segment.tolist(), found.judge.tolist(), strict=True))
    assert max(pairs.values()) == 1
    items = Counter(zip(found.segment.tolist(), found.system.tolist(), strict=True))
    assert items == dict.fromkeys(product(range(segments), range(systems)), raters)
    met = np.zeros((judges, systems), dtype=np.int64)
    np.add.at(met, (found.judge, found.system), 1)
    assert (met.max(axis=1) - met.min(axis=1)).max() <= 1
    assert met.sum(axis=1).max() - met.sum(axis=1).min() <= 1


def test_too_few_judges_are_refused_with_what_is_needed() -> None:
    with pytest.raises(
        NotFeasibleError,
        match="at least 52 judges; there are 51",
    ) as refused:
        allot(systems=26, segments=3, judges=51)
    assert refused.value.feasibility.judges_of_a_segment == 52


def test_allotment_is_random_and_reproducible() -> None:
    one, same, other = (
        allot(systems=4, segments=30, judges=12, seed=seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(one.judge, same.judge)
    assert not np.array_equal(one.judge, other.judge)
