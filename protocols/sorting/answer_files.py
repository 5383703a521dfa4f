"""The answers of a sort as files: comparisons, which `sort_systems` reads, and ranked blocks of two."""

import json
from itertools import combinations
from typing import Final

from annotation.answer_files import AnswerFiles, FileWritten
from annotation.export.comments import comments_lost
from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.formats.losses import Loss
from campaign.models import Task
from protocols.sorting.judged import answers_given
from ranking.export.ranked_answers import WRITTEN, ranked_file_write

JSONL: Final = "comparisons-jsonl"


def _write(task: Task, file_format: str) -> FileWritten:
    return _comparisons(task) if file_format == JSONL else ranked_file_write(task, file_format)


def _comparisons(task: Task) -> FileWritten:
    """Return the current answers to the comparisons that the sort asked for, also those that came late."""
    watermark = judgments_number(task_id=task.pk)
    systems = sorted(task.test_set.systems.values_list("name", flat=True))
    given = answers_given(
        task=task,
        watermark=watermark,
        pairs=combinations(systems, 2),
        without=excluded_judges(campaign_id=task.test_set.campaign_id),
    )
    rows = sorted(
        (each.answer.number, each.answer.segment, each.answer.judge, each.answer.answer, pair)
        for pair, answers in given.items()
        for each in answers
        if each.is_current
    )
    lines = [
        json.dumps(
            {
                "segment": segment,
                "judge": judge,
                "first": first,
                "second": second,
                "answer": {1: "first", 0: "same", -1: "second"}[answer],
            },
            ensure_ascii=False,
        )
        + "\n"
        for _number, segment, judge, answer, (first, second) in rows
    ]
    losses = [Loss("which of the two was shown first", len(lines), "judgment 1")] if lines else []
    return FileWritten(
        lines=lines, losses=[*losses, *comments_lost(task=task, watermark=watermark)]
    )


SORTING_FILES: Final = AnswerFiles(written={JSONL: "jsonl", **WRITTEN}, write=_write)
