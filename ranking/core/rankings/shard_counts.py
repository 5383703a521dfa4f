"""Rankings from the added counts of shards.

Counts of shards of whole segments, which add up to those of all judgments.

A shard holds all judgments of its segments and no others. So equal judgments, which are told apart by
their occurrence (`ranking.core.judged.blocks`), are in one shard, and moments over blocks and
segments are sums over shards. Judges and documents may be in many shards: they are counted by name.
All numbers are whole, so shards may be added in any order, however segments were cut into shards.

The sum of the counts of shards, and rankings from it.

Rankings from the counts of shards: those that `rank` returns for all judgments, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, Int32Array, Int64Array
from ranking.core.counting.counts import Layout, UnitSizes, count, counts_of_units, counts_per_block
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    AllMoments,
    Moments,
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
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import Ranking, rank_counted
from ranking.core.sharding import Engine
from ranking.core.uncertainty import errors_by_system, standard_errors_of_counts


@dataclass(frozen=True)
class CountsWanted:
    """Counts to make for each shard.

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
    named: BoolArray,
    place: Int64Array,
    documents: int,
) -> LayoutCounts:
    sizes = counts_per_block(blocks, layout)
    segment = np.unique(blocks.segment, return_inverse=True)[1]
    by_segment = _summed(segment, sizes, int(segment.max(initial=-1)) + 1)
    keeps, judges = wanted.keeps, len(blocks.judges)
    moments: dict[str, Int64Array | None] = {
        unit: second_moments(blocks, layout, units_of(blocks, unit))
        if keeps in (unit, "two_way")
        else None
        for unit in CLUSTER_UNITS[:2]
    }
    return LayoutCounts(
        **moments,
        cells=count(blocks, Layout(layout.systems, ties=True, outright=layout.outright)),
        total=int(sizes.sum()),
        segment_squares=int(by_segment @ by_segment),
        judge_sizes=_summed(blocks.judge, sizes, judges),
        document_sizes=_summed(place, sizes[named], documents),
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


@dataclass
class AddedCounts:
    """The sum of shards so far: bit for bit the same in any order of addition.

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
        """True if documents are known: each block names one, there are several, and no segment belongs to two."""
        is_known = self.naming == self.blocks and len(self.documents) > 1
        return is_known and not self.has_segment_of_two

    def counted(self, method: CountsMethod) -> tuple[CountedJudgments, Int64Array | None]:
        """Return the result of `count_judgments` over all judgments.

        Parameters
        ----------
        method : CountsMethod
            One whose layout is among those wanted.

        Returns
        -------
        CountedJudgments
            Without moments of documents, which need all judgments.
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
    one = replace(one, document_sizes=np.pad(one.document_sizes, (0, missing)))
    return LayoutCounts(**{each.name: plus(each.name) for each in fields(LayoutCounts)})


class _Placed:
    """Puts counts over some systems where a layout for more systems has them."""

    def __init__(self, larger: Layout, some: tuple[str, ...], systems: tuple[str, ...]) -> None:
        self._larger = larger
        place = {name: index for index, name in enumerate(systems)}
        self._kept = np.array([place[name] for name in some], dtype=np.int64)
        self._cells = larger.cells_of(self._kept)
        self._used = larger.used_of(self._kept)

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


def rank_added(
    counts: AddedCounts,
    method: CountsMethod,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Rank systems from the added counts of shards.

    Parameters
    ----------
    counts : AddedCounts
        With the method's layout and what `RangeOptions.keeps` says. If documents are known, ranges
        must not account for them; that needs all judgments at once.
    method : CountsMethod
        One for which `RangeOptions.is_live` holds.
    parameters : mapping
        All parameters of the method.
    options : RangeOptions
        Of as many resamples as were counted.
    engine, progress
        As for `rank`.

    Returns
    -------
    Ranking
        As from `rank`, standard errors included.
    """
    counted, units = counts.counted(method)
    ranking = rank_counted(
        counted,
        method,
        parameters,
        options,
        seed=counts.wanted.seed,
        engine=engine,
        progress=progress,
    )
    if "standard_errors" in ranking.extra or method.influence is None:
        return ranking
    unranked = {row.system for row in ranking.not_estimable}
    kept = np.flatnonzero([name not in unranked for name in counted.systems]).astype(np.int64)
    ranked = counted.of_systems(kept, method)
    layout, cells = method.layout(len(kept)), ranked.cells_for(method)
    errors = standard_errors_of_counts(
        cells,
        layout,
        method.influence(layout.unpack(cells), **parameters),
        _moments(counted, ranked, method, options, kept, units),
    )
    found = errors_by_system(ranked.systems, options.independent, errors)
    return ranking.with_standard_errors(found)


def _moments(
    counted: CountedJudgments,
    ranked: CountedJudgments,
    method: CountsMethod,
    options: RangeOptions,
    kept: Int64Array,
    units: Int64Array | None,
) -> Moments | Int64Array | None:
    """Return the second moments of the units that are independent, for the kept systems."""
    if options.independent == "pairs":
        return None
    if options.independent == "two_way":
        return ranked.chosen_moments(method)
    if units is None:
        raise ValueError(f"resample: no moments of {options.independent} were counted")
    used = method.layout(len(counted.systems)).used_of(kept)
    return units[np.ix_(used, used)]
