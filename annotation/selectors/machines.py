"""Reads for machine judges: the blocks that they are asked, and their judgments."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from django.core.cache import caches
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import HIT, Block, Judgment, JudgmentNumber, MachineJudgment
from annotation.models.block import by_candidate
from annotation.protocols.submissions import AssignedBlock, BlockTexts
from annotation.selectors.machine_share import machine_shares
from annotation.selectors.shown import (
    BlockData,
    DrawnBlock,
    block_renamed,
    blocks_data,
    blocks_drawn,
    unlent_data,
)
from annotation.selectors.shown_data import AssignmentShown
from campaign.models import Campaign, MachineJudge, Output, Task
from campaign.selectors.media import media_of_machine

#: Stands for the id of a block that is not stored.
_NO_BLOCK: Final = 0
#: Stands for the judge where texts are read for a machine.
_NO_JUDGE: Final = 0
# The id of a block in reverse order differs in this bit.
_REVERSED: Final = 1
# Judgments read at once.
_AT_ONCE: Final = 100
_KEPT_SECONDS: Final = 3600


def machines_of(*, campaign_id: int) -> QuerySet[MachineJudge]:
    """Return the machine judges of a campaign, by name, with the numbers of blocks `judged` and `skipped`. One query."""
    current = MachineJudgment.objects.current().filter(machine=OuterRef("pk"))
    skips = ~Q(skip_reason="")
    machines = MachineJudge.objects.filter(campaign=campaign_id).annotate(
        judged=_number(current.exclude(skips)),
        skipped=_number(current.filter(skips)),
    )
    return machines.order_by("name", "version", "pk")


def tasks_of_machines(*, campaign: Campaign) -> QuerySet[Task]:
    """Return the tasks in which machine judges have answered, with their names."""
    answers = MachineJudgment.objects.filter(task=OuterRef("pk"))
    return Task.objects.of(campaign).named().filter(Exists(answers)).order_by("pk")


def _number(judgments: QuerySet[MachineJudgment]) -> Coalesce:
    """Return the number of a machine's judgments, for an annotation."""
    numbers = judgments.order_by().values("machine").values(number=Count("pk"))
    return Coalesce(Subquery(numbers), 0)


def machine_judgments(*, task_id: int) -> QuerySet[MachineJudgment]:
    """Return the current answers and skips of all machine judges in a task, in the order in which they were stored."""
    answers = MachineJudgment.objects.current().filter(task=task_id)
    return answers.select_related("machine", "segment__document").order_by("pk")


@dataclass(frozen=True, slots=True)
class MachineBlock:
    """A block as a machine is asked it: in the order of the person who judged it, or in reverse.

    A block that is drawn for machines alone is not stored, and neither is its HIT.
    """

    block: Block
    is_reversed: bool
    is_stored: bool = True

    @property
    def hit(self) -> HIT:
        """The HIT of the person; otherwise one that is not stored."""
        return self.block.hit

    @property
    def stored_block(self) -> Block | None:
        """The block, unless it is drawn for machines alone."""
        if self.is_stored:
            return self.block
        return None

    @property
    def public_id(self) -> UUID:
        """Id of the block for this order."""
        if self.is_reversed:
            return _reversed_id(self.block.public_id)
        return self.block.public_id

    @property
    def assignment_id(self) -> UUID:
        """Id of its HIT for this order. Nothing is lent: it names the HIT in requests."""
        if not self.is_stored:
            segment = f"{self.hit.task_id}/{self.block.segment_id}"
            name = f"machine/share/{segment}/{self.is_reversed}"
            return uuid5(NAMESPACE_OID, name)
        return _assignment_id(self.block.hit_id, is_reversed=self.is_reversed)

    @property
    def candidates(self) -> list[Sequence[int]]:
        """The outputs of each candidate, in this order."""
        candidates = by_candidate(self.block.outputs, self.block.stands_for)
        if self.is_reversed:
            return candidates[::-1]
        return candidates

    @property
    def assigned(self) -> AssignedBlock:
        """The block as protocols check answers to it."""
        task = self.hit.task
        block_id = _NO_BLOCK
        unstored_texts = None
        if self.is_stored:
            block_id = self.block.pk
        else:
            unstored_texts = self._texts()
        return AssignedBlock(
            block_id=block_id,
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
            is_reversed=self.is_reversed,
            unstored_texts=unstored_texts,
        )

    def _texts(self) -> BlockTexts:
        """Return the texts of the candidates in this order, and the source. One query."""
        outputs = Output.objects.filter(pk__in=self.block.outputs)
        text_by_output = dict(outputs.values_list("pk", "text"))
        texts = [text_by_output[outputs[0]] for outputs in self.candidates]
        return BlockTexts(tuple(texts), self.block.segment.source_text)

    def as_shown(self, block_data: BlockData) -> BlockData:
        """Return the data of the block in this order."""
        if not self.is_reversed:
            return block_data
        reverse = replace(block_data, candidates=block_data.candidates[::-1])
        return block_renamed(reverse, self.public_id)


