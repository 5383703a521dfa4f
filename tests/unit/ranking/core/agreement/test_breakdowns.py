import numpy as np
import pytest

from ranking.core.agreement.breakdowns import agreement_by_length, agreement_by_reference
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.report import Chance
from ranking.core.judged.blocks import BlockRow, blocks_from_rows

ROWS = [
    BlockRow("ann", 1, ["a", "b", ("_ref",)], [2, 2, 1]),
    BlockRow("bob", 1, ["a", "b", ("_ref",)], [2, 3, 1]),
    BlockRow("ann", 2, ["a", "b"], [1, 2]),
    BlockRow("bob", 2, ["a", "b"], [1, 2]),
    BlockRow("ann", 3, ["a", "b"], [1, 2]),
    BlockRow("bob", 3, ["a", "b"], [2, 1]),
]
BLOCKS = blocks_from_rows(ROWS, ["a", "b", "_ref"])


def test_agreement_without_the_reference_is_that_of_the_rest() -> None:
    found = agreement_by_reference(BLOCKS, "_ref", resamples=5)
    assert (found.included.inter.agreeing, found.included.inter.comparable) == (3, 5)
    assert (found.excluded.inter.agreeing, found.excluded.inter.comparable) == (1, 3)
    assert found.excluded_same_chance is not None
    assert found.excluded_same_chance.inter.p_chance == found.included.inter.p_chance
    assert found.excluded_same_chance.inter.agreeing == 1
    uniform = agreement_by_reference(BLOCKS, "_ref", chance=Chance.UNIFORM, resamples=5)
    assert uniform.excluded_same_chance is None
    with pytest.raises(ValueError, match="nobody"):
        agreement_by_reference(BLOCKS, "nobody")


def test_neighbouring_lengths_are_taken_together() -> None:
    tokens = np.array([0, 4, 5, 9])
    four, five, nine = agreement_by_length(BLOCKS, tokens, resamples=5)
    assert [(row.shortest, row.longest, row.segments) for row in (four, five, nine)] == [
        (4, 5, 2), (5, 6, 1), (9, 10, 1),
    ]  # fmt: skip
    assert (four.agreement.inter.agreeing, four.agreement.inter.comparable) == (3, 4)
    assert (five.agreement.inter.agreeing, five.agreement.inter.comparable) == (1, 1)
    assert (nine.agreement.inter.agreeing, nine.agreement.inter.comparable) == (0, 1)
    (everything,) = agreement_by_length(BLOCKS, np.array([0, 4, 4, 4]), resamples=5)
    assert everything.agreement == measure_agreement(BLOCKS, chance=Chance.UNIFORM, resamples=5)


def test_segments_of_unknown_length_are_left_out_and_missing_ones_refused() -> None:
    (row,) = agreement_by_length(BLOCKS, np.array([0, -1, 5, -1]), width=1, resamples=5)
    assert (row.shortest, row.longest, row.segments) == (5, 5, 1)
    with pytest.raises(ValueError, match="segment 3 has no entry"):
        agreement_by_length(BLOCKS, np.array([0, 4, 5]))
    with pytest.raises(ValueError, match="width"):
        agreement_by_length(BLOCKS, np.array([0, 4, 5, 9]), width=0)
