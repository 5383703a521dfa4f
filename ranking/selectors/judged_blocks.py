"""The judgments of a test set, as the columns the numeric core works on."""

from collections.abc import Collection, Iterator

from django.contrib.postgres.aggregates import ArrayAgg

from annotation.models import BlockControl, CandidateOutput, Judgment, JudgmentSequence
from annotation.models.judgment import JudgmentQuerySet
from campaign.models import Segment, System
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

_ROWS_AT_A_TIME = 2000


def judgment_watermark(*, test_set_id: int) -> int:
    """Return the number of the last judgment of a test set, 0 before the first."""
    found = JudgmentSequence.objects.filter(test_set_id=test_set_id).values_list(
        "last_number", flat=True
    )
    return next(iter(found), 0)


def judged_blocks(
    *, test_set_id: int, watermark: int, without_judges: Collection[str] = ()
) -> Blocks:
    """Read the judgments that count among numbers 1…`watermark`.

    A judgment counts unless one up to the watermark supersedes it, or it is of a control block, or
    by one of the judges left out, given by pseudonym. Numbers have no gap and judgments never
    change, so the same watermark gives the same blocks at any later time.

    Three queries, however many judgments; both long results are streamed side by side in the
    order of the blocks, so that only the compact columns of `Blocks` are held in memory. Call it in
    a transaction: outside one, the database would first have to write both results down.
    """
    judgments = Judgment.objects.of(test_set_id).counted()
    if without_judges:
        judgments = judgments.exclude(judge__pseudonym__in=without_judges)
    return _blocks(judgments, test_set_id, watermark)


def attention_blocks(*, test_set_id: int, watermark: int) -> Blocks:
    """Read the judged attention checks among numbers 1…`watermark`, as `judged_blocks` does."""
    judgments = Judgment.objects.of(test_set_id).filter(block__control=BlockControl.ATTENTION)
    return _blocks(judgments, test_set_id, watermark)


def documents_of_segments(*, test_set_id: int, segments: Collection[int]) -> dict[int, int]:
    """Return the document of each segment given by number, as its primary key. One query."""
    rows = Segment.objects.filter(test_set_id=test_set_id, number__in=set(segments))
    return dict(rows.order_by().values_list("number", "document_id"))


def _blocks(judgments: JudgmentQuerySet, test_set_id: int, watermark: int) -> Blocks:
    names = dict(System.objects.filter(test_set_id=test_set_id).values_list("pk", "name"))
    return blocks_from_rows(_rows(judgments, test_set_id, watermark, names), names.values())


def _rows(
    judgments: JudgmentQuerySet, test_set_id: int, watermark: int, names: dict[int, str]
) -> Iterator[BlockRow]:
    rows = (
        judgments.until(watermark)
        .current(watermark=watermark)
        .order_by("block_id", "number")
        .values_list("block_id", "judge__pseudonym", "block__segment__number", "labels")
    )
    shown = _shown(test_set_id, names)
    shown_block: int | None = None
    candidates: list[list[str]] = []
    for block, judge, segment, labels in rows.iterator(chunk_size=_ROWS_AT_A_TIME):
        while shown_block != block:
            shown_block, candidates = next(shown)
        yield BlockRow(judge=judge, segment=segment, candidates=candidates, labels=labels)


def _shown(test_set_id: int, names: dict[int, str]) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield each block with the names behind its candidates in shown order, by block."""
    in_order = ["candidate__position", "output__system_id"]
    rows = (
        CandidateOutput.objects.filter(candidate__block__hit__test_set_id=test_set_id)
        .values("candidate__block_id")
        .annotate(
            positions=ArrayAgg("candidate__position", order_by=in_order),
            systems=ArrayAgg("output__system_id", order_by=in_order),
        )
        .order_by("candidate__block_id")
        .values_list("candidate__block_id", "positions", "systems")
    )
    for block, positions, systems in rows.iterator(chunk_size=_ROWS_AT_A_TIME):
        candidates: dict[int, list[str]] = {}
        for position, system in zip(positions, systems, strict=True):
            candidates.setdefault(position, []).append(names[system])
        yield block, list(candidates.values())