def _assignment_id(hit_id: int, *, is_reversed: bool) -> UUID:
    return uuid5(NAMESPACE_OID, f"machine/{hit_id}/{is_reversed}")


def _reversed_id(id_: UUID) -> UUID:
    return UUID(int=id_.int ^ _REVERSED)


def _blocks(machine: MachineJudge) -> QuerySet[Block]:
    """Return the blocks that people have judged in the machine's campaign, without controls."""
    judged = Judgment.objects.filter(block=OuterRef("pk"))
    blocks = Block.objects.filter(
        hit__task__test_set__campaign=machine.campaign_id,
        control="",
    )
    return blocks.filter(Exists(judged)).select_related("hit__task__test_set__campaign")


def block_of_machine(*, machine: MachineJudge, public_id: UUID) -> MachineBlock | None:
    """Return the block with this id; None if the machine is asked no such block. One query, more for a block that is not stored."""
    if machine.asked_twice:
        public_ids = [public_id, _reversed_id(public_id)]
    else:
        public_ids = [public_id]
    block = _blocks(machine).filter(public_id__in=public_ids).first()
    if block is not None:
        return MachineBlock(block, block.public_id != public_id)
    for share in machine_shares(campaign_id=machine.campaign_id):
        for public_id_in_order in public_ids:
            block = share.block(public_id_in_order)
            if block is not None:
                is_reversed = block.public_id != public_id
                return MachineBlock(block, is_reversed, is_stored=False)
    return None


def answers_about(
    *,
    machine: MachineJudge,
    machine_block: MachineBlock,
) -> QuerySet[MachineJudgment]:
    """Return the machine's answer to the outputs of a block in its order; none for a skip."""
    return machine.judgments.filter(
        segment=machine_block.block.segment_id,
        part=machine_block.hit.part,
        task=machine_block.hit.task_id,
        outputs__contains=machine_block.block.outputs,
        outputs__contained_by=machine_block.block.outputs,
        is_reversed=machine_block.is_reversed,
        skip_reason="",
    )


def _not_done(
    block: str,
    machine: MachineJudge,
    *,
    is_reversed: bool,
    skipped_before: datetime | None = None,
) -> Q:
    """Return the condition that the machine has not judged the outputs of a block in this order.

    `block` is the prefix of fields of the block. Of several blocks with the same outputs, in any order, one is asked.
    Skipped blocks are asked again if `skipped_before` is after the skip.
    """
    judgments = MachineJudgment.objects.filter(
        machine=machine,
        task=OuterRef(f"{block}hit__task"),
        segment=OuterRef(f"{block}segment"),
        part=OuterRef(f"{block}hit__part"),
        outputs__contains=OuterRef(f"{block}outputs"),
        outputs__contained_by=OuterRef(f"{block}outputs"),
        is_reversed=is_reversed,
    )
    if skipped_before is not None:
        judgments = judgments.filter(
            Q(skip_reason="") | Q(submitted_at__gte=skipped_before),
        )
    if is_reversed:
        several = Q(**{f"{block}outputs__len__gt": 1})
    else:
        several = Q()
    return ~Exists(judgments) & several


