"""Take back the answer to a block, so that it no longer counts, and let it count again. Nothing is deleted."""

from django.db.models import F
from django.utils.translation import gettext as _

from annotation.models import Block, BlockControl, Design, HITSequence, Judgment
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.services.numbers import counters_rebuild, ranking_request
from annotation.services.systems import planning_follow_up, planning_lock
from campaign.models import Task
from campaign.texts.refusals import RefusedError


class AnswerKeptError(RefusedError):
    """The answer cannot be taken back; the message says why."""


def block_take_back(*, judgment: Judgment, task: Task) -> None:
    """Let a judge's answers to the block of a judgment no longer count; another block is planned in its place.

    Call it in a transaction. Locks the `HITSequence` of the test set's tasks. Raises `AnswerKeptError`.
    """
    kind = answer_kind_of(task)
    if kind.has_stages or kind.comparisons is not None:
        raise AnswerKeptError(
            _(
                "Later questions follow from the answers of this protocol, so single answers cannot be taken back.",
            ),
        )
    _control_change(
        judgment.block,
        task,
        before=BlockControl.NONE,
        after=BlockControl.WITHDRAWN,
    )


def block_give_back(*, block: Block, task: Task) -> None:
    """Undo `block_take_back`."""
    _control_change(
        block,
        task,
        before=BlockControl.WITHDRAWN,
        after=BlockControl.NONE,
    )


def _control_change(
    block: Block,
    task: Task,
    *,
    before: BlockControl,
    after: BlockControl,
) -> None:
    planning_lock(task.test_set_id)
    changed = Block.objects.filter(pk=block.pk, control=before)
    if not changed.update(control=after):
        raise AnswerKeptError(
            _("This answer does not count in results, or counts again already."),
        )
    change = 1 if after == BlockControl.NONE else -1
    if block.hit.design.kind != Design.Kind.IMPORTED:
        HITSequence.objects.filter(task=task.pk).update(
            blocks_planned=F("blocks_planned") + change,
        )
    counters_rebuild(task_id=task.pk)
    ranking_request(task_id=task.pk)
    planning_follow_up(task.test_set_id)
