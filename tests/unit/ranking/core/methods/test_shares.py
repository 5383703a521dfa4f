from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.methods.shares import expected_wins
from ranking.core.scores import Scores, ordinal_ranks

Counts = npt.NDArray[np.int64]


counts = st.integers(1, 6).flatmap(
    lambda n: hnp.arrays(np.int64, (n, n), elements=st.integers(0, 40)),
)


def test_averages_the_share_won_over_opponents() -> None:
    # a beats b 3:1 and c 1:0; b beats c 1:1.
    wins = np.array([[0, 3, 1], [1, 0, 1], [0, 1, 0]])
    scores = expected_wins(wins)
    assert scores.values == pytest.approx(
        [(3 / 4 + 1) / 2, (1 / 4 + 1 / 2) / 2, (0 + 1 / 2) / 2],
    )
    assert scores.estimable.all()


def test_an_opponent_never_met_is_no_defeat() -> None:
    wins = np.array([[0, 1, 0], [1, 0, 3], [0, 1, 0]])
    assert expected_wins(wins).values == pytest.approx(
        [1 / 2, (1 / 2 + 3 / 4) / 2, 1 / 4],
    )


def test_a_system_without_decided_comparisons_is_not_estimable() -> None:
    scores = expected_wins(np.array([[0, 2, 0], [1, 0, 0], [0, 0, 0]]))
    assert scores.estimable.tolist() == [True, True, False]
    assert np.isnan(scores.values).tolist() == [False, False, True]


@given(counts, st.randoms())
def test_relabelling_systems_permutes_scores(wins: Counts, random: Random) -> None:
    order = list(range(len(wins)))
    random.shuffle(order)
    scores = expected_wins(wins)
    permuted = expected_wins(wins[np.ix_(order, order)])
    np.testing.assert_allclose(permuted.values, scores.values[order], rtol=1e-12)
    np.testing.assert_array_equal(permuted.estimable, scores.estimable[order])


@given(counts)
def test_scores_of_a_complete_round_robin_sum_to_half_the_systems(wins: Counts) -> None:
    n = len(wins)
    complete = wins + 1
    if n > 1:
        assert expected_wins(complete).values.sum() == pytest.approx(n / 2)


@given(counts)
def test_a_further_win_never_lowers_the_winner(wins: Counts) -> None:
    if len(wins) < 2:
        return
    more = wins + 1
    before = expected_wins(more).values[0]
    more[0, 1] += 1
    assert expected_wins(more).values[0] > before


@given(hnp.arrays(np.int64, (4, 5, 5), elements=st.integers(0, 9)))
def test_a_leading_axis_holds_independent_samples(wins: Counts) -> None:
    together = expected_wins(wins)
    for sample, values, estimable in zip(
        wins,
        together.values,
        together.estimable,
        strict=True,
    ):
        alone = expected_wins(sample)
        np.testing.assert_array_equal(values, alone.values)
        np.testing.assert_array_equal(estimable, alone.estimable)


@pytest.mark.parametrize(
    "wins",
    [np.zeros((2, 3), int), np.zeros(4, int), -np.ones((2, 2), int)],
)
def test_refuses_what_is_not_a_table_of_counts(wins: Counts) -> None:
    with pytest.raises(ValueError, match="wins:"):
        expected_wins(wins)


def test_ties_are_ordered_by_index_and_inestimable_systems_have_no_rank() -> None:
    third = (0.1 + 0.2) / 0.9  # not the float nearest to 1/3
    scores = Scores(
        values=np.array([1 / 3, np.nan, third, 0.9]),
        estimable=np.array([True, False, True, True]),
    )
    assert ordinal_ranks(scores).tolist() == [2, 0, 3, 1]


@given(counts)
def test_ranks_of_estimable_systems_are_a_permutation_best_first(wins: Counts) -> None:
    scores = expected_wins(wins)
    ranks = ordinal_ranks(scores)
    estimable = scores.estimable
    assert sorted(ranks[estimable]) == list(range(1, estimable.sum() + 1))
    in_order = scores.values[estimable][np.argsort(ranks[estimable])]
    assert np.all(np.diff(in_order) <= 1e-11)


SHARES = ["geq_others", "gt_others", "geq_all_in_block", "gt_all_in_block", "bojar"]


def block(*labels: tuple[str, int | None]) -> BlockRow:
    """One block: candidates like "a" or "a,b", each with its label."""
    return BlockRow(
        "j",
        1,
        [name.split(",") for name, _ in labels],
        [label for _, label in labels],
    )


def scored(
    method: str,
    rows: list[BlockRow],
    systems: str = "abc",
) -> list[float | None]:
    scores: Scores = METHODS[method].score(blocks_from_rows(rows, systems))
    return [
        float(value) if known else None
        for value, known in zip(scores.values, scores.estimable, strict=True)
    ]


ROWS = [
    block(("a", 1), ("b", 2), ("c", 2)),  # a beats both, which tie
    block(("a", 3), ("b", 3), ("c", 5)),  # a and b tie, and beat c
    block(("a", 4), ("b", 1)),  # b beats a
]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("geq_others", [4 / 5, 4 / 5, 1 / 4]),
        ("gt_others", [3 / 5, 2 / 5, 0]),
        ("bojar", [3 / 4, 2 / 3, 0]),
        ("geq_all_in_block", [2 / 3, 2 / 3, 0]),
        ("gt_all_in_block", [1 / 3, 1 / 3, 0]),
    ],
)
def test_shares_worked_by_hand(method: str, expected: list[float]) -> None:
    assert scored(method, ROWS) == pytest.approx(expected)


@pytest.mark.parametrize("method", SHARES)
def test_a_blank_label_and_a_block_of_one_are_no_comparison(method: str) -> None:
    lone = [block(("a", 1)), block(("a", 1), ("b", None))]
    assert scored(method, lone) == [None, None, None]
    assert scored(method, [*ROWS, *lone]) == scored(method, ROWS)


@pytest.mark.parametrize("method", SHARES)
def test_two_systems_of_one_candidate_are_not_compared(method: str) -> None:
    assert scored(method, [block(("a,b", 1))]) == [None, None, None]
    # Both win against c, each alone.
    assert scored(method, [block(("a,b", 1), ("c", 2))]) == [1, 1, 0]


def test_ties_alone_are_enough_for_methods_that_count_them_only() -> None:
    tie = [block(("a", 2), ("b", 2))]
    assert scored("geq_others", tie) == [1, 1, None]
    assert scored("gt_others", tie) == [0, 0, None]
    assert scored("geq_all_in_block", tie) == [1, 1, None]
    assert scored("gt_all_in_block", tie) == [0, 0, None]
    assert scored("bojar", tie) == [None, None, None]


@pytest.mark.parametrize("method", SHARES)
def test_shares_are_between_nought_and_one(method: str) -> None:
    assert METHODS[method].is_share
