import numpy as np
import pytest

from ranking.core.diagnosis.campaign import (
    NOBODY,
    RankedDifferently,
    diagnose_campaign,
    identical_texts,
    sole_winners,
)
from ranking.core.judged.blocks import BlockRow, blocks_from_rows

REF = ("_ref",)
ROWS = [
    BlockRow("ann", 1, ["a", "b", REF], [2, 3, 1]),
    BlockRow("bob", 1, ["b", "a"], [1, 1]),
    BlockRow("bob", 2, [("a", "b"), "c"], [1, 2]),
    BlockRow("bob", 3, ["a", "c"], [1, None]),
]
BLOCKS = blocks_from_rows(ROWS, ["a", "b", "c", "_ref"])


def test_hand_worked_counts() -> None:
    found = diagnose_campaign(BLOCKS, reference="_ref")
    assert found.systems == ("_ref", "a", "b", "c")
    assert (found.blocks, found.judges, found.segments) == (4, 2, 3)
    # The candidate of a and b is labelled once.
    assert (found.labels, found.blank_labels) == (8, 1)
    assert (found.comparisons, found.ties, found.tie_rate) == (6, 1, 1 / 6)
    assert found.pairwise == {
        "_ref": {"a": (1, 0, 0), "b": (1, 0, 0)},
        "a": {"_ref": (0, 1, 0), "b": (1, 0, 1), "c": (1, 0, 0)},
        "b": {"_ref": (0, 1, 0), "a": (0, 1, 1), "c": (1, 0, 0)},
        "c": {"a": (0, 1, 0), "b": (0, 1, 0)},
    }
    assert found.times_judged == {"_ref": 1, "a": 4, "b": 3, "c": 2}
    assert found.times_beside_reference == {"_ref": 1, "a": 1, "b": 1, "c": 0}
    assert found.geq_others == {"_ref": 1, "a": 3 / 4, "b": 2 / 4, "c": 0}
    assert found.tie_rates == {"_ref": 0, "a": 1 / 4, "b": 1 / 4, "c": 0}
    score = [3 / 4, 2 / 4, 0]
    assert found.score_by_times_judged.pairs == 3
    assert found.score_by_times_judged.pearson == pytest.approx(
        np.corrcoef([4, 3, 2], score)[0, 1],
    )
    assert found.score_by_reference is not None
    assert found.score_by_reference.pearson == pytest.approx(
        np.corrcoef([1 / 4, 1 / 3, 0], score)[0, 1],
    )


def test_no_remark_about_a_missing_reference() -> None:
    found = diagnose_campaign(BLOCKS)
    assert (found.times_beside_reference, found.score_by_reference) == ({}, None)
    assert found.score_by_times_judged.pairs == 4
    with pytest.raises(ValueError, match="unknown reference"):
        diagnose_campaign(BLOCKS, reference="nobody")


def test_a_lone_label_wins_its_block_unless_it_stands_for_two_systems() -> None:
    rows = [
        BlockRow("ann", 1, "abc", [None, 5, None]),  # b, however bad its label is
        BlockRow("ann", 2, [("a", "b"), "c"], [1, None]),  # one text of two systems
        BlockRow("ann", 3, "abc", [None, None, None]),  # no label
        BlockRow("ann", 4, "c", [2]),  # c, shown alone
    ]
    found = sole_winners(blocks_from_rows(rows, "abc"))
    assert found == {"a": 0, "b": 1, "c": 1, NOBODY: 2}


def test_sole_winners_equal_those_found_row_by_row() -> None:
    rng = np.random.default_rng(14)
    rows = [
        BlockRow("ann", 1, "abcd", rng.integers(1, 6, 4).tolist()) for _ in range(200)
    ]
    expected = dict.fromkeys(["a", "b", "c", "d", NOBODY], 0)
    for row in rows:
        lowest = min(label for label in row.labels if label is not None)
        best = [
            name
            for name, label in zip("abcd", row.labels, strict=True)
            if label == lowest
        ]
        expected[best[0] if len(best) == 1 else NOBODY] += 1
    assert sole_winners(blocks_from_rows(rows, "abcd")) == expected


def test_identical_texts_ranked_differently() -> None:
    texts: dict[str, list[str | None]] = {
        "a": ["One.", "Two.", None],
        "b": ["One.", "Two!", None],
        "c": ["One."],
    }
    rows = [
        BlockRow("ann", 1, "abc", [1, 1, 2]),  # ab alike; ac and bc not
        BlockRow("ann", 2, "ab", [1, 2]),  # other texts
        BlockRow("ann", 3, "ab", [1, 2]),  # unknown texts
        BlockRow("ann", 4, "ab", [1, 2]),  # no texts
        BlockRow("bob", 1, [("a", "b"), "d"], [1, 2]),  # shown once
        BlockRow("bob", 1, "ba", [1, None]),  # not labelled
        BlockRow("bob", 1, "ba", [2, 4]),
    ]
    found = identical_texts(blocks_from_rows(rows, "abcd"), texts)
    assert found.compared == 4
    assert found.differently == (
        RankedDifferently(1, "ann", ("a", "c"), (1, 2)),
        RankedDifferently(1, "ann", ("b", "c"), (1, 2)),
        RankedDifferently(1, "bob", ("a", "b"), (4, 2)),
    )
