"""The tallies of a test set, kept up to date judgment by judgment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.tallies import AgreementTallies, no_agreement, tally_agreement
from ranking.core.counting.counts import count
from ranking.core.counting.effective_numbers import UnitSizes, counts_per_block, unit_sizes
from ranking.core.counting.resampling import Resampling
from ranking.core.judged.blocks import Blocks
from ranking.core.live.changes import changed_rows
from ranking.core.live.definition import Definition
from ranking.core.live.live_moments import LiveMoments
from ranking.core.live.packing import (
    Buffer,
    DamagedStateError,
    IntArray,
    digest_of,
    packed,
    unpacked,
)
from ranking.core.live.tallies import RunTallies, refuse_other_systems
from ranking.core.rankings.counted_judgments import RESAMPLED, CountedJudgments, layout_with_ties

Int64Array = npt.NDArray[np.int64]
Array = TypeVar("Array", bound=npt.NDArray[Any])


class LiveState:
    """Tallies of judgments, from which the result of a ranking run is computed.

    The tallies of a set of judgments are the same, bit for bit, however the judgments came: one by
    one or at once, in any order, with others that were removed or revised again, or from shards that
    were merged. They are those of `ranking.core.live.tallies.tallies_of_blocks`.

    Neither judgments nor segments are kept. To change a judgment, give all judgments of its segment,
    as they were and as they are. This takes time in proportion to the judgments of the segment, and
    to the cells that a method counts.

    Parameters
    ----------
    definition : Definition
        What the tallies are of.
    """

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        systems, method = len(definition.systems), definition.counts_method
        self._layout, self._of_method = layout_with_ties(method, systems), method.layout(systems)
        self._cells: Int64Array = np.zeros(self._layout.size, dtype=np.int64)
        #: Number of segments, and the sum of squares of their sizes.
        self._segments = np.zeros(2, dtype=np.int64)
        self._agreement = no_agreement(())
        #: Blocks and size of each document, and size of each judge's blocks.
        self._documents: dict[int, Int64Array] = {}
        self._judges: dict[str, int] = {}
        self._moments = LiveMoments(self._of_method) if definition.keeps == "two_way" else None
        # One row for each cell: a judgment changes few rows, each as a whole.
        rows = self._of_method.size if definition.keeps in RESAMPLED else 0
        self._resampled: Int64Array = np.zeros((rows, definition.resamples), dtype=np.int64)

    def apply(
        self, before: Blocks, after: Blocks, differing: tuple[Blocks, Blocks] | None = None
    ) -> None:
        """Replace the judgments of some segments.

        Parameters
        ----------
        before, after : Blocks
            All judgments of these segments, as they were when the state last saw them and as they
            are now; over the systems of the definition, with documents. The
            number of a document must always be the same.
        differing : tuple of Blocks or None
            What `changed_rows` returns of these two, if the caller knows it. Rows may be in both parts.

        Raises
        ------
        ValueError
            If the systems differ, documents are missing, or the state cannot hold the judgments
            `before`; then nothing is changed. (The state keeps counts instead of judgments, so it
            cannot detect all mistakes.)
        """
        for blocks in (before, after):
            refuse_other_systems(blocks, self.definition)
            if blocks.document is None:
                raise ValueError("document: this state is of blocks that name their documents")
        before, after = before.with_judges_in_order(), after.with_judges_in_order()
        removed, added = changed_rows(before, after) if differing is None else differing
        self._refuse(removed)
        if self._moments is not None:
            self._moments.change(removed, added, before, after)
        for blocks, sign in ((removed, -1), (added, 1)):
            self._change_rows(blocks, sign)
        self._judge_again(after)
        for blocks, sign in ((before, -1), (after, 1)):
            self._change_segments(blocks, sign)
        self._drop_empty()

    def merge(self, other: LiveState) -> None:
        """Add the judgments of another state, which must be of other segments.

        Raises
        ------
        ValueError
            If the states are of other definitions.
        """
        if self.definition != other.definition:
            raise ValueError("only states of the same definition can be merged")
        if self._moments is not None and other._moments is not None:
            self._moments.merge(other._moments)
        self._cells += other._cells
        self._segments += other._segments
        self._resampled += other._resampled
        for document, numbers in other._documents.items():
            self._documents[document] = self._documents.get(document, 0) + numbers
        for name, size in other._judges.items():
            self._judges[name] = self._judges.get(name, 0) + size
        self._agreement = self._agreement.over(tuple(sorted(self._judges)))
        self._agreement.change(other._agreement, 1)

    def tallies(self) -> RunTallies:
        """Return the tallies of the judgments so far, as copies."""
        agreement = self._agreement
        moments = self._moments
        return RunTallies(
            definition=self.definition,
            counted=CountedJudgments(
                systems=self.definition.systems,
                layout=self._layout,
                cells=self._cells.copy(),
                blocks=int(agreement.blocks.sum()),
                segments=int(self._segments[0]),
                judges=len(agreement.judges),
                documents=len(self._documents),
                sizes=self._sizes(),
                moments=None if moments is None else moments.moments(),
                resampled=self._resampled.T.copy() if len(self._resampled) else None,
            ),
            agreement=agreement.over(agreement.judges),
        )

    def digest(self) -> bytes:
        """Return 16 bytes that are the same for the same definition and judgments only."""
        return digest_of(self._header(), self._arrays())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LiveState) and self.digest() == other.digest()

    __hash__ = None  # type: ignore[assignment]  # it changes

    def packed(self) -> bytes:
        """Return the state as bytes, see `ranking.core.live.packing`."""
        return packed(self._header(), self._arrays())

    @classmethod
    def unpacked(cls, data: Buffer, definition: Definition) -> LiveState:
        """Return the state of these bytes.

        Raises
        ------
        DamagedStateError
            If the bytes are not as they were packed, or of another definition or other code.
        """
        header, arrays = unpacked(data)
        if header["definition"] != definition.digest.hex():
            raise DamagedStateError(
                "state: its tallies are of another definition, or by other code"
            )
        state, judges = cls(definition), tuple(header["judges"])
        of_moments = _of("moments/", arrays)
        wide = {
            name: array.astype(np.int64)
            for name, array in arrays.items()
            if not name.startswith("moments/")
        }
        state._cells, state._segments = wide["cells"], wide["segments"]
        state._resampled = wide["resampled"]
        state._judges = dict(zip(judges, wide["judges"].tolist(), strict=True))
        for document, *numbers in wide["documents"].tolist():
            state._documents[document] = np.array(numbers, dtype=np.int64)
        state._agreement = AgreementTallies(judges=judges, **_of("agreement/", wide))
        if state._moments is not None:
            state._moments.take_arrays(of_moments, judges)
        return state

    def _header(self) -> dict[str, Any]:
        return {
            "definition": self.definition.digest.hex(),
            "judges": list(self._agreement.judges),
        }

    def _arrays(self) -> dict[str, IntArray]:
        judges = self._agreement.judges
        documents = [[number, *kept] for number, kept in sorted(self._documents.items())]
        found: dict[str, IntArray] = {
            "cells": self._cells,
            "segments": self._segments,
            "resampled": self._resampled,
            "judges": np.array([self._judges[name] for name in judges], dtype=np.int64),
            "documents": np.array(documents, dtype=np.int64).reshape(len(documents), 3),
        }
        found |= {f"agreement/{name}": array for name, array in self._agreement.arrays().items()}
        if self._moments is not None:
            of_moments = self._moments.arrays(judges)
            found |= {f"moments/{name}": array for name, array in of_moments.items()}
        return found

    def _sizes(self) -> UnitSizes:
        documents = sum(int(kept[1]) ** 2 for kept in self._documents.values())
        return UnitSizes(
            total=sum(self._judges.values()),
            segments=int(self._segments[1]),
            judges=sum(size**2 for size in self._judges.values()),
            documents=documents,
        )

    def _refuse(self, removed: Blocks) -> None:
        """Raise ValueError if judgments cannot be among those counted."""
        if not len(removed):
            return
        kept = dict(zip(self._agreement.judges, self._agreement.blocks.tolist(), strict=True))
        of_judges = np.bincount(removed.judge, minlength=len(removed.judges)).tolist()
        few = any(
            blocks > kept.get(name, 0)
            for name, blocks in zip(removed.judges, of_judges, strict=True)
        )
        if few or np.any(self._cells < count(removed, self._layout)):
            raise ValueError("before: these judgments were never added, or are removed already")
        if self._moments is not None:
            self._moments.refuse(removed)

    def _change_rows(self, blocks: Blocks, sign: int) -> None:
        """Add or remove what judgments add to the counts, whatever else is in their segments."""
        if not len(blocks):
            return
        self._cells += sign * count(blocks, self._layout)
        sizes = counts_per_block(blocks, self._of_method)
        of_judges = np.bincount(blocks.judge, sizes, len(blocks.judges)).astype(np.int64)
        for name, size in zip(blocks.judges, of_judges.tolist(), strict=True):
            self._judges[name] = self._judges.get(name, 0) + sign * size
        if blocks.document is not None:
            numbers, of_block = np.unique(blocks.document, return_inverse=True)
            blocks_sizes = np.stack([np.bincount(of_block), np.bincount(of_block, sizes)])
            changes = sign * blocks_sizes.T.astype(np.int64)
            for document, change in zip(numbers.tolist(), changes, strict=True):
                self._documents[document] = self._documents.get(document, 0) + change
        if len(self._resampled):
            level, ids = self.definition.keeps, range(self.definition.resamples)
            if level is not None:
                counted = Resampling(level, self.definition.seed).counts(
                    blocks, self._of_method, ids
                )
                self._resampled += sign * counted.T

    def _judge_again(self, after: Blocks) -> None:
        """Make room for judges who are new."""
        names = tuple(sorted({*self._agreement.judges, *after.judges}))
        if names != self._agreement.judges:
            self._agreement = self._agreement.over(names)

    def _change_segments(self, blocks: Blocks, sign: int) -> None:
        """Add or remove what whole segments add."""
        if not len(blocks):
            return
        sizes = unit_sizes(blocks, counts_per_block(blocks, self._of_method))
        self._segments += sign * np.array([len(np.unique(blocks.segment)), sizes.segments])
        self._agreement.change(tally_agreement(blocks), sign)

    def _drop_empty(self) -> None:
        """Forget judges and documents without a judgment."""
        judges, blocks = self._agreement.judges, self._agreement.blocks
        if not blocks.all():
            kept = tuple(name for name, own in zip(judges, blocks, strict=True) if own)
            self._agreement = self._agreement.over(kept)
            self._judges = {name: self._judges[name] for name in kept}
        for document in [number for number, kept in self._documents.items() if not kept[0]]:
            del self._documents[document]


def _of(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
