"""Which judgments the core is given, and that they arrive as they were made."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Block, Judgment, JudgmentSequence
from annotation.sampling.parameters import MOST_CANDIDATES
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.selectors.judged_columns import (
    attention_blocks,
    judged_blocks,
    judging_times,
)
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.read_by_rows import (
    assert_same_blocks,
    blocks_by_rows,
    times_by_rows,
)
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_blocks_carry_names_in_shown_order(writer: TestSetWriter) -> None:
    writer.judgment("j2", writer.block(7, ["C", "A,B"]), [1, 2])
    writer.judgment("j1", writer.block(3, ["B", "A", "C"]), [2, None, 2])

    found = judged_blocks(task=writer.task, watermark=2)

    rows = [
        BlockRow("j2", 7, [["C"], ["A", "B"]], [1, 2]),
        BlockRow("j1", 3, [["B"], ["A"], ["C"]], [2, None, 2]),
    ]
    assert_same_blocks(found, blocks_from_rows(rows, "ABC"))


def test_blocks_with_several_judges_and_without_judgments(
    writer: TestSetWriter,
) -> None:
    writer.block(1, ["A", "B"])
    shared = writer.block(2, ["A", "C"])
    writer.block(3, ["B", "C"])
    writer.judgment("j2", shared, [1, 2])
    writer.judgment("j1", shared, [2, 1])

    found = judged_blocks(task=writer.task, watermark=2)

    rows = [
        BlockRow("j2", 2, [["A"], ["C"]], [1, 2]),
        BlockRow("j1", 2, [["A"], ["C"]], [2, 1]),
    ]
    assert_same_blocks(found, blocks_from_rows(rows, "ABC"))


def test_a_revision_counts_from_its_own_number_on(writer: TestSetWriter) -> None:
    block = writer.block(1, ["A", "B"])
    first = writer.judgment("j", block, [1, 2])
    writer.judgment("other", writer.block(2, ["A", "B"]), [1, 1])
    revision = writer.judgment("j", block, [2, 1], supersedes=first)
    writer.judgment("j", block, [5, 5], supersedes=revision)

    def labels(watermark: int) -> list[list[int]]:
        blocks = judged_blocks(task=writer.task, watermark=watermark)
        return [row[:2] for row in blocks.labels.tolist()]

    assert labels(1) == [[1, 2]]
    assert labels(2) == [[1, 2], [1, 1]]
    assert labels(3) == [[2, 1], [1, 1]]
    assert labels(4) == [[5, 5], [1, 1]]


def test_another_task_of_the_campaign_stays_out(write_test_set: WriteTestSet) -> None:
    one, two = write_test_set(name="one"), write_test_set(name="two")
    one.judgment("j", one.block(1, ["A", "B"]), [1, 2])
    two.judgment("j", two.block(1, ["B", "C"]), [1, 2])

    assert judged_blocks(task=one.task, watermark=1).labels.tolist() == [
        [1, 2, 0],
    ]


def test_without_judgments_there_are_no_blocks(writer: TestSetWriter) -> None:
    assert len(judged_blocks(task=writer.task, watermark=0)) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("count", [1, 50])
def test_six_queries_for_one_judgment_and_for_fifty(
    writer: TestSetWriter,
    count: int,
) -> None:
    with writer.at_once():
        for segment in range(1, count + 1):
            writer.judgment(f"j{segment}", writer.block(segment, ["A", "B"]), [1, 2])

    with CaptureQueriesContext(connection) as queries:
        judged_blocks(task=writer.task, watermark=count)

    assert len(queries) == 6


MOST = [f"s{index:02}" for index in range(MOST_CANDIDATES)]


def write_at_random(
    writer: TestSetWriter,
    random: np.random.Generator,
    *,
    systems: int,
) -> None:
    """Write blocks of any shape, with collapsed outputs, blanks, controls and revisions."""
    for number in range(25):
        shown = random.permutation(MOST[:systems])[
            : random.integers(2, systems + 1)
        ].tolist()
        while len(shown) > 2 and random.random() < 0.4:
            shown[0] = f"{shown[0]},{shown.pop()}"
        block = writer.block(int(random.integers(1, 9)), shown)
        if number % 6 == 0:
            Block.objects.filter(pk=block.pk).update(
                control="attention",
                expected=[1] * len(shown),
            )
        for judge in random.permutation(4)[: random.integers(0, 4)].tolist():
            earlier = None
            for _ in range(random.integers(1, 4)):
                labels = [
                    label or None
                    for label in random.integers(0, 6, len(shown)).tolist()
                ]
                labels[0] = labels[0] or 1
                active = (
                    None if random.random() < 0.3 else int(random.integers(1, 90_000))
                )
                earlier = writer.judgment(
                    f"j{judge}",
                    block,
                    labels,
                    supersedes=earlier,
                    active_ms=active,
                )


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "systems"), [(2, 5), (4, MOST_CANDIDATES)])
def test_columns_give_what_reading_row_by_row_gives(
    write_test_set: WriteTestSet,
    seed: int,
    systems: int,
) -> None:
    random = np.random.default_rng(seed)
    write_at_random(write_test_set(MOST, name="other"), random, systems=3)
    writer = write_test_set(MOST)
    write_at_random(writer, random, systems=systems)
    task = writer.task
    last = JudgmentSequence.objects.get(task=task).last_number
    everything = Judgment.objects.of(task.pk)
    for watermark in (0, 1, last // 2, last, last + 5):
        found = judged_blocks(task=task, watermark=watermark)
        assert_same_blocks(found, blocks_by_rows(task, everything.counted(), watermark))
        checks = attention_blocks(task=task, watermark=watermark)
        attention = everything.filter(block__control="attention")
        assert_same_blocks(checks, blocks_by_rows(task, attention, watermark))
        times = judging_times(task_id=task.pk, watermark=watermark)
        sorted_times = {judge: sorted(own.tolist()) for judge, own in times.items()}
        assert sorted_times == times_by_rows(task, watermark)
    without = judged_blocks(task=task, watermark=last).without_judges(["j1", "-"])
    others = everything.counted().exclude(judge__pseudonym="j1")
    assert_same_blocks(without, blocks_by_rows(task, others, last))
