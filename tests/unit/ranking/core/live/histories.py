"""Histories of judgments: revisions, repeats, blanks, collapsed outputs, attention checks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from hypothesis import strategies as st

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.live.state import LiveState

SYSTEMS = ("anna", "bert", "cilla", "dora", "emil", "_ref")
RANKED = tuple(sorted(set(SYSTEMS) - {"_ref"}))
#: Few layouts, so that the same block is shown to the same judge again.
LAYOUTS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("anna",), ("bert",), ("cilla",)),
    (("bert",), ("anna",), ("cilla",)),
    (("anna", "bert"), ("dora",), ("_ref",)),
    (("dora",), ("emil", "_ref"), ("cilla",), ("anna",)),
    (("_ref",), ("emil",)),
    (("bert",), ("dora",), ("emil",), ("anna",), ("cilla",)),
)


@dataclass(frozen=True)
class Event:
    """A stored judgment; with `revises`, a correction of what that earlier one said."""

    row: BlockRow
    revises: int | None
    attention: bool


@dataclass(frozen=True)
class History:
    """Judgments in the order of their numbers, and the document of each segment."""

    events: tuple[Event, ...]
    documents: dict[int, int]

    def rows(
        self,
        watermark: int,
        segments: Collection[int] | None,
        excluded: Collection[str],
    ) -> list[BlockRow]:
        """Return the judgments that count among the first ones, of some segments."""
        seen = self.events[:watermark]
        superseded = {event.revises for event in seen}
        return [
            event.row
            for number, event in enumerate(seen)
            if number not in superseded
            and not event.attention
            and event.row.judge not in excluded
            and (segments is None or event.row.segment in segments)
        ]

    def blocks(
        self,
        watermark: int,
        segments: Collection[int] | None = None,
        excluded: Collection[str] = (),
    ) -> Blocks:
        """Return them without the reference, as a run reads them."""
        blocks = blocks_from_rows(self.rows(watermark, segments, excluded), SYSTEMS)
        of_blocks = [self.documents[segment] for segment in blocks.segment.tolist()]
        return replace(
            blocks.without(["_ref"]),
            document=np.array(of_blocks, dtype=np.int32),
        )

    def touched(self, start: int, stop: int) -> set[int]:
        """Return the segments of the judgments with these numbers."""
        return {event.row.segment for event in self.events[start:stop]}

    def advance(
        self,
        state: LiveState,
        start: int,
        stop: int,
        excluded: Collection[str] = (),
    ) -> None:
        """Bring a state from one watermark to another."""
        segments = self.touched(start, stop)
        state.apply(
            self.blocks(start, segments, excluded),
            self.blocks(stop, segments, excluded),
        )


def history_of(
    choices: Sequence[tuple[int, int, int, int, tuple[int | None, ...]]],
    documents: Sequence[int],
) -> History:
    """Return a history; each choice is a kind, a judge, a segment, a layout and labels.

    Kinds up to 5 are new judgments, 6 is an attention check, and the others revise one of the
    latest judgments that are not revised yet.
    """
    events: list[Event] = []
    standing: list[int] = []
    for kind, judge, segment, layout, labels in choices:
        if kind > 6 and standing:
            revised = standing.pop(-1 - judge % len(standing))
            old = events[revised]
            row = replace(old.row, labels=list(labels[: len(old.row.candidates)]))
            standing.append(len(events))
            events.append(Event(row, revised, old.attention))
            continue
        shown = LAYOUTS[layout]
        row = BlockRow(f"j{judge}", segment, shown, list(labels[: len(shown)]))
        standing.append(len(events))
        events.append(Event(row, None, attention=kind == 6))
    return History(tuple(events), dict(enumerate(documents)))


_label = st.sampled_from([1, 2, 2, 3, 5, None])
histories = st.builds(
    history_of,
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 4), st.integers(0, 5), st.integers(0, len(LAYOUTS) - 1), st.tuples(*[_label] * 5)), max_size=24,
    ),
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
)  # fmt: skip


def long_history(
    count: int = 400,
    *,
    judges: int = 9,
    segments: int = 40,
    seed: int = 3,
) -> History:
    """Return a history in which every method has ranges, always the same."""
    random = Random(seed)
    choices = [
        (
            random.randint(0, 8),
            random.randint(0, judges - 1),
            random.randint(0, segments - 1),
            random.randint(0, len(LAYOUTS) - 1),
            tuple(random.choice([1, 2, 3, 3, 4, 5, None]) for _ in range(5)),
        )
        for _ in range(count)
    ]
    return history_of(choices, [segment // 5 for segment in range(segments)])
