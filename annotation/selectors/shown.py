"""The data a judge's browser is shown: texts under opaque ids, and nothing about the systems."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import JSONArray

from annotation.models import Block, Judgment, Skip
from annotation.models.block import by_candidate, candidate_ids
from annotation.selectors.outputs_shown import outputs_of
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import Campaign, Reference, Segment, TestSet
from campaign.texts.languages import language_direction

# Neighbouring sentences a judge may see on either side.
CONTEXT_SEGMENTS = 2


@dataclass(frozen=True, slots=True)
class TextData:
    text: str
    lang: str
    dir: str


@dataclass(frozen=True, slots=True)
class CandidateData:
    id: UUID
    text: str
    lang: str
    dir: str


@dataclass(frozen=True, slots=True)
class NeighbourData:
    source: TextData | None
    reference: TextData | None


@dataclass(frozen=True, slots=True)
class ContextData:
    """Neighbours in reading order: the nearest is last in `before` and first in `after`."""

    before: list[NeighbourData]
    after: list[NeighbourData]


@dataclass(frozen=True, slots=True)
class JudgmentData:
    id: UUID
    labels: list[int | None]
    comment: str


@dataclass(frozen=True, slots=True)
class BlockData:
    """A block as its judge sees it, without the texts the campaign hides.

    `skip_reason` is a `SkipReason` while the block is skipped, else None.
    """

    id: UUID
    source: TextData | None
    references: list[TextData]
    context: ContextData
    candidates: list[CandidateData]
    state: str
    judgment: JudgmentData | None
    skip_reason: str | None


@dataclass(frozen=True, slots=True)
class ShownHIT:
    """The blocks of a HIT in order, with the languages of their test set.

    `repeat_gap` is its design's: HITs between a HIT and its repeat by the same judge.
    """

    source_language: str
    target_language: str
    repeat_gap: int
    blocks: list[BlockData]


def _around(segment: str = "") -> ArraySubquery:
    """Return an expression: a segment of the outer query and its neighbours, each with its texts.

    `segment`: where the outer query has it, as in "segment__"; empty if it is one of segments.
    """
    references = Reference.objects.filter(segment=OuterRef("pk")).order_by("number")
    position = OuterRef(f"{segment}position")
    around = Segment.objects.filter(
        document=OuterRef(f"{segment}document"),
        position__range=(position - CONTEXT_SEGMENTS, position + CONTEXT_SEGMENTS),
    ).order_by("position")
    neighbour = JSONArray("position", "source_text", ArraySubquery(references.values("text")))
    return ArraySubquery(around.values(row=neighbour))


def _shown(blocks: QuerySet[Block], judge_id: int | Parameter) -> QuerySet[Block, Any]:
    """Return blocks with all that a judge may see of them, as `_block_data` takes it."""
    block = OuterRef("pk")
    judgments = Judgment.objects.filter(block=block, judge=judge_id).order_by("-pk")
    judgment = JSONArray("client_id", "labels", "comment")
    return blocks.order_by("position").values_list(
        "pk",
        "segment__test_set__source_language",
        "segment__test_set__target_language",
        "hit__design__repeat_gap",
        "public_id",
        "segment__position",
        ArraySubquery(outputs_of().values("text")),
        "stands_for",
        _around("segment__"),
        Subquery(judgments.values(row=judgment)[:1]),
        Subquery(Skip.objects.filter(block=block, judge=judge_id).values("reason")),
    )


def _shown_of_hit(hit_id: int | Parameter, judge_id: int | Parameter) -> QuerySet[Block, Any]:
    return _shown(Block.objects.filter(hit=hit_id), judge_id)


_OF_HIT = PreparedQuery(
    "blocks_of_hit", _shown_of_hit, {"hit_id": BigIntegerField(), "judge_id": BigIntegerField()}
)


@dataclass(frozen=True, slots=True)
class _Rules:
    """Which texts a campaign's judges see, and their languages."""

    campaign: Campaign
    source_language: str
    target_language: str
    source_dir: str
    target_dir: str

    @classmethod
    def of(cls, campaign: Campaign, source: str, target: str) -> "_Rules":
        return cls(campaign, source, target, language_direction(source), language_direction(target))

    def source(self, text: str | None) -> TextData | None:
        if not self.campaign.show_source:
            return None
        return TextData(text or "", self.source_language, self.source_dir)

    def references(self, texts: Sequence[str]) -> list[TextData]:
        if not self.campaign.show_reference:
            return []
        return [TextData(text, self.target_language, self.target_dir) for text in texts]


