"""One system against the others: shares won, skipped and commented on, by opponent and by part of
the judgments.

A block compares a system with several others, so its comparisons are correlated. Intervals account
for segments (or for documents, if they are known and there are enough) and for judges.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column
from ranking.core.grouping import sums_by_group
from ranking.core.judged.blocks import Blocks
from ranking.core.uncertainty import (
    RangeLimit,
    covariance_of_rows,
    share_interval,
    share_variance,
)
from ranking.core.words import confidence_check


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Outcomes of the comparisons of one system.

    Attributes
    ----------
    blocks : Blocks
        The B blocks in which the system has a label, sorted by key.
    system : int
        Index of the system.
    won, lost, tied : bool, shape (B, n)
        Result against each of n systems. Systems that share its candidate are not compared with it.
    """

    blocks: Blocks
    system: int
    won: BoolArray
    lost: BoolArray
    tied: BoolArray


@dataclass(frozen=True)
class ShareWon:
    """Comparisons of a system, and its share of decided comparisons won.

    Attributes
    ----------
    won, lost, tied : int
    share : float or None
        won / (won + lost); None if nothing was decided.
    low, high : float or None
        Ends of the interval of the share.
    limits : tuple of str
        Units that the interval ignores because there are too few: codes of `RangeLimit`.
    """

    won: int
    lost: int
    tied: int
    share: float | None = None
    low: float | None = None
    high: float | None = None
    limits: tuple[str, ...] = ()


@dataclass(frozen=True)
class LengthTrend:
    """Trend of the share won with the length of the source.

    Attributes
    ----------
    slope : float
        Change of the share when the number of words doubles.
    p_value : float or None
        Two-sided test of no change; None with too few segments.
    limits : tuple of str
        Units that the test ignores because there are too few: codes of `RangeLimit`.
    """

    slope: float
    p_value: float | None
    limits: tuple[str, ...] = ()


def outcomes_of(blocks: Blocks, system: int) -> Outcomes:
    """Return the outcomes of a system's comparisons.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    system : int
        Index of the system.

    Returns
    -------
    Outcomes
    """
    rows = np.flatnonzero(blocks.labels[:, system] > 0)
    # Float sums depend on the order, but results must not.
    order = np.argsort(blocks.key[rows], kind="stable")
    own_blocks = blocks.take(rows[order])
    labels = own_blocks.labels
    own_label = labels[:, [system]]
    opponents = np.arange(len(own_blocks.systems))
    compared = own_blocks.compares(opponents, np.array([system]))
    return Outcomes(
        blocks=own_blocks,
        system=system,
        won=compared & (own_label < labels),
        lost=compared & (own_label > labels),
        tied=compared & (own_label == labels),
    )


