"""Counters of a task as stored for pages, and as counted row by row."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from annotation.models import (
    JudgeTally,
    Judgment,
    JudgmentSequence,
    Skip,
    UncountedAnswer,
    WorkedQuarterHour,
)
from annotation.selectors.counted import CountedQuarterHour, CountedTally


@dataclass(frozen=True)
class Counters:
    """Counters over judgments 1 to the last number and counted skips, as pages read them."""

    judged: int
    judges: int
    skipped: int
    most_candidates: int
    tallies: dict[int, CountedTally]
    worked: dict[tuple[int, datetime], CountedQuarterHour]


def counters_stored(*, task_id: int) -> Counters:
    """Return the counters that pages read."""
    sequence = JudgmentSequence.objects.filter(pk=task_id).first() or JudgmentSequence()
    tallies = JudgeTally.objects.filter(task=task_id).values_list(*CountedTally._fields)
    worked = WorkedQuarterHour.objects.filter(task=task_id)
    quarters = worked.values_list(*CountedQuarterHour._fields)
    return Counters(
        judged=sequence.judged,
        judges=sequence.judges,
        skipped=sequence.skipped,
        most_candidates=sequence.most_candidates,
        tallies={row[0]: CountedTally(*row) for row in tallies},
        worked={row[:2]: CountedQuarterHour(*row) for row in quarters},
    )


def counters_by_row(*, task_id: int) -> Counters:
    """Count numbered judgments and counted skips one by one."""
    numbered = Judgment.objects.filter(numbered__task=task_id).select_related(
        "block",
        "numbered",
    )
    waiting = UncountedAnswer.objects.filter(task=task_id, is_skip=True).values(
        "answer",
    )
    skips = (
        Skip.objects.filter(task=task_id)
        .exclude(pk__in=waiting)
        .select_related("block")
    )
    first = {
        (row.judge_id, row.block_id): row
        for row in numbered
        if row.supersedes_id is None
    }
    skipped = {(row.judge_id, row.block_id): row for row in skips}
    tallies: dict[int, Any] = {}
    worked: dict[tuple[int, datetime], Any] = defaultdict(lambda: [0, 0, 0, 0])
    for judgment in numbered:
        own = judgment.judge_id, judgment.block_id
        is_first = judgment.supersedes_id is None and judgment.block.control == ""
        time = judgment.submitted_at
        tally = tallies.setdefault(judgment.judge_id, [0, None, None, 0, time])
        tally[4] = max(tally[4], time)
        if is_first:
            number = judgment.numbered.number
            tally[0] += 1
            tally[1] = number if tally[1] is None else min(tally[1], number)
            tally[2] = time if tally[2] is None else min(tally[2], time)
        if is_first or judgment.assignment_id is not None:
            quarter = worked[judgment.judge_id, _quarter(time)]
            is_earlier = own not in skipped or time < skipped[own].created_at
            _work_add(quarter, judgment, judgment.supersedes_id is None and is_earlier)
            quarter[3] += is_first
    for own, skip in skipped.items():
        tally = tallies.setdefault(skip.judge_id, [0, None, None, 0, skip.created_at])
        tally[3] += own not in first and skip.block.control == ""
        tally[4] = max(tally[4], skip.created_at)
        if skip.assignment_id is not None:
            is_earlier = own not in first or skip.created_at <= first[own].submitted_at
            _work_add(
                worked[skip.judge_id, _quarter(skip.created_at)],
                skip,
                is_earlier,
            )
    return Counters(
        judged=sum(tally[0] for tally in tallies.values()),
        judges=sum(tally[0] > 0 for tally in tallies.values()),
        skipped=sum(tally[3] for tally in tallies.values()),
        most_candidates=max((len(row.labels) for row in numbered), default=0),
        tallies={
            judge: CountedTally(judge, *tally) for judge, tally in tallies.items()
        },
        worked={
            own: CountedQuarterHour(*own, *counts) for own, counts in worked.items()
        },
    )


def _quarter(time: datetime) -> datetime:
    return time - timedelta(
        minutes=time.minute % 15,
        seconds=time.second,
        microseconds=time.microsecond,
    )


def _work_add(quarter: list[int], answer: Judgment | Skip, is_sentence: bool) -> None:
    if answer.assignment_id is not None:
        quarter[0] += is_sentence
        quarter[1] += answer.active_ms or 0
        quarter[2] += answer.active_ms is None
