"""How often blocks are skipped, and how often judges comment: by system, and by any part of the blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ranking.core.arrays import BoolArray, Int64Array
from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty.shares import share_interval, share_parts


@dataclass(frozen=True, slots=True)
class SkippedBlock:
    """A block that a judge skipped: its segment's number, the judge, the systems shown, whether there is a comment.

    `document` is the name of its document, "" if it is not known.
    """

    segment: int
    judge: str
    systems: tuple[str, ...]
    has_comment: bool
    document: str = ""


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
    document : int64, shape (R,), or None
        None if those of judged blocks are not known, or not several, or that of a skipped block is not known.
    """

    systems: tuple[str, ...]
    shows: BoolArray
    segment: Int64Array
    judge: Int64Array
    skipped: BoolArray
    commented: BoolArray
    document: Int64Array | None = None


@dataclass(frozen=True, slots=True)
class RemarkShare:
    """How many of some blocks have a mark, the share, and its interval; None where there are no blocks.

    `limits` are units that the interval does not account for, because there are too few: codes of `RangeLimit`.
    """

    count: int
    share: float | None
    low: float | None
    high: float | None
    limits: tuple[str, ...] = ()


def shown_blocks(
    blocks: Blocks,
    skips: Sequence[SkippedBlock],
    comments: Sequence[CommentedBlock],
    documents: Sequence[str] = (),
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
    documents : sequence of str
        Names of the documents by their numbers in `blocks`.

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
        document=_documents(blocks, skips, documents),
    )


def _documents(
    blocks: Blocks, skips: Sequence[SkippedBlock], names: Sequence[str]
) -> Int64Array | None:
    if blocks.document is None or not all(each.document for each in skips):
        return None
    numbers = {name: number for number, name in enumerate(names)}
    skipped = [numbers.setdefault(each.document, len(numbers)) for each in skips]
    return np.concatenate([blocks.document.astype(np.int64), np.array(skipped, dtype=np.int64)])


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

    Documents replace segments where there are enough of them, as in `ranking.core.diagnosis.one_system`.

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
    parts = share_parts(
        successes,
        1 - successes,
        segment=shown.segment[rows],
        judge=shown.judge[rows],
        document=None if shown.document is None else shown.document[rows],
    )
    low, high = share_interval(count, trials - count, parts, confidence=confidence)
    limits = tuple(str(limit) for limit in parts.combined.limits)
    return RemarkShare(count, count / trials, low, high, limits)
