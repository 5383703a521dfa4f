"""Propose, explain and remove training blocks, and plan them for each new judge."""

from collections.abc import Collection, Mapping
from operator import attrgetter
from typing import Final

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import (
    HIT,
    Block,
    BlockControl,
    HITPurpose,
    HITSequence,
    JudgeAccount,
    TrainingBlock,
    TrainingCandidate,
)
from annotation.protocols.answer_kinds import answer_kind_of, outputs_at_a_time
from annotation.sampling.parameters import MOST_CANDIDATES
from annotation.selectors.designs import design_in_force
from annotation.selectors.pool import systems_not_lent, tasks_open_to_judge
from annotation.selectors.training import hits_training, training_round_due
from campaign.database.seeds import seed_draw
from campaign.models import BadReference, Judge, Output, Segment, SystemKind, Task
from campaign.texts.hash_draw import HashDraw
from campaign.texts.normalisation import normalise_text
from campaign.texts.refusals import RefusedError

# Outputs in a proposed training block in addition to the reference and the damaged one.
_OUTPUTS_BESIDE: Final = 2
_BEST = 1
_WORST = 5
# Number of judges for whom training is planned per call.
_JUDGES_AT_ONCE: Final = 100


class TrainingRefusedError(RefusedError):
    """The training cannot be changed as requested; the message says why."""


class UnknownSystemError(TrainingRefusedError):
    """A segment has no output of the `system` with this name."""

    field = "expected"

    def __init__(self, system: str, segment: int) -> None:
        super().__init__(f"No system “{system}” has an output of segment {segment}.")
        self.system = system


@transaction.atomic
def training_propose(*, task: Task, count: int) -> list[TrainingBlock]:
    """Propose `count` training blocks from approved damaged references, and return them.

    They follow the existing blocks. Each shows the reference, which is expected before the damaged
    one, and up to two outputs without an expected rank, if the protocol shows that many. Segments and
    outputs are drawn at random. An organiser should read them and improve the
    explanation. Raises `TrainingRefusedError` if no approved damaged reference with a ranked
    reference is left.
    """
    if _most_shown(task) == 1:
        raise TrainingRefusedError(_nothing_to_compare())
    existing = TrainingBlock.objects.filter(task=task)
    position = existing.aggregate(last=Max("position"))["last"] or 0
    approved = (
        BadReference.objects.of(task.test_set_id)
        .filter(
            status=BadReference.Status.APPROVED,
            output__segment__outputs__system__kind=SystemKind.REFERENCE,
        )
        .exclude(output__segment__in=existing.values("segment"))
        .select_related("output__segment")
        .distinct()
    )
    draw = HashDraw(seed=seed_draw(), number=0)
    chosen = draw.shuffled(approved, attrgetter("output.segment.number"), "training")[
        :count
    ]
    if not chosen:
        raise TrainingRefusedError(
            _(
                "No approved damaged references are left. Create and approve some first.",
            ),
        )
    return [
        _propose(task, row, position=number, draw=draw)
        for number, row in enumerate(chosen, start=position + 1)
    ]


def _propose(
    task: Task,
    row: BadReference,
    *,
    position: int,
    draw: HashDraw,
) -> TrainingBlock:
    segment = row.output.segment
    block = TrainingBlock.objects.create(
        task=task,
        position=position,
        segment=segment,
        explanation=_("One of the outputs was damaged on purpose: %(damage)s.")
        % {"damage": row.get_damage_display()},
    )
    outputs = list(
        Output.objects.drawable().filter(segment=segment).select_related("system"),
    )
    reference = min(
        (
            candidate
            for candidate in outputs
            if candidate.system.kind == SystemKind.REFERENCE
        ),
        key=attrgetter("system.name"),
    )
    texts = {
        normalise_text(reference.text or ""),
        normalise_text(row.output.text or ""),
    }
    most = answer_kind_of(task).candidates[-1] - len(texts)
    beside: list[Output] = []
    systems = []
    for output in outputs:
        if output.system.kind == SystemKind.SYSTEM:
            systems.append(output)
    for output in draw.shuffled(systems, attrgetter("system.name"), segment.number):
        text = normalise_text(output.text or "")
        if text not in texts and len(beside) < min(_OUTPUTS_BESIDE, most):
            texts.add(text)
            beside.append(output)
    TrainingCandidate.objects.bulk_create(
        TrainingCandidate(training_block=block, output=output, expected=expected)
        for output, expected in [
            (reference, _BEST),
            (row.output, _WORST),
            *((output, None) for output in beside),
        ]
    )
    return block


