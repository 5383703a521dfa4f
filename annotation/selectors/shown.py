"""What a judge's browser is shown: texts under opaque ids, and nothing of the systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from annotation.models import Block, CandidateOutput, Judgment, Skip
from campaign.languages import language_direction
from campaign.models import Campaign, Segment, TestSet

# Neighbouring sentences a judge may see on either side.
CONTEXT_SEGMENTS = 2


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
    source: TextView | None
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
    """A block as its judge sees it; what the campaign hides is not in it."""

    id: UUID
    source: TextView | None
    references: list[TextView]
    context: ContextView
    candidates: list[CandidateView]
    state: str
    judgment: JudgmentView | None


@dataclass(frozen=True, slots=True)
class _Rules:
    """Which texts of a test set a campaign's judges see."""

    test_set: TestSet
    campaign: Campaign

    def source(self, segment: Segment) -> TextView | None:
        if not self.campaign.show_source:
            return None
        return _text(segment.source_text, self.test_set.source_language)

    def references(self, segment: Segment) -> list[TextView]:
        if not self.campaign.show_reference:
            return []
        return [
            _text(reference.text, self.test_set.target_language)
            for reference in segment.references.all()
        ]


def block_views(
    blocks: Sequence[Block], *, test_set: TestSet, campaign: Campaign, judge_id: int
) -> list[BlockView]:
    """Blocks of one test set as a judge of its campaign sees them, in their order.

    Five queries whatever their number; each block has its segment joined.
    """
    rules = _Rules(test_set=test_set, campaign=campaign)
    neighbourhood = _neighbourhood(blocks, rules)
    candidates = _candidates(blocks, test_set)
    judgments = {
        judgment.block_id: judgment
        for judgment in Judgment.objects.filter(judge=judge_id, block__in=blocks).order_by("number")
    }
    skipped = set(
        Skip.objects.filter(judge=judge_id, block__in=blocks).values_list("block_id", flat=True)
    )
    return [
        _block_view(
            block,
            rules,
            neighbourhood[block.segment.document_id],
            candidates.get(block.pk, []),
            judgments.get(block.pk),
            skipped=block.pk in skipped,
        )
        for block in blocks
    ]


def _block_view(
    block: Block,
    rules: _Rules,
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
    before = range(position - CONTEXT_SEGMENTS, position)
    after = range(position + 1, position + CONTEXT_SEGMENTS + 1)
    return BlockView(
        id=block.public_id,
        source=rules.source(block.segment),
        references=rules.references(document[position]),
        context=ContextView(
            before=_neighbours(document, before, rules), after=_neighbours(document, after, rules)
        ),
        candidates=candidates,
        state=state,
        judgment=known,
    )


def _neighbours(
    document: Mapping[int, Segment], positions: range, rules: _Rules
) -> list[NeighbourView]:
    return [
        NeighbourView(
            source=rules.source(segment), reference=next(iter(rules.references(segment)), None)
        )
        for position in positions
        if (segment := document.get(position)) is not None
    ]


def _neighbourhood(blocks: Sequence[Block], rules: _Rules) -> dict[int, dict[int, Segment]]:
    """Segments around the blocks with their references: document → position → segment."""
    near = Q(pk__in=[])
    for block in blocks:
        position = block.segment.position
        near |= Q(
            document=block.segment.document_id,
            position__range=(position - CONTEXT_SEGMENTS, position + CONTEXT_SEGMENTS),
        )
    segments = Segment.objects.filter(near)
    if rules.campaign.show_reference:
        segments = segments.prefetch_related("references")
    documents: dict[int, dict[int, Segment]] = {}
    for segment in segments:
        documents.setdefault(segment.document_id, {})[segment.position] = segment
    return documents


def _candidates(blocks: Sequence[Block], test_set: TestSet) -> dict[int, list[CandidateView]]:
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
