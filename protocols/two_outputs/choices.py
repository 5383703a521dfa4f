"""What the judges of a task of two outputs chose, whichever output was shown first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from annotation.export.shown import systems_shown
from annotation.models import Judgment
from campaign.models import Task
from protocols.two_outputs.models import Verdict
from protocols.two_outputs.statistics.judges import Choice, Choices
from ranking.analyses.judgments import ChosenJudgments

#: Names of systems whose outputs are the same text.
_SAME_TEXT: Final = " = "
_CHOICES: Final = {
    Verdict.FIRST: Choice.X,
    Verdict.SECOND: Choice.Y,
    Verdict.SAME: Choice.SAME,
    Verdict.BOTH_FINE: Choice.SAME,
    Verdict.BOTH_WRONG: Choice.BOTH_WRONG,
}
_MIRRORED: Final = {Choice.X: Choice.Y, Choice.Y: Choice.X}


@dataclass(frozen=True)
class ChoicesRead:
    """Answers of a task.

    Attributes
    ----------
    choices : Choices
    systems : tuple of two str, optional
        Which system X is and which Y, if all items are of the same two; None for several pairs.
    four_answers : bool
        Whether "both fine" and "both wrong" are told apart.
    """

    choices: Choices
    systems: tuple[str, str] | None
    four_answers: bool


def choices_read(
    *,
    task: Task,
    watermark: int,
    judgments: ChosenJudgments,
    systems: tuple[str, str] | None = None,
) -> ChoicesRead:
    """Read the answers 1…`watermark` of a task of two outputs that were chosen; those about two systems if they are named.

    Controls are left out, as of rankings. Where a text is of several systems, it counts for each of those named.
    As many queries, whatever the number of answers.
    """
    rows = list(_rows(task, watermark, judgments, systems))
    pairs = {pair for _segment, pair, _judge, _choice in rows}
    items = {each: n for n, each in enumerate(sorted({row[:2] for row in rows}))}
    judges = sorted({judge for _segment, _pair, judge, _choice in rows})
    places = {judge: n for n, judge in enumerate(judges)}
    columns = [
        (items[segment, pair], places[judge], choice) for segment, pair, judge, choice in rows
    ]
    item, judge, choice = np.array(columns, dtype=np.int64).reshape(-1, 3).T
    return ChoicesRead(
        choices=Choices(item, judge, choice, tuple(judges), len(items)),
        systems=systems or (pairs.pop() if len(pairs) == 1 else None),
        four_answers=bool(task.rules.get("four_answers")),
    )


def _rows(
    task: Task, watermark: int, chosen: ChosenJudgments, systems: tuple[str, str] | None
) -> Iterator[tuple[int, tuple[str, str], str, Choice]]:
    """Yield segment, the two systems, judge and choice of each answer."""
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    judgments = judgments.exclude(judge__pseudonym__in=chosen.without)
    if chosen.documents is not None:
        judgments = judgments.filter(block__segment__document__name__in=chosen.documents)
    found = list(
        judgments.order_by("pk").values_list(
            *("block_id", "block__segment__number", "judge__pseudonym"),
            "two_outputs_answer__verdict",
        )
    )
    reference = [chosen.reference] if chosen.with_reference and chosen.reference else []
    counted = task.test_set.systems.filter(name__in=[*chosen.systems, *reference])
    names = dict(counted.values_list("id", "name"))
    shown = systems_shown(block for block, *_others in found)
    for block, segment, judge, verdict in found:
        first, second = ([names[id_] for id_ in ids if id_ in names] for ids in shown[block])
        if not (first and second):
            continue
        choice = _CHOICES[verdict]
        pair = _pair(first, second, systems)
        if pair is not None:
            yield segment, pair, judge, choice
            continue
        pair = _pair(second, first, systems)
        if pair is not None:
            yield segment, pair, judge, _MIRRORED.get(choice, choice)


def _pair(
    first: list[str], second: list[str], systems: tuple[str, str] | None
) -> tuple[str, str] | None:
    """Return X and Y if they are the first and the second; None if not, or not in this order."""
    if systems is not None:
        return systems if systems[0] in first and systems[1] in second else None
    one, other = (_SAME_TEXT.join(sorted(each)) for each in (first, second))
    return (one, other) if one < other else None
