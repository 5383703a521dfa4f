"""Files of comparisons, which `sort_systems` reads, as answers of a sort; and answers as such files, or as ranked blocks of two."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    FileWritten,
    Lose,
)
from annotation.export.losses import comments_lost
from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.formats import InputFile
from campaign.formats.losses import Loss, Losses
from campaign.models import Task
from campaign.texts.json_lines import json_line
from protocols.sorting.files import ComparisonsOfLines
from protocols.sorting.judged import answers_given, pair_of
from ranking.export.ranked_answers import WRITTEN, ranked_file_write
from ranking.files.json_objects import json_lines

JSONL: Final = "comparisons-jsonl"


def _read(file: InputFile, _format: str | None) -> FileContent:
    reading, losses = ComparisonsOfLines(), Losses()
    answers = []
    for number, line in json_lines(file, reading.take):
        is_identical = line.answer == "identical"
        losses.add(
            "outputs of the same text, which nobody was asked about", f"line {number}", is_identical
        )
        if not is_identical:
            answers.append(
                FileAnswer(
                    line=number,
                    judge=line.judge,
                    segment=str(line.segment),
                    candidates=tuple((system,) for system in line.systems),
                    said=line.answer,
                    duration_ms=line.duration_ms,
                )
            )
    return FileContent(file_format=JSONL, answers=answers, losses=losses.found())


def _answer(
    said: str, texts: Sequence[str | None], _rules: Mapping[str, Any], _lose: Lose
) -> dict[str, str]:
    first, second = texts
    if first == second:
        raise AnswerRefusedError(
            "both systems wrote the same text, so that nobody can have been asked which is better",
            'write "identical", or import into the test set whose texts were judged',
        )
    return {"verdict": said}


def _why(candidates: Sequence[Sequence[str]]) -> dict[str, Any]:
    (first,), (second,) = candidates
    return {"comparison": list(pair_of(first, second))}


def _write(task: Task, file_format: str) -> FileWritten:
    """Return a file; ranked blocks of two do not say the order of comparisons, and are not read back into a sort."""
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
        json_line(
            {
                "segment": segment,
                "judge": judge,
                "first": first,
                "second": second,
                "answer": {1: "first", 0: "same", -1: "second"}[answer],
            },
        )
        for _number, segment, judge, answer, (first, second) in rows
    ]
    losses = [Loss("which of the two was shown first", len(lines), "judgment 1")] if lines else []
    return FileWritten(
        lines=lines, losses=[*losses, *comments_lost(task=task, watermark=watermark)]
    )


SORTING_FILES: Final = AnswerFiles(
    formats=(JSONL,),
    read=_read,
    answer=_answer,
    why=_why,
    written={JSONL: "jsonl", **WRITTEN},
    write=_write,
)
