"""The data a judge's browser is shown: texts under opaque ids, and nothing about the systems."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from campaign.database.prepared import Statement
from campaign.models import Campaign
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
    """A block as its judge sees it, without the texts the campaign hides."""

    id: UUID
    source: TextData | None
    references: list[TextData]
    context: ContextData
    candidates: list[CandidateData]
    state: str
    judgment: JudgmentData | None


@dataclass(frozen=True, slots=True)
class ShownHIT:
    """The blocks of a HIT in order, with the languages of their test set.

    `repeat_gap` is its design's: HITs between a HIT and its repeat by the same judge.
    """

    source_language: str
    target_language: str
    repeat_gap: int
    blocks: list[BlockData]


# A block with all its judge may see: its candidates (the texts of a candidate's outputs are identical,
# so one is read), the segments around it and their references, and the judge's last judgment.
_SHOWN = f"""
    SELECT b.id, t.source_language, t.target_language, d.repeat_gap, b.public_id, s.position,
        ARRAY(SELECT c.public_id FROM annotation_candidate c
              WHERE c.block_id = b.id ORDER BY c.position),
        ARRAY(SELECT (SELECT o.text FROM annotation_candidateoutput co
                      JOIN campaign_output o ON o.id = co.output_id
                      WHERE co.candidate_id = c.id ORDER BY co.id LIMIT 1)
              FROM annotation_candidate c WHERE c.block_id = b.id ORDER BY c.position),
        ARRAY(SELECT json_build_array(n.position, n.source_text, ARRAY(
                  SELECT r.text FROM campaign_reference r
                  WHERE r.segment_id = n.id ORDER BY r.number))
              FROM campaign_segment n
              WHERE n.document_id = s.document_id AND n.position
                  BETWEEN s.position - {CONTEXT_SEGMENTS} AND s.position + {CONTEXT_SEGMENTS}
              ORDER BY n.position),
        j.client_id, j.labels, j.comment,
        EXISTS (SELECT FROM annotation_skip k WHERE k.block_id = b.id AND k.judge_id = $2)
    FROM annotation_block b
    JOIN campaign_segment s ON s.id = b.segment_id
    JOIN campaign_testset t ON t.id = s.test_set_id
    JOIN annotation_hit h ON h.id = b.hit_id
    JOIN annotation_design d ON d.id = h.design_id
    LEFT JOIN LATERAL (
        SELECT j.client_id, j.labels, j.comment FROM annotation_judgment j
        WHERE j.block_id = b.id AND j.judge_id = $2 ORDER BY j.number DESC LIMIT 1
    ) j ON true
    WHERE {{where}}
    ORDER BY b.position
"""  # noqa: S608  constants alone
_OF_HIT = Statement("blocks_of_hit", "bigint, bigint", _SHOWN.format(where="b.hit_id = $1"))
_THESE = Statement("blocks_shown", "bigint[], bigint", _SHOWN.format(where="b.id = ANY ($1)"))


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
    rows = _OF_HIT.rows(hit_id, judge_id)
    source, target, gap = rows[0][1:4] if rows else ("", "", 0)
    rules = _Rules.of(campaign, source, target)
    return ShownHIT(source, target, gap, [_block_data(rules, *row[4:]) for row in rows])


def blocks_data(
    block_ids: Sequence[int], *, campaign: Campaign, judge_id: int
) -> dict[int, BlockData]:
    """Return blocks as a judge of their campaign sees them, by id. One query."""
    return {
        block_id: _block_data(_Rules.of(campaign, source, target), *row)
        for block_id, source, target, _gap, *row in _THESE.rows(list(block_ids), judge_id)
    }


def _block_data(
    rules: _Rules,
    public_id: UUID,
    position: int,
    candidate_ids: Sequence[UUID],
    texts: Sequence[str | None],
    around: Sequence[tuple[int, str | None, list[str]]],
    judgment_id: UUID | None,
    labels: list[int | None],
    comment: str,
    is_skipped: bool,
) -> BlockData:
    known = None if judgment_id is None else JudgmentData(judgment_id, labels, comment)
    _position, source_text, references = next(row for row in around if row[0] == position)
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
            for candidate_id, text in zip(candidate_ids, texts, strict=True)
        ],
        state="judged" if known else "skipped" if is_skipped else "open",
        judgment=known,
    )


def _neighbour(
    rules: _Rules, _position: int, source: str | None, references: Sequence[str]
) -> NeighbourData:
    return NeighbourData(
        source=rules.source(source), reference=next(iter(rules.references(references)), None)
    )
