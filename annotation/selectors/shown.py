"""Data sent to a judge's browser: texts with opaque ids, and nothing about the systems."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from typing import Any, Final, cast
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Case,
    F,
    Func,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, JSONObject
from django.db.models.lookups import Exact
from django.utils import timezone

from annotation.models import Assignment, Block, HITPurpose, Judgment, Skip
from annotation.models.block import by_candidate, candidate_ids
from annotation.models.hit import IsAnyOf, PositionIn
from annotation.protocols.answer_kinds import (
    Answer,
    Rules,
    Stage,
    TextsBeside,
    answer_kind,
    answer_kind_of,
    answers_read,
    rules_shown,
    stages_of,
    texts_beside,
)
from annotation.selectors.shown_data import (
    AssignmentShown,
    BlockShown,
    CandidateShown,
    ContextShown,
    JudgmentShown,
    LanguagesShown,
    NeighbourShown,
    TextShown,
)
from campaign.models import Campaign, Output, Reference, Segment, SystemKind, Task
from campaign.selectors.media import (
    MediaAddress,
    files_shown,
    media_of_judge,
    media_of_members,
)
from campaign.texts.languages import language_described, text_direction
from campaign.texts.media import marked_text


def outputs_of(block: str = "") -> QuerySet[Output]:
    """Return the outputs of the outer query's block, in display order, for a subquery.

    `block` is the path to the block in the outer query, such as "block__"; empty in a query of blocks.
    """
    output_ids = OuterRef(f"{block}outputs")
    among = Output.objects.filter(IsAnyOf(F("pk"), output_ids))
    return among.alias(index=PositionIn(output_ids, F("pk"))).order_by("index")


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


@dataclass(frozen=True, slots=True)
class BlockData:
    """A block as its judge sees it, without the texts that the campaign hides.

    `skip_reason` is a `SkipReason` while the block is skipped, otherwise None. `stage_rules` are
    the rules of the block's stage, if its protocol has several.
    """

    id: UUID
    source: TextShown | None
    references: list[TextShown]
    context: ContextShown
    candidates: list[CandidateShown]
    state: str
    judgment: JudgmentShown | None
    skip_reason: str | None
    stage_rules: Rules = field(default_factory=dict)

    @property
    def outputs_are_media(self) -> bool:
        """True if judges see or hear an output instead of reading it."""
        return any(candidate.get("media") for candidate in self.candidates)

    def as_shown(self) -> BlockShown:
        """Return the data for the judging page, without rules, which are sent once for all blocks of the HIT."""
        return {
            "id": self.id,
            "source": self.source,
            "references": self.references,
            "context": self.context,
            "candidates": self.candidates,
            "state": self.state,
            "judgment": self.judgment,
            "skip_reason": self.skip_reason,
        }


def block_renamed(block: BlockData, id_: UUID) -> BlockData:
    """Return a copy of a block with another id, and ids of its candidates that follow from it."""
    ids = candidate_ids(id_, len(block.candidates))
    candidates: list[CandidateShown] = []
    for candidate, new in zip(block.candidates, ids, strict=True):
        candidates.append({**candidate, "id": new})
    return replace(block, id=id_, candidates=candidates)


def languages_data(source: str, target: str) -> LanguagesShown:
    """Return the names, in the reader's language, and the directions of the two languages."""
    return {"source": language_described(source), "target": language_described(target)}


@dataclass(frozen=True, slots=True)
class SegmentTexts:
    """A segment of a document, by its position, with its source and references, or only an output."""

    position: int
    source: str | None = None
    references: Sequence[str] = ()
    output: str | None = None


@dataclass(frozen=True, slots=True)
class BlockContent:
    """The content of a block, stored or only drawn, before the campaign's rules hide parts of it.

    `around` are its segment and the neighbours; `position` is that of the segment. `judgment` is the judge's latest.
    """

    public_id: UUID
    position: int
    outputs: Sequence[int]
    texts: Sequence[str | None]
    around: Sequence[SegmentTexts]
    stands_for: Sequence[int] | None = None
    stage: Stage | None = None
    judgment: JudgmentShown | None = None
    skip_reason: str | None = None

    @property
    def candidates(self) -> list[str]:
        """Texts of the candidates in display order."""
        if self.stage is not None and self.stage.texts is not None:
            return list(self.stage.texts)
        # The texts of a candidate's outputs are identical.
        return [texts[0] or "" for texts in by_candidate(self.texts, self.stands_for)]

    @property
    def segment(self) -> SegmentTexts:
        """Texts of the block's own segment."""
        return next(texts for texts in self.around if texts.position == self.position)


