"""Wins and ties of each pair of systems, counted from blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.compiled import counting_kernel
from ranking.core.judged.blocks import Blocks

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Cells compared at a time, to bound memory for any number of systems.
_CELLS_AT_A_TIME = 1 << 20


@dataclass(frozen=True, eq=False)
class Tallies:
    """Counts of pairwise comparisons between n systems.

    Attributes
    ----------
    systems : tuple of str, length n
    wins : int64, shape (n, n)
        ``wins[a, b]`` comparisons were won by a against b; the diagonal is 0.
    ties : int64, shape (n, n)
        ``ties[a, b] == ties[b, a]`` comparisons of a with b were tied; the diagonal is 0.
    """

    systems: tuple[str, ...]
    wins: Int64Array
    ties: Int64Array

    def without(self, systems: Collection[str]) -> Tallies:
        """Return the counts between the other systems, which do not depend on those left out."""
        kept = [index for index, name in enumerate(self.systems) if name not in systems]
        rows = np.ix_(kept, kept)
        names = tuple(self.systems[index] for index in kept)
        return Tallies(names, self.wins[rows], self.ties[rows])

    @property
    def comparisons(self) -> int:
        """Number of comparisons, ties included."""
        return int(self.wins.sum()) + self.tied

    @property
    def tied(self) -> int:
        """Number of tied comparisons, each counted once."""
        return int(self.ties.sum()) // 2


def tally(blocks: Blocks) -> Tallies:
    """Count the wins and ties of each pair of systems.

    Two systems are compared in a block if both have a label and different candidates stand for
    them. A candidate is expanded to every system it stands for. A pair inside one candidate is not
    a comparison, because nobody compared the two. The smaller label wins.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.

    Returns
    -------
    Tallies
        Counts over all blocks. Tallies of shards add up to those of the whole.
    """
    n = len(blocks.systems)
    kernel = counting_kernel(len(blocks) * n * n // 8)
    if kernel is not None:
        (cells,) = kernel.cells_of(blocks.labels, blocks.candidates, ties=True, outright=False)
        above = cells[n * n :].reshape(n, n)
        return Tallies(blocks.systems, wins=cells[: n * n].reshape(n, n), ties=above + above.T)
    wins = np.zeros((n, n), dtype=np.int64)
    ties = np.zeros((n, n), dtype=np.int64)
    for rows in chunks(len(blocks), max(1, _CELLS_AT_A_TIME // max(1, n * n))):
        labels, candidates = blocks.labels[rows], blocks.candidates[rows]
        wins += np.count_nonzero(won(labels), axis=0)
        ties += np.count_nonzero(tied(labels, candidates), axis=0)
    return Tallies(systems=blocks.systems, wins=wins, ties=ties)


def chunks(total: int, size: int) -> Iterator[slice]:
    """Yield ``range(total)`` as consecutive slices of at most `size`."""
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def won(labels: npt.NDArray[np.int8]) -> BoolArray:
    """Return for each block which systems beat which.

    Parameters
    ----------
    labels : int8, shape (B, n)
        As in `Blocks`. Systems of one candidate share their label, so none of them beats another.

    Returns
    -------
    bool, shape (B, n, n)
        True where the first system has the smaller label and both have one.
    """
    # A missing label (0) must neither win nor lose: on the left it becomes larger than any label,
    # on the right it is already smaller than any.
    left = np.where(labels == 0, np.int8(127), labels)
    count, n = labels.shape
    beats = np.empty((count, n, n), dtype=np.bool_)
    np.less(left[:, :, np.newaxis], labels[:, np.newaxis, :], out=beats)
    return beats


def tied(labels: npt.NDArray[np.int8], candidates: npt.NDArray[np.int8]) -> BoolArray:
    """Return for each block which systems tied.

    Parameters
    ----------
    labels, candidates : int8, shape (B, n)
        As in `Blocks`.

    Returns
    -------
    bool, shape (B, n, n)
        True where both have the same label but different candidates. Symmetric.
    """
    same_label = labels[:, :, np.newaxis] == labels[:, np.newaxis, :]
    apart = candidates[:, :, np.newaxis] != candidates[:, np.newaxis, :]
    both: BoolArray = same_label & apart & (labels > 0)[:, :, np.newaxis]
    return both
