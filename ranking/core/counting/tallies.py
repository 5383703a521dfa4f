"""Wins and ties of pairs of systems, and comparisons one by one.

Wins and ties of each pair of systems, counted from blocks.

Single comparisons, with their judges and covariates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.judged.blocks import Blocks

#: Blocks whose comparisons are listed at a time.
_BLOCKS_AT_A_TIME = 1 << 14


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
    cells = np.zeros((2, n * n), dtype=np.int64)
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        _block, first, second, outcome = listed_comparisons(blocks.take(rows))
        won = np.where(outcome > 0, first * n + second, second * n + first)[outcome != 0]
        tied = (first * n + second)[outcome == 0]
        cells += np.stack([np.bincount(each, minlength=n * n) for each in (won, tied)])
    wins, above = cells.reshape(2, n, n)
    return Tallies(systems=blocks.systems, wins=wins, ties=above + above.T)


def chunks(total: int, size: int) -> Iterator[slice]:
    """Yield ``range(total)`` as consecutive slices of at most `size`."""
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def listed_comparisons(
    blocks: Blocks, *, as_shown: bool = False
) -> tuple[Int64Array, Int64Array, Int64Array, Int64Array]:
    """List the comparisons of blocks: labelled systems with different candidates.

    Memory grows with B times the square of the labels of a block, so call it with a chunk of blocks at a time.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    as_shown : bool
        Whether the first of two systems is the one shown first, instead of the one with the smaller index.

    Returns
    -------
    block, first, second, outcome : int64, shape (C,)
        Row of the block and indices of the two systems, sorted by block and then by the places of
        the systems. The outcome is 1 if the first system is better, −1 if the second one is, 0 for a tie.
    """
    labelled = blocks.labels > 0
    places = blocks.candidates if as_shown else np.zeros_like(blocks.candidates)
    order = np.argsort(np.where(labelled, places, np.int8(127)), axis=1, kind="stable")
    systems = order[:, : int(np.count_nonzero(labelled, axis=1).max(initial=0))]
    labels, candidates = (
        np.take_along_axis(column, systems, axis=1) for column in (blocks.labels, blocks.candidates)
    )
    p, q = np.triu_indices(systems.shape[1], 1)
    # Labelled systems come first, so where the second one has a label, both have.
    block, pair = np.nonzero((labels[:, q] > 0) & (candidates[:, p] != candidates[:, q]))
    p, q = p[pair], q[pair]
    margin = labels[block, q] - labels[block, p]
    return block, systems[block, p], systems[block, q], np.sign(margin).astype(np.int64)


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
    for rows in chunks(count, _BLOCKS_AT_A_TIME):
        block, *others = listed_comparisons(blocks.take(rows))
        parts.append(np.stack([block + rows.start, *others]))
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