_REFERENCES: Final = (
    Reference.objects.filter(segment=OuterRef("pk")).order_by("number").values("text")
)


def _segments_around(segment: str, reach: int) -> QuerySet[Segment]:
    """Return a segment of the outer query and its neighbours in the document, up to `reach` on either side.

    `segment` is the path to the segment in the outer query, such as "segment__"; empty in a query of segments.
    """
    position = OuterRef(f"{segment}position")
    return Segment.objects.filter(
        document=OuterRef(f"{segment}document"),
        position__range=(position - reach, position + reach),
    ).order_by("position")


def _around(segment: str = "", reach: int = CONTEXT_SEGMENTS) -> ArraySubquery:
    """Return an expression for `_segments_around`: the fields of `SegmentTexts` of each."""
    texts = JSONObject(
        position="position",
        source="source_text",
        references=ArraySubquery(_REFERENCES),
    )
    return ArraySubquery(_segments_around(segment, reach).values(texts=texts))


def _outputs_around(
    output_ids: Sequence[int],
    reach: int = CONTEXT_SEGMENTS,
) -> dict[int, list[SegmentTexts]]:
    """Return, by output, its segment and the neighbours with the outputs of the same system. One query.

    A damaged reference stands among undamaged ones: every system has a whole document.
    """
    if not output_ids:
        return {}
    of_system = Output.objects.current().filter(
        segment=OuterRef("pk"),
        system=OuterRef(OuterRef("system")),
    )
    is_damaged = Exact(OuterRef("system__kind"), Value(SystemKind.BAD_REFERENCE))
    text = Case(
        When(Exact(F("pk"), OuterRef("segment")), then=OuterRef("text")),
        When(is_damaged, then=Subquery(_REFERENCES[:1])),
        default=Subquery(of_system.values("text")),
    )
    texts = JSONObject(position="position", output=Coalesce(text, Value("")))
    around = ArraySubquery(_segments_around("segment__", reach).values(texts=texts))
    outputs = Output.objects.filter(pk__in=output_ids).values_list("pk", around)
    return {output_id: _segment_texts(rows) for output_id, rows in outputs}


def _segment_texts(rows: Iterable[Mapping[str, Any]]) -> list[SegmentTexts]:
    return [SegmentTexts(**row) for row in rows]


@cache
def _blocks_with_texts() -> QuerySet[Block]:
    """Return all blocks in order, with all texts that a judge may see. Built once a process, which takes longer than the query."""
    return (
        Block.objects.order_by("position")
        .select_related("segment__test_set", "hit__task", "hit__design")
        .only(
            "public_id",
            "outputs",
            "stands_for",
            "segment__position",
            "segment__test_set__source_language",
            "segment__test_set__target_language",
            "hit__part",
            "hit__purpose",
            "hit__task__protocol",
            "hit__task__rules",
            "hit__design__repeat_gap",
        )
        .annotate(
            texts=ArraySubquery(outputs_of().values("text")),
            around=_around("segment__"),
        )
    )


def _blocks_of_judge(judge_id: int) -> QuerySet[Block]:
    """Return all blocks with what a judge may see: the texts, and their latest answer."""
    block = OuterRef("pk")
    judgments = Judgment.objects.filter(block=block, judge=judge_id).order_by("-pk")
    judgment = JSONObject(
        id="pk",
        client_id="client_id",
        labels="labels",
        comment="comment",
    )
    skips = Skip.objects.filter(block=block, judge=judge_id)
    return _blocks_with_texts().annotate(
        judgment=Subquery(judgments.values(row=judgment)[:1]),
        skip_reason=Subquery(skips.values("reason")),
    )