def _hits_not_done(
    machine: MachineJudge,
    *,
    is_reversed: bool,
    task: int | None,
) -> Iterator[int]:
    """Yield the HITs with blocks that the machine has not judged, in the order in which people judged them.

    Of all tasks, unless one is given by id.

    Judgments before the first of these are not read again for an hour, so the cost of a request does not grow.
    """
    cache = caches["throttles"]
    not_done = _not_done("judgment__block__", machine, is_reversed=is_reversed)
    tasks = Task.objects.of(machine.campaign_id).order_by("pk")
    if task is not None:
        tasks = tasks.filter(pk=task)
    for task_id in tasks.values_list("pk", flat=True):
        key = f"machine/{machine.pk}/{task_id}/{is_reversed}"
        numbers = JudgmentNumber.objects.filter(task=task_id)
        last = numbers.aggregate(last=Max("number", default=0))["last"]
        numbers = numbers.filter(not_done, judgment__block__control="").order_by(
            "number",
        )
        rows = numbers.values_list("number", "judgment__block__hit")
        begin = cache.get(key, 0)
        some = list(rows.filter(number__gt=begin)[:_AT_ONCE])
        cache.set(key, some[0][0] - 1 if some else max(begin, last), _KEPT_SECONDS)
        while some:
            yield from [hit_id for _number, hit_id in some]
            some = list(rows.filter(number__gt=some[-1][0])[:_AT_ONCE])


def _hits_skipped(
    machine: MachineJudge,
    *,
    is_reversed: bool,
    before: datetime,
    task: int | None,
) -> Iterator[int]:
    """Yield the HITs with blocks that the machine last skipped before a time: in the order of the skips, then those of files."""
    skips = MachineJudgment.objects.current().exclude(skip_reason="")
    skips = skips.filter(
        machine=machine,
        is_reversed=is_reversed,
        submitted_at__lt=before,
    )
    if task is not None:
        skips = skips.filter(task=task)
    hits = skips.filter(block__isnull=False).order_by("pk")
    yield from hits.values_list("block__hit", flat=True)
    # Skips in files name outputs.
    of_files = skips.filter(block=None)
    about_block = of_files.filter(
        task=OuterRef("hit__task"),
        segment=OuterRef("segment"),
        part=OuterRef("hit__part"),
        outputs__contains=OuterRef("outputs"),
        outputs__contained_by=OuterRef("outputs"),
    )
    blocks = _blocks(machine).filter(
        Exists(about_block),
        segment__in=of_files.values("segment"),
    )
    yield from blocks.order_by("pk").values_list("hit", flat=True)


def _share_not_done(
    machine: MachineJudge,
    *,
    is_reversed: bool,
    skipped_before: datetime | None,
    task: int | None,
) -> Iterator[list[MachineBlock]]:
    """Yield the blocks of each segment for machines alone that the machine has not judged, in the order of segments.

    Segments before the first of these are not read again for an hour, unless skipped blocks are asked again.
    """
    cache = caches["throttles"]
    for share in machine_shares(campaign_id=machine.campaign_id):
        if task not in (None, share.task.pk):
            continue
        key = f"machine/{machine.pk}/share/{share.design.pk}/{is_reversed}"
        begin = 0
        if skipped_before is None:
            begin = cache.get(key, 0)
        is_all_done = skipped_before is None
        for part in share.parts(begin):
            answer_keys = _machine_answer_keys(
                machine,
                share.task,
                part.blocks,
                is_reversed,
                skipped_before,
            )
            for blocks in part.blocks.values():
                remaining = _remaining(blocks, answer_keys, is_reversed=is_reversed)
                if remaining:
                    is_all_done = False
                    yield remaining
            if is_all_done:
                cache.set(key, part.last, _KEPT_SECONDS)


def _remaining(
    blocks: Sequence[Block],
    answered: Collection[tuple[int, frozenset[int]]],
    *,
    is_reversed: bool,
) -> list[MachineBlock]:
    """Return the blocks that are not answered; one output has no reverse order."""
    remaining = []
    for block in blocks:
        is_alone = is_reversed and len(block.outputs) == 1
        question = (block.segment_id, frozenset(block.outputs))
        if not is_alone and question not in answered:
            remaining.append(MachineBlock(block, is_reversed, is_stored=False))
    return remaining


