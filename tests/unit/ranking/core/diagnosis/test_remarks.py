"""What was skipped and commented, by system."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from ranking.core.diagnosis.one_system import (
    CommentedBlock,
    SkippedBlock,
    remark_share,
    shown_blocks,
)
from ranking.core.judged.blocks import BlockRow, blocks_from_rows


def block(segment: int, judge: str, *shown: str) -> BlockRow:
    return BlockRow(
        judge,
        segment,
        [(name,) for name in shown],
        range(1, len(shown) + 1),
    )


def test_judged_and_skipped_blocks_count_for_the_systems_they_show() -> None:
    blocks = blocks_from_rows(
        [
            block(1, "ann", "a", "b"),
            block(2, "ann", "b", "c"),
            block(1, "ben", "a", "c"),
        ],
        "abc",
    )
    skips = [
        SkippedBlock(3, "ann", ("a", "b", "gone"), has_comment=True),
        SkippedBlock(1, "cleo", ("c",), has_comment=False),
    ]
    # The second comment is of a judgment that does not count.
    comments = [CommentedBlock(number, "ben", ("a", "c")) for number in (1, 9)]
    shown = shown_blocks(blocks, skips, comments)
    assert shown.systems == ("a", "b", "c")
    assert shown.shows.sum(axis=0).tolist() == [3, 3, 3]
    assert shown.skipped.tolist() == [False, False, False, True, True]
    # Judges who only skipped are judges, too.
    assert len(set(shown.judge.tolist())) == 3

    def counts(marked: np.ndarray) -> list[int]:
        return [
            remark_share(shown, marked, shown.shows[:, place]).count
            for place in range(3)
        ]

    assert counts(shown.skipped) == [1, 1, 1]
    assert counts(shown.commented) == [2, 1, 1]
    of_a = remark_share(shown, shown.commented, shown.shows[:, 0])
    assert of_a.share == pytest.approx(2 / 3)
    assert of_a.low is not None
    assert of_a.high is not None
    assert 0 <= of_a.low < 2 / 3 < of_a.high <= 1
    nothing = remark_share(shown, shown.skipped, np.zeros(5, dtype=np.bool_))
    assert (nothing.count, nothing.share, nothing.low, nothing.high) == (
        0,
        None,
        None,
        None,
    )


def test_comments_count_each_block_of_a_segment_once() -> None:
    blocks = blocks_from_rows(
        [block(1, "ann", "a", "b"), block(1, "ann", "b", "a")],
        "ab",
    )
    comment = CommentedBlock(1, "ann", ("a", "b"))
    assert shown_blocks(blocks, [], [comment]).commented.sum() == 1
    assert shown_blocks(blocks, [], [comment] * 2).commented.sum() == 2
    assert shown_blocks(blocks, [], [comment] * 3).commented.sum() == 2


def test_interval_without_shared_units_equals_clopper_pearson() -> None:
    blocks = blocks_from_rows([block(n, f"j{n}", "a", "b") for n in range(30)], "ab")
    skips = [
        SkippedBlock(n, f"j{n}", ("a", "b"), has_comment=False) for n in range(30, 40)
    ]
    shown = shown_blocks(blocks, skips, [])
    found = remark_share(shown, shown.skipped, shown.shows[:, 0])
    assert found.low == pytest.approx(beta.ppf(0.025, 10, 31), abs=0.01)
    assert found.high == pytest.approx(beta.ppf(0.975, 11, 30), abs=0.01)


def test_segments_that_all_judges_skip_make_it_wide() -> None:
    """Sixteen of 80 blocks are skipped: two segments by all eight judges, or one or two a segment and two a judge."""
    pairs = [(segment, judge) for segment in range(10) for judge in range(8)]
    of_two = {(segment, judge) for segment, judge in pairs if segment < 2}
    # Down a diagonal, round and round.
    spread = {(number % 10, number % 8) for number in range(16)}
    assert len(spread) == 16
    widths = []
    for skipped in (of_two, spread):
        blocks = blocks_from_rows(
            [
                block(n, f"j{judge}", "a", "b")
                for n, judge in pairs
                if (n, judge) not in skipped
            ],
            "ab",
        )
        skips = [
            SkippedBlock(n, f"j{judge}", ("a", "b"), has_comment=False)
            for n, judge in skipped
        ]
        shown = shown_blocks(blocks, skips, [])
        found = remark_share(shown, shown.skipped, shown.shows[:, 0])
        assert (found.count, found.share, found.limits) == (16, 0.2, ())
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths[0] > 1.5 * widths[1]


def test_too_few_judges_are_reported() -> None:
    """Of two judges one skips everything: nobody knows what a third one would do."""
    blocks = blocks_from_rows([block(n, "ann", "a", "b") for n in range(100)], "ab")
    skips = [SkippedBlock(n, "ben", ("a", "b"), has_comment=False) for n in range(100)]
    shown = shown_blocks(blocks, skips, [])
    found = remark_share(shown, shown.skipped, shown.shows[:, 0])
    assert (found.count, found.share, found.limits) == (100, 0.5, ("few_judges",))


def test_documents_are_the_units_where_there_are_enough() -> None:
    """Of six documents of ten segments two are skipped, one of which nobody judged."""
    names = ["d0", "d1", "d2", "d3", "d4"]
    blocks = blocks_from_rows([block(n, f"j{n}", "a", "b") for n in range(40)], "ab")
    blocks = replace(blocks, document=(blocks.segment // 10).astype(np.int32))
    skips = [
        SkippedBlock(n, f"j{n}", ("a", "b"), has_comment=False, document=f"d{n // 10}")
        for n in range(40, 60)
    ]
    shown = shown_blocks(blocks, skips, [], names)
    assert shown.document is not None
    assert shown.document.tolist() == [n // 10 for n in range(60)]
    found = remark_share(shown, shown.skipped, shown.shows[:, 0])
    assert (found.count, found.limits) == (20, ())
    assert found.low is not None
    assert found.low < beta.ppf(0.025, 2, 5)
    two = shown.document < 2
    assert "few_documents" in remark_share(shown, shown.skipped, two).limits
    # Without the document of each block segments count.
    unnamed = [each._replace(document="") for each in skips]
    assert shown_blocks(blocks, unnamed, [], names).document is None
