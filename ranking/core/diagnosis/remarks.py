"""How often blocks are skipped, and how often judges comment: by system, and by any part of the blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty.shares import ShareParts, share_interval, share_part

BoolArray = npt.NDArray[np.bool_]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SkippedBlock:
    """A block that a judge skipped: its segment's number, the judge, the systems shown, whether there is a comment."""

    segment: int
    judge: str
    systems: tuple[str, ...]
    has_comment: bool


@dataclass(frozen=True, slots=True)
class CommentedBlock:
    """A block that a judge ranked with a comment: its segment's number, the judge, the systems shown."""

    segment: int
    judge: str
    systems: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Shown:
    """All blocks that were shown and answered: R of them, the judged ones first.

    Attributes
    ----------
    systems : tuple of str, length n
    shows : bool, shape (R, n)
        Which systems each showed.
    segment, judge : int64, shape (R,)
    skipped, commented : bool, shape (R,)
    """

    systems: tuple[str, ...]
    shows: BoolArray
    segment: Int64Array
    judge: Int64Array
    skipped: BoolArray
    commented: BoolArray


@dataclass(frozen=True, slots=True)
class RemarkShare:
    """How many of some blocks have a mark, the share, and its interval; None where there are no blocks."""

    count: int
    share: float | None
    low: float | None
    high: float | None


def shown_blocks(
    blocks: Blocks, skips: Sequence[SkippedBlock], comments: Sequence[CommentedBlock]
) -> Shown:
    """Put judged and skipped blocks together.

    Parameters
    ----------
    blocks : Blocks
        B judged blocks over n systems.
    skips : sequence of SkippedBlock
        Systems that are not among the n are not looked at.
    comments : sequence of CommentedBlock
        Those of no judged block are not looked at.

    Returns
    -------
    Shown
    """
    systems = blocks.systems
    place = {name: number for number, name in enumerate(systems)}
    judges = {name: number for number, name in enumerate(blocks.judges)}
    for each in skips:
        judges.setdefault(each.judge, len(judges))
    shows = np.zeros((len(skips), len(systems)), dtype=np.bool_)
    for row, each in enumerate(skips):
        shows[row, [place[name] for name in each.systems if name in place]] = True
    skip_segments = np.array([each.segment for each in skips], dtype=np.int64)
    skip_judges = np.array([judges[each.judge] for each in skips], dtype=np.int64)
    return Shown(
        systems=systems,
        shows=np.concatenate([blocks.candidates >= 0, shows]),
        segment=np.concatenate([blocks.segment.astype(np.int64), skip_segments]),
        judge=np.concatenate([blocks.judge.astype(np.int64), skip_judges]),
        skipped=np.arange(len(blocks) + len(skips)) >= len(blocks),
        commented=np.concatenate(
            [
                _with_comment(blocks, comments),
                np.array([each.has_comment for each in skips], dtype=np.bool_),
            ]
        ),
    )


def _with_comment(blocks: Blocks, comments: Sequence[CommentedBlock]) -> BoolArray:
    """Return which judged blocks have a comment.

    Of blocks of one judge and segment that show the same systems, the first as many as there are comments.
    """
    found = np.zeros(len(blocks), dtype=np.bool_)
    known = set(blocks.systems)
    left = Counter(
        CommentedBlock(each.segment, each.judge, tuple(sorted(known.intersection(each.systems))))
        for each in comments
    )
    segments = np.isin(blocks.segment, [each.segment for each in left])
    for row in np.flatnonzero(segments).tolist():
        shown = np.flatnonzero(blocks.candidates[row] >= 0).tolist()
        block = CommentedBlock(
            segment=int(blocks.segment[row]),
            judge=blocks.judges[int(blocks.judge[row])],
            systems=tuple(sorted(blocks.systems[system] for system in shown)),
        )
        if left[block] > 0:
            left[block] -= 1
            found[row] = True
    return found


def remark_share(
    shown: Shown, marked: BoolArray, rows: BoolArray, *, confidence: float = 0.95
) -> RemarkShare:
    """Return the share of some blocks that have a mark, with an interval between segments and judges.

    Parameters
    ----------
    shown : Shown
        R blocks.
    marked : bool, shape (R,)
        `shown.skipped` or `shown.commented`.
    rows : bool, shape (R,)
        Blocks that count.
    confidence : float

    Returns
    -------
    RemarkShare
    """
    successes = marked[rows].astype(np.int64)
    count, trials = int(successes.sum()), len(successes)
    if not trials:
        return RemarkShare(0, None, None, None)
    failures = 1 - successes
    blocks, segments, judges = (
        share_part(unit, successes, failures)
        for unit in (np.arange(trials, dtype=np.int64), shown.segment[rows], shown.judge[rows])
    )
    parts = ShareParts(blocks, segments, judges)
    low, high = share_interval(count, trials - count, parts, confidence=confidence)
    return RemarkShare(count, count / trials, low, high)