def share_won(
    outcomes: Outcomes,
    rows: npt.NDArray[np.generic] | slice = slice(None),
    *,
    opponent: int | None = None,
    confidence: float = 0.95,
) -> ShareWon:
    """Return the share of decided comparisons that a system won, with its interval.

    The interval is that of `ranking.core.uncertainty.share_interval`, over judges and segments (or
    documents, if there are enough).

    Parameters
    ----------
    outcomes : Outcomes
        Outcomes of B blocks.
    rows : array of int, array of bool of shape (B,), or slice
        Blocks that count; all if not given.
    opponent : int, optional
        Index of the only opponent that counts; all if not given.
    confidence : float

    Returns
    -------
    ShareWon

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    confidence_check(confidence)
    won = _counts(outcomes.won[rows], opponent)
    lost = _counts(outcomes.lost[rows], opponent)
    tied = _counts(outcomes.tied[rows], opponent)
    counts = ShareWon(
        won=int(won.sum()),
        lost=int(lost.sum()),
        tied=int(tied.sum()),
    )
    decided = np.flatnonzero(won + lost)
    if not len(decided):
        return counts
    blocks = outcomes.blocks.take(rows).take(decided)
    units = _Units(segment=blocks.segment, judge=blocks.judge, document=blocks.document)
    share = _share(won[decided], lost[decided], units, confidence=confidence)
    return replace(
        counts,
        share=share.value,
        low=share.low,
        high=share.high,
        limits=share.limits,
    )


class _Units(NamedTuple):
    """Segment, judge and, if known, document of each of R blocks."""

    segment: npt.NDArray[np.integer]
    judge: npt.NDArray[np.integer]
    document: npt.NDArray[np.integer] | None


class _Share(NamedTuple):
    """A share with its interval, and the units that it does not account for."""

    value: float
    low: float
    high: float
    limits: tuple[str, ...]


def _share(
    successes: Int64Array,
    failures: Int64Array,
    units: _Units,
    *,
    confidence: float,
) -> _Share:
    won = int(successes.sum())
    lost = int(failures.sum())
    variance = share_variance(
        successes,
        failures,
        segment=units.segment,
        judge=units.judge,
        document=units.document,
    )
    low, high = share_interval(won, lost, variance, confidence=confidence)
    limits = tuple(str(limit) for limit in variance.limits)
    return _Share(value=won / (won + lost), low=low, high=high, limits=limits)


def _counts(of_pairs: BoolArray, opponent: int | None) -> Int64Array:
    if opponent is not None:
        return of_pairs[:, opponent].astype(np.int64)
    counts: Int64Array = np.count_nonzero(of_pairs, axis=1).astype(np.int64)
    return counts


def length_trend(outcomes: Outcomes, words: Int64Array) -> LengthTrend | None:
    """Test whether the share won changes with the length of the source.

    The share of the decided comparisons is regressed on the binary logarithm of the number of words
    in the source by least squares. The variance of the slope is that over segments and judges, and
    at least that of independent trials with one success and one failure added. The test is
    Student's t with the degrees of freedom of that variance, but at most the number of segments (or
    documents) minus two, because lengths belong to segments.

    Parameters
    ----------
    outcomes : Outcomes
        Outcomes of B blocks.
    words : int64, shape (last segment number + 1,)
        Number of words in the source of each segment, by segment number; below 1 if unknown.

    Returns
    -------
    LengthTrend or None
        None if all lengths are equal or nothing was decided.
    """
    won = _counts(outcomes.won, None)
    lost = _counts(outcomes.lost, None)
    length = words[outcomes.blocks.segment]
    is_decided = won + lost > 0
    rows = np.flatnonzero(is_decided & (length > 0))
    if not len(rows):
        return None
    wins: FloatArray = won[rows].astype(np.float64)
    trials: FloatArray = wins + lost[rows]
    all_wins = float(wins.sum())
    all_trials = float(trials.sum())
    log_length = np.log2(length[rows])
    mean_length = float(trials @ log_length) / all_trials
    x = log_length - mean_length
    spread = float(trials @ x**2)
    if spread < 1e-9:
        return None
    share = all_wins / all_trials
    excess_wins = wins - share * trials
    slope = float(x @ excess_wins) / spread
    fitted_share = share + slope * x
    residual = wins - fitted_share * trials
    influence = x * residual / spread
    combined = covariance_of_rows(
        blocks=outcomes.blocks.take(rows),
        influence=as_column(influence),
        sizes=trials,
    )
    limits = tuple(str(limit) for limit in combined.limits)
    if RangeLimit.FEW_SEGMENTS in combined.limits:
        return LengthTrend(slope, None, limits)
    # If length explains everything, the residual is a rounding error, not a variance.
    smoothed = (all_wins + 1) / (all_trials + 2)
    binomial_variance = smoothed * (1 - smoothed) / spread
    variance = max(binomial_variance, float(combined.matrix[0, 0]))
    t = abs(slope) / np.sqrt(variance)
    degrees_of_freedom = min(
        combined.freedom_of(variance),
        max(1, combined.segments - 2),
    )
    p_value = float(2 * stdtr(degrees_of_freedom, -t))
    return LengthTrend(slope, p_value, limits)


@dataclass(frozen=True)
class ClearSegment:
    """A segment on which a system and another one got very different labels.

    Attributes
    ----------
    segment : int
        Number of the segment.
    other : str
        The system with the largest distance.
    distance : float
        Mean difference of the two labels in the blocks with both, in favour of the better one.
    compared : int
        Number of blocks with both.
    judgments, judges : int
        Numbers of judgments of the segment with the system, and of their judges.
    ranks : mapping of str to float
        Mean labels in these judgments, best first.
    """

    segment: int
    other: str
    distance: float
    compared: int
    judgments: int
    judges: int
    ranks: Mapping[str, float]


@dataclass(frozen=True)
class ClearSegments:
    """The segments on which a system lost, or won, most clearly.

    Attributes
    ----------
    lost, won : tuple of ClearSegment
        Clearest first.
    fewest : int
        Minimum number of comparisons of the two systems on these segments.
    """

    lost: tuple[ClearSegment, ...]
    won: tuple[ClearSegment, ...]
    fewest: int


def clear_segments(
    outcomes: Outcomes,
    *,
    most: int = 10,
    fewest: int = 2,
) -> ClearSegments:
    """Find the segments on which a system is furthest behind, and furthest ahead of, another one.

    Parameters
    ----------
    outcomes : Outcomes
        Outcomes of B blocks over n systems.
    most : int
        Maximum number of segments of each kind.
    fewest : int
        Minimum number of comparisons of two systems on a segment, because one judgment says little.
        If no pair was compared that often, one comparison is enough.

    Returns
    -------
    ClearSegments
        Sorted by distance, then by number of comparisons, then by segment number.
    """
    distances = _label_distances(outcomes)
    if not len(distances.segments):
        return ClearSegments((), (), 1)
    compared = distances.compared
    if not (compared >= fewest).any():
        fewest = 1
    mean_behind = distances.behind / np.maximum(1, compared)
    mean = np.where(compared >= fewest, mean_behind, 0.0)
    blocks = outcomes.blocks
    return ClearSegments(
        lost=_clearest(blocks, distances, mean, most),
        won=_clearest(blocks, distances, -mean, most),
        fewest=fewest,
    )


@dataclass(frozen=True, eq=False)
class _Distances:
    """Distances of a system's labels from those of each of n systems, by segment.

    Attributes
    ----------
    segments : int32, shape (S,)
        Numbers of the segments.
    row : int64, shape (B,)
        Row of each block's segment.
    compared : int64, shape (S, n)
        Comparisons with the other system.
    behind : int64, shape (S, n)
        Sum of the differences of the labels.
    """

    segments: npt.NDArray[np.integer]
    row: Int64Array
    compared: Int64Array
    behind: Int64Array


def _label_distances(outcomes: Outcomes) -> _Distances:
    blocks = outcomes.blocks
    segments, row = np.unique(blocks.segment, return_inverse=True)
    is_compared = outcomes.won | outcomes.lost | outcomes.tied
    own_label = blocks.labels[:, [outcomes.system]].astype(np.int64)
    difference = (own_label - blocks.labels) * is_compared
    return _Distances(
        segments=segments,
        row=row,
        compared=sums_by_group(is_compared, row, len(segments)),
        behind=sums_by_group(difference, row, len(segments)),
    )


def _clearest(
    blocks: Blocks,
    distances: _Distances,
    distance: FloatArray,
    most: int,
) -> tuple[ClearSegment, ...]:
    """Return the segments with the largest distances above 0."""
    compared = distances.compared
    # Among equal distances, take the system compared most often.
    other = np.lexsort((compared, distance), axis=1)[:, -1]
    index = np.arange(len(other))
    furthest = distance[index, other]
    often = compared[index, other]
    order = np.lexsort((distances.segments, -often, -furthest))[:most]
    clearest = []
    for row in order.tolist():
        if furthest[row] <= 0:
            continue
        clearest.append(
            _clear_segment(
                blocks=blocks.take(np.flatnonzero(distances.row == row)),
                other=int(other[row]),
                distance=float(furthest[row]),
                compared=int(often[row]),
            ),
        )
    return tuple(clearest)


def _clear_segment(
    blocks: Blocks,
    other: int,
    distance: float,
    compared: int,
) -> ClearSegment:
    """Describe a segment by its blocks."""
    labels = blocks.labels.astype(np.int64)
    times = np.count_nonzero(labels, axis=0)
    means = []
    for system in np.flatnonzero(times).tolist():
        total = int(labels[:, system].sum())
        mean = total / int(times[system])
        means.append((mean, blocks.systems[system]))
    ranks = {}
    for mean, system_name in sorted(means):
        ranks[system_name] = mean
    return ClearSegment(
        segment=int(blocks.segment[0]),
        other=blocks.systems[other],
        distance=distance,
        compared=compared,
        judgments=len(blocks),
        judges=len(np.unique(blocks.judge)),
        ranks=ranks,
    )


class SkippedBlock(NamedTuple):
    """A skipped block: segment number, judge, systems shown, and whether there is a comment.

    `document` is the name of its document, "" if unknown.
    """

    segment: int
    judge: str
    systems: Sequence[str]
    has_comment: bool
    document: str = ""


class CommentedBlock(NamedTuple):
    """A ranked block with a comment: segment number, judge, and systems shown."""

    segment: int
    judge: str
    systems: Sequence[str]


@dataclass(frozen=True, eq=False)
class ShownBlocks:
    """All R blocks that were shown and answered, judged ones first.

    Attributes
    ----------
    systems : tuple of str, length n
    shows : bool, shape (R, n)
        Systems shown in each block.
    segment, judge : int64, shape (R,)
    skipped, commented : bool, shape (R,)
    document : int64, shape (R,), or None
        None unless the documents of all judged and skipped blocks are known and there are several.
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
    """Number and share of marked blocks, and the interval of the share; None without blocks.

    `limits` are units that the interval ignores because there are too few: codes of `RangeLimit`.
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
) -> ShownBlocks:
    """Join judged and skipped blocks.

    Parameters
    ----------
    blocks : Blocks
        B judged blocks over n systems.
    skips : sequence of SkippedBlock
        Skipped blocks; systems that are not among the n are ignored.
    comments : sequence of CommentedBlock
        Commented blocks; those that match no judged block are ignored.
    documents : sequence of str
        Names of the documents, by their numbers in `blocks`.

    Returns
    -------
    ShownBlocks
    """
    systems = blocks.systems
    judges = {}
    for number, name in enumerate(blocks.judges):
        judges[name] = number
    shows = np.zeros((len(skips), len(systems)), dtype=np.bool_)
    skip_judges = []
    for row, skip in enumerate(skips):
        skip_judges.append(judges.setdefault(skip.judge, len(judges)))
        for column, system in enumerate(systems):
            shows[row, column] = system in skip.systems
    skip_segments = [skip.segment for skip in skips]
    skip_comments = [skip.has_comment for skip in skips]
    has_comment = _comment_mask(blocks, comments)
    return ShownBlocks(
        systems=systems,
        shows=np.concatenate([blocks.candidates >= 0, shows]),
        segment=_append_skipped(blocks.segment, skip_segments),
        judge=_append_skipped(blocks.judge, skip_judges),
        skipped=np.arange(len(blocks) + len(skips)) >= len(blocks),
        commented=np.concatenate(
            [has_comment, np.array(skip_comments, dtype=np.bool_)],
        ),
        document=_documents(blocks, skips, documents),
    )


def _append_skipped(
    judged: npt.NDArray[np.integer],
    skipped: Sequence[int],
) -> Int64Array:
    """Append the numbers of skipped blocks to those of judged ones."""
    judged_numbers = judged.astype(np.int64)
    skipped_numbers = np.array(skipped, dtype=np.int64)
    return np.concatenate([judged_numbers, skipped_numbers])


def _documents(
    blocks: Blocks,
    skips: Sequence[SkippedBlock],
    names: Sequence[str],
) -> Int64Array | None:
    if blocks.document is None:
        return None
    numbers = {}
    for number, name in enumerate(names):
        numbers[name] = number
    skipped = []
    for skip in skips:
        if not skip.document:
            return None
        skipped.append(numbers.setdefault(skip.document, len(numbers)))
    return _append_skipped(blocks.document, skipped)


def _comment_mask(blocks: Blocks, comments: Sequence[CommentedBlock]) -> BoolArray:
    """Return a mask of the judged blocks with a comment.

    If several blocks have the same judge, segment and systems, as many of the first are marked as
    there are comments.
    """
    has_comment = np.zeros(len(blocks), dtype=np.bool_)
    systems = set(blocks.systems)
    remaining: Counter[CommentedBlock] = Counter()
    for comment in comments:
        shown_systems = sorted(systems.intersection(comment.systems))
        remaining[comment._replace(systems=tuple(shown_systems))] += 1
    segments = [comment.segment for comment in remaining]
    rows = np.flatnonzero(np.isin(blocks.segment, segments))
    for row in rows.tolist():
        columns = np.flatnonzero(blocks.candidates[row] >= 0).tolist()
        shown_systems = sorted(blocks.systems[column] for column in columns)
        block = CommentedBlock(
            segment=int(blocks.segment[row]),
            judge=blocks.judges[int(blocks.judge[row])],
            systems=tuple(shown_systems),
        )
        if remaining[block] > 0:
            remaining[block] -= 1
            has_comment[row] = True
    return has_comment


def remark_share(
    outputs: ShownBlocks,
    marked: BoolArray,
    rows: BoolArray,
    *,
    confidence: float = 0.95,
) -> RemarkShare:
    """Return the share of marked blocks among the selected ones, with an interval over segments and
    judges.

    Documents replace segments if there are enough, as in `share_won`.

    Parameters
    ----------
    outputs : ShownBlocks
        R blocks.
    marked : bool, shape (R,)
        `outputs.skipped` or `outputs.commented`.
    rows : bool, shape (R,)
        Blocks that count.
    confidence : float

    Returns
    -------
    RemarkShare
    """
    successes = marked[rows].astype(np.int64)
    if not len(successes):
        return RemarkShare(count=0, share=None, low=None, high=None)
    document = outputs.document
    if document is not None:
        document = document[rows]
    units = _Units(
        segment=outputs.segment[rows],
        judge=outputs.judge[rows],
        document=document,
    )
    share = _share(successes, 1 - successes, units, confidence=confidence)
    return RemarkShare(
        count=int(successes.sum()),
        share=share.value,
        low=share.low,
        high=share.high,
        limits=share.limits,
    )