@dataclass(frozen=True, slots=True)
class _Rules:
    """Texts shown to judges, their languages, and the addresses of the files that they show."""

    beside: TextsBeside
    source_language: str
    target_language: str
    address: MediaAddress

    def of_stage(self, stage: Stage | None) -> "_Rules":
        """Return the rules for a block at this stage."""
        if stage is None or not stage.is_text_alone:
            return self
        return replace(
            self,
            beside=replace(self.beside, source=False, references=False),
        )

    @property
    def shows_context(self) -> bool:
        return self.beside.context and (self.beside.source or self.beside.references)

    def shows_outputs(self, candidates: int) -> bool:
        """Return whether the document around a block consists of outputs, all of the system of its only candidate."""
        return self.beside.context and not self.shows_context and candidates == 1

    def source(self, text: str | None) -> TextShown | None:
        if not self.beside.source:
            return None
        return self._text(text or "", self.source_language)

    def references(self, texts: Sequence[str]) -> list[TextShown]:
        if self.beside.references:
            return [self.target(text) for text in texts]
        return []

    def target(self, text: str) -> TextShown:
        return self._text(text, self.target_language)

    def _text(self, text: str, language: str) -> TextShown:
        marked = marked_text(text)
        text_shown: TextShown = {
            "text": marked.words,
            "lang": language,
            "dir": text_direction(marked.words, language),
        }
        if marked.media:
            text_shown["media"] = files_shown(marked, self.address)
        return text_shown


def assignment_data(assignment: Assignment, *, campaign: Campaign) -> AssignmentShown:
    """Return an assignment as its judge sees it, as `AssignmentSerializer` describes it. One query; two if there are answers to read.

    `revisable_hits` is the number of preceding HITs to which the judge may return, because no
    repeat of this design can repeat them. The data reveals no count of HITs.
    """
    rows = list(_blocks_of_judge(assignment.judge_id).filter(hit=assignment.hit_id))
    address = media_of_judge(assignment.judge_id, campaign)
    blocks = list(_blocks(rows, campaign, address, assignment.judge_id).values())
    hit = rows[0].hit
    test_set = rows[0].segment.test_set
    rules = {
        **rules_shown(
            hit.task.protocol,
            hit.task.rules,
            campaign=campaign,
            part=hit.part,
            outputs_are_media=blocks[0].outputs_are_media,
        ),
        # All blocks of a HIT ask the same question.
        **blocks[0].stage_rules,
    }
    if hit.purpose == HITPurpose.TRAINING:
        rules["practice"] = True
    return {
        "id": assignment.public_id,
        "revisable_hits": hit.design.repeat_gap,
        "expires_at": assignment.expires_at,
        "blocks": [block.as_shown() for block in blocks],
        "languages": languages_data(test_set.source_language, test_set.target_language),
        "protocol": hit.task.protocol,
        "rules": rules,
    }


def unlent_data(
    blocks: Sequence[BlockData],
    *,
    id_: UUID,
    task: Task,
    part: int,
    blocks_done: int = 0,
) -> AssignmentShown:
    """Return the blocks of a HIT that is lent to no judge, as `AssignmentSerializer` describes it."""
    test_set = task.test_set
    campaign = task.test_set.campaign
    rules = rules_shown(
        task.protocol,
        task.rules,
        campaign=campaign,
        part=part,
        outputs_are_media=bool(blocks) and blocks[0].outputs_are_media,
    )
    return {
        "id": id_,
        "revisable_hits": 0,
        "expires_at": timezone.now() + timedelta(minutes=campaign.lease_minutes),
        "blocks": [block.as_shown() for block in blocks],
        "languages": languages_data(test_set.source_language, test_set.target_language),
        "protocol": task.protocol,
        "rules": {**rules, **(blocks[0].stage_rules if blocks else {})},
        "progress": {
            "done": blocks_done,
            "wanted": campaign.blocks_per_judge,
            "minutes_left": None,
        },
        "notice": "",
    }


def blocks_data(
    block_ids: Sequence[int],
    *,
    campaign: Campaign,
    judge_id: int,
    address: MediaAddress | None = None,
) -> dict[int, BlockData]:
    """Return blocks by id, as a judge of their campaign sees them. One query, and one for a protocol's answers.

    `address` is that of files for readers other than the judge.
    """
    blocks = list(_blocks_of_judge(judge_id).filter(pk__in=block_ids))
    return _blocks(
        blocks,
        campaign,
        address or media_of_judge(judge_id, campaign),
        judge_id,
    )


