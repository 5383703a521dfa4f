"""The readings of a quiz: as arrays for the report, and one by one for files."""

from collections.abc import Collection, Iterable, Iterator

from annotation.export.shown import systems_shown
from annotation.models import Judgment
from campaign.models import Task
from protocols.quiz.files import Reading, readings_of
from protocols.quiz.models import Snippet
from protocols.quiz.statistics.answers import Readings
from ranking.analyses.judgments import ChosenJudgments


def readings_stored(
    *,
    task: Task,
    watermark: int,
    without: Iterable[str] = (),
    documents: Iterable[str] | None = None,
    systems: Collection[str] | None = None,
) -> list[Reading]:
    """Read the current readings 1…`watermark` of a task by number: what was said with the last segment of a snippet.

    Judges named in `without` do not count; `systems` and `documents` are those that do, None for all. A reading is of all
    systems whose outputs are the same in the whole snippet. As many queries, whatever the number of readings.
    """
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    judgments = judgments.exclude(judge__pseudonym__in=list(without))
    if documents is not None:
        judgments = judgments.filter(block__segment__document__name__in=list(documents))
    found = list(
        judgments.filter(quiz_answer__answers__len__gt=0)
        .order_by("numbered__number")
        .values_list(
            *("block_id", "judge__pseudonym", "quiz_answer__answers"),
            *("block__segment__document_id", "block__segment__position"),
            "block__segment__number",
        )
    )
    snippets = {(each.document_id, each.last): each for each in Snippet.objects.filter(task=task)}
    names = dict(task.test_set.systems.values_list("id", "name"))
    shown = systems_shown({row[0] for row in found})
    return list(_readings(found, snippets, names, shown, systems))


def _readings(
    found: Iterable[tuple[int, str, list[bool | None], int, int, int]],
    snippets: dict[tuple[int, int], Snippet],
    names: dict[int, str],
    shown: dict[int, list[list[int]]],
    systems: Collection[str] | None,
) -> Iterator[Reading]:
    for block, judge, answers, document, position, number in found:
        snippet = snippets[document, position]
        wrote = sorted(names[id_] for id_ in shown[block][0])
        counted = [name for name in wrote if systems is None or name in systems]
        if counted:
            yield Reading(
                snippet=snippet.name,
                systems=tuple(counted),
                judge=judge,
                answers=tuple(answers),
                expected=tuple(snippet.expected),
                segment=number,
            )


def readings_counted(*, task: Task, watermark: int, chosen: ChosenJudgments) -> list[Reading]:
    """Return the readings of a task that were chosen, of systems that are."""
    reference = [chosen.reference] if chosen.with_reference and chosen.reference else []
    return readings_stored(
        task=task,
        watermark=watermark,
        without=chosen.without,
        documents=chosen.documents,
        systems={*chosen.systems, *reference},
    )


def readings_chosen(*, task: Task, watermark: int, chosen: ChosenJudgments) -> Readings:
    """Return them as arrays."""
    return readings_of(readings_counted(task=task, watermark=watermark, chosen=chosen))
