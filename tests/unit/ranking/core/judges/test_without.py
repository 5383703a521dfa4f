import pytest

from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judges.outliers import ranking_without
from ranking.core.judges.without import rankings_without
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.rankings.rank import rank
from ranking.core.rankings.ranking import Ranking
from ranking.core.scores import Scores

ROWS = [
    *(BlockRow("ann", segment, "abc", [1, 2, 3]) for segment in range(1, 6)),
    *(BlockRow("bob", segment, "abc", [1, 2, 3]) for segment in range(1, 6)),
    *(BlockRow("cat", segment, "abc", [3, 2, 1]) for segment in range(1, 5)),
]
BLOCKS = blocks_from_rows(ROWS, "abc")


def ranked(blocks: Blocks) -> Ranking:
    return rank(blocks, resamples=100)


def scored(blocks: Blocks) -> Scores:
    return expected_wins(tally(blocks).wins)


def test_before_after_and_alone() -> None:
    found = rankings_without(BLOCKS, ["cat"], rank=ranked, score=scored)
    assert found.judges == {"cat": 4}
    assert found.before == rank(BLOCKS, resamples=100)
    assert found.after == rank(blocks_from_rows(ROWS[:10], "abc"), resamples=100)
    assert found.alone == {"a": 0, "b": 0.5, "c": 1}
    # The two disagree on everything; with them the order stays.
    assert found.alone_and_rest.pearson == pytest.approx(-1)
    assert found.alone_and_rest.spearman == pytest.approx(-1)
    assert found.before_and_after.spearman == pytest.approx(1)
    assert found.before_and_after == ranking_without(BLOCKS, ["cat"]).correlation


def test_nobody_left_out_changes_nothing_and_somebody_must_remain() -> None:
    found = rankings_without(BLOCKS, ["stranger"], rank=ranked, score=scored)
    assert (found.judges, found.alone) == ({}, {"a": None, "b": None, "c": None})
    assert found.before == found.after
    assert found.alone_and_rest.pearson is None
    with pytest.raises(ValueError, match="nobody else"):
        rankings_without(BLOCKS, ["ann", "bob", "cat"], rank=ranked, score=scored)