def _blocks(
    blocks: Sequence[Any],
    campaign: Campaign,
    address: MediaAddress,
    judge_id: int,
) -> dict[int, BlockData]:
    """Return these blocks of `_blocks_of_judge`, by id."""
    answers = _answers(blocks)
    stages = _stages(blocks, judge_id)
    contents: dict[int, BlockContent] = {}
    rules: dict[int, _Rules] = {}
    for block in blocks:
        stage = stages.get(block.pk)
        contents[block.pk] = _block_content(block, stage, answers)
        task = block.hit.task
        test_set = block.segment.test_set
        beside = texts_beside(
            task.protocol,
            task.rules,
            campaign=campaign,
            part=block.hit.part,
        )
        languages = test_set.source_language, test_set.target_language
        rules[block.pk] = _Rules(beside, *languages, address).of_stage(stage)
    alone = []
    for block_id, content in contents.items():
        if rules[block_id].shows_outputs(len(content.stands_for or content.outputs)):
            alone.append(content.outputs[0])
    documents = _outputs_around(alone)
    return {
        block_id: _block_data(content, rules[block_id], documents)
        for block_id, content in contents.items()
    }


def _block_content(
    block: Any,
    stage: Stage | None,
    answers: Mapping[int, Answer],
) -> BlockContent:
    """Return the content of a block of `_blocks_of_judge`."""
    judgment: JudgmentShown | None = None
    if block.judgment is not None:
        judgment = {
            "id": UUID(block.judgment["client_id"]),
            "labels": block.judgment["labels"],
            "comment": block.judgment["comment"],
            "answer": answers.get(block.judgment["id"]),
        }
    return BlockContent(
        public_id=block.public_id,
        position=block.segment.position,
        outputs=block.outputs,
        texts=block.texts,
        around=_segment_texts(block.around),
        stands_for=block.stands_for,
        stage=stage,
        judgment=judgment,
        skip_reason=block.skip_reason,
    )


def _answers(blocks: Iterable[Any]) -> dict[int, Answer]:
    """Return the protocol-specific answers about these blocks of `_blocks_of_judge`, by judgment."""
    judged = defaultdict(list)
    for block in blocks:
        if block.judgment is not None:
            judged[block.hit.task.protocol].append(block.judgment["id"])
    answers: dict[int, Answer] = {}
    for protocol, judgment_ids in judged.items():
        kind = answer_kind(protocol)
        for judgment_id, answer in answers_read(protocol, judgment_ids).items():
            answers[judgment_id] = kind.named(answer)
    return answers


def _stages(blocks: Iterable[Any], judge_id: int) -> dict[int, Stage]:
    """Return the stages of these blocks of `_blocks_of_judge`, by id, for protocols whose blocks differ."""
    block_ids = defaultdict(list)
    for block in blocks:
        block_ids[block.hit.task.protocol].append(block.pk)
    stages: dict[int, Stage] = {}
    for protocol, of_protocol in block_ids.items():
        stages |= stages_of(protocol, of_protocol, judge_id)
    return stages


@dataclass(frozen=True, slots=True)
class DocumentData:
    """The document of a block as its judge sees it, or the part around the block if it is very long.

    `segments` are in order; the first of them is number `first` of `total`, from 1. `blocks` maps the blocks of the same
    HIT in this document to the places of their segments in `segments`.
    """

    segments: list[NeighbourShown]
    first: int
    total: int
    blocks: dict[str, int]


