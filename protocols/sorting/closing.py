"""Close the comparisons of a task that have their judgments."""

from collections import Counter

from django.db import transaction

from annotation.models import Design, HITSequence
from annotation.services import judgments_number
from protocols.sorting.judged import pair_of
from protocols.sorting.models import ClosedComparison, SystemSort
from protocols.sorting.sorts import (
    decisions,
    sort_in_force,
    state_of,
    verdicts_closed,
    watermark_now,
)
from protocols.sorting.statistics.closing import Answer
from protocols.sorting.statistics.merge_insertion import Verdict
from protocols.sorting.statistics.verdicts import Decision


def comparisons_close(design: Design) -> int:
    """Write the verdicts that the judgments so far decide, and return their number.

    Begins the sort of the systems that take part now. In one transaction, under the lock of planning: nothing is
    planned for a comparison that closes at this moment, and each is closed once.
    """
    judgments_number(task_id=design.task_id)
    with transaction.atomic():
        HITSequence.objects.get_or_create(task=design.task)
        HITSequence.objects.select_for_update().get(task=design.task)
        return _close(design)


def _close(design: Design) -> int:
    sort, watermark = sort_in_force(design), watermark_now(design.task)
    verdicts = verdicts_closed(sort)
    closed = 0
    while (state := state_of(sort, verdicts)) is not None:
        if not sort.has_begun:
            sort.save(force_insert=True)
        found = decisions(sort, [pair_of(*pair) for pair in state.open], watermark=watermark)
        new = [
            _store(sort, len(verdicts) + place, each, answers, watermark)
            for place, (each, answers) in enumerate(
                (found[pair] for pair in found if found[pair][0].winner is not None), 1
            )
        ]
        if not new:
            break
        verdicts += new
        closed += len(new)
    return closed


def _store(
    sort: SystemSort, step: int, decision: Decision, answers: list[Answer], watermark: int
) -> Verdict:
    winner, loser = decision.winner or "", decision.loser or ""
    used = answers[: decision.asked]
    for_winner, for_loser = (1, -1) if winner < loser else (-1, 1)
    signs = Counter(each.answer for each in used)
    ClosedComparison.objects.create(
        sort=sort,
        step=step,
        winner=winner,
        loser=loser,
        wins=signs[for_winner],
        losses=signs[for_loser],
        same=signs[0],
        is_drawn=decision.arbitrary,
        judgments=[each.number for each in used],
        watermark=watermark,
    )
    return Verdict(winner, loser)
