"""What judges who stopped have left, allotted to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from protocols.rating.allotment import Allotment, Int64Array, assigned


@dataclass(frozen=True, eq=False)
class Replanned:
    """What was left, allotted again.

    Attributes
    ----------
    allotment : Allotment
        Of what could be placed.
    unplaced : int64, shape (U, 3)
        Segment, text and number of ratings for which no judge is left.
    """

    allotment: Allotment
    unplaced: Int64Array


def replan(
    texts: Sequence[Sequence[Sequence[int]]],
    left: Mapping[tuple[int, int], int],
    *,
    met: Sequence[frozenset[int]],
    room: Sequence[int],
    seed: int = 0,
) -> Replanned:
    """Allot what judges who stopped have left to those who have not met the segment.

    As many ratings are placed as can be, which a maximum flow finds; ratings that stay allotted to others are not
    touched.

    Parameters
    ----------
    texts : sequence, length S
        As for `allot`.
    left : mapping of (segment, text) to int
        Ratings that are to be given by somebody else.
    met : sequence of frozenset of int, length J
        Segments that each judge has met, or is allotted.
    room : sequence of int, length J
        Items that each judge may still get; 0 for those who stopped.
    seed : int

    Returns
    -------
    Replanned

    Raises
    ------
    ValueError
        If `met` and `room` differ in length.
    """
    if len(met) != len(room):
        raise ValueError("met and room: expected one of each judge")
    random = np.random.default_rng(seed)
    wanted: dict[int, list[int]] = {}
    for (segment, text), times in sorted(left.items()):
        wanted.setdefault(segment, []).extend([text] * times)
    groups = _by_flow(wanted, met, room, random)
    systems = 1 + max((system for each in texts for text in each for system in text), default=-1)
    counts = np.zeros((len(room), systems))
    rows: list[tuple[int, int, int]] = []
    unplaced: dict[tuple[int, int], int] = {}
    for segment, asked in wanted.items():
        group = groups.get(segment, [])
        # Texts with most ratings left go first, if there are not enough judges for all.
        placed = _spread(asked, len(group))
        chosen = assigned(group, placed, texts[segment], counts, random) if group else []
        rows += [(segment, text, judge) for text, judge in zip(chosen, group, strict=True)]
        for text in set(asked):
            if missing := asked.count(text) - placed.count(text):
                unplaced[segment, text] = missing
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Replanned(
        allotment=Allotment(columns[:, 0], columns[:, 1], columns[:, 2]),
        unplaced=np.array(
            [(*item, times) for item, times in sorted(unplaced.items())], dtype=np.int64
        ).reshape(-1, 3),
    )


def _spread(asked: Sequence[int], count: int) -> list[int]:
    """Return `count` of the texts asked for, each in turn."""
    turns: dict[int, int] = {}
    numbered = []
    for text in asked:
        turns[text] = turns.get(text, 0) + 1
        numbered.append((turns[text], text))
    return [text for _turn, text in sorted(numbered)[:count]]


def _by_flow(
    wanted: Mapping[int, Sequence[int]],
    met: Sequence[frozenset[int]],
    room: Sequence[int],
    random: np.random.Generator,
) -> dict[int, list[int]]:
    """Return judges for each segment, as many as can be: source → segments → judges → sink."""
    segments = random.permutation(sorted(wanted)).tolist()
    judges = random.permutation(len(room)).tolist()
    sink = 1 + len(segments) + len(judges)
    edges: list[tuple[int, int, int]] = []
    for place, segment in enumerate(segments, 1):
        edges.append((0, place, len(wanted[segment])))
        edges += [
            (place, 1 + len(segments) + row, 1)
            for row, judge in enumerate(judges)
            if room[judge] > 0 and segment not in met[judge]
        ]
    edges += [
        (1 + len(segments) + row, sink, max(0, room[judge])) for row, judge in enumerate(judges)
    ]
    start, end, capacity = (np.array(column, dtype=np.int32) for column in zip(*edges, strict=True))
    graph = csr_array((capacity, (start, end)), shape=(sink + 1, sink + 1))
    flow = maximum_flow(graph, 0, sink).flow.tocoo()
    groups: dict[int, list[int]] = {}
    for one, other, amount in zip(
        flow.row.tolist(), flow.col.tolist(), flow.data.tolist(), strict=True
    ):
        if amount > 0 and 1 <= one <= len(segments) < other < sink:
            groups.setdefault(segments[one - 1], []).append(judges[other - 1 - len(segments)])
    return groups
