"""Labels of “top or not” go through the measures of rankings as they are."""

from ranking.core.diagnosis.campaign import NOBODY, sole_winners
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import METHODS

ROWS = [
    BlockRow("j", 1, "abc", [1, 2, 2]),  # a alone
    BlockRow("j", 2, "abc", [1, 1, 2]),  # a and b
    BlockRow("k", 3, "abc", [1, 1, 1]),  # all
    BlockRow("k", 4, "bc", [2, 1]),  # c alone
]
BLOCKS = blocks_from_rows(ROWS, "abc")


def scored(method: str) -> list[float]:
    return [float(each) for each in METHODS[method].score(BLOCKS).values]


def test_at_least_as_good_as_all_is_the_share_of_blocks_at_the_top() -> None:
    assert scored("geq_all_in_block") == [3 / 3, 2 / 4, 2 / 4]


def test_better_than_all_is_the_share_of_blocks_alone_at_the_top() -> None:
    assert scored("gt_all_in_block") == [1 / 3, 0, 1 / 4]


def test_sole_winners_are_those_alone_at_the_top() -> None:
    assert sole_winners(BLOCKS) == {"a": 1, "b": 0, "c": 1, NOBODY: 2}
