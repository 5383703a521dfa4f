"""Answers of machine judges, as input of analyses."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress

from django.db.models import Max

from annotation.models import MachineJudgment
from annotation.models.block import by_candidate
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.machines import machine_judgments
from campaign.models import MachineJudge, Output, Task
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.metrics.machine_judges import MachineAnswers
from ranking.reports.analyses.kind import ChosenJudgments, RecordedAnswer
from ranking.selectors.analyses import ANSWER_SCORE_READERS
from ranking.selectors.chosen_judgments import chosen_segments

#: Judges of the blocks of a machine, by whether they are in reverse order.
_ORDERS = {False: "0", True: "1"}


def machine_digests(*, task_id: int) -> tuple[str, ...]:
    """Return the machine judges of a task and the last answer of each, as “machine-answer”. One query.

    A machine's answers get ascending ids and never change, so these name exact sets.
    """
    answers = MachineJudgment.objects.filter(task=task_id).order_by("machine")
    last_answers = answers.values("machine").annotate(last=Max("pk"))
    digests = []
    for machine, answer in last_answers.values_list("machine", "last"):
        digests.append(f"{machine}-{answer}")
    return tuple(digests)


def machine_names(*, task_id: int) -> list[str]:
    """Return the names of the machine judges that have answered in a task, in the order of `machine_digests`. One query."""
    answers = MachineJudgment.objects.filter(task=task_id)
    machines = MachineJudge.objects.filter(pk__in=answers.values("machine"))
    return [str(machine) for machine in machines.order_by("pk")]


def machine_answers(
    *,
    task: Task,
    chosen: ChosenJudgments,
    systems: Sequence[str],
) -> list[MachineAnswers]:
    """Return the recorded answers of machine judges about the chosen segments and these systems."""
    segments = chosen_segments(task=task, chosen=chosen).keys()
    outputs = Output.objects.filter(
        segment__test_set=task.test_set_id,
        system__name__in=systems,
    )
    system_of = dict(outputs.order_by().values_list("pk", "system__name"))
    machines = []
    for digest in chosen.machines or ():
        machine, _dash, last = digest.partition("-")
        recorded = machine_judgments(task_id=task.pk).filter(
            machine=int(machine),
            pk__lte=int(last),
        )
        answers = [answer for answer in recorded if answer.segment.number in segments]
        if answers:
            machines.append(_machine(task, chosen, answers, system_of))
    return machines


def _machine(
    task: Task,
    chosen: ChosenJudgments,
    answers: Sequence[MachineJudgment],
    system_of: Mapping[int, str],
) -> MachineAnswers:
    judged = [answer for answer in answers if not answer.skip_reason]
    # A block may be skipped several times, and answered after that.
    skipped = set(map(_question, answers)).difference(map(_question, judged))
    kind = answer_kind_of(task)
    rows = []
    scored_answers = []
    for answer in judged:
        candidates = _candidates(answer, system_of)
        segment = answer.segment.number
        order = _ORDERS[answer.is_reversed]
        labels = compress(kind.ranks(answer.labels), candidates)
        rows.append(BlockRow(order, segment, [*filter(None, candidates)], [*labels]))
        scored_answers.append(
            RecordedAnswer(segment, order, candidates, answer.answer or {}),
        )
    blocks = blocks_from_rows(rows, system_of.values())
    scores = None
    read_scores = ANSWER_SCORE_READERS.get(task.protocol)
    if read_scores is not None:
        scores = read_scores(task, chosen, scored_answers)
    return MachineAnswers(
        name=str(answers[0].machine),
        blocks=replace(blocks, best_worst=kind.best_worst),
        scores=scores,
        skipped=len(skipped),
    )


def _question(answer: MachineJudgment) -> tuple[int, int, tuple[int, ...], bool]:
    """Return what a machine was asked: pass, segment, and outputs in their order."""
    return answer.part, answer.segment_id, tuple(answer.outputs), answer.is_reversed


def _candidates(
    answer: MachineJudgment,
    system_of: Mapping[int, str],
) -> list[tuple[str, ...]]:
    """Return those of the systems behind each candidate that count."""
    candidates = []
    for outputs in by_candidate(answer.outputs, answer.stands_for):
        counted = [system_of[output] for output in outputs if output in system_of]
        candidates.append(tuple(counted))
    return candidates
