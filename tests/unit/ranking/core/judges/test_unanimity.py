import numpy as np
import pytest

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.judges.clustered_share import clustered_share
from ranking.core.judges.unanimity import unanimity


def test_items_are_unanimous_if_all_their_judges_agree() -> None:
    rows = [
        # Segment 1: three judges agree on a > b; of a and c one differs; b and c: all.
        BlockRow("ann", 1, "abc", [1, 2, 3]),
        BlockRow("bob", 1, "abc", [1, 2, 3]),
        BlockRow("cat", 1, "abc", [2, 3, 4]),
        # Segment 2: two judges, who agree on a tie.
        BlockRow("ann", 2, "ab", [2, 2]),
        BlockRow("bob", 2, "ab", [1, 1]),
        # Segment 3: two judges agree, but one of them said otherwise before.
        BlockRow("ann", 3, "ab", [1, 2]),
        BlockRow("ann", 3, "ab", [2, 1]),
        BlockRow("bob", 3, "ab", [1, 2]),
        # Segment 4: one judge only.
        BlockRow("ann", 4, "ab", [1, 2]),
        # Segment 5: two judges who differ.
        BlockRow("ann", 5, "ab", [1, 2]),
        BlockRow("bob", 5, "ab", [1, 1]),
    ]
    everything, two, three = unanimity(blocks_from_rows(rows, "abc"))
    assert (everything.judges, two.judges, three.judges) == (None, 2, 3)
    assert (three.share.trials, three.share.successes) == (3, 3)
    assert (two.share.trials, two.share.successes) == (3, 1)
    assert (everything.share.trials, everything.share.successes) == (6, 4)
    by_segment = clustered_share(np.array([3, 1, 0, 0]), np.array([3, 1, 1, 1]))
    assert everything.share == by_segment


def test_nothing_shared_is_nothing_told() -> None:
    assert unanimity(blocks_from_rows([BlockRow("ann", 1, "ab", [1, 2])], "ab")) == ()
    assert unanimity(blocks_from_rows([], "ab")) == ()
    with pytest.raises(ValueError, match="confidence"):
        unanimity(
            blocks_from_rows([BlockRow(name, 1, "ab", [1, 2]) for name in "xy"], "ab"), confidence=2
        )
