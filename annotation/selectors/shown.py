"""Data sent to a judge's browser: texts with opaque ids, and nothing about the systems."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import repeat
from typing import Any, Final, cast
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    BigIntegerField,
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
from django.db.models.functions import JSONArray
from django.db.models.lookups import Exact
from django.utils import timezone

from annotation.models import Assignment, Block, HITPurpose, Judgment, Skip
from annotation.models.block import by_candidate, candidate_ids
from annotation.models.hit import IsAnyOf, PlaceIn
from annotation.protocols.answer_kinds import (
    Answer,
    Rules,
    Stage,
    TextsBeside,
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
from campaign.database.prepared import Parameter, PreparedQuery
from campaign.models import Campaign, Output, Reference, Segment, SystemKind, Task
from campaign.selectors.media import MediaAddress, files_shown, media_of_judge, media_of_members
from campaign.texts.languages import language_described, language_direction
from campaign.texts.media import marked_text


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
    candidates: list[CandidateShown] = [
        {**candidate, "id": new} for candidate, new in zip(block.candidates, ids, strict=True)
    ]
    return replace(block, id=id_, candidates=candidates)


def languages_data(source: str, target: str) -> LanguagesShown:
    """Return the names, in the reader's language, and the directions of the two languages."""
    return {"source": language_described(source), "target": language_described(target)}


#: Segments of a document in order, each with position, source and references, or only an output.
_Around = Sequence[Sequence[Any]]
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
    """Return an expression for `_segments_around` with their sources and references."""
    texts = JSONArray("position", "source_text", ArraySubquery(_REFERENCES))
    return ArraySubquery(_segments_around(segment, reach).values(row=texts))


def _outputs_around(output_ids: Iterable[int], reach: int = CONTEXT_SEGMENTS) -> dict[int, _Around]:
    """Return, by output, its segment and the neighbours with the outputs of the same system. One query.

    A damaged reference stands among undamaged ones: every system has a whole document.
    """
    of_system = Output.objects.current().filter(
        segment=OuterRef("pk"), system=OuterRef(OuterRef("system"))
    )
    is_damaged = Exact(OuterRef("system__kind"), Value(SystemKind.BAD_REFERENCE))
    text = Case(
        When(Exact(F("pk"), OuterRef("segment")), then=OuterRef("text")),
        When(is_damaged, then=Subquery(_REFERENCES[:1])),
        default=Subquery(of_system.values("text")),
    )
    around = _segments_around("segment__", reach).values(row=JSONArray("position", text))
    found = Output.objects.filter(pk__in=output_ids).values_list("pk", ArraySubquery(around))
    return {
        output_id: [(position, None, [], text or "") for position, text in rows]
        for output_id, rows in found
    }


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
        "outputs",
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
    """Texts shown to judges, their languages, and the addresses of the files that they show."""

    beside: TextsBeside
    source_language: str
    target_language: str
    address: MediaAddress

    def of_stage(self, stage: Stage | None) -> "_Rules":
        """Return the rules for a block at this stage."""
        if stage is None or not stage.is_text_alone:
            return self
        return replace(self, beside=replace(self.beside, source=False, references=False))

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
        return [self.target(text) for text in texts] if self.beside.references else []

    def target(self, text: str) -> TextShown:
        return self._text(text, self.target_language)

    def _text(self, text: str, language: str) -> TextShown:
        marked = marked_text(text)
        shown: TextShown = {
            "text": marked.words,
            "lang": language,
            "dir": language_direction(language),
        }
        if marked.media:
            shown["media"] = files_shown(marked, self.address)
        return shown


def assignment_data(assignment: Assignment, *, campaign: Campaign) -> AssignmentShown:
    """Return an assignment as its judge sees it, as `AssignmentSerializer` describes it. One query; two if there are answers to read.

    `revisable_hits` is the number of preceding HITs to which the judge may return, because no
    repeat of this design can repeat them. The data reveals no count of HITs.
    """
    rows = _OF_HIT.rows(hit_id=assignment.hit_id, judge_id=assignment.judge_id)
    address = media_of_judge(assignment.judge_id, campaign)
    blocks = list(_blocks(rows, campaign, address, assignment.judge_id).values())
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


