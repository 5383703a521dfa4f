"""Data sent to a judge's browser: texts with opaque ids, and nothing about the systems."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, TypedDict
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    BigIntegerField,
    F,
    Func,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
)
from django.db.models.functions import JSONArray

from annotation.models import Assignment, Block, HITPurpose, Judgment, Skip
from annotation.models.block import by_candidate, candidate_ids
from annotation.models.hit import IsAnyOf, PlaceIn
from annotation.protocols import (
    Answer,
    Rules,
    Stage,
    TextsBeside,
    answer_kind,
    answers_read,
    rules_shown,
    stages_of,
    texts_beside,
)
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import Campaign, Output, Reference, Segment, Task
from campaign.texts.languages import language_described, language_direction


def outputs_of(block: str = "") -> QuerySet[Output]:
    """Return the outputs of the outer query's block, in display order, for a subquery.

    `block` is the path to the block in the outer query, such as "block__"; empty in a query of blocks.
    """
    shown = OuterRef(f"{block}outputs")
    among = Output.objects.filter(IsAnyOf(F("pk"), shown))
    return among.alias(place=PlaceIn(shown, F("pk"))).order_by("place")


def candidate_count(block: str = "") -> Func:
    """Return an expression for the number of candidates of a block."""
    return Func(
        Func(F(f"{block}stands_for"), F(f"{block}outputs"), function="COALESCE"),
        function="cardinality",
        output_field=IntegerField(),
    )


# Number of neighbouring sentences sent with a block, on either side.
CONTEXT_SEGMENTS = 2
#: Maximum number of segments of the document, on either side, that a judge may request.
DOCUMENT_SEGMENTS = 200


class TextData(TypedDict):
    text: str
    lang: str
    dir: str


class CandidateData(TypedDict):
    id: UUID
    text: str
    lang: str
    dir: str


class NeighbourData(TypedDict):
    source: TextData | None
    reference: TextData | None


class ContextData(TypedDict):
    """Neighbouring sentences in reading order: the nearest is last in `before` and first in `after`."""

    before: list[NeighbourData]
    after: list[NeighbourData]


class JudgmentData(TypedDict):
    """A stored judgment; `answer` is None for a ranking."""

    id: UUID
    labels: list[int | None]
    comment: str
    answer: Answer | None


@dataclass(frozen=True, slots=True)
class BlockData:
    """A block as its judge sees it, without the texts that the campaign hides.

    `skip_reason` is a `SkipReason` while the block is skipped, otherwise None. `stage_rules` are
    the rules of the block's stage, if its protocol has several.
    """

    id: UUID
    source: TextData | None
    references: list[TextData]
    context: ContextData
    candidates: list[CandidateData]
    state: str
    judgment: JudgmentData | None
    skip_reason: str | None
    stage_rules: Rules = field(default_factory=dict)

    def as_shown(self) -> dict[str, Any]:
        """Return the data for the judging page, without rules, which are sent once for all blocks of the HIT."""
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name != "stage_rules"
        }


def languages_data(source: str, target: str) -> dict[str, dict[str, str]]:
    """Return the names, in the reader's language, and the directions of the two languages."""
    return {"source": language_described(source), "target": language_described(target)}