def blocks_of_hit(hit_id: int, *, campaign: Campaign, judge_id: int) -> ShownHIT:
    """Return the blocks of a HIT as a judge of its campaign sees them. One query."""
    rows = _OF_HIT.rows(hit_id=hit_id, judge_id=judge_id)
    source, target, gap = rows[0][1:4] if rows else ("", "", 0)
    rules = _Rules.of(campaign, source, target)
    return ShownHIT(source, target, gap, [_block_data(rules, *row[4:]) for row in rows])


def blocks_data(
    block_ids: Sequence[int], *, campaign: Campaign, judge_id: int
) -> dict[int, BlockData]:
    """Return blocks as a judge of their campaign sees them, by id. One query."""
    rows = _shown(Block.objects.filter(pk__in=block_ids), judge_id)
    return {
        block_id: _block_data(_Rules.of(campaign, source, target), *row)
        for block_id, source, target, _gap, *row in rows
    }


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A block that is drawn and not stored: the number of its segment, and the text of each candidate."""

    id: UUID
    segment: int
    texts: list[str]


def blocks_drawn(blocks: Sequence[DrawnBlock], *, test_set: TestSet) -> list[BlockData]:
    """Return blocks as a judge would be shown them if they were lent. One query."""
    rules = _Rules.of(test_set.campaign, test_set.source_language, test_set.target_language)
    segments = Segment.objects.filter(
        test_set=test_set, number__in={block.segment for block in blocks}
    )
    found = {
        number: (position, around)
        for number, position, around in segments.values_list("number", "position", _around())
    }
    return [
        _block_data(
            rules,
            block.id,
            found[block.segment][0],
            block.texts,
            None,
            found[block.segment][1],
            None,
            None,
        )
        for block in blocks
    ]


def _block_data(
    rules: _Rules,
    public_id: UUID,
    position: int,
    texts: Sequence[str | None],
    stands_for: Sequence[int] | None,
    around: Sequence[tuple[int, str | None, list[str]]],
    judgment: tuple[str, list[int | None], str] | None,
    skip_reason: str | None,
) -> BlockData:
    known = None
    if judgment is not None:
        client_id, labels, comment = judgment
        known = JudgmentData(UUID(client_id), labels, comment)
    _position, source_text, references = next(row for row in around if row[0] == position)
    # The texts of a candidate's outputs are identical.
    candidates = [text for text, *_same in by_candidate(texts, stands_for)]
    return BlockData(
        id=public_id,
        source=rules.source(source_text),
        references=rules.references(references),
        context=ContextData(
            before=[_neighbour(rules, *row) for row in around if row[0] < position],
            after=[_neighbour(rules, *row) for row in around if row[0] > position],
        ),
        candidates=[
            CandidateData(candidate_id, text or "", rules.target_language, rules.target_dir)
            for candidate_id, text in zip(
                candidate_ids(public_id, len(candidates)), candidates, strict=True
            )
        ],
        state="judged" if known else "skipped" if skip_reason else "open",
        judgment=known,
        skip_reason=None if known else skip_reason,
    )


def _neighbour(
    rules: _Rules, _position: int, source: str | None, references: Sequence[str]
) -> NeighbourData:
    return NeighbourData(
        source=rules.source(source), reference=next(iter(rules.references(references)), None)
    )
