"""Simulate judges, so that a new installation or a rehearsal has a ranking to show.

The model is that of Koehn (2012, §3) with two additions: each output has its own stated quality
instead of one drawn around its system's, and judges perceive it with noise and tie outputs that
seem equal to them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from math import isclose, pi, tan
from random import Random
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.models.block import by_candidate
from annotation.protocols.answer_kinds import (
    Answer,
    AnswerKind,
    Perceived,
    Rules,
    answer_kind_of,
    stages_of,
)
from annotation.services.lending.lend import LentAssignment, assignment_lend
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.pool import pool_fill
from annotation.services.submission import assignment_close_if_done
from campaign.models import Campaign, Judge, Output, Task
from campaign.services.judges import judge_add, task_choose

# Skill of a judge who guesses, and so prefers the better output half of the time.
_BY_CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """A simulated judge, whose `noise` is the standard deviation of perceived quality (0–100) around stated quality.

    A judge whose `noise` is None is careless and clicks at random.
    """

    pseudonym: str
    noise: float | None
    ties_within: float = 4.0
    seconds_per_block: float = 40.0

    @property
    def note(self) -> str:
        """The stated skill in words, for organisers."""
        if self.noise is None:
            return _("Simulated: careless, clicks at random.")
        return _(
            "Simulated: perceives quality (0–100) with a standard deviation of %(noise)s.",
        ) % {"noise": number_format(f"{self.noise:g}")}


def noise_of_skill(skill: float, *, spread: float) -> float | None:
    """Return the noise of a judge who prefers the better of two outputs with this probability; None for a random judge.

    Parameters
    ----------
    skill : float
        From 0.5 to 1.
    spread : float
        Standard deviation of the quality of outputs. The difference between two random outputs is
        normal, and is perceived with the noise of both.
    """
    if isclose(skill, _BY_CHANCE):
        return None
    if skill >= 1:
        return 0.0
    return spread / tan(pi * (skill - _BY_CHANCE))


def labels_of(
    qualities: Sequence[float],
    judge: SimulatedJudge,
    random: Random,
) -> list[int]:
    """Return the ranks 1–5 that this judge would give outputs of these qualities.

    Neighbours in perceived quality closer than `ties_within` get the same rank.
    """
    if judge.noise is None:
        return [random.randint(1, 5) for _quality in qualities]
    perceived = [quality + random.gauss(0, judge.noise) for quality in qualities]
    labels = [0] * len(perceived)
    rank = 1
    previous = None
    for index in sorted(range(len(perceived)), key=lambda i: -perceived[i]):
        if previous is not None and previous - perceived[index] > judge.ties_within:
            rank = min(5, rank + 1)
        labels[index] = rank
        previous = perceived[index]
    return labels


@dataclass(frozen=True, slots=True)
class SimulatedBlock:
    """A block with the data shown to a simulated judge.

    Attributes
    ----------
    block_id, segment_id : int
    is_control : bool
    outputs : sequence of int
        The first output of each candidate, in display order; a candidate's outputs share one
        quality.
    question : mapping
        Rules of the block's stage if its protocol has several, and what only simulated judges know.
    texts : sequence of str
        Texts of the candidates.
    """

    block_id: int
    segment_id: int
    is_control: bool
    outputs: Sequence[int]
    question: Rules
    texts: Sequence[str]


def blocks_asked(hit: HIT) -> Iterator[SimulatedBlock]:
    """Return the blocks of a HIT in order. Constant number of queries."""
    kind = answer_kind_of(hit.task)
    blocks = list(Block.objects.filter(hit=hit).order_by("position"))
    ids = [block.pk for block in blocks]
    outputs: dict[int, list[int]] = {}
    for block in blocks:
        candidates = by_candidate(block.outputs, block.stands_for)
        outputs[block.pk] = [first for first, *_same in candidates]
    stages = stages_of(kind.protocol, ids)
    knowledge = kind.simulated_knows(ids)
    first_outputs = Output.objects.filter(pk__in=chain.from_iterable(outputs.values()))
    texts = dict(first_outputs.values_list("pk", "text"))
    for block in blocks:
        stage = stages.get(block.pk)
        stage_rules: Rules = {}
        block_texts: Sequence[str] = [
            texts.get(output) or "" for output in outputs[block.pk]
        ]
        if stage is not None:
            stage_rules = stage.rules
            if stage.texts is not None:
                block_texts = stage.texts
        yield SimulatedBlock(
            block_id=block.pk,
            segment_id=block.segment_id,
            is_control=bool(block.control),
            outputs=outputs[block.pk],
            question={**stage_rules, **knowledge.get(block.pk, {})},
            texts=block_texts,
        )


def simulated_answer(
    block: SimulatedBlock,
    qualities: Sequence[float],
    judge: SimulatedJudge,
    random: Random,
    *,
    kind: AnswerKind,
) -> Answer:
    """Return this judge's answer to a block with candidates of these qualities; for a ranking, the labels."""
    labels = labels_of(qualities, judge, random)
    answer = kind.simulated(Perceived(qualities, labels, block.question, random))
    return kind.simulated_on(answer, block.texts, random)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedWork:
    """The work of simulated judges.

    Attributes
    ----------
    hits_each : int
        Number of HITs for each judge.
    qualities : mapping of int to float
        Stated quality by output id.
    seed : int
    """

    hits_each: int
    qualities: Mapping[int, float]
    seed: int