def _around(segment: str = "") -> ArraySubquery:
    """Return an expression for a segment of the outer query and its neighbours, each with its texts.

    `segment` is the path to the segment in the outer query, such as "segment__"; empty in a query of segments.
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
    """Return blocks with all data that a judge may see, in the order of the arguments of `_block_data`."""
    block = OuterRef("pk")
    judgments = Judgment.objects.filter(block=block, judge=judge_id).order_by("-pk")
    judgment = JSONArray("pk", "client_id", "labels", "comment")
    return blocks.order_by("position").values_list(
        "pk",
        "segment__test_set__source_language",
        "segment__test_set__target_language",
        "hit__design__repeat_gap",
        "hit__task__protocol",
        "hit__task__rules",
        "hit__part",
        "hit__purpose",
        "public_id",
        "segment__position",
        ArraySubquery(outputs_of().values("text")),
        "stands_for",
        _around("segment__"),
        Subquery(judgments.values(row=judgment)[:1]),
        Subquery(Skip.objects.filter(block=block, judge=judge_id).values("reason")),
    )


# Positions in the rows of `_shown`. Columns before the third are shared by the blocks of a HIT.
_PROTOCOL: Final = 4
_JUDGMENT: Final = -2
_OF_THE_HIT: Final = 8


def _shown_of_hit(hit_id: int | Parameter, judge_id: int | Parameter) -> QuerySet[Block, Any]:
    return _shown(Block.objects.filter(hit=hit_id), judge_id)


_OF_HIT = PreparedQuery(
    "blocks_of_hit", _shown_of_hit, {"hit_id": BigIntegerField(), "judge_id": BigIntegerField()}
)


@dataclass(frozen=True, slots=True)
class _Rules:
    """Texts shown to judges, and their languages."""

    beside: TextsBeside
    source_language: str
    target_language: str
    source_dir: str
    target_dir: str

    @classmethod
    def of(cls, beside: TextsBeside, source: str, target: str) -> "_Rules":
        return cls(beside, source, target, language_direction(source), language_direction(target))

    def source(self, text: str | None) -> TextData | None:
        if not self.beside.source:
            return None
        return TextData(text=text or "", lang=self.source_language, dir=self.source_dir)

    def references(self, texts: Sequence[str]) -> list[TextData]:
        if not self.beside.references:
            return []
        return [
            TextData(text=text, lang=self.target_language, dir=self.target_dir) for text in texts
        ]


def assignment_data(assignment: Assignment, *, campaign: Campaign) -> dict[str, Any]:
    """Return an assignment as its judge sees it, as `AssignmentSerializer` describes it. One query; two if there are answers to read.

    `revisable_hits` is the number of preceding HITs to which the judge may return, because no
    repeat of this design can repeat them. The data reveals no count of HITs.
    """
    rows = _OF_HIT.rows(hit_id=assignment.hit_id, judge_id=assignment.judge_id)
    blocks = list(_blocks(rows, campaign).values())
    source, target, gap, protocol, rules, part, purpose = rows[0][1:_OF_THE_HIT]
    return {
        "id": assignment.public_id,
        "revisable_hits": gap,
        "expires_at": assignment.expires_at,
        "blocks": [block.as_shown() for block in blocks],
        "languages": languages_data(source, target),
        "protocol": protocol,
        "rules": {
            **rules_shown(protocol, rules, campaign=campaign, part=part),
            # All blocks of a HIT ask the same question.
            **blocks[0].stage_rules,
            **({"practice": True} if purpose == HITPurpose.TRAINING else {}),
        },
    }


def blocks_data(
    block_ids: Sequence[int], *, campaign: Campaign, judge_id: int
) -> dict[int, BlockData]:
    """Return blocks by id, as a judge of their campaign sees them. One query, and one for a protocol's answers."""
    return _blocks(list(_shown(Block.objects.filter(pk__in=block_ids), judge_id)), campaign)


def _blocks(rows: Sequence[Sequence[Any]], campaign: Campaign) -> dict[int, BlockData]:
    """Return the blocks in these rows of `_shown`, by id."""
    answers, stages = _answers(rows), _stages(rows)
    return {
        block_id: _block_data(
            _Rules.of(texts_beside(protocol, rules, campaign=campaign, part=part), source, target),
            answers,
            *row,
            stage=stages.get(block_id),
        )
        for block_id, source, target, _gap, protocol, rules, part, _purpose, *row in rows
    }


def _answers(rows: Iterable[Sequence[Any]]) -> dict[int, Answer]:
    """Return the protocol-specific answers in these rows of `_shown`, by id."""
    judged = defaultdict(list)
    for row in rows:
        if row[_JUDGMENT] is not None:
            judged[row[_PROTOCOL]].append(row[_JUDGMENT][0])
    return {
        judgment_id: answer
        for protocol, judgment_ids in judged.items()
        for judgment_id, answer in answers_read(protocol, judgment_ids).items()
    }


def _stages(rows: Iterable[Sequence[Any]]) -> dict[int, Stage]:
    """Return the stages of the blocks in these rows of `_shown`, by id, for protocols with several questions."""
    shown = defaultdict(list)
    for row in rows:
        shown[row[_PROTOCOL]].append(row[0])
    return {
        block_id: stage
        for protocol, block_ids in shown.items()
        for block_id, stage in stages_of(protocol, block_ids).items()
    }


@dataclass(frozen=True, slots=True)
class DocumentData:
    """The document of a block as its judge sees it, or the part around the block if it is very long.

    `segments` are in order; the first of them is number `first` of `total`, from 1. `blocks` maps the blocks of the same
    HIT in this document to the places of their segments in `segments`.
    """

    segments: list[NeighbourData]
    first: int
    total: int
    blocks: dict[str, int]


