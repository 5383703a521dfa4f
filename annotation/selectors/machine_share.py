"""Blocks of the segments that designs keep for machine judges alone. They are drawn on request, and stored nowhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from operator import attrgetter
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from annotation.models import HIT, Block, Design
from annotation.models.block import stands_for
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.sampling.corpus import DistinctText, SegmentOutputs
from annotation.selectors.designs import designs_of_tasks
from annotation.selectors.drawing import segments_chosen, texts_now, texts_of_others
from annotation.selectors.passes import has_passes
from campaign.models import Segment, Task
from campaign.texts.hash_draw import HashDraw

# Segments whose blocks are drawn at once.
_AT_ONCE: Final = 100
# The id of a block is a digest of its content, the number of its segment, and its position.
_DIGEST_BYTES: Final = 10
# The last bit of an id marks the block in reverse order.
_POSITION_STEP: Final = 2


@dataclass(frozen=True)
class MachineShare:
    """The segments of a task that its design in force keeps for machine judges alone.

    Each block shows as many outputs as blocks of people. The blocks of a segment show every output that takes part; the last
    one is filled up with outputs of the first.
    """

    task: Task
    design: Design

    def parts(self, after: int) -> Iterator["SharePart"]:
        """Yield the blocks of the segments whose numbers are above `after`, some segments at a time."""
        while True:
            chosen = self._segments.filter(number__gt=after).order_by("number")
            segments = list(chosen[:_AT_ONCE])
            if not segments:
                return
            after = segments[-1].number
            yield SharePart(last=after, blocks=self._blocks(segments))

    def block(self, public_id: UUID) -> Block | None:
        """Return the block with this id; None if there is none."""
        number = int.from_bytes(public_id.bytes[_DIGEST_BYTES:-2])
        segments = list(self._segments.filter(number=number))
        for blocks in self._blocks(segments).values():
            for block in blocks:
                if block.public_id == public_id:
                    return block
        return None

    @cached_property
    def _segments(self) -> QuerySet[Segment]:
        segments = segments_chosen(self.task, self.design)
        if self.design.segments:
            segments = segments.filter(number__in=self.design.segments)
        return segments

    @cached_property
    def _texts(self) -> Mapping[int, SegmentOutputs]:
        systems = self.task.test_set.systems.filter(withdrawn_at__isnull=False)
        withdrawn = set(systems.values_list("name", flat=True))
        return texts_of_others(texts_now(self.task.pk), withdrawn)

    def _blocks(self, segments: Sequence[Segment]) -> dict[int, list[Block]]:
        """Return the blocks of those of these segments that are for machines alone, by segment."""
        blocks = {}
        for segment in segments:
            if self.design.is_for_machines_alone(segment.number):
                blocks[segment.pk] = self._blocks_of(segment)
        return blocks

    def _blocks_of(self, segment: Segment) -> list[Block]:
        blocks = []
        texts = self._texts[segment.number]
        for position, block_texts in enumerate(_texts_of_blocks(texts, self.design), 1):
            outputs: list[int] = []
            for text in block_texts:
                outputs.extend(text.output_ids)
            blocks.append(
                Block(
                    hit=HIT(task=self.task, design=self.design),
                    segment=segment,
                    position=position,
                    outputs=outputs,
                    stands_for=stands_for(
                        [len(text.output_ids) for text in block_texts],
                    ),
                    public_id=self._public_id(segment, position, outputs),
                ),
            )
        return blocks

    def _public_id(
        self,
        segment: Segment,
        position: int,
        outputs: Sequence[int],
    ) -> UUID:
        """Return an id that changes if the block shows other outputs, so that no answer is stored for these."""
        content = f"machine/{self.task.pk}/{segment.pk}/{position}/{outputs}"
        digest = sha256(content.encode()).digest()[:_DIGEST_BYTES]
        number = segment.number.to_bytes(4)
        last_bytes = (_POSITION_STEP * position).to_bytes(2)
        return UUID(bytes=digest + number + last_bytes, version=4)


@dataclass(frozen=True, slots=True)
class SharePart:
    """The blocks of some segments, by segment; `last` is the largest number of a segment that was looked at."""

    last: int
    blocks: Mapping[int, Sequence[Block]]


def machine_shares(*, campaign_id: int) -> list[MachineShare]:
    """Return the shares of a campaign's tasks, except where blocks depend on earlier answers or on judges. Two queries."""
    tasks = Task.objects.of(campaign_id).select_related("test_set__campaign")
    ordered = list(tasks.order_by("pk"))
    designs = designs_of_tasks(ordered)
    shares = []
    for task in ordered:
        design = designs.get(task.pk)
        if design is None or not design.machine_share:
            continue
        kind = answer_kind_of(task)
        if kind.has_stages or has_passes(task) or kind.comparisons is not None:
            continue
        shares.append(MachineShare(task, design))
    return shares


def _texts_of_blocks(
    texts: SegmentOutputs,
    design: Design,
) -> list[Sequence[DistinctText]]:
    """Return the texts of each block of a segment, in display order; none if the segment has too few."""
    parameters = design.parameters
    distinct = texts.taking_part(parameters)
    if len(distinct) < parameters.fewest_texts:
        return []
    draw = HashDraw(seed=design.seed, number=texts.number, scheme="machines")
    order = draw.shuffled(distinct, attrgetter("systems"), "share")
    size = min(len(order), parameters.block_size(texts.words))
    texts_of_blocks: list[Sequence[DistinctText]] = []
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        lacking = size - len(chosen)
        texts_of_blocks.append([*chosen, *order[:lacking]])
    return texts_of_blocks
