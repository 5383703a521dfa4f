"""Wins and ties of pairs of systems, and comparisons one by one.

Wins and ties of each pair of systems, counted from blocks.

Single comparisons, with their judges and covariates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.compiled import counting_kernel
from ranking.core.judged.blocks import Blocks

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


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


@dataclass(frozen=True, eq=False)
class Comparisons:
    """C comparisons, each of two systems by a judge.

    Attributes
    ----------
    first, second : int64, shape (C,)
        Indices of the systems.
    judge : int64, shape (C,)
        Index of the judge.
    block : int64, shape (C,)
        Row of the block the comparison is from.
    outcome : int64, shape (C,)
        1 if the first system is better, −1 if the second one is, 0 for a tie.
    covariates : float64, shape (C, K)
        Covariate of the first system minus that of the second.
    """

    first: Int64Array
    second: Int64Array
    judge: Int64Array
    block: Int64Array
    outcome: Int64Array
    covariates: FloatArray


def comparisons_of(
    blocks: Blocks, covariates: Mapping[str, FloatArray] | None = None
) -> Comparisons:
    """Return the comparisons of blocks, in the order of the blocks.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    covariates : mapping of str to float64 of shape (B, n), optional
        Covariates of each system's output in each block, by name; see `shown_position`. Values of
        systems without a label are ignored.

    Returns
    -------
    Comparisons
        Comparisons of labelled systems with different candidates, as in
        `ranking.core.counting.tallies.tally`.

    Raises
    ------
    ValueError
        If a covariate has another shape, or is not finite where a system has a label.
    """
    count, n = blocks.labels.shape
    known = dict(covariates or {})
    for name, values in known.items():
        if values.shape != (count, n):
            raise ValueError(f"{name}: expected shape {(count, n)}, got {values.shape}")
        if not np.isfinite(values[blocks.labels > 0]).all():
            raise ValueError(f"{name}: expected a finite number for each output with a label")
    parts = [np.empty((4, 0), dtype=np.int64)]
    for rows in chunks(count, max(1, _CELLS_AT_A_TIME // max(1, n * n))):
        beats = won(blocks.labels[rows])
        drew = tied(blocks.labels[rows], blocks.candidates[rows])
        outcome = beats.astype(np.int64) - np.swapaxes(beats, 1, 2)
        block, first, second = np.nonzero(np.triu((outcome != 0) | drew, 1))
        parts.append(np.stack([block + rows.start, first, second, outcome[block, first, second]]))
    block, first, second, outcome = np.concatenate(parts, axis=1)
    apart = [values[block, first] - values[block, second] for values in known.values()]
    return Comparisons(
        first=first,
        second=second,
        judge=blocks.judge[block].astype(np.int64),
        block=block,
        outcome=outcome,
        covariates=np.stack(apart, axis=1) if apart else np.zeros((len(block), 0)),
    )


def shown_position(blocks: Blocks) -> FloatArray:
    """Return the position of each output in its block: 0 for the first, 1 for the last.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.

    Returns
    -------
    float64, shape (B, n)
        0 where a system was not shown, or shown alone.
    """
    last = blocks.candidates.max(axis=1, initial=0)[:, np.newaxis]
    shown = np.maximum(blocks.candidates, 0)
    return np.asarray(shown / np.maximum(1, last), dtype=np.float64)