def document_of_block(block_id: int, *, beside: TextsBeside) -> DocumentData | None:
    """Return the document around a block; None if its judge may not see it. Four queries."""
    block = Block.objects.select_related("segment__test_set", "hit__task").get(pk=block_id)
    stage = stages_of(block.hit.task.protocol, [block_id]).get(block_id)
    is_alone = stage is not None and stage.is_text_alone
    if is_alone or not beside.context or not (beside.source or beside.references):
        return None
    test_set, segment = block.segment.test_set, block.segment
    rules = _Rules.of(beside, test_set.source_language, test_set.target_language)
    document = Segment.objects.filter(document=segment.document_id)
    near = document.filter(
        position__range=(
            segment.position - DOCUMENT_SEGMENTS,
            segment.position + DOCUMENT_SEGMENTS,
        )
    ).order_by("position")
    references = Reference.objects.filter(segment=OuterRef("pk")).order_by("number")
    rows = list(near.values_list("pk", "source_text", ArraySubquery(references.values("text")[:1])))
    places = {segment_id: place for place, (segment_id, *_texts) in enumerate(rows)}
    of_hit = Block.objects.filter(hit=block.hit_id, segment__in=places)
    return DocumentData(
        segments=[_neighbour(rules, 0, source, texts) for _segment, source, texts in rows],
        first=1 + document.filter(position__lt=segment.position).count() - places[segment.pk],
        total=document.count(),
        blocks={
            str(public_id): places[segment_id]
            for public_id, segment_id in of_hit.values_list("public_id", "segment_id")
        },
    )


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A block that is drawn but not stored: the number of its segment and the text of each candidate."""

    id: UUID
    segment: int
    texts: list[str]


def blocks_drawn(blocks: Sequence[DrawnBlock], *, task: Task) -> list[BlockData]:
    """Return blocks of first HITs as a judge would first see them. One query."""
    stage = answer_kind(task.protocol).first_stage
    beside = texts_beside(task.protocol, task.rules, campaign=task.test_set.campaign, part=1)
    rules = _Rules.of(beside, task.test_set.source_language, task.test_set.target_language)
    segments = Segment.objects.filter(
        test_set_id=task.test_set_id, number__in={block.segment for block in blocks}
    )
    found = {
        number: (position, around)
        for number, position, around in segments.values_list("number", "position", _around())
    }
    return [
        _block_data(
            rules,
            {},
            block.id,
            found[block.segment][0],
            block.texts,
            None,
            found[block.segment][1],
            None,
            None,
            stage=stage,
        )
        for block in blocks
    ]


def _block_data(
    rules: _Rules,
    answers: Mapping[int, Answer],
    public_id: UUID,
    position: int,
    texts: Sequence[str | None],
    stands_for: Sequence[int] | None,
    around: Sequence[tuple[int, str | None, list[str]]],
    judgment: tuple[int, str, list[int | None], str] | None,
    skip_reason: str | None,
    *,
    stage: Stage | None = None,
) -> BlockData:
    known = None
    if judgment is not None:
        judgment_id, client_id, labels, comment = judgment
        known = JudgmentData(
            id=UUID(client_id), labels=labels, comment=comment, answer=answers.get(judgment_id)
        )
    _position, source_text, references = next(row for row in around if row[0] == position)
    # The texts of a candidate's outputs are identical.
    candidates = [text for text, *_same in by_candidate(texts, stands_for)]
    if stage is not None and stage.texts is not None:
        candidates = list(stage.texts)
    is_alone = stage is not None and stage.is_text_alone
    neighbours = around if rules.beside.context and not is_alone else ()
    return BlockData(
        id=public_id,
        source=None if is_alone else rules.source(source_text),
        references=[] if is_alone else rules.references(references),
        context=ContextData(
            before=[_neighbour(rules, *row) for row in neighbours if row[0] < position],
            after=[_neighbour(rules, *row) for row in neighbours if row[0] > position],
        ),
        candidates=[
            CandidateData(
                id=candidate_id, text=text or "", lang=rules.target_language, dir=rules.target_dir
            )
            for candidate_id, text in zip(
                candidate_ids(public_id, len(candidates)), candidates, strict=True
            )
        ],
        state="judged" if known else "skipped" if skip_reason else "open",
        judgment=known,
        skip_reason=None if known else skip_reason,
        stage_rules={} if stage is None else stage.rules,
    )


def _neighbour(
    rules: _Rules, _position: int, source: str | None, references: Sequence[str]
) -> NeighbourData:
    return NeighbourData(
        source=rules.source(source), reference=next(iter(rules.references(references)), None)
    )
