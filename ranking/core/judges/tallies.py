"""Integer sums from which all measures of judges are computed; the order of addition does not
matter.

They cover label patterns, repeats, positions, times, and attention checks. If outputs are scored
one at a time, a check compares the damaged text with outputs that the same judge scored shortly
before or after (based on Graham et al. 2013 and Kocmi et al. 2024, who plant damaged copies): see
`tally_scored_checks`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import compress
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, bdtrik

from ranking.core.arrays import Int64Array
from ranking.core.judged.blocks import MAX_LABEL, BlockRow, Blocks, blocks_from_rows
from ranking.core.judges.patterns import (
    JUDGE_BITS,
    NO_LINES,
    NO_PLACES,
    NO_POSITIONS,
    KeyedSums,
    lines_of_rows,
    places_of_rows,
    positions_of_rows,
    shown_rows,
    tally_places,
)
from ranking.core.judges.repeats import NO_REPEATS, tally_repeats

#: Judge, and milliseconds to three significant digits.
_KEY = (JUDGE_BITS, 42)

NO_TIMES = KeyedSums.empty(_KEY, 1)


@dataclass(frozen=True)
class MedianTime:
    """The median of a judge's times.

    Attributes
    ----------
    blocks : int
        Number of times.
    seconds : float
    low, high : float or None
        Interval between two of the times (order statistics); None with too few times.
    """

    blocks: int
    seconds: float
    low: float | None
    high: float | None


def tally_times(
    judge: npt.NDArray[np.integer],
    seconds: npt.NDArray[np.floating],
) -> KeyedSums:
    """Count the times of each judge's blocks, in milliseconds to three significant digits.

    This limits the number of distinct times per judge to a few thousand, regardless of the number
    of blocks, with an error of the median of at most 0.5%.

    Parameters
    ----------
    judge : integer, shape (B,)
        Index of the judge.
    seconds : float, shape (B,)
        NaN where unknown.

    Returns
    -------
    KeyedSums
        With the number of blocks as the only value.

    Raises
    ------
    ValueError
        If a time is negative.
    """
    is_known = ~np.isnan(seconds)
    times = np.rint(seconds[is_known] * 1000).astype(np.int64)
    if np.any(times < 0):
        raise ValueError("seconds: expected no negative time")
    return KeyedSums.of(
        bits=_KEY,
        columns=[judge[is_known], _three_digits(times)],
        values=np.ones((len(times), 1), dtype=np.int64),
    )


def _three_digits(times: Int64Array) -> Int64Array:
    step = np.ones_like(times)
    while np.any(larger := times >= 1000 * step):
        step[larger] *= 10
    return (times + step // 2) // step * step


#: Number of blocks after which a rushing judge is detected, and the one-sided confidence of the
#: range of all their times.
_FIVE: Final = 5
_CONFIDENCE_OF_FIVE: Final = 1 - 0.5**_FIVE


def median_times_of_tallies(
    times: KeyedSums,
    judges: int,
    *,
    confidence: float = 0.95,
) -> list[MedianTime | None]:
    """Return the median of each judge, with its interval; None without times.

    The interval lies between two of the times (Conover 1999, §3.2). With five blocks, it is the
    range of all times, which contains the median in 15 of 16 cases: each end errs in 1 of 32.
    """
    judge, milliseconds = times.columns()
    ends = np.searchsorted(judge, np.arange(judges + 1))
    cumulative = np.concatenate([[0], np.cumsum(times.values[:, 0])])
    counts = np.diff(cumulative[ends])
    below = _binomial_quantiles((1 - confidence) / 2, counts)
    if confidence <= _CONFIDENCE_OF_FIVE:
        below = np.where(counts == _FIVE, np.maximum(below, 1), below)
    medians: list[MedianTime | None] = []
    for index, count in enumerate(counts.tolist()):
        if not count:
            medians.append(None)
            continue
        own = slice(ends[index], ends[index + 1])
        own_times = _OrderedTimes(
            milliseconds=milliseconds[own],
            cumulative=np.cumsum(times.values[own, 0]),
            count=count,
        )
        medians.append(own_times.median(int(below[index])))
    return medians


def _binomial_quantiles(share: float, counts: Int64Array) -> Int64Array:
    """Return binomial quantiles: the smallest number of heads with at least this cumulative
    probability.

    Same as `scipy.stats.binom.ppf`, whose module takes as long to import as ranking a small test
    set.
    """
    above = np.ceil(bdtrik(share, np.maximum(counts, 1), 0.5))
    below = np.maximum(above - 1, 0)
    is_enough = bdtr(below, counts, 0.5) >= share
    return np.where(is_enough, below, above).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _OrderedTimes:
    """The times of a judge in ascending order.

    Attributes
    ----------
    milliseconds : int64, shape (N,)
        Distinct times.
    cumulative : int64, shape (N,)
        Number of blocks with up to this time.
    count : int
        Number of all blocks.
    """

    milliseconds: Int64Array
    cumulative: Int64Array
    count: int

    def seconds(self, position: int) -> float:
        """Return the time at a position in the order of all blocks, from 0."""
        index = np.searchsorted(self.cumulative, position, side="right")
        return int(self.milliseconds[index]) / 1000

    def median(self, below: int) -> MedianTime:
        """Return the median, with the interval that leaves out so many times less one on each side."""
        low = None
        high = None
        if below > 0:
            low = self.seconds(below - 1)
            high = self.seconds(self.count - below)
        lower_middle = self.seconds((self.count - 1) // 2)
        upper_middle = self.seconds(self.count // 2)
        return MedianTime(
            blocks=self.count,
            seconds=(lower_middle + upper_middle) / 2,
            low=low,
            high=high,
        )


@dataclass(frozen=True, eq=False)
class JudgeTallies:
    """Tallies of judges in canonical form, so that equal judgments have equal tallies.

    To update them, add the tallies of the current judgments by the affected judges on the affected
    segments, and subtract the tallies of their previous judgments. Repeated comparisons need all of
    a judge's judgments of a segment at once; nothing depends on other judges or segments.

    Attributes
    ----------
    judges : tuple of str
        Pseudonyms of the judges in any of the tallies, sorted; the sums contain their indices.
    lines, repeats, positions : KeyedSums
        See `tally_lines`, `tally_repeats` and `positions_of_rows`.
    places, damaged_places : KeyedSums
        See `tally_places`: for the reference, and for the damaged reference in attention checks
        with best and worst exchanged.
    times : KeyedSums
        See `tally_times`.
    """

    judges: tuple[str, ...] = ()
    lines: KeyedSums = field(default_factory=partial(copy, NO_LINES))
    repeats: KeyedSums = field(default_factory=partial(copy, NO_REPEATS))
    positions: KeyedSums = field(default_factory=partial(copy, NO_POSITIONS))
    places: KeyedSums = field(default_factory=partial(copy, NO_PLACES))
    damaged_places: KeyedSums = field(default_factory=partial(copy, NO_PLACES))
    times: KeyedSums = field(default_factory=partial(copy, NO_TIMES))

    def sums(self) -> dict[str, KeyedSums]:
        """Return the tallies by field name; together with `judges`, they are the complete state."""
        sums = {}
        for part in fields(self)[1:]:
            sums[part.name] = getattr(self, part.name)
        return sums

    def __add__(self, other: JudgeTallies) -> JudgeTallies:
        """Return both together."""
        judges = tuple(sorted({*self.judges, *other.judges}))
        other_sums = other._renumber_judges(judges).sums()
        sums = {}
        for name, own_sums in self._renumber_judges(judges).sums().items():
            sums[name] = own_sums + other_sums[name]
        return JudgeTallies(judges, **sums)._drop_untallied_judges()

    def __sub__(self, other: JudgeTallies) -> JudgeTallies:
        """Return the difference of tallies; entries that only the other has become negative."""
        negated = {}
        for name, sums in other.sums().items():
            negated[name] = sums.negated()
        return self + JudgeTallies(other.judges, **negated)

    def __eq__(self, other: object) -> bool:
        """Return whether judges and all sums are equal."""
        if not isinstance(other, JudgeTallies):
            return NotImplemented
        return self.judges == other.judges and self.sums() == other.sums()

    __hash__ = None  # type: ignore[assignment]

    def only(self, judges: Collection[str]) -> JudgeTallies:
        """Return the tallies of some judges."""
        names = [name for name in self.judges if name in judges]
        return self._renumber_judges(tuple(names))

    def changed_from(self, before: JudgeTallies) -> frozenset[str]:
        """Return the judges whose tallies differ from earlier ones."""
        return frozenset((self - before).judges)

    def _renumber_judges(self, judges: tuple[str, ...]) -> JudgeTallies:
        """Return the tallies of these judges, renumbered; both tuples of names are sorted."""
        if judges == self.judges:
            return self
        index = _indices(self.judges, judges)
        renumbered = {}
        for name, sums in self.sums().items():
            renumbered[name] = sums.renumbered(index)
        return JudgeTallies(judges, **renumbered)

    def _drop_untallied_judges(self) -> JudgeTallies:
        """Return the tallies without judges who are in no tally."""
        present = np.zeros(len(self.judges), dtype=np.bool_)
        for sums in self.sums().values():
            present[sums.judge] = True
        return self._renumber_judges(tuple(compress(self.judges, present.tolist())))


def _indices(names: Sequence[str], judges: Sequence[str]) -> Int64Array:
    """Return the index of each name among the judges, −1 if it is not among them."""
    index_of = {}
    for index, judge in enumerate(judges):
        index_of[judge] = index
    indices = [index_of.get(name, -1) for name in names]
    return np.array(indices, dtype=np.int64)


def tally_judges(
    blocks: Blocks,
    *,
    reference: str | None = None,
    attention: Blocks | None = None,
    bad_reference: str | None = None,
    seconds: Mapping[str, npt.NDArray[np.floating]] | None = None,
) -> JudgeTallies:
    """Tally judged blocks for the measures of their judges.

    Parameters
    ----------
    blocks : Blocks
        Judgments that count: all of each judge on a segment, with every system that was shown.
    reference : str or None
        Name of the reference among their systems, if it was ranked.
    attention : Blocks or None
        Judged attention checks, with the damaged reference.
    bad_reference : str or None
        Name of the damaged reference among their systems.
    seconds : mapping of str to float array, or None
        Times of each judge's blocks.

    Returns
    -------
    JudgeTallies

    Raises
    ------
    ValueError
        If a reference is not among the systems.
    """
    if reference is not None and reference not in blocks.systems:
        raise ValueError(f"unknown reference {reference!r}")
    lines = [NO_LINES]
    positions = [NO_POSITIONS]
    places = [NO_PLACES]
    for rows in shown_rows(blocks, reference):
        lines.append(lines_of_rows(rows))
        positions.append(positions_of_rows(rows))
        if reference is not None:
            places.append(places_of_rows(rows))
    tallies = JudgeTallies() + _sorted_tallies(
        blocks.judges,
        lines=KeyedSums.total(lines),
        repeats=tally_repeats(blocks),
        positions=KeyedSums.total(positions),
        places=KeyedSums.total(places),
    )
    if attention is not None and bad_reference is not None:
        tallies += tally_damaged(attention, bad_reference)
    if seconds:
        tallies += _tally_times_by_judge(seconds)
    return tallies


def _tally_times_by_judge(
    seconds: Mapping[str, npt.NDArray[np.floating]],
) -> JudgeTallies:
    judges = tuple(sorted(seconds))
    times = [seconds[judge] for judge in judges]
    counts = [len(own) for own in times]
    judge = np.repeat(np.arange(len(judges)), counts)
    return JudgeTallies(judges, times=tally_times(judge, np.concatenate(times)))


def tally_damaged(attention: Blocks, bad_reference: str) -> JudgeTallies:
    """Tally attention checks with this damaged reference, filling only
    `JudgeTallies.damaged_places`.
    """
    checks = tally_places(_reverse_labels(attention), bad_reference)
    return _sorted_tallies(attention.judges, damaged_places=checks)


def _sorted_tallies(judges: tuple[str, ...], **sums: KeyedSums) -> JudgeTallies:
    """Return the tallies of judges given in any order."""
    names = tuple(sorted(judges))
    if names == judges:
        return JudgeTallies(names, **sums)
    index = _indices(judges, names)
    renumbered = {}
    for name, unsorted in sums.items():
        renumbered[name] = unsorted.renumbered(index)
    return JudgeTallies(names, **renumbered)


def _reverse_labels(blocks: Blocks) -> Blocks:
    """Return the blocks with best and worst exchanged: rejecting an output becomes preferring it."""
    flipped = MAX_LABEL + 1 - blocks.labels
    labels = np.where(blocks.labels > 0, flipped, 0)
    return replace(blocks, labels=labels.astype(np.int8))


# Not a valid name of a system.
_DAMAGED = ""


@dataclass(frozen=True, slots=True)
class ScoredOutput:
    """An output that a judge scored.

    Attributes
    ----------
    systems : sequence of str
        Systems that wrote the output.
    score : float
        Higher is better.
    """

    systems: Sequence[str]
    score: float


@dataclass(frozen=True, slots=True)
class ScoredCheck:
    """A damaged text that a judge scored.

    Attributes
    ----------
    judge : str
    segment : int
    score : float
        Higher is better.
    others : sequence of ScoredOutput
        Other outputs scored by the judge in the same HIT, nearest first.
    """

    judge: str
    segment: int
    score: float
    others: Sequence[ScoredOutput]


def tally_scored_checks(checks: Iterable[ScoredCheck]) -> JudgeTallies:
    """Tally checks for the measures of their judges, ignoring checks without other outputs.

    A block with one output has nothing to compare it with, and a judge sees each sentence only
    once. So a damaged text is compared with the nearest outputs of other sentences, each by a
    different system, that the same judge scored, as if in a block of up to five outputs ranked by
    their scores. For a judge who scores without reading, each of them is equally likely to be the
    lowest, so the measures of attention checks and their exact test apply unchanged.

    References
    ----------
    Y. Graham, T. Baldwin, A. Moffat, J. Zobel (2013), Continuous Measurement Scales in Human Evaluation of Machine Translation.
    T. Kocmi et al. (2024), Error Span Annotation: A Balanced Approach for Human Evaluation of Machine Translation.
    """
    rows = []
    systems: set[str] = set()
    for check in checks:
        row = _row(check)
        rows.append(row)
        for names in row.candidates:
            systems.update(names)
    if not systems:
        return JudgeTallies()
    return tally_damaged(blocks_from_rows(rows, systems), _DAMAGED)


def _row(check: ScoredCheck) -> BlockRow:
    candidates: list[Sequence[str]] = [[_DAMAGED]]
    scores = [check.score]
    for output in _nearest_outputs(check.others):
        candidates.append(output.systems)
        scores.append(output.score)
    distinct = sorted(set(scores), reverse=True)
    return BlockRow(
        judge=check.judge,
        segment=check.segment,
        candidates=candidates,
        labels=[1 + distinct.index(score) for score in scores],
    )


def _nearest_outputs(others: Sequence[ScoredOutput]) -> list[ScoredOutput]:
    """Return the nearest outputs, one per system, up to the size of a block."""
    systems: set[str] = set()
    nearest: list[ScoredOutput] = []
    for output in others:
        if len(nearest) < MAX_LABEL - 1 and systems.isdisjoint(output.systems):
            nearest.append(output)
            systems.update(output.systems)
    return nearest
