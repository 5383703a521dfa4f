import numpy as np
import pytest

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.scores import Scores

SHARES = ["geq_others", "gt_others", "geq_all_in_block", "gt_all_in_block", "bojar"]


def block(*labels: tuple[str, int | None]) -> BlockRow:
    """One block: candidates like "a" or "a,b", each with its label."""
    return BlockRow("j", 1, [name.split(",") for name, _ in labels], [label for _, label in labels])


def scored(method: str, rows: list[BlockRow], systems: str = "abc") -> list[float | None]:
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
def test_a_block_that_counts_twice_is_a_block_judged_twice(method: str) -> None:
    weights = np.array([2, 0, 1], dtype=np.int16)
    score = METHODS[method].score(blocks_from_rows(ROWS, "abc"), weights=weights)
    repeated = METHODS[method].score(blocks_from_rows([ROWS[0], ROWS[0], ROWS[2]], "abc"))
    np.testing.assert_array_equal(score.values, repeated.values)


@pytest.mark.parametrize("method", SHARES)
def test_shares_are_between_nought_and_one(method: str) -> None:
    assert METHODS[method].is_share
