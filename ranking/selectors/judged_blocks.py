"""The judgments of a test set, as the columns the numeric core works on."""

from collections.abc import Collection

from annotation.models import BlockControl
from campaign.models import Segment
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.coded_blocks import CodedJudgments, blocks_of_codes
from ranking.selectors.judged_columns import JudgedTimes, judged_columns, judged_columns_timed


def judged_blocks(*, task_id: int, watermark: int, without_judges: Collection[str] = ()) -> Blocks:
    """Read the judgments that count among numbers 1…`watermark`.

    A judgment counts unless one up to the watermark supersedes it, or it is of a control block, or
    by one of the judges left out, given by pseudonym. Numbers have no gap and judgments never
    change, so the same watermark gives the same blocks at any later time.

    The number of queries does not depend on that of judgments, and no object is made for any of
    them: see `judged_columns`.
    """
    coded = judged_columns(task_id=task_id, watermark=watermark)
    return _blocks(coded.without_judges(without_judges))


def judged_blocks_timed(*, task_id: int, watermark: int) -> tuple[Blocks, JudgedTimes]:
    """Read all judgments that count, and the times of each: see `judged_columns_timed`."""
    coded, times = judged_columns_timed(task_id=task_id, watermark=watermark)
    return _blocks(coded), times


def attention_blocks(*, task_id: int, watermark: int) -> Blocks:
    """Read the judged attention checks among numbers 1…`watermark`, as `judged_blocks` does."""
    coded = judged_columns(task_id=task_id, watermark=watermark, control=BlockControl.ATTENTION)
    return _blocks(coded)


def documents_of_segments(*, task_id: int, segments: Collection[int]) -> dict[int, int]:
    """Return the document of each segment given by number, as its primary key. One query."""
    rows = Segment.objects.filter(test_set__tasks=task_id, number__in=set(segments))
    return dict(rows.order_by().values_list("number", "document_id"))


def _blocks(coded: CodedJudgments) -> Blocks:
    # Each system of the test set is a candidate by itself, even if it was never shown.
    return blocks_of_codes(coded, {name for names in coded.candidates for name in names})
