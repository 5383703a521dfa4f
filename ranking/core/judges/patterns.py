"""Integer sums by judge and label pattern, and a test of whether labels depend on the position of
outputs.

A *pattern* is the number of candidates with the best label used in the block, with the second best,
and so on. The values of the labels do not matter: 1, 1, 4 has the pattern 2, 1, like 2, 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc

from ranking.core.arrays import BoolArray, FloatArray, Int8Array, Int64Array, as_column
from ranking.core.grouping import sums_by_group
from ranking.core.judged.blocks import MAX_LABEL, Blocks, shown_labels
from ranking.core.judges.shares import cluster_sums

#: Bits of the judge, the first column of every key.
JUDGE_BITS = 20


@dataclass(frozen=True, eq=False)
class KeyedSums:
    """Integer sums for each of N keys, in canonical form.

    A key is a row of small integers, of which the first is the index of a judge. Two sums are equal
    if and only if they contain the same numbers, regardless of the order of additions and removals.

    Attributes
    ----------
    bits : tuple of int
        Bits of each column of the keys, at most 62 in total.
    code : int64, shape (N,)
        The keys, each packed into one number; sorted, without duplicates.
    values : int64, shape (N, V)
        V sums for each key, of which at least one is not 0.
    """

    bits: tuple[int, ...]
    code: Int64Array
    values: Int64Array

    @classmethod
    def of(
        cls,
        bits: tuple[int, ...],
        columns: Sequence[npt.NDArray[np.integer]],
        values: npt.NDArray[np.integer],
    ) -> KeyedSums:
        """Return the sums of rows with equal keys.

        Parameters
        ----------
        bits : tuple of int
        columns : sequence of integer, shape (M,)
            The columns of the keys.
        values : integer, shape (M, V)

        Returns
        -------
        KeyedSums

        Raises
        ------
        ValueError
            If a number in a key is negative or needs more bits.
        """
        code = np.zeros(len(values), dtype=np.int64)
        for width, column in zip(bits, columns, strict=True):
            most = _lowest_bits(width)
            if column.size and (column.min() < 0 or column.max() > most):
                raise ValueError(f"keys: expected numbers from 0 to {most}")
            code = (code << width) | column.astype(np.int64)
        return cls._sum_by_code(bits, code, values.astype(np.int64))

    @classmethod
    def empty(cls, bits: tuple[int, ...], values: int) -> KeyedSums:
        """Return empty sums, with the given number of values per key."""
        return cls(
            bits=bits,
            code=np.empty(0, dtype=np.int64),
            values=np.empty((0, values), dtype=np.int64),
        )

    @classmethod
    def total(cls, parts: Iterable[KeyedSums]) -> KeyedSums:
        """Return the sum of one or more parts."""
        sums = list(parts)
        with_keys = [part for part in sums if len(part)]
        if not with_keys:
            return sums[0]
        if len(with_keys) == 1:
            return with_keys[0]
        return cls._sum_by_code(
            bits=with_keys[0].bits,
            code=np.concatenate([part.code for part in with_keys]),
            values=np.concatenate([part.values for part in with_keys]),
        )

    def negated(self) -> KeyedSums:
        """Return the sums with the opposite sign."""
        return replace(self, values=-self.values)

    @classmethod
    def _sum_by_code(
        cls,
        bits: tuple[int, ...],
        code: Int64Array,
        values: Int64Array,
    ) -> KeyedSums:
        # A stable sort only merges sorted runs, as when few rows are added to many.
        order = np.argsort(code, kind="stable")
        code = code[order]
        values = values[order]
        starts = np.flatnonzero(np.diff(code, prepend=-1))
        if len(starts) < len(code):
            code = code[starts]
            values = np.add.reduceat(values, starts, axis=0)
        is_nonzero = np.zeros(len(code), dtype=np.bool_)
        for column in values.T:
            is_nonzero |= column != 0
        if is_nonzero.all():
            return cls(bits, code, values)
        return cls(bits, code[is_nonzero], values[is_nonzero])

    def __add__(self, other: KeyedSums) -> KeyedSums:
        """Return the sum of both."""
        return KeyedSums.total([self, other])

    def __sub__(self, other: KeyedSums) -> KeyedSums:
        """Return the difference; sums can be negative."""
        return KeyedSums.total([self, other.negated()])

    def __eq__(self, other: object) -> bool:
        """Return whether all keys and sums are equal."""
        if not isinstance(other, KeyedSums):
            return NotImplemented
        if self.bits != other.bits or not np.array_equal(self.code, other.code):
            return False
        return np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        """Return the number of keys, N."""
        return len(self.code)

    def columns(self) -> list[Int64Array]:
        """Return the columns of the keys, each of shape (N,)."""
        columns = []
        rest = self.code
        for width in reversed(self.bits):
            columns.append(rest & _lowest_bits(width))
            rest = rest >> width
        return columns[::-1]

    @property
    def judge(self) -> Int64Array:
        """Index of the judge of each key, shape (N,)."""
        judge: Int64Array = self.code >> sum(self.bits[1:])
        return judge

    def renumbered(self, index: Int64Array) -> KeyedSums:
        """Return the sums with new indices of judges; judges with a negative index are left out.

        Parameters
        ----------
        index : int64, shape (J,)
            The new index of each judge, in the order of the old ones.
        """
        width = sum(self.bits[1:])
        judge = index[self.judge]
        mask = judge >= 0
        rest = self.code[mask] & _lowest_bits(width)
        code = judge[mask] << width | rest
        return KeyedSums._sum_by_code(self.bits, code, self.values[mask])


def _lowest_bits(count: int) -> int:
    """Return a number with these bits set: a mask, and the largest number that fits."""
    return (1 << count) - 1


_BLOCKS_AT_A_TIME = 1 << 17
_LABELS = np.arange(1, MAX_LABEL + 1)


@dataclass(frozen=True, eq=False)
class ShownRows:
    """The labels of N blocks by shown position, and their judges.

    Attributes
    ----------
    judge : int64, shape (N,)
        Index into `Blocks.judges`.
    labels : int8, shape (N, positions)
        1 best … 5 worst; 0 if the label was left blank or no candidate was shown.
    chosen : int8, shape (N,)
        Label of the requested system; 0 if it has none or no system was requested.
    """

    judge: Int64Array
    labels: Int8Array
    chosen: Int8Array

    def used(self) -> Int64Array:
        """Return the number of candidates of each row with each label, shape (N, 5)."""
        counts = []
        for label in _LABELS:
            counts.append(np.count_nonzero(self.labels == label, axis=1))
        return np.stack(counts, axis=1)


def shown_rows(blocks: Blocks, system: str | None = None) -> Iterator[ShownRows]:
    """Yield the rows of all blocks, in parts; at least one part, which may be empty.

    Parameters
    ----------
    blocks : Blocks
        Blocks with every system that was shown: a candidate without remaining systems would be
        missing.
    system : str or None
        The system whose labels are returned in `chosen`.
    """
    labels = shown_labels(blocks)
    chosen = np.zeros(len(blocks), dtype=np.int8)
    if system is not None:
        chosen = blocks.labels[:, blocks.systems.index(system)]
    for start in range(0, max(1, len(blocks)), _BLOCKS_AT_A_TIME):
        part = slice(start, start + _BLOCKS_AT_A_TIME)
        yield ShownRows(
            judge=blocks.judge[part].astype(np.int64),
            labels=labels[part],
            chosen=chosen[part],
        )


#: Bits of a number of candidates, which is at most 127.
COUNT_BITS = 7
_PATTERN_BITS = (COUNT_BITS,) * MAX_LABEL

#: Judge, pattern, and whether the labels follow the display order or its reverse.
_LINE_KEY = (JUDGE_BITS, *_PATTERN_BITS, 1)
#: Judge, pattern, and the index of the reference's label among the labels used, from 0.
_PLACE_KEY = (JUDGE_BITS, *_PATTERN_BITS, 3)

NO_LINES = KeyedSums.empty(_LINE_KEY, 1)
NO_PLACES = KeyedSums.empty(_PLACE_KEY, 1)


@dataclass(frozen=True, eq=False)
class Patterns:
    """Judges' label patterns, one row for each judge and pattern.

    Attributes
    ----------
    judge : int64, shape (N,)
        Index of the judge.
    used : int64, shape (N, 5)
        The pattern: numbers of candidates, 0 after the last.
    detail : int64, shape (N,)
        Further property shared by the blocks: whether they follow the display order, or the index
        of the reference's label.
    blocks : int64, shape (N,)
        Number of blocks.
    """

    judge: Int64Array
    used: Int64Array
    detail: Int64Array
    blocks: Int64Array

    @classmethod
    def of(cls, sums: KeyedSums) -> Patterns:
        """Return the patterns counted in the sums of `tally_lines` or `tally_places`."""
        judge, *used, detail = sums.columns()
        return cls(
            judge=judge,
            used=np.stack(used, axis=1),
            detail=detail,
            blocks=sums.values[:, 0],
        )

    def take(self, rows: BoolArray) -> Patterns:
        """Return some of the rows."""
        return Patterns(
            judge=self.judge[rows],
            used=self.used[rows],
            detail=self.detail[rows],
            blocks=self.blocks[rows],
        )

    def sums_of_judges(
        self,
        successes: npt.NDArray[Any],
        trials: npt.NDArray[Any],
        judges: int,
    ) -> Int64Array:
        """Return the `cluster_sums` of the blocks of each judge, shape (J, 6), from the successes and
        trials in a block of each pattern.
        """
        sums_of_block = cluster_sums(
            successes.astype(np.int64),
            trials.astype(np.int64),
        )
        sums_of_pattern = sums_of_block * as_column(self.blocks)
        return sums_by_group(sums_of_pattern, self.judge, judges)


def tally_lines(blocks: Blocks) -> KeyedSums:
    """Count each judge's blocks by pattern, and by whether they follow the display order.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.

    Returns
    -------
    KeyedSums
        With the number of blocks as the only value; every block is counted in one key.
    """
    return KeyedSums.total(lines_of_rows(rows) for rows in shown_rows(blocks))


def tally_places(blocks: Blocks, reference: str) -> KeyedSums:
    """Count each judge's blocks by pattern and the place of the reference.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.
    reference : str
        Name of the reference.

    Returns
    -------
    KeyedSums
        With the number of blocks as the only value; every block is counted in one key. The pattern
        of a block in which the reference is not compared with another candidate is empty.

    Raises
    ------
    ValueError
        If the reference is not among the systems.
    """
    if reference not in blocks.systems:
        raise ValueError(f"unknown reference {reference!r}")
    return KeyedSums.total(
        places_of_rows(rows) for rows in shown_rows(blocks, reference)
    )


def lines_of_rows(rows: ShownRows) -> KeyedSums:
    """Return `tally_lines` for the blocks of some rows."""
    used = _leading(rows.used())
    return KeyedSums.of(
        bits=_LINE_KEY,
        columns=[rows.judge, *used.T, _follows_order(rows)],
        values=np.ones((len(used), 1), dtype=np.int64),
    )


def places_of_rows(rows: ShownRows) -> KeyedSums:
    """Return `tally_places` for the blocks of some rows and the system of the rows."""
    used = rows.used()
    chosen = rows.chosen.astype(np.int64)
    compared = (chosen > 0) & (used.sum(axis=1) > 1)
    is_better = as_column(chosen) > _LABELS
    position = np.count_nonzero((used > 0) & is_better, axis=1)
    used = _leading(used) * as_column(compared)
    return KeyedSums.of(
        bits=_PLACE_KEY,
        columns=[rows.judge, *used.T, position * compared],
        values=np.ones((len(used), 1), dtype=np.int64),
    )


def tie_sums(lines: KeyedSums, judges: int, *, best_worst: bool = False) -> Int64Array:
    """Return the `cluster_sums` of ties among the comparisons of each block, shape (J, 6).

    Parameters
    ----------
    lines : KeyedSums
        The sums counted by `tally_lines`.
    judges : int
        Number J of judges.
    best_worst : bool
        As in `Blocks`: equal labels are no ties.
    """
    patterns = Patterns.of(lines)
    labelled = patterns.used.sum(axis=1)
    pairs_of_equals = patterns.used * (patterns.used - 1) // 2
    ties = pairs_of_equals.sum(axis=1)
    comparisons = labelled * (labelled - 1) // 2
    if best_worst:
        comparisons = comparisons - ties
        ties = np.zeros_like(ties)
    return patterns.sums_of_judges(ties, comparisons, judges)


def _leading(used: Int64Array) -> Int64Array:
    """Return the counts with zeros moved to the end."""
    order = np.argsort(used == 0, axis=1, kind="stable")
    return np.take_along_axis(used, order, axis=1)


def _follows_order(rows: ShownRows) -> Int8Array:
    """Return 1 where labels never decrease, or never increase, from the first output shown to the
    last.
    """
    count = len(rows.labels)
    rising = np.ones(count, dtype=np.bool_)
    falling = np.ones(count, dtype=np.bool_)
    last = np.zeros(count, dtype=np.int8)
    for labels in rows.labels.T:
        is_labelled = labels > 0
        rising &= ~is_labelled | (labels >= last)
        falling &= ~is_labelled | (last == 0) | (labels <= last)
        last = np.where(is_labelled, labels, last)
    return (rising | falling).astype(np.int8)


#: Judge, number of labels in the block, and two positions, the second not before the first.
_KEY = (JUDGE_BITS, COUNT_BITS, 7, 7)

#: Variances below this share of the largest are rounding errors of 0.
_ROUNDING = 1e-12

NO_POSITIONS = KeyedSums.empty(_KEY, 3)


@dataclass(frozen=True)
class PositionBias:
    """A judge's labels by shown position.

    Attributes
    ----------
    blocks : int
        Number of informative blocks, with at least two labels that are not all equal.
    deviations : tuple of float or None
        For each position, the mean of label − mean label of its block: negative if outputs in this
        position get better labels than others of their block. None without labels.
    statistic : float or None
        χ² of the deviations, with `degrees_of_freedom` degrees of freedom.
    degrees_of_freedom : int
    p_value : float or None
        Probability of a χ² at least as large if positions do not matter: an approximation that
        needs about twenty blocks.
    """

    blocks: int
    deviations: tuple[float | None, ...]
    statistic: float | None
    degrees_of_freedom: int
    p_value: float | None


def positions_of_rows(rows: ShownRows) -> KeyedSums:
    """Sum the inputs of `position_bias` for each judge, number of labels and pair of positions.

    Parameters
    ----------
    rows : ShownRows
        With every system that was shown.

    Returns
    -------
    KeyedSums
        For informative blocks with labels in both positions: their number; the sum of Q, which is
        k² (k − 1) times the variance of the k labels; and, for a position paired with itself, the
        sum of k times the deviation of its label from the mean of the block.
    """
    labels = rows.labels.astype(np.int64)
    is_labelled = labels > 0
    count = is_labelled.sum(axis=1)
    scaled = as_column(count) * labels
    deviation = scaled - labels.sum(axis=1, keepdims=True)
    deviation = np.where(is_labelled, deviation, 0)
    squares = (deviation**2).sum(axis=1)
    informative = np.flatnonzero(squares)
    judge_and_count = rows.judge << COUNT_BITS | count
    group = judge_and_count[informative]
    informative = informative[np.argsort(group, kind="stable")]
    keys: list[Int64Array] = [np.empty((4, 0), dtype=np.int64)]
    values: list[Int64Array] = [np.empty((0, 3), dtype=np.int64)]
    groups, starts = np.unique(np.sort(group), return_index=True)
    rows_of_groups = np.split(informative, starts)[1:]
    first, second = np.triu_indices(labels.shape[1])
    for number, own in zip(groups.tolist(), rows_of_groups, strict=True):
        sums = _sums_of_position_pairs(is_labelled[own], deviation[own], squares[own])
        judge = np.full_like(first, number >> COUNT_BITS)
        labelled = np.full_like(first, number & _lowest_bits(COUNT_BITS))
        keys.append(np.stack([judge, labelled, first, second]))
        values.append(sums[first, second])
    return KeyedSums.of(
        bits=_KEY,
        columns=list(np.concatenate(keys, axis=1)),
        values=np.concatenate(values),
    )


def _sums_of_position_pairs(
    is_labelled: BoolArray,
    deviation: Int64Array,
    squares: Int64Array,
) -> Int64Array:
    """Return the sums of blocks for each two positions, shape (positions, positions, 3).

    They are the number of blocks with labels at both positions, the sum of the squares of these
    blocks, and, on the diagonal, the sum of the deviations at a position.
    """
    positions = is_labelled.astype(np.int64)
    blocks = positions.T @ positions
    weighted = positions * as_column(squares)
    spread = weighted.T @ positions
    total = np.diag(deviation.sum(axis=0))
    return np.stack([blocks, spread, total], axis=-1)


def position_bias(positions: KeyedSums, judges: int) -> tuple[PositionBias, ...]:
    """Test whether each judge's labels depend on the position of the outputs.

    Outputs are shown in random order. If position has no influence, the labels of a block are a
    random permutation over its positions: with mean m and variance s² = Σ (label − m)² / (k − 1) of
    its k labels, the deviations from m have covariance s² (I − J / k). Summed over a judge's
    blocks, this gives a χ² statistic. For blocks of equal size, with or without ties, it is the
    test of Friedman (1937). Blocks of unequal size and blanks are treated as in Skillings and Mack
    (1981), with labels instead of ranks.

    Parameters
    ----------
    positions : KeyedSums
        Sums of `positions_of_rows`, from blocks with every system that was shown.
    judges : int

    Returns
    -------
    tuple of PositionBias
        One for each judge.

    References
    ----------
    M. Friedman (1937), The Use of Ranks to Avoid the Assumption of Normality Implicit in the
    Analysis of Variance, JASA 32. J. H. Skillings, G. A. Mack (1981), On the Use of a Friedman-Type
    Statistic in Balanced and Unbalanced Block Designs, Technometrics 23.
    """
    judge, count, first, second = positions.columns()
    ends = np.searchsorted(judge, np.arange(judges + 1))
    position_count = int(second.max(initial=-1)) + 1
    biases = []
    for start, end in pairwise(ends.tolist()):
        own = slice(start, end)
        sums = _PositionSums(
            count=count[own],
            first=first[own],
            second=second[own],
            values=positions.values[own],
        )
        biases.append(_bias(sums, position_count))
    return tuple(biases)


@dataclass(frozen=True, eq=False)
class _PositionSums:
    """The sums of `positions_of_rows` of one judge.

    Attributes
    ----------
    count : int64, shape (N,)
        Number of labels in the block.
    first, second : int64, shape (N,)
        Positions.
    values : int64, shape (N, 3)
    """

    count: Int64Array
    first: Int64Array
    second: Int64Array
    values: Int64Array


@dataclass(frozen=True, eq=False)
class _Deviations:
    """Deviations of a judge's labels from the mean of their block, summed over B blocks.

    Attributes
    ----------
    blocks : int
    times_shown : int64, shape (positions,)
        Number of labels in each position.
    total : float64, shape (positions,)
        Sum of the deviations in each position.
    covariance : float64, shape (positions, positions)
        Covariance of these sums if positions do not matter.
    """

    blocks: int
    times_shown: Int64Array
    total: FloatArray
    covariance: FloatArray


def _deviations(sums: _PositionSums) -> _Deviations:
    blocks = 0
    # Only the positions the judge was shown, because rounding depends on the size of the matrix.
    positions = int(sums.second.max(initial=-1)) + 1
    square = (positions, positions)
    times_shown = np.zeros(positions, dtype=np.int64)
    total = np.zeros(positions)
    covariance = np.zeros(square)
    for labelled in np.unique(sums.count).tolist():
        rows = np.flatnonzero(sums.count == labelled)
        cell = (sums.first[rows], sums.second[rows])
        pairs = np.zeros(square, dtype=np.int64)
        spread = np.zeros(square, dtype=np.int64)
        deviation = np.zeros(square, dtype=np.int64)
        pairs[cell], spread[cell], deviation[cell] = sums.values[rows].T
        blocks += int(pairs.diagonal().sum()) // labelled
        times_shown += pairs.diagonal()
        total += deviation.diagonal() / labelled
        # Integers up to here, so that rows sum to exactly 0.
        own_spread = np.diag((labelled + 1) * spread.diagonal())
        squares = own_spread - spread - spread.T
        covariance += squares / (labelled**3 * (labelled - 1))
    return _Deviations(blocks, times_shown, total, covariance)


def _bias(sums: _PositionSums, most_positions: int) -> PositionBias:
    deviations = _deviations(sums)
    if not deviations.blocks:
        return PositionBias(
            blocks=0,
            deviations=(),
            statistic=None,
            degrees_of_freedom=0,
            p_value=None,
        )
    scales, directions = np.linalg.eigh(deviations.covariance)
    # Deviations have no component in directions without variance, except for rounding.
    is_free = scales > _ROUNDING * scales[-1]
    degrees_of_freedom = int(np.count_nonzero(is_free))
    components = deviations.total @ directions[:, is_free]
    statistic = float(np.sum(components**2 / scales[is_free]))
    means: list[float | None] = [None] * most_positions
    for position in np.flatnonzero(deviations.times_shown).tolist():
        total = deviations.total[position]
        means[position] = float(total / deviations.times_shown[position])
    return PositionBias(
        blocks=deviations.blocks,
        deviations=tuple(means),
        statistic=statistic,
        degrees_of_freedom=degrees_of_freedom,
        p_value=float(chdtrc(degrees_of_freedom, statistic)),
    )