def ranks_by_output(
    *,
    segment: Segment,
    ranks: Mapping[str, int | None],
) -> dict[Output, int | None]:
    """Return expected ranks by names of systems as ranks by the outputs of a segment.

    Raises `UnknownSystemError`.
    """
    outputs: dict[str, Output] = {}
    current = Output.objects.current().filter(segment=segment)
    for output in current.select_related("system"):
        outputs[output.system.name] = output
    for name in ranks:
        if name not in outputs:
            raise UnknownSystemError(name, segment.number)
    return {outputs[name]: rank for name, rank in ranks.items()}


@transaction.atomic
def training_block_write(
    *,
    task: Task,
    segment: Segment,
    explanation: str,
    expected: Mapping[Output, int | None],
    position: int | None = None,
) -> TrainingBlock:
    """Create the training block of a segment, by default after the others, or change it.

    Raises `TrainingRefusedError` as `training_block_change` does.
    """
    block = TrainingBlock.objects.filter(task=task, segment=segment).first()
    if block is None:
        block = TrainingBlock(task=task, segment=segment, position=position or 0)
    block.task = task
    return training_block_change(
        training_block=block,
        explanation=explanation,
        expected=expected,
        position=position,
    )


@transaction.atomic
def training_block_change(
    *,
    training_block: TrainingBlock,
    explanation: str,
    expected: Mapping[Output, int | None],
    position: int | None = None,
) -> TrainingBlock:
    """Change a training block for future judges; those who had it keep the version they saw.

    Raises `TrainingRefusedError` if these outputs teach nothing, judges may not see one of them, or
    another block has the position.
    """
    block = training_block
    others = TrainingBlock.objects.filter(task=block.task_id).exclude(pk=block.pk)
    if position is None:
        position = (
            block.position or (others.aggregate(last=Max("position"))["last"] or 0) + 1
        )
    if others.filter(position=position).exists():
        raise TrainingRefusedError(
            _("Another training item already has this position."),
        )
    _expected_check(block.task, block.segment, expected)
    block.position = position
    block.explanation = _clean_explanation(explanation)
    block.save()
    block.candidates.all().delete()
    candidates = []
    for output, rank in expected.items():
        candidates.append(
            TrainingCandidate(training_block=block, output=output, expected=rank),
        )
    TrainingCandidate.objects.bulk_create(candidates)
    return block


def _expected_check(
    task: Task,
    segment: Segment,
    expected: Mapping[Output, int | None],
) -> None:
    """Refuse outputs that judges cannot tell apart or must not see, and ranks that imply no order."""
    outputs = Output.objects.drawable().filter(
        segment=segment,
        pk__in=[output.pk for output in expected],
    )
    texts = {normalise_text(output.text or "") for output in outputs}
    if len(texts) < len(expected):
        raise TrainingRefusedError(
            _(
                "Outputs must be different texts of this segment, and damaged references must be approved.",
            ),
        )
    most = _most_shown(task)
    if most == 1:
        raise TrainingRefusedError(_nothing_to_compare())
    if len(expected) > most and most < MOST_CANDIDATES:
        raise TrainingRefusedError(outputs_at_a_time(most))
    if len(expected) > MOST_CANDIDATES or len({*expected.values()} - {None}) < 2:
        raise TrainingRefusedError(_("At least two outputs need different ranks."))


def _most_shown(task: Task) -> int:
    """Return how many outputs a block may show: 1 if the design shows one, otherwise the maximum of the protocol."""
    kind = answer_kind_of(task)
    if not kind.orders_outputs:
        raise TrainingRefusedError(
            _(
                "Training is not available: answers in this task imply no order of outputs. Give criteria a weight.",
            ),
        )
    design = design_in_force(task_id=task.pk)
    if design is None:
        size = kind.first_candidates
    else:
        size = design.parameters.block_size(0)
    if size == 1:
        return 1
    return kind.candidates[-1]


def _nothing_to_compare() -> str:
    return _("Training is not available: judges in this task see one output at a time.")


def _clean_explanation(explanation: str) -> str:
    if not explanation.strip():
        raise TrainingRefusedError(_("Enter an explanation."))
    return explanation.strip()


