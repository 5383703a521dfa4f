"""Rankings from sums of the counts of shards, bit-identical to those of `rank` for all judgments.

A shard has all judgments of its segments and no others. So equal judgments, which are distinguished
by their occurrence (`ranking.core.judged.blocks`), are in one shard, and moments over blocks and
segments are sums over shards. Judges and documents may be in many shards, so they are counted by
name. All numbers are integers, so the sharding and the order of addition do not matter.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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
    CLUSTER_UNITS,
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
class CountsWanted:
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
    blocks: Blocks, document: Int32Array, documents: Sequence[str], wanted: CountsWanted
) -> ShardCounts:
    """Count a shard.

    Parameters
    ----------
    blocks : Blocks
        B judged blocks: all blocks of their segments.
    document : int32, shape (B,)
        The document named by each block, an index into `documents`; -1 for none.
    documents : sequence of str
    wanted : CountsWanted

    Returns
    -------
    ShardCounts
    """
    named = document >= 0
    # Only occurring documents count, in the order of their numbers.
    occurring, index = np.unique(document[named], return_inverse=True)
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
                blocks=blocks,
                layout=wanted.layout(kind, len(blocks.systems)),
                wanted=wanted,
                named=named,
                position=index,
                documents=len(occurring),
            )
            for kind in range(len(wanted.kinds))
        ),
    )


def _count_layout(
    blocks: Blocks,
    layout: Layout,
    wanted: CountsWanted,
    named: BoolArray,
    position: Int64Array,
    documents: int,
) -> LayoutCounts:
    sizes = counts_per_block(blocks, layout)
    segment = np.unique(blocks.segment, return_inverse=True)[1]
    by_segment = _summed(segment, sizes, int(segment.max(initial=-1)) + 1)
    keeps = wanted.keeps
    judges = len(blocks.judges)
    moments: dict[str, Int64Array | None] = {
        unit: second_moments(blocks, layout, units_of(blocks, unit))
        if keeps in (unit, "two_way")
        else None
        for unit in CLUSTER_UNITS[:2]
    }
    return LayoutCounts(
        **moments,
        cells=count(
            blocks, Layout(layout.systems, ties=True, outright=layout.outright)
        ),
        total=int(sizes.sum()),
        segment_squares=int(by_segment @ by_segment),
        judge_sizes=_summed(blocks.judge, sizes, judges),
        document_sizes=_summed(position, sizes[named], documents),
        judge_cells=(
            counts_of_units(
                blocks=blocks,
                layout=layout,
                unit=units_of(blocks, "judges"),
                units=judges,
            )
            if keeps in ("judges", "two_way")
            else None
        ),
        resampled=(
            Resampling(keeps, wanted.seed).counts(
                blocks, layout, range(wanted.resamples)
            )
            if keeps in RESAMPLED
            else None
        ),
    )


def _summed(unit: npt.NDArray[np.integer], sizes: Int64Array, units: int) -> Int64Array:
    # Integers, exact in floating point up to 2**53.
    return np.bincount(unit, sizes, units).astype(np.int64)


@dataclass
class AddedCounts:
    """The sum of shards so far, bit-identical for any order of addition.

    It takes the memory of one shard's counts, and of one number for each judge and document.
    """

    wanted: CountsWanted
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
        systems = tuple(sorted({*self.systems, *shard.systems}))
        # Known judges and documents keep their numbers.
        numbers = (
            np.arange(len(each), dtype=np.int64)
            for each in (self.judges, self.documents)
        )
        known = (self.systems, *numbers)
        names = (self.judges, shard.judges), (self.documents, shard.documents)
        more = (shard.systems, *(_places(*each) for each in names))
        self._counts = [
            self._sum(
                kind=kind,
                systems=systems,
                parts=[
                    *((one, known) for one in self._counts[kind : kind + 1]),
                    (counts, more),
                ],
            )
            for kind, counts in enumerate(shard.counts)
        ]
        self.systems = systems

    def _sum(
        self,
        kind: int,
        systems: tuple[str, ...],
        parts: Iterable[tuple[LayoutCounts, tuple[Any, ...]]],
    ) -> LayoutCounts:
        """Return the sum of counts; each comes with its systems and the numbers of its judges and
        documents.
        """
        layout = self.wanted.layout(kind, len(systems))
        with_ties = replace(layout, ties=True)
        used = len(layout.used)
        judges = len(self.judges)
        resamples = self.wanted.resamples
        shapes: dict[str, tuple[int, ...]] = {
            "cells": (with_ties.size,),
            "total": (),
            "segment_squares": (),
            "judge_sizes": (judges,),
            "document_sizes": (len(self.documents),),
            "blocks": (used, used),
            "segments": (used, used),
            "judge_cells": (judges, layout.size),
            "resampled": (resamples, layout.size),
        }
        sums: dict[str, Any] = dict.fromkeys(shapes)
        for counts, (names, judge, document) in parts:
            kept = np.array([systems.index(name) for name in names], dtype=np.int64)
            cells = layout.cells_of(kept)
            square = np.ix_(*[layout.used_of(kept)] * 2)
            places: dict[str, Any] = {
                "cells": with_ties.cells_of(kept),
                "judge_sizes": judge,
                "document_sizes": document,
                "blocks": square,
                "segments": square,
                "judge_cells": np.ix_(judge, cells),
                "resampled": (slice(None), cells),
            }
            for name, shape in shapes.items():
                added = getattr(counts, name)
                if added is not None:
                    if sums[name] is None:
                        sums[name] = np.zeros(shape, dtype=np.int64)
                    sums[name][places.get(name, ...)] += added
        return LayoutCounts(**sums)

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
        counts = self._counts[self.wanted.kinds.index((layout.ties, layout.outright))]
        if self.documents_count:
            documents = len(self.documents)
        else:
            documents = 0
        if counts.judge_cells is None:
            own = None
        else:
            own = counts.judge_cells[:, layout.used]
        judges = None if own is None else own.T @ own
        keeps = self.wanted.keeps
        units = {"blocks": counts.blocks, "segments": counts.segments, "judges": judges}
        moments = None
        if (
            counts.blocks is not None
            and counts.segments is not None
            and judges is not None
        ):
            moments = AllMoments(counts.blocks, counts.segments, judges)
        return CountedJudgments(
            systems=self.systems,
            layout=layout_with_ties(method, n),
            cells=counts.cells,
            blocks=self.blocks,
            segments=self.segments,
            judges=len(self.judges),
            documents=documents,
            sizes=UnitSizes(
                total=int(counts.total),
                segments=int(counts.segment_squares),
                judges=int(counts.judge_sizes @ counts.judge_sizes),
                documents=int(counts.document_sizes @ counts.document_sizes)
                if documents
                else None,
            ),
            moments=moments,
            resampled=counts.resampled,
            units=units[keeps] if keeps in ("blocks", "segments", "judges") else None,
        )


def _places(numbers: dict[str, int], names: tuple[str, ...]) -> Int64Array:
    """Return the number of each name; new names get the next ones."""
    positions = []
    for name in names:
        positions.append(numbers.setdefault(name, len(numbers)))
    return np.array(positions, dtype=np.int64)