def document_of_block(
    block_id: int,
    *,
    beside: TextsBeside,
    address: MediaAddress,
) -> DocumentData | None:
    """Return the document around a block; None if its judge may not see it. Four or five queries.

    `address` is that of files that its texts show.
    """
    block = (
        Block.objects.select_related("segment__test_set", "hit__task")
        .annotate(around=_around("segment__", DOCUMENT_SEGMENTS))
        .get(pk=block_id)
    )
    stage = stages_of(block.hit.task.protocol, [block_id]).get(block_id)
    test_set = block.segment.test_set
    segment = block.segment
    rules = _Rules(beside, test_set.source_language, test_set.target_language, address)
    rules = rules.of_stage(stage)
    around = _segment_texts(block.around)
    blocks = Block.objects.filter(
        hit=block.hit_id,
        segment__document=segment.document_id,
    )
    if rules.shows_outputs(len(block.stands_for or block.outputs)):
        around = _outputs_around(block.outputs[:1], DOCUMENT_SEGMENTS)[block.outputs[0]]
        # Others may show another system.
        blocks = blocks.filter(pk=block_id)
    elif not rules.shows_context:
        return None
    places = {segment.position: index for index, segment in enumerate(around)}
    document = Segment.objects.filter(document=segment.document_id)
    block_places = {}
    for public_id, position in blocks.values_list("public_id", "segment__position"):
        if position in places:
            block_places[str(public_id)] = places[position]
    return DocumentData(
        segments=[_neighbour(rules, segment) for segment in around],
        first=1 + document.filter(position__lt=next(iter(places))).count(),
        total=document.count(),
        blocks=block_places,
    )


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A block that is drawn but not stored: the number of its segment and an output of each candidate."""

    id: UUID
    segment: int
    outputs: list[int]


def blocks_drawn(
    blocks: Sequence[DrawnBlock],
    *,
    task: Task,
    address: MediaAddress | None = None,
) -> list[BlockData]:
    """Return blocks of first HITs as a judge would first see them. Two or three queries.

    `address` is that of files for readers other than members.
    """
    stage = answer_kind_of(task).first_stage
    test_set = task.test_set
    beside = texts_beside(task.protocol, task.rules, campaign=test_set.campaign, part=1)
    address = address or media_of_members(test_set.campaign)
    rules = _Rules(beside, test_set.source_language, test_set.target_language, address)
    rules = rules.of_stage(stage)
    output_ids = set()
    for block in blocks:
        output_ids.update(block.outputs)
    texts = dict(Output.objects.filter(pk__in=output_ids).values_list("pk", "text"))
    alone = []
    for block in blocks:
        if rules.shows_outputs(len(block.outputs)):
            alone.append(block.outputs[0])
    documents = _outputs_around(alone)
    segments = Segment.objects.filter(
        test_set_id=task.test_set_id,
        number__in={block.segment for block in blocks},
    )
    by_number = {row.number: row for row in segments.annotate(around=_around())}
    contents = []
    for block in blocks:
        contents.append(
            BlockContent(
                public_id=block.id,
                position=by_number[block.segment].position,
                outputs=block.outputs,
                texts=[texts[output] for output in block.outputs],
                around=_segment_texts(by_number[block.segment].around),
                stage=stage,
            ),
        )
    return [_block_data(content, rules, documents) for content in contents]


def _block_data(
    content: BlockContent,
    rules: _Rules,
    documents: Mapping[int, Sequence[SegmentTexts]],
) -> BlockData:
    """Return a block as its judge sees it.

    `documents` are those of outputs, for a block whose context consists of outputs.
    """
    neighbours = content.around
    if not rules.shows_context:
        neighbours = documents.get(content.outputs[0], ())
    before = []
    after = []
    for texts in neighbours:
        if texts.position < content.position:
            before.append(_neighbour(rules, texts))
        elif texts.position > content.position:
            after.append(_neighbour(rules, texts))
    state = "open"
    skip_reason = content.skip_reason
    if content.judgment is not None:
        state = "judged"
        skip_reason = None
    elif skip_reason:
        state = "skipped"
    return BlockData(
        id=content.public_id,
        source=rules.source(content.segment.source),
        references=rules.references(content.segment.references),
        context={"before": before, "after": after},
        candidates=_candidates(content, rules),
        state=state,
        judgment=content.judgment,
        skip_reason=skip_reason,
        stage_rules={} if content.stage is None else content.stage.rules,
    )


def _candidates(content: BlockContent, rules: _Rules) -> list[CandidateShown]:
    """Return the candidates of a block in display order."""
    texts = content.candidates
    ids = candidate_ids(content.public_id, len(texts))
    candidates: list[CandidateShown] = [
        cast("CandidateShown", {"id": candidate_id, **rules.target(text)})
        for candidate_id, text in zip(ids, texts, strict=True)
    ]
    if content.stage is not None and content.stage.beside is not None:
        for candidate, beside in zip(candidates, content.stage.beside, strict=False):
            candidate.update(cast("CandidateShown", beside))
    return candidates


def _neighbour(rules: _Rules, segment: SegmentTexts) -> NeighbourShown:
    return {
        "source": rules.source(segment.source),
        "reference": next(iter(rules.references(segment.references)), None),
        "output": None if segment.output is None else rules.target(segment.output),
    }
