"""Counts of shards of whole segments, which add up to those of all judgments.

A shard holds all judgments of its segments and no others. So equal judgments, which are told apart by
their occurrence (`ranking.core.judged.content_key`), are in one shard, and moments over blocks and
segments are sums over shards. Judges and documents may be in many shards: they are counted by name.
All numbers are whole, so shards may be added in any order, however segments were cut into shards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout, count, counts_of_units
from ranking.core.counting.effective_numbers import counts_per_block
from ranking.core.counting.moments import second_moments, units_of
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.judged.blocks import Blocks, Int32Array
from ranking.core.rankings.counted_judgments import RESAMPLED

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CountsWanted:
    """What to count of each shard.

    Attributes
    ----------
    kinds : tuple of pairs of bool
        Of each layout that is counted: whether it has ties, and blocks won outright.
    keeps : Level or None
        What to count beside wins and ties, as in `count_judgments`.
    resamples : int
    seed : int
        0 ≤ seed < 2**64.
    """

    kinds: tuple[tuple[bool, bool], ...]
    keeps: Level | None
    resamples: int
    seed: int

    def layout(self, kind: int, systems: int) -> Layout:
        """Return a layout for a number of systems."""
        ties, outright = self.kinds[kind]
        return Layout(systems, ties=ties, outright=outright)


@dataclass(frozen=True, eq=False)
class LayoutCounts:
    """Counts of a shard in one layout of m cells, k of which blocks can add to.

    Attributes
    ----------
    cells : int64
        In the layout with ties.
    total : int
        Comparisons and whatever else the layout counts.
    segment_squares : int
        Sum over segments of their squared sizes.
    judge_sizes, document_sizes : int64, shapes (J,) and (D,)
        Sizes of what the shard has of each judge and document.
    blocks, segments : int64, shape (k, k), or None
        Second moments, where they are wanted.
    judge_cells : int64, shape (J, m), or None
        Counts of each judge, where they are wanted.
    resampled : int64, shape (R, m), or None
    """

    cells: Int64Array
    total: int
    segment_squares: int
    judge_sizes: Int64Array
    document_sizes: Int64Array
    blocks: Int64Array | None
    segments: Int64Array | None
    judge_cells: Int64Array | None
    resampled: Int64Array | None


@dataclass(frozen=True, eq=False)
class ShardCounts:
    """Counts of a shard over n systems.

    Attributes
    ----------
    systems : tuple of str, length n
        Sorted.
    judges, documents : tuples of str, lengths J and D
    blocks, segments : int
        Judged blocks, and their segments.
    naming : int
        Blocks that name a document.
    has_segment_of_two : bool
        Whether blocks of one segment name different documents.
    counts : tuple of LayoutCounts
        One for each kind that is wanted.
    """

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    documents: tuple[str, ...]
    blocks: int
    segments: int
    naming: int
    has_segment_of_two: bool
    counts: tuple[LayoutCounts, ...]


def count_shard(
    blocks: Blocks, document: Int32Array, documents: Sequence[str], wanted: CountsWanted
) -> ShardCounts:
    """Count a shard.

    Parameters
    ----------
    blocks : Blocks
        B judged blocks: all of their segments.
    document : int32, shape (B,)
        The document that each block names, an index into `documents`; -1 where it names none.
    documents : sequence of str
    wanted : CountsWanted

    Returns
    -------
    ShardCounts
    """
    named = document >= 0
    # Only documents that occur count, in the order of their numbers.
    occurring, place = np.unique(document[named], return_inverse=True)
    pairs = np.unique(np.stack([blocks.segment[named], document[named]]), axis=1)
    return ShardCounts(
        systems=blocks.systems,
        judges=blocks.judges,
        documents=tuple(documents[one] for one in occurring.tolist()),
        blocks=len(blocks),
        segments=len(np.unique(blocks.segment)),
        naming=int(np.count_nonzero(named)),
        has_segment_of_two=len(np.unique(pairs[0])) < pairs.shape[1],
        counts=tuple(
            _count_layout(
                blocks,
                wanted.layout(kind, len(blocks.systems)),
                wanted,
                named,
                place,
                len(occurring),
            )
            for kind in range(len(wanted.kinds))
        ),
    )


def _count_layout(
    blocks: Blocks,
    layout: Layout,
    wanted: CountsWanted,
    named: npt.NDArray[np.bool_],
    place: Int64Array,
    documents: int,
) -> LayoutCounts:
    sizes = counts_per_block(blocks, layout)
    segment = np.unique(blocks.segment, return_inverse=True)[1]
    by_segment = _summed(segment, sizes, int(segment.max(initial=-1)) + 1)
    keeps, judges = wanted.keeps, len(blocks.judges)
    return LayoutCounts(
        cells=count(blocks, Layout(layout.systems, ties=True, outright=layout.outright)),
        total=int(sizes.sum()),
        segment_squares=int(by_segment @ by_segment),
        judge_sizes=_summed(blocks.judge, sizes, judges),
        document_sizes=_summed(place, sizes[named], documents),
        blocks=(
            second_moments(blocks, layout, units_of(blocks, "blocks"))
            if keeps in ("blocks", "two_way")
            else None
        ),
        segments=(
            second_moments(blocks, layout, units_of(blocks, "segments"))
            if keeps in ("segments", "two_way")
            else None
        ),
        judge_cells=(
            counts_of_units(blocks, layout, units_of(blocks, "judges"), judges)
            if keeps in ("judges", "two_way")
            else None
        ),
        resampled=(
            Resampling(keeps, wanted.seed).counts(blocks, layout, range(wanted.resamples))
            if keeps in RESAMPLED
            else None
        ),
    )


def _summed(unit: npt.NDArray[np.integer], sizes: Int64Array, units: int) -> Int64Array:
    # Whole numbers, exact in floating point up to 2**53.
    return np.bincount(unit, sizes, units).astype(np.int64)
