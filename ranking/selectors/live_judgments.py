"""Changes in a task's judgments between two watermarks, by segment."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from annotation.models import BlockControl
from ranking.core.judged.blocks import Blocks, CodedJudgments, blocks_of_parts
from ranking.core.live.state import ChangedJudgments
from ranking.selectors.judged_columns import (
    columns_of_segments,
    new_judgments,
    seconds_by_judge,
)

#: Approximate number of judgments counted at a time, to limit memory.
_AT_A_TIME = 250_000


def changed_judgments(
    *, task_id: int, start: int, stop: int, systems: Sequence[str]
) -> Iterator[ChangedJudgments]:
    """Yield the changes between two watermarks, in batches of segments.

    With `start` = 0, these are all judgments. Documents are numbered by their positions, which do not
    change. The time is proportional to the number of judgments of the segments judged in between, not to
    that of all judgments.

    Parameters
    ----------
    task_id, start, stop : int
    systems : sequence of str
        All systems of the test set.
    """
    new = new_judgments(task_id=task_id, start=start, stop=stop)
    counted, checked = (
        np.unique(new["segment"][new[kind]]).tolist() for kind in ("counts", "checks")
    )
    timed = new["milliseconds"] >= 0
    seconds = seconds_by_judge(new["judge_id"][timed], new["milliseconds"][timed])
    del new
    at_a_time = max(1, _AT_A_TIME * max(1, len(counted)) // max(1, stop))
    for piece in range(0, max(1, len(counted), len(checked)), at_a_time):
        some = slice(piece, piece + at_a_time)
        span = task_id, start, stop
        before, after = _blocks(counted[some], *span, BlockControl.NONE, systems)
        checks = _blocks(checked[some], *span, BlockControl.ATTENTION, systems)
        yield ChangedJudgments(before, after, *checks, seconds=seconds if piece == 0 else {})


def _blocks(
    segments: Collection[int],
    task_id: int,
    start: int,
    stop: int,
    control: str,
    systems: Sequence[str],
) -> tuple[Blocks, Blocks]:
    if not segments:
        nothing = _nothing(systems)
        return nothing, nothing
    read = columns_of_segments(
        task_id=task_id, segments=segments, start=start, stop=stop, control=control
    )
    before, after = blocks_of_parts(
        read.coded,
        [read.is_before, read.is_after],
        systems,
        document=_documents(read.coded, read.documents),
    )
    return before, after


def _documents(coded: CodedJudgments, documents: dict[int, int]) -> npt.NDArray[np.int32]:
    """Return the position of the document of each judgment."""
    numbers, own = np.unique(coded.segment, return_inverse=True)
    return np.array([documents[one] for one in numbers.tolist()], dtype=np.int32)[own]


def _nothing(systems: Sequence[str]) -> Blocks:
    size = len(systems)
    nothing = np.empty(0, dtype=np.int32)
    return Blocks(
        systems=tuple(sorted(systems)),
        labels=np.empty((0, size), dtype=np.int8),
        candidates=np.empty((0, size), dtype=np.int8),
        judge=nothing,
        judges=(),
        segment=nothing,
        key=np.empty(0, dtype=np.uint64),
        document=nothing,
    )
