"""Reads for machine judges: the blocks that they are asked, and their judgments."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import HIT, Block, Judgment, MachineJudgment
from annotation.models.block import by_candidate
from annotation.selectors.shown import (
    BlockData,
    block_renamed,
    blocks_data,
    candidate_count,
    unlent_data,
)
from annotation.submissions import AssignedBlock
from campaign.models import Campaign, MachineJudge, Task

#: Stands for the judge where texts are read for a machine.
_NO_JUDGE: Final = 0
# The id of a block in reverse order differs in this bit.
_REVERSED: Final = 1


def machines_of(*, campaign_id: int) -> QuerySet[MachineJudge]:
    """Return the machine judges of a campaign, by name, with the numbers of blocks `judged` and `skipped`. One query."""
    is_skip = ~Q(judgments__skip_reason="")
    machines = MachineJudge.objects.filter(campaign=campaign_id).annotate(
        judged=Count("judgments", filter=~is_skip), skipped=Count("judgments", filter=is_skip)
    )
    return machines.order_by("name", "version", "pk")


def tasks_of_machines(*, campaign: Campaign) -> QuerySet[Task]:
    """Return the tasks in which machine judges have answered, with their names."""
    answers = MachineJudgment.objects.filter(task=OuterRef("pk"))
    return Task.objects.of(campaign).named().filter(Exists(answers)).order_by("pk")


def machine_judgments(*, task_id: int) -> QuerySet[MachineJudgment]:
    """Return the answers of all machine judges in a task, in the order in which they were stored."""
    answers = MachineJudgment.objects.filter(task=task_id)
    return answers.select_related("machine", "segment__document").order_by("pk")


@dataclass(frozen=True, slots=True)
class MachineBlock:
    """A block as a machine is asked it: in the order of the person who judged it, or in reverse."""

    block: Block
    is_reversed: bool

    @property
    def hit(self) -> HIT:
        """The HIT of the person."""
        return self.block.hit

    @property
    def public_id(self) -> UUID:
        """Id of the block for this order."""
        return _reversed_id(self.block.public_id) if self.is_reversed else self.block.public_id

    @property
    def assignment_id(self) -> UUID:
        """Id of its HIT for this order. Nothing is lent: it names the HIT in requests."""
        return uuid5(NAMESPACE_OID, f"machine/{self.hit.pk}/{self.is_reversed}")

    @property
    def candidates(self) -> list[Sequence[int]]:
        """The outputs of each candidate, in this order."""
        candidates = by_candidate(self.block.outputs, self.block.stands_for)
        return candidates[::-1] if self.is_reversed else candidates

    @property
    def assigned(self) -> AssignedBlock:
        """The block as protocols check answers to it."""
        task = self.hit.task
        return AssignedBlock(
            block_id=self.block.pk,
            public_id=self.public_id,
            control="",
            assignment_id=0,
            assignment_public_id=self.assignment_id,
            judge_id=_NO_JUDGE,
            task_id=task.pk,
            protocol=task.protocol,
            rules=task.rules,
            candidate_count=len(self.candidates),
            allow_partial_ranking=task.test_set.campaign.allow_partial_ranking,
            part=self.hit.part,
        )

    def as_shown(self, shown: BlockData) -> BlockData:
        """Return the data of the block in this order."""
        if not self.is_reversed:
            return shown
        reverse = replace(shown, candidates=shown.candidates[::-1])
        return block_renamed(reverse, self.public_id)


def _reversed_id(id_: UUID) -> UUID:
    return UUID(int=id_.int ^ _REVERSED)


def _blocks(machine: MachineJudge) -> QuerySet[Block]:
    """Return the blocks that people have judged in the machine's campaign, without controls."""
    judged = Judgment.objects.filter(block=OuterRef("pk"))
    blocks = Block.objects.filter(hit__task__test_set__campaign=machine.campaign_id, control="")
    return blocks.filter(Exists(judged)).select_related("hit__task__test_set__campaign")


def machine_block(*, machine: MachineJudge, public_id: UUID) -> MachineBlock | None:
    """Return the block with this id; None if the machine is asked no such block. One query."""
    known = [public_id, _reversed_id(public_id)] if machine.asked_twice else [public_id]
    block = _blocks(machine).filter(public_id__in=known).first()
    return None if block is None else MachineBlock(block, block.public_id != public_id)


def _unanswered(machine: MachineJudge, *, is_reversed: bool) -> QuerySet[Block]:
    """Return the blocks whose outputs the machine has not judged in this order, HIT by HIT.

    Of several blocks with the same outputs, in any order, one is asked.
    """
    answered = MachineJudgment.objects.filter(
        machine=machine,
        task=OuterRef("hit__task"),
        segment=OuterRef("segment"),
        part=OuterRef("hit__part"),
        outputs__contains=OuterRef("outputs"),
        outputs__contained_by=OuterRef("outputs"),
        is_reversed=is_reversed,
    )
    blocks = _blocks(machine).filter(~Exists(answered))
    if is_reversed:
        blocks = blocks.alias(candidates=candidate_count()).filter(candidates__gt=1)
    return blocks.order_by("hit__task", "hit__number", "position")


def machine_assignment(
    *, machine: MachineJudge, in_hand: Collection[UUID]
) -> list[MachineBlock] | None:
    """Return the blocks to judge of the first HIT with any, passing over those `in_hand`; None if there are none.

    A program that begins again gets the same HIT.
    """
    for is_reversed in [False, True] if machine.asked_twice else [False]:
        unanswered = _unanswered(machine, is_reversed=is_reversed)
        hits = unanswered.order_by("hit__task", "hit__number").distinct("hit__task", "hit__number")
        for block in hits[: len(in_hand) + 1]:
            if MachineBlock(block, is_reversed).assignment_id not in in_hand:
                of_hit = unanswered.filter(hit=block.hit_id)
                return [MachineBlock(each, is_reversed) for each in of_hit]
    return None


def machine_assignment_data(
    blocks: Sequence[MachineBlock], *, machine: MachineJudge
) -> dict[str, Any]:
    """Return the blocks of a HIT as `AssignmentSerializer` describes it. A fixed number of queries."""
    ids = [each.block.pk for each in blocks]
    stored = blocks_data(ids, campaign=machine.campaign, judge_id=_NO_JUDGE)
    return unlent_data(
        [each.as_shown(stored[each.block.pk]) for each in blocks],
        id_=blocks[0].assignment_id,
        task=blocks[0].hit.task,
        part=blocks[0].hit.part,
        done=machine.judgments.count(),
    )
