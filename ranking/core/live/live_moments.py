"""Second moments of counts over every kind of unit, updated when judgments change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ranking.core.counting.all_moments import AllMoments
from ranking.core.counting.counts import Layout, counts_of_units
from ranking.core.counting.moments import ClusterUnit, second_moments, units_of
from ranking.core.counting.tallies import chunks
from ranking.core.judged.blocks import Blocks
from ranking.core.live.kept_units import (
    FEW,
    UNITS_AT_A_TIME,
    KeptUnits,
    Key,
    change_moments,
)
from ranking.core.live.packing import IntArray

Int64Array = npt.NDArray[np.int64]

#: Kinds of units that later judgments may belong to.
JUDGES, DOCUMENTS, JUDGES_OF_DOCUMENTS = KINDS = ("judges", "documents", "judges of documents")


class LiveMoments:
    """Second moments over blocks, segments, judges and documents.

    They equal those of `ranking.core.counting.all_moments.all_moments`, bit for bit, however the
    judgments came. The counts of segments are not kept: whoever changes a judgment gives all
    judgments of its segment. One more judgment takes time in proportion to its comparisons times k,
    and to the judgments of its segment. Memory holds five k × k counts, and
    the counts of each judge, each document, and each judge's blocks of each document.

    Parameters
    ----------
    layout : Layout
        With k used cells.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        size = len(layout.used)
        self.blocks: Int64Array = np.zeros((size, size), dtype=np.int64)
        self.segments: Int64Array = np.zeros((size, size), dtype=np.int64)
        self.units = {kind: KeptUnits(size) for kind in KINDS}

    def moments(self) -> AllMoments:
        """Return the moments of the judgments so far, as copies."""
        of_units = (kept.matrix.copy() for kept in self.units.values())
        return AllMoments(self.blocks.copy(), self.segments.copy(), *of_units)

    def refuse(self, removed: Blocks) -> None:
        """Raise ValueError if some judgments cannot be among those counted."""
        for kind, kept in self.units.items():
            keys, own = _keys([removed], kind)
            for some, counts in self._by_unit([(removed, 1)], own, len(keys)):
                if np.any(kept.dense(keys[some]) < counts):
                    raise ValueError(
                        "before: these judgments were never added, or are removed already"
                    )

    def change(self, removed: Blocks, added: Blocks, before: Blocks, after: Blocks) -> None:
        """Remove and add judgments; `before` and `after` are all judgments of their segments."""
        changed = [(removed, -1), (added, 1)]
        if len(removed) + len(added) <= FEW:
            for blocks, sign in changed:
                counts = self._each(blocks)
                gone = counts if sign < 0 else np.zeros_like(counts)
                change_moments(self.blocks, gone, sign * counts)
        else:
            self.blocks += self._moments(added, "blocks") - self._moments(removed, "blocks")
        self._change_segments(removed, added, before, after)
        for kind, kept in self.units.items():
            keys, own = _keys([removed, added], kind)
            for some, changes in self._by_unit(changed, own, len(keys)):
                kept.change(keys[some], changes)

    def merge(self, other: LiveMoments) -> None:
        """Add the moments of other judgments, of other segments."""
        self.blocks += other.blocks
        self.segments += other.segments
        for kind, kept in self.units.items():
            kept.merge(other.units[kind])

    def arrays(self, judges: tuple[str, ...]) -> dict[str, IntArray]:
        """Return everything as arrays, see `KeptUnits.arrays`."""
        found: dict[str, IntArray] = {"blocks": self.blocks, "segments": self.segments}
        for kind, kept in self.units.items():
            found |= {f"{kind}/{name}": array for name, array in kept.arrays(judges).items()}
        return found

    def take_arrays(self, arrays: dict[str, IntArray], judges: tuple[str, ...]) -> None:
        """Hold what `arrays` returned."""
        self.blocks, self.segments = (
            arrays[name].astype(np.int64) for name in ("blocks", "segments")
        )
        for kind in self.units:
            own = {
                name.removeprefix(f"{kind}/"): array
                for name, array in arrays.items()
                if name.startswith(f"{kind}/")
            }
            self.units[kind] = KeptUnits.from_arrays(own, judges, with_judges=kind != DOCUMENTS)

    def _change_segments(
        self, removed: Blocks, added: Blocks, before: Blocks, after: Blocks
    ) -> None:
        numbers = np.unique(np.concatenate([removed.segment, added.segment]))
        if len(numbers) <= FEW:
            whole = before.take(np.isin(before.segment, numbers))
            old, gone, new = (
                self._counts(blocks, np.searchsorted(numbers, blocks.segment), len(numbers))
                for blocks in (whole, removed, added)
            )
            change_moments(self.segments, old, new - gone)
        else:
            self.segments += self._moments(after, "segments") - self._moments(before, "segments")

    def _moments(self, blocks: Blocks, unit: ClusterUnit) -> Int64Array:
        return second_moments(blocks, self.layout, units_of(blocks, unit))

    def _each(self, blocks: Blocks) -> Int64Array:
        """Return the counts of each judgment, shape (B, k)."""
        return self._counts(blocks, np.arange(len(blocks)), len(blocks))

    def _counts(self, blocks: Blocks, own: Int64Array, units: int) -> Int64Array:
        """Return the counts of units, shape (U, k), from the number of each judgment's unit."""
        return counts_of_units(blocks, self.layout, own, units)[:, self.layout.used]

    def _by_unit(
        self, signed: Sequence[tuple[Blocks, int]], own: Int64Array, units: int
    ) -> Iterator[tuple[slice, Int64Array]]:
        """Yield the counts of units, shape (U, k) of some at a time.

        `signed` are judgments, and 1 or −1 for those that are added or removed; `own` are the numbers
        of their units, 0 … `units` − 1, all one after the other.
        """
        ends = np.cumsum([len(blocks) for blocks, _sign in signed])[:-1]
        parts = [
            (blocks, sign, mine, np.argsort(mine, kind="stable"))
            for (blocks, sign), mine in zip(signed, np.split(own, ends), strict=True)
        ]
        for some in chunks(units, UNITS_AT_A_TIME):
            found = np.zeros((some.stop - some.start, len(self.blocks)), dtype=np.int64)
            for blocks, sign, mine, order in parts:
                first, last = np.searchsorted(mine, [some.start, some.stop], sorter=order)
                rows = order[first:last]
                found += sign * self._counts(blocks.take(rows), mine[rows] - some.start, len(found))
            yield some, found


def _keys(parts: Sequence[Blocks], kind: str) -> tuple[list[Key], Int64Array]:
    """Return the units of blocks, and the number of each block's unit."""
    names = sorted({name for blocks in parts for name in blocks.judges})
    place = {name: index for index, name in enumerate(names)}
    judge = np.concatenate(
        [
            np.array([place[name] for name in part.judges], dtype=np.int64)[part.judge]
            for part in parts
        ]
    )
    if kind == JUDGES:
        used, own = np.unique(judge, return_inverse=True)
        return [(names[one],) for one in used.tolist()], own
    documents = [part.document for part in parts if part.document is not None]
    if len(documents) < len(parts):
        raise ValueError("document: these blocks name no documents")
    document = np.concatenate(documents).astype(np.int64)
    if kind == DOCUMENTS:
        used, own = np.unique(document, return_inverse=True)
        return [(one,) for one in used.tolist()], own
    used, own = np.unique(document * len(names) + judge, return_inverse=True)
    pairs = (divmod(code, len(names)) for code in used.tolist())
    return [(names[one], number) for number, one in pairs], own