def campaign_simulate(
    *,
    campaign: Campaign,
    judges: Sequence[SimulatedJudge],
    languages: Sequence[str],
    work: SimulatedWork,
    task: Task | None = None,
) -> int:
    """Let simulated judges take turns judging HITs, lent as to people; return the number of judgments.

    HITs are planned for a judge who finds nothing in
    the pool, as the worker would. With a `task`, the judges have chosen it and are lent no other.
    """
    at_work = [
        (
            simulated,
            task_choose(
                judge=judge_add(
                    campaign=campaign,
                    pseudonym=simulated.pseudonym,
                    languages=languages,
                    origin=Judge.Origin.SIMULATED,
                    note=simulated.note,
                ),
                task=task,
            ),
            Random(f"{work.seed}/{simulated.pseudonym}"),  # noqa: S311  a simulation, not a secret
        )
        for simulated in judges
    ]
    count = 0
    for _round in range(work.hits_each):
        before = count
        for simulated, judge, random in at_work:
            lent = lend_prepared(judge)
            if lent is not None:
                count += _assignment_judge(
                    lent.assignment,
                    simulated,
                    random,
                    work.qualities,
                )
        if count == before:
            break
    return count


def lend_prepared(judge: Judge) -> LentAssignment | None:
    """Lend a HIT, planning like the worker if none is available; return None if none is left."""
    lent = assignment_lend(judge=judge)
    if lent is not None:
        return lent
    work_request(judge=judge)
    for account in judge.accounts.filter(requested_at__isnull=False):
        pool_fill(task_id=account.task_id)
    return assignment_lend(judge=judge)


def _assignment_judge(
    assignment: Assignment,
    simulated: SimulatedJudge,
    random: Random,
    qualities: Mapping[int, float],
) -> int:
    assignment.hit = HIT.objects.select_related("task").get(pk=assignment.hit_id)
    kind = answer_kind_of(assignment.hit.task)
    judged = []
    for block in blocks_asked(assignment.hit):
        milliseconds = round(
            1000 * simulated.seconds_per_block * random.lognormvariate(0, 0.4),
        )
        content = simulated_answer(
            block,
            [qualities[output] for output in block.outputs],
            simulated,
            random,
            kind=kind,
        )
        judged.append(
            SimulatedJudgment(
                block_id=block.block_id,
                client_id=UUID(int=random.getrandbits(128), version=4),
                answer=content,
                candidates=len(block.outputs),
                duration_ms=round(milliseconds * random.uniform(1, 1.3)),
                active_ms=milliseconds,
                submitted_at=timezone.now(),
            ),
        )
    simulated_store(assignment, judged)
    return len(judged)


@dataclass(frozen=True, slots=True)
class SimulatedJudgment:
    """A judgment of a simulated judge: the arguments of `judgment_submit`, and its time.

    `answer` are labels of a ranking, or an answer of another protocol; `candidates` the number of candidates shown.
    """

    block_id: int
    client_id: UUID
    answer: Answer
    candidates: int
    duration_ms: int
    active_ms: int
    submitted_at: datetime


@transaction.atomic(savepoint=False)
def simulated_store(
    assignment: Assignment,
    judged: Sequence[SimulatedJudgment],
) -> None:
    """Store the judgments of all blocks of an assignment.

    The result is the same as with `judgment_submit`, but takes three statements. The worker numbers
    and counts the judgments.
    """
    kind = answer_kind_of(assignment.hit.task)
    judgments = []
    for simulated in judged:
        judgments.append(
            Judgment(
                task_id=assignment.hit.task_id,
                judge_id=assignment.judge_id,
                assignment=assignment,
                block_id=simulated.block_id,
                client_id=simulated.client_id,
                labels=kind.labels(simulated.answer, simulated.candidates),
                duration_ms=simulated.duration_ms,
                active_ms=simulated.active_ms,
                submitted_at=simulated.submitted_at,
            ),
        )
    stored = Judgment.objects.bulk_create(judgments)
    if kind.keeps_answers:
        part = assignment.hit.part
        answers = []
        for judgment, simulated in zip(stored, judged, strict=True):
            answers.append(
                kind.with_judgment(
                    judgment,
                    kind.row_of(
                        simulated.answer,
                        part=part,
                        block_id=simulated.block_id,
                    ),
                ),
            )
        kind.table.objects.bulk_create(answers)
    assignment_close_if_done(assignment, task_id=assignment.hit.task_id)
