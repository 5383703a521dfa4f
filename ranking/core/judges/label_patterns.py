"""How judges spread their labels in a block, and where the reference was among them.

A *pattern* is the number of candidates with the best label that was used in the block, the second
best and so on. The values of the labels do not matter: 1, 1, 4 has the pattern 2, 1, like 2, 2, 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judges.clustered_share import cluster_sums
from ranking.core.judges.keyed_sums import JUDGE_BITS, KeyedSums
from ranking.core.judges.shown_rows import ShownRows, shown_rows

Int64Array = npt.NDArray[np.int64]

#: Bits of a number of candidates, of which there are at most 127.
COUNT_BITS = 7
_PATTERN_BITS = (COUNT_BITS,) * MAX_LABEL

#: Judge, pattern, and whether the labels follow the shown order or its reverse.
_LINE_KEY = (JUDGE_BITS, *_PATTERN_BITS, 1)
#: Judge, pattern, and the place of the reference's label among the labels used, from 0.
_PLACE_KEY = (JUDGE_BITS, *_PATTERN_BITS, 3)

NO_LINES = KeyedSums.empty(_LINE_KEY, 1)
NO_PLACES = KeyedSums.empty(_PLACE_KEY, 1)


@dataclass(frozen=True, eq=False)
class Patterns:
    """Patterns of labels that judges gave, one row for each judge and pattern.

    Attributes
    ----------
    judge : int64, shape (N,)
        Index of the judge.
    used : int64, shape (N, 5)
        The pattern: numbers of candidates, 0 after the last.
    detail : int64, shape (N,)
        What else the blocks have in common: whether they follow the shown order, or the place of the
        reference.
    blocks : int64, shape (N,)
        Number of blocks.
    """

    judge: Int64Array
    used: Int64Array
    detail: Int64Array
    blocks: Int64Array

    @classmethod
    def of(cls, sums: KeyedSums) -> Patterns:
        """Return the patterns that are counted in the sums of `tally_lines` or `tally_places`."""
        judge, *used, detail = sums.columns()
        return cls(judge, np.stack(used, axis=1), detail, sums.values[:, 0])


def tally_lines(blocks: Blocks) -> KeyedSums:
    """Count each judge's blocks by pattern, and by whether they follow the shown order.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.

    Returns
    -------
    KeyedSums
        With a single value, the blocks; every block is in one of them.
    """
    return KeyedSums.total(lines_of_rows(rows) for rows in shown_rows(blocks))


def tally_places(blocks: Blocks, reference: str) -> KeyedSums:
    """Count each judge's blocks by pattern and the place of the reference.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown.
    reference : str
        Its name.

    Returns
    -------
    KeyedSums
        With a single value, the blocks; every block is in one of them. The pattern of a block in
        which the reference is not compared with another candidate is empty.

    Raises
    ------
    ValueError
        If the reference is not among the systems.
    """
    if reference not in blocks.systems:
        raise ValueError(f"unknown reference {reference!r}")
    return KeyedSums.total(places_of_rows(rows) for rows in shown_rows(blocks, reference))


def lines_of_rows(rows: ShownRows) -> KeyedSums:
    """Return `tally_lines` of the blocks of some rows."""
    used = _leading(rows.used())
    return KeyedSums.of(
        _LINE_KEY, [rows.judge, *used.T, _follows_order(rows)], rows.times[:, np.newaxis]
    )


def places_of_rows(rows: ShownRows) -> KeyedSums:
    """Return `tally_places` of the blocks of some rows, for the system the rows were asked for."""
    used = rows.used()
    chosen = rows.chosen.astype(np.int64)
    compared = (chosen > 0) & (used.sum(axis=1) > 1)
    better = np.arange(1, MAX_LABEL + 1) < chosen[:, np.newaxis]
    place = np.count_nonzero((used > 0) & better, axis=1)
    used = _leading(used) * compared[:, np.newaxis]
    return KeyedSums.of(
        _PLACE_KEY, [rows.judge, *used.T, place * compared], rows.times[:, np.newaxis]
    )


def tie_sums(lines: KeyedSums, judges: int) -> Int64Array:
    """Return the `cluster_sums` of ties among the comparisons of each block, shape (J, 6).

    Parameters
    ----------
    lines : KeyedSums
        As `tally_lines` counts them.
    judges : int
        Number J of judges.
    """
    found = Patterns.of(lines)
    given = found.used.sum(axis=1)
    ties = (found.used * (found.used - 1) // 2).sum(axis=1)
    sums = np.zeros((judges, 6), dtype=np.int64)
    of_block = cluster_sums(ties, given * (given - 1) // 2)
    np.add.at(sums, found.judge, of_block * found.blocks[:, np.newaxis])
    return sums


def _leading(used: Int64Array) -> Int64Array:
    """Return the counts with those that are 0 after the others."""
    return np.take_along_axis(used, np.argsort(used == 0, axis=1, kind="stable"), axis=1)


def _follows_order(rows: ShownRows) -> npt.NDArray[np.int8]:
    """Return 1 where labels never fall, or never rise, from the first output shown to the last."""
    rising, falling = np.ones((2, len(rows.labels)), dtype=np.bool_)
    last = np.zeros(len(rows.labels), dtype=np.int8)
    for labels in rows.labels.T:
        here = labels > 0
        rising &= ~here | (labels >= last)
        falling &= ~here | (last == 0) | (labels <= last)
        last = np.where(here, labels, last)
    return (rising | falling).astype(np.int8)