def _machine_answer_keys(
    machine: MachineJudge,
    task: Task,
    segment_ids: Collection[int],
    is_reversed: bool,
    skipped_before: datetime | None,
) -> set[tuple[int, frozenset[int]]]:
    """Return the segment and outputs of each answer and skip of a machine, without skips before a time. One query."""
    rows = MachineJudgment.objects.filter(
        machine=machine,
        task=task,
        segment__in=segment_ids,
        is_reversed=is_reversed,
    )
    if skipped_before is not None:
        rows = rows.filter(Q(skip_reason="") | Q(submitted_at__gte=skipped_before))
    answered = set()
    for segment_id, outputs in rows.values_list("segment", "outputs"):
        answered.add((segment_id, frozenset(outputs)))
    return answered


def machine_assignment(
    *,
    machine: MachineJudge,
    in_hand: Collection[UUID],
    skipped_before: datetime | None = None,
    task: int | None = None,
) -> list[MachineBlock] | None:
    """Return the blocks to judge of the first HIT with any, passing over those `in_hand`; None if there are none.

    With the id of a `task`, only its blocks.
    After the HITs that people have judged come the segments for machines alone, one at a time. A program that begins again gets the same HIT. Blocks skipped before a time come first. Judgments without a
    number are not seen.
    """
    for is_reversed in [False, True] if machine.asked_twice else [False]:
        not_done = _not_done(
            "",
            machine,
            is_reversed=is_reversed,
            skipped_before=skipped_before,
        )
        hits = _hits_not_done(machine, is_reversed=is_reversed, task=task)
        if skipped_before is not None:
            skipped = _hits_skipped(
                machine,
                is_reversed=is_reversed,
                before=skipped_before,
                task=task,
            )
            hits = chain(skipped, hits)
        for hit_id in hits:
            if _assignment_id(hit_id, is_reversed=is_reversed) in in_hand:
                continue
            blocks = _blocks(machine).filter(not_done, hit=hit_id).order_by("position")
            machine_blocks = [MachineBlock(block, is_reversed) for block in blocks]
            if machine_blocks:
                return machine_blocks
        for share_blocks in _share_not_done(
            machine,
            is_reversed=is_reversed,
            skipped_before=skipped_before,
            task=task,
        ):
            if share_blocks[0].assignment_id not in in_hand:
                return share_blocks
    return None


def machine_assignment_data(
    blocks: Sequence[MachineBlock],
    *,
    machine: MachineJudge,
) -> AssignmentShown:
    """Return the blocks of a HIT as `AssignmentSerializer` describes it. A fixed number of queries."""
    if blocks[0].is_stored:
        blocks_shown = _stored_data(blocks, machine)
    else:
        blocks_shown = _unstored_data(blocks, machine)
    return unlent_data(
        blocks_shown,
        id_=blocks[0].assignment_id,
        task=blocks[0].hit.task,
        part=blocks[0].hit.part,
        blocks_done=machine.judgments.count(),
    )


def _stored_data(
    blocks: Sequence[MachineBlock],
    machine: MachineJudge,
) -> list[BlockData]:
    stored = blocks_data(
        [block.block.pk for block in blocks],
        campaign=machine.campaign,
        judge_id=_NO_JUDGE,
        address=media_of_machine(machine.pk),
    )
    return [block.as_shown(stored[block.block.pk]) for block in blocks]


def _unstored_data(
    blocks: Sequence[MachineBlock],
    machine: MachineJudge,
) -> list[BlockData]:
    drawn = []
    for machine_block in blocks:
        block = machine_block.block
        # The outputs of a candidate have the same text.
        candidates = by_candidate(block.outputs, block.stands_for)
        outputs = [outputs[0] for outputs in candidates]
        drawn.append(DrawnBlock(block.public_id, block.segment.number, outputs))
    blocks_shown = blocks_drawn(
        drawn,
        task=blocks[0].hit.task,
        address=media_of_machine(machine.pk),
    )
    data = []
    for machine_block, block_data in zip(blocks, blocks_shown, strict=True):
        data.append(machine_block.as_shown(block_data))
    return data
