"""Store the answers of machine judges. Nothing else is written: no number, no tally, no exposure."""

from collections.abc import Sequence
from typing import Any, TypedDict
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Judgment, MachineJudgment
from annotation.models.block import stands_for
from annotation.protocols.answer_kinds import Answer, answer_kind
from annotation.protocols.submissions import SubmissionRefusedError
from annotation.selectors.machines import MachineBlock, answers_about
from annotation.services.submission import answer_refusal
from campaign.models import MachineJudge


class SentByMachine(TypedDict, total=False):
    """A machine's answer to a block, or the reason for skipping it."""

    labels: Sequence[int | None] | None
    answer: Answer | None
    duration_ms: int | None
    comment: str
    reason: str


class _AnswerFields(TypedDict, total=False):
    labels: list[int | None]
    answer: Answer | None
    skip_reason: str


@transaction.atomic
def machine_judgment_submit(
    *,
    machine: MachineJudge,
    machine_block: MachineBlock,
    client_id: UUID,
    sent: SentByMachine,
) -> MachineJudgment:
    """Store and return a machine's answer to a block, checked like that of a person, or its skip.

    Repeating a `client_id` returns what is stored under it. Raises `SubmissionRefusedError` if the answer does not fit the block, or if
    the machine has answered these outputs under another id: the first answer counts. A skip can be followed by an answer.
    Locks the machine's row.
    """
    MachineJudge.objects.select_for_update(no_key=True).get(pk=machine.pk)
    stored = MachineJudgment.objects.filter(client_id=client_id).first()
    if stored is not None:
        if not _is_repeated(stored, machine, machine_block, sent):
            raise SubmissionRefusedError("This id belongs to another answer or skip.")
        return stored
    own = answers_about(machine=machine, machine_block=machine_block).first()
    if own is not None:
        message = _("This block has been answered already. The first answer counts.")
        raise SubmissionRefusedError(message, stored=own, is_conflict=True)
    candidates = machine_block.candidates
    shown_outputs: list[int] = []
    for outputs in candidates:
        shown_outputs.extend(outputs)
    return MachineJudgment.objects.create(
        client_id=client_id,
        machine=machine,
        task=machine_block.hit.task,
        segment_id=machine_block.block.segment_id,
        block=machine_block.stored_block,
        part=machine_block.hit.part,
        is_reversed=machine_block.is_reversed,
        outputs=shown_outputs,
        stands_for=stands_for([len(outputs) for outputs in candidates]),
        duration_ms=sent.get("duration_ms"),
        comment=sent.get("comment", ""),
        **_answer_fields(machine_block, sent),
    )


def _is_repeated(
    stored: MachineJudgment,
    machine: MachineJudge,
    machine_block: MachineBlock,
    sent: SentByMachine,
) -> bool:
    """Return whether a request about a block repeats the one that stored this answer or skip."""
    of_same_block = (
        stored.machine_id == machine.pk
        and stored.block_id == machine_block.block.pk
        and stored.segment_id == machine_block.block.segment_id
        and sorted(stored.outputs) == sorted(machine_block.block.outputs)
        and stored.is_reversed == machine_block.is_reversed
    )
    return of_same_block and bool(stored.skip_reason) == ("reason" in sent)


def _answer_fields(machine_block: MachineBlock, sent: SentByMachine) -> _AnswerFields:
    """Return the fields of a skip, or those of a valid answer. Raises SubmissionRefusedError."""
    if "reason" in sent:
        return {"labels": [], "skip_reason": sent["reason"]}
    assigned = machine_block.assigned
    kind = answer_kind(assigned.protocol, assigned.rules)
    labels = sent.get("labels")
    answer: Answer | None = sent.get("answer")
    content: Answer | None = labels
    if kind.has_answers:
        content = answer
    refusal = answer_refusal(assigned, labels=labels, answer=answer)
    if refusal is not None:
        raise refusal
    ranks = kind.labels(content, assigned.candidate_count)
    row: Any = Judgment(labels=ranks)
    if kind.keeps_answers:
        row = kind.table(
            **kind.row_of(content, part=assigned.part, block_id=assigned.block_id),
        )
    stored_answer = None
    if kind.has_answers:
        stored_answer = kind.submitted(row)
    return {"labels": ranks, "answer": stored_answer}
