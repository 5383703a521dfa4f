"""The sum of the counts of shards, and rankings from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.all_moments import AllMoments
from ranking.core.counting.counts import Layout
from ranking.core.counting.effective_numbers import UnitSizes
from ranking.core.methods.method import CountsMethod
from ranking.core.rankings.counted_judgments import (
    RESAMPLED,
    CountedJudgments,
    layout_with_ties,
)
from ranking.core.rankings.shard_counts import CountsWanted, LayoutCounts, ShardCounts

Int64Array = npt.NDArray[np.int64]


@dataclass
class AddedCounts:
    """The sum of shards so far: the same bits in whatever order they are added.

    Memory is that of the counts of one shard, and of a number for each judge and document.
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
        """Add a shard, whose systems, judges and documents may be others."""
        self.blocks += shard.blocks
        self.segments += shard.segments
        self.naming += shard.naming
        self.has_segment_of_two |= shard.has_segment_of_two
        judge = _places(self.judges, shard.judges)
        document = _places(self.documents, shard.documents)
        systems = tuple(sorted({*self.systems, *shard.systems}))
        before: list[LayoutCounts | None] = [None] * len(self.wanted.kinds)
        before[: len(self._counts)] = self._counts
        self._counts = [
            self._sum(kind, systems, one, other, shard.systems, judge, document)
            for kind, (one, other) in enumerate(zip(before, shard.counts, strict=True))
        ]
        self.systems = systems

    def _sum(
        self,
        kind: int,
        systems: tuple[str, ...],
        so_far: LayoutCounts | None,
        more: LayoutCounts,
        more_systems: tuple[str, ...],
        judge: Int64Array,
        document: Int64Array,
    ) -> LayoutCounts:
        judges, documents = len(self.judges), len(self.documents)
        added = _Placed(self.wanted.layout(kind, len(systems)), more_systems, systems).counts(
            more, judge, judges, document, documents
        )
        if so_far is None:
            return added
        if self.systems == systems and len(so_far.judge_sizes) == judges:
            kept = so_far
        else:
            rows = np.arange(len(so_far.judge_sizes))
            kept = _Placed(self.wanted.layout(kind, len(systems)), self.systems, systems).counts(
                so_far, rows, judges, np.arange(len(so_far.document_sizes)), documents
            )
        return _sum_of(kept, added, documents)

    @property
    def documents_count(self) -> bool:
        """Whether documents are known: each block names one, there are several, no segment is of two."""
        is_known = self.naming == self.blocks and len(self.documents) > 1
        return is_known and not self.has_segment_of_two

    def counted(self, method: CountsMethod) -> tuple[CountedJudgments, Int64Array | None]:
        """Return what `count_judgments` would count of all judgments.

        Parameters
        ----------
        method : CountsMethod
            One whose layout is among those wanted.

        Returns
        -------
        CountedJudgments
            Without moments of documents: whoever wants these needs all judgments.
        int64, shape (k, k), or None
            Second moments over the units that are resampled, for standard errors.
        """
        n = len(self.systems)
        layout = method.layout(n)
        found = self._counts[self.wanted.kinds.index((layout.ties, layout.outright))]
        documents = len(self.documents) if self.documents_count else 0
        judges = None if found.judge_cells is None else _squares(found.judge_cells[:, layout.used])
        keeps = self.wanted.keeps
        units = {"blocks": found.blocks, "segments": found.segments, "judges": judges}
        moments = None
        if found.blocks is not None and found.segments is not None and judges is not None:
            moments = AllMoments(found.blocks, found.segments, judges)
        counted = CountedJudgments(
            systems=self.systems,
            layout=layout_with_ties(method, n),
            cells=found.cells,
            blocks=self.blocks,
            segments=self.segments,
            judges=len(self.judges),
            documents=documents,
            sizes=UnitSizes(
                total=found.total,
                segments=found.segment_squares,
                judges=int(found.judge_sizes @ found.judge_sizes),
                documents=int(found.document_sizes @ found.document_sizes) if documents else None,
            ),
            moments=moments,
            resampled=found.resampled,
        )
        return counted, units[keeps] if keeps in RESAMPLED and keeps is not None else None


def _places(numbers: dict[str, int], names: tuple[str, ...]) -> Int64Array:
    """Return the number of each name; new names get the next ones."""
    found = [numbers.setdefault(name, len(numbers)) for name in names]
    return np.array(found, dtype=np.int64)


def _squares(cells: Int64Array) -> Int64Array:
    products: Int64Array = cells.T @ cells
    return products


def _sum_of(one: LayoutCounts, other: LayoutCounts, documents: int) -> LayoutCounts:
    def plus(name: str) -> Any:
        first, second = getattr(one, name), getattr(other, name)
        return None if first is None else first + second

    missing = documents - len(one.document_sizes)
    return LayoutCounts(
        cells=one.cells + other.cells,
        total=one.total + other.total,
        segment_squares=one.segment_squares + other.segment_squares,
        judge_sizes=one.judge_sizes + other.judge_sizes,
        document_sizes=np.pad(one.document_sizes, (0, missing)) + other.document_sizes,
        blocks=plus("blocks"),
        segments=plus("segments"),
        judge_cells=plus("judge_cells"),
        resampled=plus("resampled"),
    )


class _Placed:
    """Puts counts over some systems where a layout for more systems has them."""

    def __init__(self, larger: Layout, some: tuple[str, ...], systems: tuple[str, ...]) -> None:
        self._larger = larger
        place = {name: index for index, name in enumerate(systems)}
        self._kept = np.array([place[name] for name in some], dtype=np.int64)
        self._cells = larger.cells_of(self._kept)
        used = np.full(larger.size, -1, dtype=np.int64)
        used[larger.used] = np.arange(len(larger.used))
        self._used = used[self._cells[replace(larger, systems=len(some)).used]]

    def counts(
        self,
        given: LayoutCounts,
        judge: Int64Array,
        judges: int,
        document: Int64Array,
        documents: int,
    ) -> LayoutCounts:
        """Return the counts with rows for all judges and documents."""
        with_ties = replace(self._larger, ties=True)
        sizes = np.zeros(judges, dtype=np.int64)
        sizes[judge] = given.judge_sizes
        of_documents = np.zeros(documents, dtype=np.int64)
        of_documents[document] = given.document_sizes
        by_judge = None
        if given.judge_cells is not None:
            by_judge = np.zeros((judges, self._larger.size), dtype=np.int64)
            by_judge[np.ix_(judge, self._cells)] = given.judge_cells
        return LayoutCounts(
            cells=_spread(given.cells, with_ties.cells_of(self._kept), with_ties.size),
            total=given.total,
            segment_squares=given.segment_squares,
            judge_sizes=sizes,
            document_sizes=of_documents,
            blocks=self._moments(given.blocks),
            segments=self._moments(given.segments),
            judge_cells=by_judge,
            resampled=None
            if given.resampled is None
            else _spread(given.resampled, self._cells, self._larger.size),
        )

    def _moments(self, moments: Int64Array | None) -> Int64Array | None:
        if moments is None:
            return None
        used = len(self._larger.used)
        found = np.zeros((used, used), dtype=np.int64)
        found[np.ix_(self._used, self._used)] = moments
        return found


def _spread(cells: Int64Array, places: Int64Array, size: int) -> Int64Array:
    found = np.zeros((*cells.shape[:-1], size), dtype=np.int64)
    found[..., places] = cells
    return found
