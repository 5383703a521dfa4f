"""Which judgments the core is given, and that they arrive as they were made."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.selectors.judged_blocks import judged_blocks, judgment_watermark
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def assert_same(found: Blocks, expected: Blocks) -> None:
    assert found.systems == expected.systems
    assert found.judges == expected.judges
    for name in ("labels", "candidates", "judge", "segment", "key"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name


def test_blocks_carry_names_in_shown_order(writer: TestSetWriter) -> None:
    writer.judgment("j2", writer.block(7, ["C", "A,B"]), [1, 2])
    writer.judgment("j1", writer.block(3, ["B", "A", "C"]), [2, None, 2])

    found = judged_blocks(test_set_id=writer.test_set.pk, watermark=2)

    rows = [
        BlockRow("j2", 7, [["C"], ["A", "B"]], [1, 2]),
        BlockRow("j1", 3, [["B"], ["A"], ["C"]], [2, None, 2]),
    ]
    assert_same(found, blocks_from_rows(rows, "ABC"))


def test_several_judges_of_one_block_and_blocks_nobody_judged(writer: TestSetWriter) -> None:
    writer.block(1, ["A", "B"])
    shared = writer.block(2, ["A", "C"])
    writer.block(3, ["B", "C"])
    writer.judgment("j2", shared, [1, 2])
    writer.judgment("j1", shared, [2, 1])

    found = judged_blocks(test_set_id=writer.test_set.pk, watermark=2)

    rows = [BlockRow("j2", 2, [["A"], ["C"]], [1, 2]), BlockRow("j1", 2, [["A"], ["C"]], [2, 1])]
    assert_same(found, blocks_from_rows(rows, "ABC"))


def test_a_revision_counts_from_its_own_number_on(writer: TestSetWriter) -> None:
    block = writer.block(1, ["A", "B"])
    first = writer.judgment("j", block, [1, 2])
    writer.judgment("other", writer.block(2, ["A", "B"]), [1, 1])
    revision = writer.judgment("j", block, [2, 1], supersedes=first)
    writer.judgment("j", block, [5, 5], supersedes=revision)

    def labels(watermark: int) -> list[list[int]]:
        blocks = judged_blocks(test_set_id=writer.test_set.pk, watermark=watermark)
        return [row[:2] for row in blocks.labels.tolist()]

    assert labels(1) == [[1, 2]]
    assert labels(2) == [[1, 2], [1, 1]]
    assert labels(3) == [[2, 1], [1, 1]]
    assert labels(4) == [[5, 5], [1, 1]]


def test_another_test_set_of_the_campaign_stays_out(write_test_set: WriteTestSet) -> None:
    one, two = write_test_set(name="one"), write_test_set(name="two")
    one.judgment("j", one.block(1, ["A", "B"]), [1, 2])
    two.judgment("j", two.block(1, ["B", "C"]), [1, 2])

    assert judged_blocks(test_set_id=one.test_set.pk, watermark=1).labels.tolist() == [[1, 2, 0]]
    assert judgment_watermark(test_set_id=one.test_set.pk) == 1


def test_without_judgments_there_are_no_blocks_and_the_watermark_is_0(
    writer: TestSetWriter,
) -> None:
    assert judgment_watermark(test_set_id=writer.test_set.pk) == 0
    assert len(judged_blocks(test_set_id=writer.test_set.pk, watermark=0)) == 0


@pytest.mark.parametrize("count", [1, 50])
def test_three_queries_for_one_judgment_and_for_fifty(writer: TestSetWriter, count: int) -> None:
    for segment in range(1, count + 1):
        writer.judgment(f"j{segment}", writer.block(segment, ["A", "B"]), [1, 2])

    with CaptureQueriesContext(connection) as queries:
        judged_blocks(test_set_id=writer.test_set.pk, watermark=count)

    assert len(queries) == 3
