"""Allotments exist exactly where the rule says so, and keep what the protocol promises."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.rating.allotment import Allotment, allot, hits
from protocols.rating.feasibility import NotFeasibleError, feasibility
from protocols.rating.replanning import replan

sizes = st.lists(st.integers(1, 5), min_size=1, max_size=7)


def singles(systems: int, segments: int) -> list[list[list[int]]]:
    """Each system has a text of its own."""
    return [[[system] for system in range(systems)]] * segments


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
    texts: list[int], judges: int, raters: int, most: int
) -> None:
    found = feasibility(texts, judges=judges, raters=raters, items_per_judge=most)
    needed = [raters * count for count in texts]
    assert found.is_feasible == exists(needed, judges, min(most, len(texts)))
    assert found.is_feasible == (
        found.ratings <= found.room and found.judges_of_a_segment <= judges
    )


@given(sizes, st.integers(1, 14), st.integers(1, 3), st.integers(1, 8))
def test_it_says_the_fewest_judges_and_the_fewest_items(
    texts: list[int], judges: int, raters: int, most: int
) -> None:
    def feasible(judges: int, most: int) -> bool:
        return feasibility(texts, judges=judges, raters=raters, items_per_judge=most).is_feasible

    found = feasibility(texts, judges=judges, raters=raters, items_per_judge=most)
    assert feasible(found.needed_judges, most)
    assert not feasible(found.needed_judges - 1, most)
    if found.needed_items_per_judge is None:
        assert not feasible(judges, len(texts))
    else:
        assert feasible(judges, found.needed_items_per_judge)
        assert found.needed_items_per_judge == 1 or not feasible(
            judges, found.needed_items_per_judge - 1
        )


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 20), st.integers(1, 3))
def test_with_equal_segments_the_room_alone_decides(
    systems: int, segments: int, judges: int, raters: int
) -> None:
    found = feasibility([systems] * segments, judges=judges, raters=raters)
    assert found.is_feasible == (found.ratings <= found.room)


def test_26_systems_need_52_judges() -> None:
    assert feasibility([26] * 400, judges=125).needed_judges == 52
    assert not feasibility([26] * 400, judges=51).is_feasible
    # The paper's 20,360 ratings by 125 judges with "around 163" each just go.
    paper = feasibility([1] * 10180, judges=125, items_per_judge=163)
    assert (paper.ratings, paper.room, paper.is_feasible) == (20360, 20375, True)


def check(
    found: Allotment, texts: list[list[list[int]]], judges: int, raters: int, most: int
) -> None:
    """Each text has so many judges, nobody a segment twice or too much, and all alike."""
    pairs = Counter(zip(found.segment.tolist(), found.judge.tolist(), strict=True))
    assert max(pairs.values(), default=1) == 1
    items = Counter(zip(found.segment.tolist(), found.text.tolist(), strict=True))
    assert items == {
        (segment, text): raters
        for segment, of_segment in enumerate(texts)
        for text in range(len(of_segment))
    }
    load = np.bincount(found.judge, minlength=judges)
    assert load.max() <= most
    assert load.max() - load.min() <= 1


@given(
    st.integers(1, 5),
    st.integers(1, 9),
    st.integers(1, 3),
    st.integers(0, 9),
    st.integers(0, 2**32),
)
def test_judges_meet_every_system_equally_often_and_no_segment_twice(
    systems: int, segments: int, raters: int, more: int, seed: int
) -> None:
    judges = raters * systems + more
    texts = singles(systems, segments)
    found = allot(texts, judges=judges, raters=raters, seed=seed)
    check(found, texts, judges, raters, segments)
    met = np.zeros((judges, systems), dtype=np.int64)
    np.add.at(met, (found.judge, found.text), 1)
    assert (met.max(axis=1) - met.min(axis=1)).max() <= 1


@given(st.data(), st.integers(1, 2), st.integers(0, 2**32))
def test_shared_texts_are_one_item(data: st.DataObject, raters: int, seed: int) -> None:
    partitions = st.sampled_from(
        [[[0], [1], [2]], [[0, 1], [2]], [[0], [1, 2]], [[0, 2], [1]], [[0, 1, 2]]]
    )
    texts = data.draw(st.lists(partitions, min_size=1, max_size=8))
    judges = 3 * raters + data.draw(st.integers(0, 4))
    found = allot(texts, judges=judges, raters=raters, seed=seed)
    check(found, texts, judges, raters, len(texts))


def test_too_few_judges_are_refused_with_what_is_needed() -> None:
    with pytest.raises(NotFeasibleError, match="at least 52 judges; there are 51") as refused:
        allot(singles(26, 3), judges=51)
    assert refused.value.feasibility.judges_of_a_segment == 52


def test_it_is_random_and_repeatable() -> None:
    one, same, other = (allot(singles(4, 30), judges=12, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.judge, same.judge)
    assert not np.array_equal(one.judge, other.judge)


def test_a_judge_who_stops_leaves_items_to_those_who_have_not_met_the_segment() -> None:
    texts = singles(3, 20)
    judges, stopped = 12, 4
    planned = allot(texts, judges=judges, seed=3)
    theirs = planned.judge == stopped
    left = dict.fromkeys(
        zip(planned.segment[theirs].tolist(), planned.text[theirs].tolist(), strict=True), 1
    )
    met = [frozenset(planned.segment[planned.judge == each].tolist()) for each in range(judges)]
    room = [0 if each == stopped else 2 for each in range(judges)]
    found = replan(texts, left, met=met, room=room, seed=5)
    assert not len(found.unplaced)
    given_to = found.allotment
    assert Counter(zip(given_to.segment.tolist(), given_to.text.tolist(), strict=True)) == Counter(
        left
    )
    for segment, judge in zip(given_to.segment.tolist(), given_to.judge.tolist(), strict=True):
        assert segment not in met[judge]
    assert np.bincount(given_to.judge, minlength=judges).tolist()[stopped] == 0
    assert np.bincount(given_to.judge, minlength=judges).max() <= 2


def test_as_much_as_can_be_is_placed_and_the_rest_said() -> None:
    # Whoever goes by turns may give judge 1 to segment 0, and then has nobody for segment 1.
    texts = singles(1, 2)
    met = [frozenset({1}), frozenset[int]()]
    for seed in range(10):
        found = replan(texts, {(0, 0): 1, (1, 0): 1}, met=met, room=[1, 1], seed=seed)
        assert found.allotment.segment.tolist() == [0, 1]
        assert found.allotment.judge.tolist() == [0, 1]
        short = replan(texts, {(0, 0): 2, (1, 0): 2}, met=met, room=[1, 1], seed=seed)
        assert len(short.allotment) == 2
        assert short.unplaced[:, 2].sum() == 2


def test_hits_are_of_ten_items_of_one_judge_in_an_order_anew_in_each_pass() -> None:
    planned = allot(singles(4, 33), judges=9, seed=1)
    orders = []
    for pass_number in (1, 2):
        found = hits(planned, pass_number=pass_number, seed=1)
        rows = np.concatenate(found)
        assert sorted(rows.tolist()) == list(range(len(planned)))
        for hit in found:
            assert 1 <= len(hit) <= 10
            assert len(set(planned.judge[hit].tolist())) == 1
        assert not np.array_equal(planned.segment[rows], np.sort(planned.segment[rows]))
        orders.append(rows.tolist())
    assert orders[0] != orders[1]
