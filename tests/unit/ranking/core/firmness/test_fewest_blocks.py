"""The fewest blocks that decide first place, against all subsets of small campaigns."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.firmness.bounds import at_least, cannot_overtake, counted_blocks
from ranking.core.firmness.fewest_blocks import Proof, fewest_blocks
from ranking.core.firmness.without_each import leaders
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import counts_method_named
from ranking.core.scores import TIE_DECIMALS
from tests.properties import examples
from tests.some_now import some_now

NAMES = (
    *("expected_wins", "bojar", "geq_others", "gt_others"),
    *("geq_all_in_block", "gt_all_in_block", "bradley_terry"),
)
METHODS = [counts_method_named(name) for name in NAMES]
SYSTEMS = ("a", "b", "c")

rows = st.lists(
    st.builds(
        lambda labels: BlockRow("ann", 1, [(name,) for name in SYSTEMS], labels),
        st.lists(st.sampled_from([1, 2, 3, None]), min_size=3, max_size=3),
    ),
    min_size=1,
    max_size=8,
)


def won(times: int, *order: str) -> list[BlockRow]:
    """Return blocks in which the first is best, the second next, and so on."""
    return [
        BlockRow("ann", 1, [(name,) for name in order], range(1, len(order) + 1)),
    ] * times


def is_ahead(blocks: Blocks, method: CountsMethod, first: str) -> bool:
    """Whether another system is ahead of one, said a second time, in other words."""
    scores = method.score(blocks)
    if not scores.estimable.any():
        return False
    own = blocks.systems.index(first)
    if not scores.estimable[own]:
        return True
    group = np.zeros(len(blocks.systems)) if scores.group is None else scores.group
    return any(
        scores.estimable[other]
        and group[other] == group[own]
        and round(scores.values[other], TIE_DECIMALS)
        > round(scores.values[own], TIE_DECIMALS)
        for other in range(len(blocks.systems))
    )


def by_brute_force(blocks: Blocks, method: CountsMethod, first: str) -> int | None:
    everything = range(len(blocks))
    for size in range(1, len(blocks) + 1):
        for removed in combinations(everything, size):
            rest = [row for row in everything if row not in removed]
            if is_ahead(blocks.take(rest), method, first):
                return size
    return None


def test_hand_worked() -> None:
    # a wins 5 of 8 against b. Without two of its wins it is 3 : 3, without three b leads.
    blocks = blocks_from_rows([*won(5, "a", "b"), *won(3, "b", "a")], "ab")
    found = fewest_blocks(blocks, counts_method_named("expected_wins"))
    assert (found.blocks, found.first, found.new_first) == (8, ("a",), "b")
    assert (found.size, found.at_least, found.proof) == (3, 3, Proof.SEARCH)
    assert found.rows is not None
    assert set(found.rows.tolist()) < set(range(5))


def test_the_first_two_are_tied() -> None:
    blocks = blocks_from_rows([*won(2, "a", "b"), *won(2, "b", "a")], "ab")
    found = fewest_blocks(blocks, counts_method_named("expected_wins"))
    assert (found.first, found.size, found.new_first) == (("a", "b"), None, None)


def test_nothing_is_ranked() -> None:
    blocks = blocks_from_rows([BlockRow("ann", 1, ["a", "b"], [1, 1])], "ab")
    found = fewest_blocks(blocks, counts_method_named("expected_wins"))
    assert (found.first, found.size) == ((), None)


def test_unbeaten_system_loses_first_place_only_with_all_its_blocks() -> None:
    blocks = blocks_from_rows([*won(2, "a", "b"), *won(2, "b", "c")], "abc")
    found = fewest_blocks(blocks, counts_method_named("bojar"))
    assert (found.size, found.at_least, found.new_first) == (2, 2, "b")


def test_no_removal_changes_first_place() -> None:
    blocks = blocks_from_rows(won(3, "a", "b"), "ab")
    found = fewest_blocks(blocks, counts_method_named("expected_wins"))
    assert (found.first, found.rows, found.proof) == (("a",), None, Proof.SEARCH)


@pytest.mark.parametrize("method", some_now(METHODS), ids=NAMES)
@given(rows=rows)
@examples(10)
def test_brute_force_finds_no_smaller_set(
    method: CountsMethod,
    rows: list[BlockRow],
) -> None:
    blocks = blocks_from_rows(rows, SYSTEMS)
    found = fewest_blocks(blocks, method)
    assert found.first == tuple(
        blocks.systems[index] for index in leaders(method.score(blocks))
    )
    if len(found.first) != 1:
        assert found.rows is None
        return
    (first,) = found.first
    fewest = by_brute_force(blocks, method, first)
    assert found.proof is not Proof.NONE
    assert found.size == fewest
    bound = at_least(counted_blocks(blocks, method), blocks.systems.index(first))
    assert 1 <= bound <= (fewest or len(blocks))
    if found.rows is not None:
        rest = np.delete(np.arange(len(blocks)), found.rows)
        assert is_ahead(blocks.take(rest), method, first)
        assert found.at_least == found.size


@pytest.mark.thorough
@given(rows=rows, more=rows)
@examples(40)
def test_branch_and_bound_rules_out_nothing_that_is_there(
    rows: list[BlockRow],
    more: list[BlockRow],
) -> None:
    method = counts_method_named("expected_wins")
    # At most eight blocks, so that all subsets can be tried.
    blocks = blocks_from_rows([*rows, *more][:8], SYSTEMS)
    ahead = leaders(method.score(blocks))
    if len(ahead) != 1:
        return
    counted, (first,) = counted_blocks(blocks, method), ahead
    fewest = by_brute_force(blocks, method, blocks.systems[first])
    wins = counted.total.reshape(3, 3)
    rivals = [
        rival for rival in range(3) if rival != first and (wins + wins.T)[rival].any()
    ]
    for removed in range(1, len(blocks)):
        if all(cannot_overtake(counted, first, rival, removed) for rival in rivals):
            assert fewest is None or fewest > removed


def test_branch_and_bound_proves_what_the_quick_bound_does_not() -> None:
    random, method = Random(13), counts_method_named("expected_wins")
    # `a` gets better labels than the others.
    drawn = [[random.randint(1, 5) for _ in "abcd"] for _ in range(40)]
    listed = [
        BlockRow("ann", 1, [(name,) for name in "abcd"], [max(1, own - 1), *others])
        for own, *others in drawn
    ]
    blocks = blocks_from_rows(listed, "abcd")
    counted = counted_blocks(blocks, method)
    found = fewest_blocks(blocks, method)
    assert found.first == ("a",)
    assert found.size is not None
    assert at_least(counted, 0) < found.size
    assert (found.at_least, found.proof) == (found.size, Proof.BOUND)
    assert not all(
        cannot_overtake(counted, 0, rival, found.size) for rival in (1, 2, 3)
    )


@given(
    rows=rows,
    renamed=st.permutations(SYSTEMS),
    order=st.randoms(use_true_random=False),
)
@examples(60)
def test_relabelling_systems_and_shuffling_rows_changes_names_only(
    rows: list[BlockRow],
    renamed: list[str],
    order: Random,
) -> None:
    method = counts_method_named("expected_wins")
    new = dict(zip(SYSTEMS, renamed, strict=True))
    changed = [
        BlockRow(
            row.judge,
            row.segment,
            [(new[name],) for (name,) in row.candidates],
            row.labels,
        )
        for row in rows
    ]
    order.shuffle(changed)
    found = fewest_blocks(blocks_from_rows(rows, SYSTEMS), method)
    other = fewest_blocks(blocks_from_rows(changed, SYSTEMS), method)
    assert set(other.first) == {new[name] for name in found.first}
    assert (other.size, other.at_least, other.proof) == (
        found.size,
        found.at_least,
        found.proof,
    )


def test_a_method_without_influence_is_refused() -> None:
    blocks = blocks_from_rows([*won(2, "a", "b"), *won(1, "b", "a")], "ab")
    with pytest.raises(ValueError, match="lopez has no influence"):
        fewest_blocks(blocks, counts_method_named("lopez"))
