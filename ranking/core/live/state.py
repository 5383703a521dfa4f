"""Tallies updated with each judgment: those of a ranking, and all those of a test set.

A test set needs tallies for its ranking, for the measures of its judges, and for its designs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.tallies import (
    AgreementTallies,
    no_agreement,
    tally_agreement,
)
from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import (
    Tallies,
    UnitSizes,
    count,
    counts_per_block,
    tally,
    unit_sizes,
)
from ranking.core.counting.resampling import Resampling
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.tallies import JudgeTallies, tally_judges
from ranking.core.live.definition import Definition, RunTallies, refuse_other_systems
from ranking.core.live.moments import (
    Buffer,
    LiveMoments,
    MomentsContent,
    judges_renumbered,
    numbered,
    packed,
    unpacked,
)
from ranking.core.rankings.counted_judgments import (
    RESAMPLED,
    CountedJudgments,
    layout_with_ties,
)


def changed_rows(before: Blocks, after: Blocks) -> tuple[Blocks, Blocks]:
    """Return the removed and the new judgments.

    Parameters
    ----------
    before, after : Blocks
        Blocks over the same systems. Judges are compared by name.

    Returns
    -------
    removed, added : Blocks
        Rows of `before` and of `after`, without the rows that both have in common.
    """
    if not len(before) or not len(after):
        return before, after
    names = sorted({*before.judges, *after.judges})
    numbers = numbered(names)
    rows = np.concatenate([_contents(before, numbers), _contents(after, numbers)])
    row_as_bytes = np.dtype((np.void, rows.shape[1]))
    whole = rows.view(row_as_bytes).ravel()
    contents, content = np.unique(whole, return_inverse=True)
    old = content[: len(before)]
    new = content[len(before) :]
    old_counts = np.bincount(old, minlength=len(contents))
    new_counts = np.bincount(new, minlength=len(contents))
    added = new_counts - old_counts
    removed_rows = _first(old, -added)
    added_rows = _first(new, added)
    return before.take(removed_rows), after.take(added_rows)


def _contents(blocks: Blocks, judge_numbers: dict[str, int]) -> npt.NDArray[np.uint8]:
    """Return all columns of each block as bytes, shape (B, width)."""
    if blocks.document is None:
        document = np.full(len(blocks), -1, np.int32)
    else:
        document = blocks.document
    columns = (
        blocks.key,
        blocks.segment,
        judges_renumbered(blocks, judge_numbers),
        document,
        blocks.labels,
        blocks.candidates,
    )
    parts = []
    for column in columns:
        content = np.ascontiguousarray(column).view(np.uint8)
        parts.append(content.reshape(len(blocks), -1))
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def _first(content: Int64Array, counts: Int64Array) -> Int64Array:
    """Return the first `counts` rows of each content; none if the number is negative."""
    order = np.argsort(content, kind="stable")
    ordered = content[order]
    nth = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    return np.sort(order[nth < counts[ordered]])


class LiveState:
    """Tallies of judgments, from which the result of a ranking run is computed.

    The tallies of a set of judgments are bit-identical to those of
    `ranking.core.live.definition.tallies_of_blocks`, regardless of how the judgments arrived: one
    by one or at once, in any order, with others that were later removed or revised.

    Neither judgments nor segments are kept. To change a judgment, pass all judgments of its
    segment, before and after the change. This takes time proportional to the number of judgments of
    the segment, and to the number of cells that the method counts.

    Parameters
    ----------
    definition : Definition
        Definition of the tallies.
    """

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        systems = len(definition.systems)
        method = definition.counts_method
        self._layout = layout_with_ties(method, systems)
        self._of_method = method.layout(systems)
        self._cells: Int64Array = np.zeros(self._layout.size, dtype=np.int64)
        #: Number of segments, and sum of squares of their sizes.
        self._segments = np.zeros(2, dtype=np.int64)
        self._agreement = no_agreement(())
        #: Blocks and size of each document, and size of each judge's blocks.
        self._documents: dict[int, Int64Array] = {}
        self._judges: dict[str, int] = {}
        self._moments: LiveMoments | None = None
        if definition.keeps == "two_way":
            self._moments = LiveMoments(self._of_method)
        # One row for each cell, because a judgment changes only few rows, each as a whole.
        if definition.keeps in RESAMPLED:
            rows = self._of_method.size
        else:
            rows = 0
        self._resampled: Int64Array = np.zeros(
            (rows, definition.resamples),
            dtype=np.int64,
        )

    def apply(
        self,
        before: Blocks,
        after: Blocks,
        differing: tuple[Blocks, Blocks] | None = None,
    ) -> None:
        """Replace the judgments of some segments.

        Parameters
        ----------
        before, after : Blocks
            All judgments of these segments, when last applied to the state and now, over the
            systems of the definition, with documents. The number of a document must never change.
        differing : tuple of Blocks or None
            The result of `changed_rows` for these two, if known. Rows may be in both parts.

        Raises
        ------
        ValueError
            If the systems differ, documents are missing, or the state cannot hold the judgments
            `before`; nothing is changed then. (The state keeps counts instead of judgments, so it
            cannot detect all errors.)
        """
        for blocks in (before, after):
            refuse_other_systems(blocks, self.definition)
            if blocks.document is None:
                raise ValueError(
                    "document: this state is of blocks that name their documents",
                )
        before = before.with_judges_in_order()
        after = after.with_judges_in_order()
        if differing is None:
            removed, added = changed_rows(before, after)
        else:
            removed, added = differing
        self._refuse(removed)
        if self._moments is not None:
            self._moments.change(removed, added, before, after)
        for blocks, sign in ((removed, -1), (added, 1)):
            self._change_rows(blocks, sign)
        self._judge_again(after)
        for blocks, sign in ((before, -1), (after, 1)):
            self._change_segments(blocks, sign)
        self._drop_empty()

    def tallies(self) -> RunTallies:
        """Return the tallies of the judgments so far, as copies."""
        agreement = self._agreement
        counted = CountedJudgments(
            systems=self.definition.systems,
            layout=self._layout,
            cells=self._cells.copy(),
            blocks=int(agreement.blocks.sum()),
            segments=int(self._segments[0]),
            judges=len(agreement.judges),
            documents=len(self._documents),
            sizes=self._sizes(),
        )
        if self._moments is not None:
            counted = replace(counted, moments=self._moments.moments())
        if len(self._resampled):
            counted = replace(counted, resampled=self._resampled.T.copy())
        return RunTallies(
            definition=self.definition,
            counted=counted,
            agreement=agreement.over(agreement.judges),
        )

    def content(self) -> StateContent:
        """Return the state to pack, in an order independent of the order of arrival."""
        judges = self._agreement.judges
        documents = []
        for number, counts in sorted(self._documents.items()):
            documents.append([number, *counts])
        moments = None
        if self._moments is not None:
            moments = self._moments.content(judges)
        return StateContent(
            cells=self._cells,
            segments=self._segments,
            resampled=self._resampled,
            judges={name: self._judges[name] for name in judges},
            documents=np.array(documents, dtype=np.int64).reshape(-1, 3),
            agreement=self._agreement,
            moments=moments,
        )

    @classmethod
    def restored(cls, content: StateContent, definition: Definition) -> LiveState:
        """Restore a state from the result of `content`."""
        state = cls(definition)
        state._cells = content.cells
        state._segments = content.segments
        state._resampled = content.resampled
        state._judges = dict(content.judges)
        for row in content.documents:
            state._documents[int(row[0])] = row[1:]
        state._agreement = content.agreement
        if state._moments is not None and content.moments is not None:
            state._moments.restore(content.moments, state._agreement.judges)
        return state

    def _sizes(self) -> UnitSizes:
        judge_sizes = np.array(list(self._judges.values()), dtype=np.int64)
        # Blocks and size of each document.
        documents = np.array(list(self._documents.values()), dtype=np.int64)
        document_sizes = documents.reshape(-1, 2)[:, 1]
        return UnitSizes(
            total=int(judge_sizes.sum()),
            segments=int(self._segments[1]),
            judges=int(judge_sizes @ judge_sizes),
            documents=int(document_sizes @ document_sizes),
        )

    def _refuse(self, removed: Blocks) -> None:
        """Raise ValueError if the judgments cannot be among those counted."""
        if not len(removed):
            return
        agreement = self._agreement
        blocks_by_judge = dict(
            zip(agreement.judges, agreement.blocks.tolist(), strict=True),
        )
        own = np.bincount(removed.judge, minlength=len(removed.judges))
        counted = np.array([blocks_by_judge.get(name, 0) for name in removed.judges])
        has_cells = np.all(self._cells >= count(removed, self._layout))
        if not has_cells or np.any(own > counted):
            raise ValueError(
                "before: these judgments were never added, or are removed already",
            )

    def _change_rows(self, blocks: Blocks, sign: int) -> None:
        """Add or remove the contributions of judgments that do not depend on the rest of their
        segments.
        """
        if not len(blocks):
            return
        self._cells += sign * count(blocks, self._layout)
        sizes = counts_per_block(blocks, self._of_method)
        judge_sizes = np.bincount(blocks.judge, sizes, len(blocks.judges))
        for name, size in zip(blocks.judges, judge_sizes.tolist(), strict=True):
            size_before = self._judges.get(name, 0)
            self._judges[name] = size_before + sign * int(size)
        if blocks.document is not None:
            numbers, of_block = np.unique(blocks.document, return_inverse=True)
            columns = [np.bincount(of_block), np.bincount(of_block, sizes)]
            changes = sign * np.stack(columns, axis=1).astype(np.int64)
            for document, change in zip(numbers.tolist(), changes, strict=True):
                self._documents[document] = self._documents.get(document, 0) + change
        level = self.definition.keeps
        if level is not None and len(self._resampled):
            ids = range(self.definition.resamples)
            resampling = Resampling(level, self.definition.seed)
            counted = resampling.counts(blocks, self._of_method, ids)
            self._resampled += sign * counted.T

    def _judge_again(self, after: Blocks) -> None:
        """Extend the tallies to new judges."""
        names = tuple(sorted({*self._agreement.judges, *after.judges}))
        if names != self._agreement.judges:
            self._agreement = self._agreement.over(names)

    def _change_segments(self, blocks: Blocks, sign: int) -> None:
        """Add or remove the contributions of whole segments."""
        if not len(blocks):
            return
        sizes = unit_sizes(blocks, counts_per_block(blocks, self._of_method))
        self._segments += sign * np.array(
            [len(np.unique(blocks.segment)), sizes.segments],
        )
        self._agreement.change(tally_agreement(blocks), sign)

    def _drop_empty(self) -> None:
        """Remove judges and documents without judgments."""
        judges = self._agreement.judges
        blocks = self._agreement.blocks
        if not blocks.all():
            remaining = tuple(judges[number] for number in np.flatnonzero(blocks))
            self._agreement = self._agreement.over(remaining)
            self._judges = {name: self._judges[name] for name in remaining}
        for document, counts in list(self._documents.items()):
            if not counts[0]:
                del self._documents[document]


@dataclass(frozen=True, eq=False, kw_only=True)
class StateContent:
    """State of `LiveState` to pack.

    `judges` has the size of each judge's blocks; `documents`, shape (D, 3), the number of each document
    with its blocks and their size.
    """

    cells: Int64Array
    segments: Int64Array
    resampled: Int64Array
    judges: Mapping[str, int]
    documents: Int64Array
    agreement: AgreementTallies
    moments: MomentsContent | None


@dataclass(frozen=True, kw_only=True)
class LiveDefinition:
    """Definition of `LiveTallies`.

    Attributes
    ----------
    ranking : Definition
        Definition of the ranking's tallies, without excluded judges.
    systems : tuple of str
        All systems of the test set, sorted: ranked ones and references.
    reference, bad_reference : str or None
        The reference and the damaged reference among them, if any.
    version : str
        Version of the code that reads judgments, which affects the tallies.
    """

    ranking: Definition
    systems: tuple[str, ...]
    reference: str | None = None
    bad_reference: str | None = None
    version: str = ""

    @property
    def digest(self) -> bytes:
        """Digest of the definition and the code, 16 bytes."""
        content = [
            self.ranking.digest.hex(),
            self.systems,
            self.reference,
            self.bad_reference,
        ]
        text = json.dumps([*content, self.version])
        return blake2b(
            text.encode(),
            digest_size=16,
            person=b"quintet-live-def",
        ).digest()


@dataclass(frozen=True, eq=False)
class ChangedJudgments:
    """All judgments of some segments, at one watermark and at a later one.

    Attributes
    ----------
    before, after : Blocks
        Judgments that count, of all judges, over all systems of the test set, with documents.
    checks_before, checks_after : Blocks
        Judged attention checks at the two watermarks, possibly of other segments.
    seconds : mapping of str to float array
        Times of each judge's first judgments between the two watermarks.
    """

    before: Blocks
    after: Blocks
    checks_before: Blocks
    checks_after: Blocks
    seconds: Mapping[str, FloatArray] = field(default_factory=dict)


class LiveTallies:
    """Tallies of a test set, updated with each judgment.

    They do not depend on how the judgments arrived, see `LiveState`.

    Parameters
    ----------
    definition : LiveDefinition

    Attributes
    ----------
    ranking : LiveState
        Tallies of judges who are not excluded, over the ranked systems.
    pairs : Tallies
        Tallies of the same judges, over all systems.
    judges : JudgeTallies
        Tallies of all judges.
    """

    def __init__(self, definition: LiveDefinition) -> None:
        size = len(definition.systems)
        nothing = np.zeros((size, size), dtype=np.int64)
        self.definition = definition
        self.ranking = LiveState(definition.ranking)
        self.pairs = Tallies(definition.systems, nothing, nothing)
        self.judges = JudgeTallies()

    def apply(self, changed: ChangedJudgments) -> None:
        """Apply changes of judgments.

        Raises
        ------
        ValueError
            If the systems differ, or the tallies cannot contain the earlier judgments. Discard the
            tallies then.
        """
        differing = changed_rows(changed.before, changed.after)
        excluded = self.definition.ranking.excluded
        removed, added = (blocks.without_judges(excluded) for blocks in differing)
        self.ranking.apply(
            self._keep_ranked_systems(changed.before.without_judges(excluded)),
            self._keep_ranked_systems(changed.after.without_judges(excluded)),
            (self._keep_ranked_systems(removed), self._keep_ranked_systems(added)),
        )
        old = tally(removed)
        new = tally(added)
        self.pairs = Tallies(
            self.pairs.systems,
            self.pairs.wins + new.wins - old.wins,
            self.pairs.ties + new.ties - old.ties,
        )
        self._change_judges(changed, differing)

    def packed(self) -> bytes:
        """Return the tallies as bytes, see `ranking.core.live.moments`."""
        content = TalliesContent(self.ranking.content(), self.pairs, self.judges)
        return packed(self.definition.digest, content)

    @classmethod
    def unpacked(cls, data: Buffer, definition: LiveDefinition) -> LiveTallies:
        """Restore tallies from packed bytes.

        Raises
        ------
        DamagedStateError
            If the bytes are damaged, or are from another definition or version of the code.
        """
        content: TalliesContent = unpacked(definition.digest, data)
        state = cls(definition)
        state.ranking = LiveState.restored(content.ranking, definition.ranking)
        state.pairs = content.pairs
        state.judges = content.judges
        return state

    def _keep_ranked_systems(self, blocks: Blocks) -> Blocks:
        others = set(blocks.systems).difference(self.definition.ranking.systems)
        return blocks.without(others)

    def _change_judges(
        self,
        changed: ChangedJudgments,
        differing: tuple[Blocks, Blocks],
    ) -> None:
        """Recount the judgments on the changed segments by judges with changes."""
        before, after = _blocks_of_changed_judges(
            changed.before,
            changed.after,
            differing,
        )
        checks_before = changed.checks_before
        checks_after = changed.checks_after
        differing_checks = changed_rows(checks_before, checks_after)
        checks_before, checks_after = _blocks_of_changed_judges(
            checks_before,
            checks_after,
            differing_checks,
        )
        old = self._judge_tallies(before, checks_before)
        new = self._judge_tallies(after, checks_after, changed.seconds)
        self.judges = self.judges + (new - old)

    def _judge_tallies(
        self,
        blocks: Blocks,
        checks: Blocks,
        seconds: Mapping[str, FloatArray] | None = None,
    ) -> JudgeTallies:
        return tally_judges(
            blocks,
            reference=self.definition.reference,
            attention=checks,
            bad_reference=self.definition.bad_reference,
            seconds=seconds,
        )


@dataclass(frozen=True, eq=False)
class TalliesContent:
    """State of `LiveTallies` to pack."""

    ranking: StateContent
    pairs: Tallies
    judges: JudgeTallies


def _blocks_of_changed_judges(
    before: Blocks,
    after: Blocks,
    differing: tuple[Blocks, Blocks],
) -> tuple[Blocks, Blocks]:
    """Return the judgments of the judges with any differences."""
    names = set()
    for blocks in differing:
        for judge in np.unique(blocks.judge).tolist():
            names.add(blocks.judges[judge])
    old = before.without_judges(set(before.judges).difference(names))
    new = after.without_judges(set(after.judges).difference(names))
    return old, new
