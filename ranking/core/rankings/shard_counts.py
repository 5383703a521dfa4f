"""Rankings from sums of the counts of shards, bit-identical to those of `rank` for all judgments.

A shard has all judgments of its segments and no others. So equal judgments, which are distinguished
by their occurrence (`ranking.core.judged.blocks`), are in one shard, and moments over blocks and
segments are sums over shards. Judges and documents may be in many shards, so they are counted by
name. All numbers are integers, so the sharding and the order of addition do not matter.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, Int32Array, Int64Array
from ranking.core.counting.counts import (
    Layout,
    UnitSizes,
    count,
    counts_of_units,
    counts_per_block,
)
from ranking.core.counting.moments import (
    AllMoments,
    second_moments,
    units_of,
)
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.rankings.counted_judgments import (
    RESAMPLED,
    CountedJudgments,
    layout_with_ties,
)


@dataclass(frozen=True)
class CountOptions:
    """Counts to make for each shard.

    Attributes
    ----------
    kinds : tuple of pairs of bool
        Whether each counted layout has ties, and blocks won outright.
    keeps : Level or None
        Further counts in addition to wins and ties, as in `count_judgments`.
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
    """Counts of a shard in a layout of m cells, of which blocks can add to k.

    Attributes
    ----------
    cells : int64
        Counts in the layout with ties.
    total : int
        Number of comparisons and of anything else the layout counts.
    segment_squares : int
        Sum over segments of their squared sizes.
    judge_sizes, document_sizes : int64, shapes (J,) and (D,)
        Size of the shard's part of each judge and document.
    blocks, segments : int64, shape (k, k), or None
        Second moments, if requested.
    judge_cells : int64, shape (J, m), or None
        Counts of each judge, if requested.
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
        Numbers of judged blocks and of their segments.
    naming : int
        Number of blocks that name a document.
    has_segment_of_two : bool
        Whether blocks of one segment name different documents.
    counts : tuple of LayoutCounts
        One for each requested kind.
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
    blocks: Blocks,
    document: Int32Array,
    documents: Sequence[str],
    options: CountOptions,
) -> ShardCounts:
    """Count a shard.

    Parameters
    ----------
    blocks : Blocks
        B judged blocks: all blocks of their segments.
    document : int32, shape (B,)
        The document named by each block, an index into `documents`; -1 for none.
    documents : sequence of str
    options : CountOptions

    Returns
    -------
    ShardCounts
    """
    is_named = document >= 0
    # Only occurring documents count, in the order of their numbers.
    occurring, index = np.unique(document[is_named], return_inverse=True)
    segment_and_document = np.stack([blocks.segment[is_named], document[is_named]])
    pairs = np.unique(segment_and_document, axis=1)
    named = _NamedDocuments(is_named=is_named, index=index, count=len(occurring))
    counts = []
    for kind in range(len(options.kinds)):
        layout = options.layout(kind, len(blocks.systems))
        counts.append(_count_layout(blocks, layout, options, named))
    return ShardCounts(
        systems=blocks.systems,
        judges=blocks.judges,
        documents=tuple(documents[number] for number in occurring.tolist()),
        blocks=len(blocks),
        segments=len(np.unique(blocks.segment)),
        naming=int(np.count_nonzero(is_named)),
        has_segment_of_two=len(np.unique(pairs[0])) < pairs.shape[1],
        counts=tuple(counts),
    )


@dataclass(frozen=True, eq=False)
class _NamedDocuments:
    """The documents named by B blocks.

    Attributes
    ----------
    is_named : bool, shape (B,)
    index : int64
        Index of the document of each block that names one.
    count : int
        Number of documents.
    """

    is_named: BoolArray
    index: Int64Array
    count: int


def _count_layout(
    blocks: Blocks,
    layout: Layout,
    options: CountOptions,
    named: _NamedDocuments,
) -> LayoutCounts:
    sizes = counts_per_block(blocks, layout)
    segments, segment = np.unique(blocks.segment, return_inverse=True)
    by_segment = _sizes_by_unit(segment, sizes, len(segments))
    keeps = options.keeps
    judges = len(blocks.judges)
    block_moments = None
    segment_moments = None
    judge_cells = None
    resampled = None
    if keeps in ("blocks", "two_way"):
        block_moments = second_moments(blocks, layout, units_of(blocks, "blocks"))
    if keeps in ("segments", "two_way"):
        segment_moments = second_moments(blocks, layout, units_of(blocks, "segments"))
    if keeps in ("judges", "two_way"):
        unit = units_of(blocks, "judges")
        judge_cells = counts_of_units(blocks, layout, unit, judges)
    if keeps in RESAMPLED:
        resampling = Resampling(keeps, options.seed)
        resampled = resampling.counts(blocks, layout, range(options.resamples))
    return LayoutCounts(
        cells=count(blocks, replace(layout, ties=True)),
        total=int(sizes.sum()),
        segment_squares=int(by_segment @ by_segment),
        judge_sizes=_sizes_by_unit(blocks.judge, sizes, judges),
        document_sizes=_sizes_by_unit(named.index, sizes[named.is_named], named.count),
        blocks=block_moments,
        segments=segment_moments,
        judge_cells=judge_cells,
        resampled=resampled,
    )


class _Names(NamedTuple):
    """Systems of counts, and the numbers of their judges and documents among all."""

    systems: tuple[str, ...]
    judges: Int64Array
    documents: Int64Array


def _sizes_by_unit(
    unit: npt.NDArray[np.integer],
    sizes: Int64Array,
    units: int,
) -> Int64Array:
    # Integers, exact in floating point up to 2**53.
    return np.bincount(unit, sizes, units).astype(np.int64)


@dataclass
class AddedCounts:
    """The sum of shards so far, bit-identical for any order of addition.

    It takes the memory of one shard's counts, and of one number for each judge and document.
    """

    options: CountOptions
    systems: tuple[str, ...] = ()
    blocks: int = 0
    segments: int = 0
    naming: int = 0
    has_segment_of_two: bool = False
    judges: dict[str, int] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)
    _counts: list[LayoutCounts] = field(default_factory=list)

    def add(self, shard: ShardCounts) -> None:
        """Add a shard, which may have other systems, judges and documents."""
        self.blocks += shard.blocks
        self.segments += shard.segments
        self.naming += shard.naming
        self.has_segment_of_two |= shard.has_segment_of_two
        # Known judges and documents keep their numbers.
        before = _Names(
            systems=self.systems,
            judges=np.arange(len(self.judges), dtype=np.int64),
            documents=np.arange(len(self.documents), dtype=np.int64),
        )
        added = _Names(
            systems=shard.systems,
            judges=_places(self.judges, shard.judges),
            documents=_places(self.documents, shard.documents),
        )
        self.systems = tuple(sorted({*self.systems, *shard.systems}))
        sums = []
        for kind, counts in enumerate(shard.counts):
            parts = [(counts, added)]
            if self._counts:
                parts.insert(0, (self._counts[kind], before))
            sums.append(self._sum(kind, parts))
        self._counts = sums

    def _sum(
        self,
        kind: int,
        parts: Iterable[tuple[LayoutCounts, _Names]],
    ) -> LayoutCounts:
        """Return the sum of counts with their names."""
        layout = self.options.layout(kind, len(self.systems))
        with_ties = replace(layout, ties=True)
        used = len(layout.used)
        judges = len(self.judges)
        total = 0
        segment_squares = 0
        cells = np.zeros(with_ties.size, dtype=np.int64)
        judge_sizes = np.zeros(judges, dtype=np.int64)
        document_sizes = np.zeros(len(self.documents), dtype=np.int64)
        blocks = _OptionalSum(used, used)
        segments = _OptionalSum(used, used)
        judge_cells = _OptionalSum(judges, layout.size)
        resampled = _OptionalSum(self.options.resamples, layout.size)
        for counts, names in parts:
            system_indices = [self.systems.index(name) for name in names.systems]
            indices = np.array(system_indices, dtype=np.int64)
            own_cells = layout.cells_of(indices)
            own_used = layout.used_of(indices)
            square = np.ix_(own_used, own_used)
            total += counts.total
            segment_squares += counts.segment_squares
            cells[with_ties.cells_of(indices)] += counts.cells
            judge_sizes[names.judges] += counts.judge_sizes
            document_sizes[names.documents] += counts.document_sizes
            blocks.add(counts.blocks, square)
            segments.add(counts.segments, square)
            judge_cells.add(counts.judge_cells, np.ix_(names.judges, own_cells))
            resampled.add(counts.resampled, (slice(None), own_cells))
        return LayoutCounts(
            cells=cells,
            total=total,
            segment_squares=segment_squares,
            judge_sizes=judge_sizes,
            document_sizes=document_sizes,
            blocks=blocks.total,
            segments=segments.total,
            judge_cells=judge_cells.total,
            resampled=resampled.total,
        )

    @property
    def documents_count(self) -> bool:
        """True if documents are known: each block names one, there are several, and no segment is
        in two.
        """
        is_known = self.naming == self.blocks and len(self.documents) > 1
        return is_known and not self.has_segment_of_two

    def counted(self, method: CountsMethod) -> CountedJudgments:
        """Return the result of `count_judgments` over all judgments.

        Parameters
        ----------
        method : CountsMethod
            A method whose layout was requested.

        Returns
        -------
        CountedJudgments
            Without moments of documents, which need all judgments.
        """
        n = len(self.systems)
        layout = method.layout(n)
        counts = self._counts[self.options.kinds.index((layout.ties, layout.outright))]
        documents = 0
        document_squares = None
        if self.documents_count:
            documents = len(self.documents)
            document_squares = int(counts.document_sizes @ counts.document_sizes)
        judges = None
        if counts.judge_cells is not None:
            used = counts.judge_cells[:, layout.used]
            judges = used.T @ used
        moments = None
        if (
            counts.blocks is not None
            and counts.segments is not None
            and judges is not None
        ):
            moments = AllMoments(counts.blocks, counts.segments, judges)
        units = None
        if self.options.keeps == "blocks":
            units = counts.blocks
        elif self.options.keeps == "segments":
            units = counts.segments
        elif self.options.keeps == "judges":
            units = judges
        return CountedJudgments(
            systems=self.systems,
            layout=layout_with_ties(method, n),
            cells=counts.cells,
            blocks=self.blocks,
            segments=self.segments,
            judges=len(self.judges),
            documents=documents,
            sizes=UnitSizes(
                total=counts.total,
                segments=counts.segment_squares,
                judges=int(counts.judge_sizes @ counts.judge_sizes),
                documents=document_squares,
            ),
            moments=moments,
            resampled=counts.resampled,
            units=units,
        )


class _OptionalSum:
    """The sum of counts that may not have been requested."""

    def __init__(self, *shape: int) -> None:
        self._shape = shape
        self.total: Int64Array | None = None

    def add(self, counts: Int64Array | None, index: tuple[Any, ...]) -> None:
        """Add counts at an index of the sum."""
        if counts is None:
            return
        if self.total is None:
            self.total = np.zeros(self._shape, dtype=np.int64)
        self.total[index] += counts


def _places(numbers: dict[str, int], names: tuple[str, ...]) -> Int64Array:
    """Return the number of each name; new names get the next ones."""
    positions = []
    for name in names:
        positions.append(numbers.setdefault(name, len(numbers)))
    return np.array(positions, dtype=np.int64)
