"""A verdict follows from the first judgments that count, whenever it is computed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.sorting import (
    Answer,
    Verdict,
    counting,
    decide_in_order,
    most_comparisons,
    next_comparisons,
)

SIGNS = st.lists(st.sampled_from([1, 0, -1]), max_size=30)


def test_comparison_is_open_until_its_quota() -> None:
    rule = {"quota": 3, "extension": 2}
    decision = decide_in_order("a", "b", [1, 1], **rule, seed=1)
    assert (decision.winner, decision.judgments, decision.missing) == (None, 3, 1)
    decision = decide_in_order("a", "b", [1, -1, -1], **rule, seed=1)
    assert (decision.winner, decision.loser, decision.missing) == ("b", "a", 0)


def test_an_even_one_is_extended_once_then_lot_decides() -> None:
    rule = {"quota": 2, "extension": 2}
    assert decide_in_order("a", "b", [1, -1], **rule, seed=1).missing == 2
    # The first judgment of an extension would decide.
    assert decide_in_order("a", "b", [1, -1, 1], **rule, seed=1).winner is None
    assert decide_in_order("a", "b", [1, -1, 1, 0], **rule, seed=1).winner == "a"
    even = decide_in_order("a", "b", [1, -1, 0, 0], **rule, seed=1)
    assert even.arbitrary
    assert even == decide_in_order("a", "b", [0, 0, 0, 0, 1], **rule, seed=1)


@given(SIGNS, SIGNS, st.integers(1, 8), st.integers(0, 5), st.integers(0, 9))
def test_later_judgments_do_not_change_a_verdict(
    signs: list[int],
    later: list[int],
    quota: int,
    extension: int,
    seed: int,
) -> None:
    rule = {"quota": quota, "extension": extension}
    decision = decide_in_order("a", "b", signs, **rule, seed=seed)
    if decision.winner is not None:
        assert (
            decide_in_order("a", "b", [*signs, *later], **rule, seed=seed) == decision
        )
    turned = decide_in_order("b", "a", [-sign for sign in signs], **rule, seed=seed)
    assert (turned.winner, turned.judgments) == (decision.winner, decision.judgments)


def test_a_judge_counts_once_for_a_segment_and_so_often_as_may_be() -> None:
    answers = [
        Answer(5, "ada", 2, 1),
        Answer(1, "ada", 1, 1),
        Answer(4, "ada", 1, -1),
        Answer(3, "ben", 1, 0),
        Answer(6, "ada", 3, 1),
    ]
    assert [each.number for each in counting(answers)] == [1, 3, 5, 6]
    assert [each.number for each in counting(answers, most_of_a_judge=2)] == [1, 3, 5]


@pytest.mark.thorough
@given(st.integers(2, 12), st.data())
def test_a_sort_goes_on_alike_from_any_prefix_of_its_verdicts(
    systems: int,
    data: st.DataObject,
) -> None:
    names = [f"s{number:02}" for number in range(systems)]
    verdicts: list[Verdict] = []
    states = []
    while (state := next_comparisons(names, verdicts, seed=3)).open:
        states.append(state)
        pair = data.draw(st.sampled_from(state.open))
        winner = data.draw(st.sampled_from(pair))
        verdicts.append(Verdict(winner, pair[0] if winner == pair[1] else pair[1]))
    assert len(verdicts) <= most_comparisons(systems)
    assert state.order is not None
    assert sorted(state.order) == names
    places = {name: place for place, name in enumerate(state.order)}
    assert all(places[each.winner] < places[each.loser] for each in verdicts)
    for known, then in enumerate(states):
        shuffled = data.draw(st.permutations(verdicts[:known]))
        assert next_comparisons(names, shuffled, seed=3) == then
