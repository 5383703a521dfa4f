"""What a judge's browser is told: texts under opaque ids, and nothing of the systems."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import Q

from annotation.models import Assignment, Block, Candidate, CandidateOutput, Judgment, Skip
from campaign.languages import language_direction
from campaign.models import Judge, Segment, TestSet, User

# Neighbouring sentences a judge may see on either side.
CONTEXT_SEGMENTS = 2


@dataclass(frozen=True, slots=True)
class AssignedBlock:
    """A block in the hands of one judge; `candidates` are public ids in shown order."""

    block_id: int
    assignment_id: int
    judge_id: int
    test_set_id: int
    candidates: tuple[UUID, ...]
    allow_partial_ranking: bool


@dataclass(frozen=True, slots=True)
class TextView:
    text: str
    lang: str
    dir: str


@dataclass(frozen=True, slots=True)
class CandidateView:
    id: UUID
    text: str
    lang: str
    dir: str


@dataclass(frozen=True, slots=True)
class NeighbourView:
    source: TextView
    reference: TextView | None


@dataclass(frozen=True, slots=True)
class ContextView:
    """Neighbours in reading order: the nearest stands last before and first after."""

    before: list[NeighbourView]
    after: list[NeighbourView]


@dataclass(frozen=True, slots=True)
class JudgmentView:
    id: UUID
    labels: list[int | None]
    comment: str


@dataclass(frozen=True, slots=True)
class BlockView:
    id: UUID
    source: TextView
    references: list[TextView]
    context: ContextView
    candidates: list[CandidateView]
    state: str
    judgment: JudgmentView | None


@dataclass(frozen=True, slots=True)
class AssignmentView:
    id: UUID
    expires_at: datetime
    source_language: str
    target_language: str
    blocks: list[BlockView]


def judge_of(*, user: User, campaign_slug: str | None = None) -> Judge | None:
    """The judge this user is in the campaign; in the one they joined last where none is named."""
    judges = Judge.objects.filter(user=user).select_related("campaign")
    if campaign_slug is not None:
        judges = judges.filter(campaign__slug=campaign_slug)
    return judges.order_by("-id").first()


def assignment_of(*, judge: Judge, public_id: UUID) -> Assignment | None:
    """This judge's assignment by its public id."""
    return Assignment.objects.filter(judge=judge, public_id=public_id).first()


def assigned_block(*, user: User, public_id: UUID) -> AssignedBlock | None:
    """A block that was lent to this user, whether the lease has run out or not."""
    assignment = (
        Assignment.objects.filter(judge__user=user, hit__blocks__public_id=public_id)
        .select_related("judge__campaign", "hit")
        .first()
    )
    if assignment is None:
        return None
    return _assigned_blocks(assignment, Q(block__public_id=public_id))[0]


def assigned_blocks(assignment: Assignment) -> list[AssignedBlock]:
    """All blocks of an assignment in order."""
    return _assigned_blocks(assignment, Q(block__hit=assignment.hit_id))


def _assigned_blocks(assignment: Assignment, which: Q) -> list[AssignedBlock]:
    rows = (
        Candidate.objects.filter(which)
        .order_by("block__position", "position")
        .values_list("block_id", "public_id")
    )
    return [
        AssignedBlock(
            block_id=block_id,
            assignment_id=assignment.pk,
            judge_id=assignment.judge_id,
            test_set_id=assignment.hit.test_set_id,
            candidates=tuple(public_id for _, public_id in candidates),
            allow_partial_ranking=assignment.judge.campaign.allow_partial_ranking,
        )
        for block_id, candidates in groupby(rows, lambda row: row[0])
    ]


def assignment_view(assignment: Assignment) -> AssignmentView:
    """An assignment as its judge sees it, in six queries whatever its size."""
    test_set = assignment.hit.test_set
    blocks = list(Block.objects.filter(hit=assignment.hit_id).select_related("segment"))
    neighbourhood = _neighbourhood(blocks)
    candidates = _candidates(blocks, test_set)
    judgments = {
        judgment.block_id: judgment
        for judgment in Judgment.objects.filter(
            judge=assignment.judge_id, block__in=blocks
        ).order_by("number")
    }
    skipped = set(
        Skip.objects.filter(judge=assignment.judge_id, block__in=blocks).values_list(
            "block_id", flat=True
        )
    )
    return AssignmentView(
        id=assignment.public_id,
        expires_at=assignment.expires_at,
        source_language=test_set.source_language,
        target_language=test_set.target_language,
        blocks=[
            _block_view(
                block,
                test_set,
                neighbourhood[block.segment.document_id],
                candidates.get(block.pk, []),
                judgments.get(block.pk),
                skipped=block.pk in skipped,
            )
            for block in blocks
        ],
    )


def _block_view(
    block: Block,
    test_set: TestSet,
    document: Mapping[int, Segment],
    candidates: list[CandidateView],
    judgment: Judgment | None,
    *,
    skipped: bool,
) -> BlockView:
    position = block.segment.position
    known = None
    if judgment is not None:
        known = JudgmentView(judgment.client_id, judgment.labels, judgment.comment)
    state = "judged" if judgment else "skipped" if skipped else "open"
    return BlockView(
        id=block.public_id,
        source=_text(block.segment.source_text, test_set.source_language),
        references=[
            _text(reference.text, test_set.target_language)
            for reference in document[position].references.all()
        ],
        context=ContextView(
            before=_neighbours(document, range(position - CONTEXT_SEGMENTS, position), test_set),
            after=_neighbours(
                document, range(position + 1, position + CONTEXT_SEGMENTS + 1), test_set
            ),
        ),
        candidates=candidates,
        state=state,
        judgment=known,
    )


def _neighbours(
    document: Mapping[int, Segment], positions: range, test_set: TestSet
) -> list[NeighbourView]:
    return [
        NeighbourView(
            source=_text(segment.source_text, test_set.source_language),
            reference=next(
                (
                    _text(reference.text, test_set.target_language)
                    for reference in segment.references.all()
                ),
                None,
            ),
        )
        for position in positions
        if (segment := document.get(position)) is not None
    ]


def _neighbourhood(blocks: list[Block]) -> dict[int, dict[int, Segment]]:
    """Segments around the blocks with their references: document → position → segment."""
    near = Q(pk__in=[])
    for block in blocks:
        position = block.segment.position
        near |= Q(
            document=block.segment.document_id,
            position__range=(position - CONTEXT_SEGMENTS, position + CONTEXT_SEGMENTS),
        )
    documents: dict[int, dict[int, Segment]] = {}
    for segment in Segment.objects.filter(near).prefetch_related("references"):
        documents.setdefault(segment.document_id, {})[segment.position] = segment
    return documents


def _candidates(blocks: list[Block], test_set: TestSet) -> dict[int, list[CandidateView]]:
    """Candidates of the blocks in shown order; their outputs' texts are identical, one will do."""
    rows = (
        CandidateOutput.objects.filter(candidate__block__in=blocks)
        .order_by("candidate__block_id", "candidate__position", "id")
        .distinct("candidate__block_id", "candidate__position")
        .values_list("candidate__block_id", "candidate__public_id", "output__text")
    )
    language = test_set.target_language
    shown: dict[int, list[CandidateView]] = {}
    for block_id, public_id, text in rows:
        shown.setdefault(block_id, []).append(
            CandidateView(public_id, text or "", language, language_direction(language))
        )
    return shown


def _text(text: str | None, language: str) -> TextView:
    return TextView(text or "", language, language_direction(language))
