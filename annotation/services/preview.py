"""Preview of a judge's blocks for organisers, without lending a HIT or storing an answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from operator import attrgetter
from typing import Final
from uuid import UUID

from annotation.models import TrainingBlock, TrainingCandidate
from annotation.protocols.answer_kinds import Answer, answer_kind_of
from annotation.selectors.hits import PreviewedHIT as DrawnHIT
from annotation.selectors.hits import previewed_hits
from annotation.selectors.shown import (
    BlockData,
    DrawnBlock,
    block_renamed,
    blocks_drawn,
)
from annotation.selectors.shown_data import CandidateShown
from annotation.selectors.training import Feedback, feedback_on, training_blocks
from campaign.models import Task
from campaign.texts.hash_draw import HashDraw

#: Number of HITs shown, training excluded; after them the page reports that there is no more work.
HITS_SHOWN: Final = 10
# More than are shown, since some repeat a segment for other judges.
_HITS_DRAWN: Final = 30
# A HIT's id is encoded like a block's, but without a place.
_OF_THE_HIT: Final = 0
_SECRET_BYTES: Final = 10


@dataclass(frozen=True, slots=True)
class PreviewedHIT:
    """A HIT as a judge would see it; `number` is 0 for training, and counts from 1 otherwise."""

    id: UUID
    number: int
    blocks: list[BlockData]


def hit_preview(*, task: Task, after: UUID | None = None) -> PreviewedHIT | None:
    """Return the HIT that follows another, or the first one; None after the last. Writes nothing.

    Training comes first, as it does for judges.
    """
    if after is None:
        number = 0
    else:
        number = _number_of(after) + 1
    if number == 0:
        training = _training(task)
        if training is not None:
            return training
        number = 1
    drawn = _hits_for_one_judge(task)[:HITS_SHOWN]
    if number > len(drawn):
        return None
    blocks = [
        block_renamed(previewed.block_data, _id(task, number, position))
        for position, previewed in enumerate(drawn[number - 1].blocks, start=1)
    ]
    segments = [block.plan.segment for block in drawn[number - 1].blocks]
    return PreviewedHIT(
        _id(task, number, _OF_THE_HIT),
        number,
        _apply_stages(task, segments, blocks),
    )


def _apply_stages(
    task: Task,
    segments: Sequence[int],
    blocks: list[BlockData],
) -> list[BlockData]:
    """Return the blocks of a HIT as its protocol shows them, if they depend on each other."""
    if not blocks:
        return blocks
    ids = [block.id for block in blocks]
    texts = [block.candidates[0]["text"] for block in blocks]
    stages = answer_kind_of(task).stages_drawn(task, segments, ids, texts)
    if stages is None:
        return blocks
    stage_blocks = []
    for block, stage in zip(blocks, stages, strict=True):
        stage_blocks.append(
            replace(
                block,
                stage_rules=stage.rules,
                candidates=_replace_texts(block.candidates, stage.texts or ()),
            ),
        )
    return stage_blocks


def _replace_texts(
    candidates: Sequence[CandidateShown],
    texts: Sequence[str],
) -> list[CandidateShown]:
    return [
        {**candidate, "text": text}
        for candidate, text in zip(candidates, texts, strict=True)
    ]


def hit_id_of(*, task: Task, block: UUID) -> UUID:
    """Return the id of the HIT in which a block is shown."""
    return _id(task, _number_of(block), _OF_THE_HIT)


def feedback_preview(
    *,
    task: Task,
    block: UUID,
    labels: Sequence[int | None],
) -> Feedback | None:
    """Return the feedback on labels of a training block; None for any other block, or for unsuitable labels."""
    if _number_of(block):
        return None
    rows = list(training_blocks(task_id=task.pk))
    position = int.from_bytes(block.bytes[-2:])
    if not 0 < position <= len(rows):
        return None
    row = rows[position - 1]
    expected = [candidate.expected for candidate in _training_order(row)]
    if len(labels) == len(expected):
        return feedback_on(labels, expected, row.explanation)
    return None


def labels_preview(
    *,
    task: Task,
    labels: Sequence[int | None] | None,
    answer: Answer | None,
) -> list[int | None]:
    """Return the labels that would be stored with an answer."""
    kind = answer_kind_of(task)
    content = answer if kind.has_answers else labels
    if content is None:
        return []
    return kind.labels(content, kind.candidates[0])


def _hits_for_one_judge(task: Task) -> list[DrawnHIT]:
    """Return the next HITs that one judge may get, without repeating a segment.

    They are always drawn together, because their number determines which of them hold a check.
    """
    segments_so_far: set[int] = set()
    blocks = []
    drawn = previewed_hits(task_id=task.pk, count=_HITS_DRAWN, from_beginning=True)
    for hit in drawn:
        segments = {block.plan.segment for block in hit.blocks}
        if not segments_so_far & segments:
            segments_so_far |= segments
            blocks.append(hit)
    return blocks


def _training(task: Task) -> PreviewedHIT | None:
    blocks_to_draw = []
    for position, row in enumerate(training_blocks(task_id=task.pk), start=1):
        blocks_to_draw.append(
            DrawnBlock(
                id=_id(task, 0, position),
                segment=row.segment.number,
                outputs=[candidate.output_id for candidate in _training_order(row)],
            ),
        )
    if not blocks_to_draw:
        return None
    blocks = blocks_drawn(blocks_to_draw, task=task)
    return PreviewedHIT(_id(task, 0, _OF_THE_HIT), 0, blocks)


def _training_order(row: TrainingBlock) -> list[TrainingCandidate]:
    candidates = []
    for candidate in row.candidates.all():
        if candidate.output.system.withdrawn_at is None:
            candidates.append(candidate)
    draw = HashDraw(seed=0, number=0)
    return draw.shuffled(candidates, attrgetter("output_id"), "training", row.position)


def _id(task: Task, number: int, position: int) -> UUID:
    """Return an id that encodes the HIT and block, since none of them is stored."""
    secret = sha256(f"preview/{task.pk}/{number}/{position}".encode()).digest()[
        :_SECRET_BYTES
    ]
    return UUID(bytes=secret + number.to_bytes(4) + position.to_bytes(2), version=4)


def _number_of(id_: UUID) -> int:
    return int.from_bytes(id_.bytes[_SECRET_BYTES:-2])