@transaction.atomic
def training_block_explain(
    *,
    training_block: TrainingBlock,
    explanation: str,
) -> TrainingBlock:
    """Change the explanation that future judges read after a training block."""
    training_block.explanation = _clean_explanation(explanation)
    training_block.save(update_fields=["explanation"])
    return training_block


@transaction.atomic
def training_block_remove(*, training_block: TrainingBlock) -> None:
    """Remove a training block for future judges; those who had it keep the version they saw."""
    training_block.delete()


def training_plan_ahead(*, task: Task) -> int:
    """Plan training for judges before their first HIT; return the number of HITs planned."""
    if not TrainingBlock.objects.filter(task=task).exists():
        return 0
    judges = (
        Judge.objects.filter(
            campaign=task.test_set.campaign_id,
            origin=Judge.Origin.PERSON,
        )
        .exclude(accounts__task=task, accounts__hits_lent__gt=0)
        .exclude(reserved_hits__task=task, reserved_hits__purpose=HITPurpose.TRAINING)
        .order_by("pk")
    )
    planned = 0
    for judge in judges[:_JUDGES_AT_ONCE]:
        if tasks_open_to_judge(judge, Task.objects.filter(pk=task.pk)):
            planned += training_plan(task_id=task.pk, judge_id=judge.pk)
    return planned


@transaction.atomic
def training_plan(*, task_id: int, judge_id: int) -> int:
    """Plan the training round that is due for a judge; return 1, or 0 if none is due or it is already planned.

    Locks the task's `HITSequence`. Always answers the judge's request.
    """
    HITSequence.objects.get_or_create(task_id=task_id)
    sequence = HITSequence.objects.select_for_update().get(task=task_id)
    judge = Judge.objects.get(pk=judge_id)
    account = JudgeAccount.objects.filter(task=task_id, judge=judge)
    lent = account.values_list("hits_lent", flat=True).first() or 0
    round_ = training_round_due(judge=judge, task_id=task_id, hits_lent=lent)
    account.update(requested_at=None, none_left_at=None)
    conflicts = systems_not_lent(judge)
    _unsuitable_close(judge, task_id, conflicts)
    if round_ is None or hits_training(judge=judge, task_id=task_id).exists():
        return 0
    sequence.last_number += 1
    sequence.save(update_fields=["last_number"])
    _store(sequence, judge, round_, conflicts)
    return 1


def _unsuitable_close(judge: Judge, task_id: int, conflicts: Collection[int]) -> None:
    """Close planned training that shows a withdrawn system, or one the judge now has a conflict of interest with."""
    if conflicts:
        hits_training(judge=judge, task_id=task_id).filter(
            system_ids__overlap=list(conflicts),
        ).update(completed_at=Now())


def _store(
    sequence: HITSequence,
    judge: Judge,
    round_: int,
    conflicts: Collection[int],
) -> None:
    design = design_in_force(task_id=sequence.task_id)
    assert design is not None, "pool_fill makes one"  # noqa: S101
    training = list(
        TrainingBlock.objects.filter(task=sequence.task_id)
        .order_by("position")
        .prefetch_related("candidates__output"),
    )
    candidates_by_block = {}
    for block in training:
        candidates = []
        for candidate in block.candidates.all():
            if candidate.output.system_id not in conflicts:
                candidates.append(candidate)
        candidates_by_block[block.pk] = candidates
    systems = set()
    for rows in candidates_by_block.values():
        for row in rows:
            systems.add(row.output.system_id)
    hit = HIT.objects.create(
        task_id=sequence.task_id,
        design=design,
        number=sequence.last_number,
        purpose=HITPurpose.TRAINING,
        reserved_for=judge,
        # No other judge is ever lent it: see `POOLED`.
        reserved_until=Now(),
        segment_ids=[block.segment_id for block in training],
        system_ids=sorted(systems),
        why={"purpose": "training", "round": round_},
    )
    draw = HashDraw(seed=design.seed, number=sequence.last_number)
    for position, block in enumerate(training, start=1):
        order = draw.shuffled(
            candidates_by_block[block.pk],
            attrgetter("output_id"),
            "training",
            block.position,
        )
        Block.objects.create(
            hit=hit,
            segment_id=block.segment_id,
            position=position,
            outputs=[ordered_candidate.output_id for ordered_candidate in order],
            control=BlockControl.TRAINING,
            expected=[ordered_candidate.expected for ordered_candidate in order],
            explanation=block.explanation,
        )
