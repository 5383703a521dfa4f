"""The judgments of a test set read row by row through the ORM: a second way to the same blocks."""

from collections.abc import Iterator

import numpy as np

from annotation.models import Judgment
from annotation.models.judgment import JudgmentQuerySet
from campaign.models import Output, System, Task
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows


def blocks_by_rows(task: Task, judgments: JudgmentQuerySet, watermark: int) -> Blocks:
    """Return what counts of some judgments up to the watermark, by block and then by judge."""
    names = System.objects.filter(test_set_id=task.test_set_id).values_list(
        "name",
        flat=True,
    )
    return blocks_from_rows(_rows(task, judgments, watermark), names)


def _rows(
    task: Task,
    judgments: JudgmentQuerySet,
    watermark: int,
) -> Iterator[BlockRow]:
    outputs = Output.objects.filter(system__test_set=task.test_set_id).select_related(
        "system",
    )
    system_of = {output.pk: output.system.name for output in outputs}
    superseded = Judgment.objects.until(watermark).values_list("supersedes", flat=True)
    gone = set(superseded)
    rows = judgments.until(watermark).select_related("judge", "block__segment")
    for judgment in rows.order_by("block_id", "judge_id"):
        if judgment.pk in gone:
            continue
        shown = iter(judgment.block.outputs)
        sizes = judgment.block.stands_for or [1] * len(judgment.block.outputs)
        yield BlockRow(
            judge=judgment.judge.pseudonym,
            segment=judgment.block.segment.number,
            candidates=[
                [system_of[next(shown)] for _ in range(size)] for size in sizes
            ],
            labels=judgment.labels,
        )


def times_by_rows(task: Task, watermark: int) -> dict[str, list[float]]:
    """Return the seconds of each judge's first judgments that count, in ascending order."""
    found: dict[str, list[float]] = {}
    for judgment in (
        Judgment.objects.of(task.pk).until(watermark).select_related("judge")
    ):
        taken = (
            judgment.duration_ms if judgment.active_ms is None else judgment.active_ms
        )
        if (
            judgment.supersedes_id is None
            and judgment.block.control == ""
            and taken is not None
        ):
            found.setdefault(judgment.judge.pseudonym, []).append(taken / 1000)
    return {judge: sorted(times) for judge, times in found.items()}


def assert_same_blocks(found: Blocks, expected: Blocks) -> None:
    """Compare all columns to the last bit, types included."""
    assert (found.systems, found.judges) == (expected.systems, expected.judges)
    for name in ("labels", "candidates", "judge", "segment", "key"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype, name
        np.testing.assert_array_equal(one, other, err_msg=name)