def unlent_data(
    blocks: Sequence[BlockData], *, id_: UUID, task: Task, part: int, done: int = 0
) -> AssignmentShown:
    """Return the blocks of a HIT that is lent to no judge, as `AssignmentSerializer` describes it."""
    test_set, campaign = task.test_set, task.test_set.campaign
    rules = rules_shown(task.protocol, task.rules, campaign=campaign, part=part)
    return {
        "id": id_,
        "revisable_hits": 0,
        "expires_at": timezone.now() + timedelta(minutes=campaign.lease_minutes),
        "blocks": [block.as_shown() for block in blocks],
        "languages": languages_data(test_set.source_language, test_set.target_language),
        "protocol": task.protocol,
        "rules": {**rules, **(blocks[0].stage_rules if blocks else {})},
        "progress": {"done": done, "wanted": campaign.blocks_per_judge, "minutes_left": None},
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
    rows = list(_shown(Block.objects.filter(pk__in=block_ids), judge_id))
    return _blocks(rows, campaign, address or media_of_judge(judge_id, campaign), judge_id)


def _blocks(
    rows: Sequence[Sequence[Any]], campaign: Campaign, address: MediaAddress, judge_id: int
) -> dict[int, BlockData]:
    """Return the blocks in these rows of `_shown`, by id."""
    answers, stages = _answers(rows), _stages(rows, judge_id)
    rules = {
        block_id: _Rules(
            texts_beside(protocol, of_task, campaign=campaign, part=part), source, target, address
        ).of_stage(stages.get(block_id))
        for block_id, source, target, _gap, protocol, of_task, part, *_row in rows
    }
    alone = [
        outputs[0]
        for block_id, *_row, outputs, _texts, stands_for, _around, _judgment, _reason in rows
        if rules[block_id].shows_outputs(len(stands_for or outputs))
    ]
    documents = _outputs_around(alone)
    return {
        row[0]: _block_data(
            rules[row[0]], documents, answers, *row[_OF_THE_HIT:], stage=stages.get(row[0])
        )
        for row in rows
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


def _stages(rows: Iterable[Sequence[Any]], judge_id: int) -> dict[int, Stage]:
    """Return the stages of the blocks in these rows of `_shown`, by id, for protocols whose blocks differ."""
    shown = defaultdict(list)
    for row in rows:
        shown[row[_PROTOCOL]].append(row[0])
    return {
        block_id: stage
        for protocol, block_ids in shown.items()
        for block_id, stage in stages_of(protocol, block_ids, judge_id).items()
    }


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
    block_id: int, *, beside: TextsBeside, address: MediaAddress
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
    test_set, segment = block.segment.test_set, block.segment
    rules = _Rules(beside, test_set.source_language, test_set.target_language, address)
    rules = rules.of_stage(stage)
    around: _Around = block.around
    blocks = Block.objects.filter(hit=block.hit_id, segment__document=segment.document_id)
    if rules.shows_outputs(len(block.stands_for or block.outputs)):
        around = _outputs_around(block.outputs[:1], DOCUMENT_SEGMENTS)[block.outputs[0]]
        # Others may show another system.
        blocks = blocks.filter(pk=block_id)
    elif not rules.shows_context:
        return None
    places = {position: place for place, (position, *_texts) in enumerate(around)}
    document = Segment.objects.filter(document=segment.document_id)
    return DocumentData(
        segments=[_neighbour(rules, *row) for row in around],
        first=1 + document.filter(position__lt=next(iter(places))).count(),
        total=document.count(),
        blocks={
            str(public_id): places[position]
            for public_id, position in blocks.values_list("public_id", "segment__position")
            if position in places
        },
    )


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """A block that is drawn but not stored: the number of its segment and an output of each candidate."""

    id: UUID
    segment: int
    outputs: list[int]


def blocks_drawn(blocks: Sequence[DrawnBlock], *, task: Task) -> list[BlockData]:
    """Return blocks of first HITs as a judge would first see them. Two or three queries."""
    stage = answer_kind_of(task).first_stage
    test_set = task.test_set
    beside = texts_beside(task.protocol, task.rules, campaign=test_set.campaign, part=1)
    address = media_of_members(test_set.campaign)
    rules = _Rules(beside, test_set.source_language, test_set.target_language, address)
    rules = rules.of_stage(stage)
    shown = {output for block in blocks for output in block.outputs}
    texts = dict(Output.objects.filter(pk__in=shown).values_list("pk", "text"))
    documents = _outputs_around(
        block.outputs[0] for block in blocks if rules.shows_outputs(len(block.outputs))
    )
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
            documents,
            {},
            block.id,
            found[block.segment][0],
            block.outputs,
            [texts[output] for output in block.outputs],
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
    documents: Mapping[int, _Around],
    answers: Mapping[int, Answer],
    public_id: UUID,
    position: int,
    outputs: Sequence[int],
    texts: Sequence[str | None],
    stands_for: Sequence[int] | None,
    around: _Around,
    judgment: tuple[int, str, list[int | None], str] | None,
    skip_reason: str | None,
    *,
    stage: Stage | None = None,
) -> BlockData:
    known: JudgmentShown | None = None
    if judgment is not None:
        judgment_id, client_id, labels, comment = judgment
        known = {
            "id": UUID(client_id),
            "labels": labels,
            "comment": comment,
            "answer": answers.get(judgment_id),
        }
    _position, source_text, references = next(row for row in around if row[0] == position)
    # The texts of a candidate's outputs are identical.
    candidates = [text for text, *_same in by_candidate(texts, stands_for)]
    if stage is not None and stage.texts is not None:
        candidates = list(stage.texts)
    neighbours = around if rules.shows_context else documents.get(outputs[0], ())
    beside = stage.beside if stage is not None and stage.beside is not None else repeat({})
    return BlockData(
        id=public_id,
        source=rules.source(source_text),
        references=rules.references(references),
        context={
            "before": [_neighbour(rules, *row) for row in neighbours if row[0] < position],
            "after": [_neighbour(rules, *row) for row in neighbours if row[0] > position],
        },
        candidates=[
            cast("CandidateShown", {"id": candidate_id, **rules.target(text or ""), **more})
            for candidate_id, text, more in zip(
                candidate_ids(public_id, len(candidates)), candidates, beside, strict=False
            )
        ],
        state="judged" if known else "skipped" if skip_reason else "open",
        judgment=known,
        skip_reason=None if known else skip_reason,
        stage_rules={} if stage is None else stage.rules,
    )


def _neighbour(
    rules: _Rules,
    _position: int,
    source: str | None,
    references: Sequence[str],
    output: str | None = None,
) -> NeighbourShown:
    return {
        "source": rules.source(source),
        "reference": next(iter(rules.references(references)), None),
        "output": None if output is None else rules.target(output),
    }
