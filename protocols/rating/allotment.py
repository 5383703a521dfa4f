"""Who rates which text: each text by so many judges, no judge a segment twice, all alike in work.

An item is a segment and a distinct text of it, and is rated by the same judges in both passes. A rating
here is one judge on one item. With K_s distinct texts of segment s, S segments, J judges who rate up to c
items each, and r judges an item, an allotment exists exactly if

    r · K_s ≤ J for each segment s,    and    r · Σ_s K_s ≤ J · min(c, S).

*Necessary*: no judge meets a segment twice, so segment s needs r · K_s different judges, and nobody rates
more than min(c, S) items. *Sufficient*: go round the judges in a circle, and give each segment the next
r · K_s of them. These differ, by the first condition, and everybody gets ⌊r Σ K_s / J⌋ or one more, which
is at most min(c, S), by the second. Where all segments have K texts, the second condition implies the
first, because min(c, S) ≤ S.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

Int64Array = npt.NDArray[np.int64]

#: Items of one judge that are handed out together.
HIT_SIZE = 10


class NotFeasibleError(ValueError):
    """There are too few judges, or they rate too few items each."""

    def __init__(self, feasibility: Feasibility) -> None:
        super().__init__(
            f"{feasibility.ratings} ratings of a pass need at least {feasibility.needed_judges} judges; "
            f"there are {feasibility.judges}"
        )
        self.feasibility = feasibility


@dataclass(frozen=True)
class Feasibility:
    """Whether an allotment exists, and what it would need.

    Attributes
    ----------
    is_feasible : bool
    ratings : int
        Ratings of one pass: r · Σ K_s.
    judges : int
        Those that there are.
    room : int
        Ratings of one pass that they can give: J · min(c, S).
    needed_judges : int
        The fewest with which it is feasible.
    judges_of_a_segment : int
        Different judges that the segment with most texts needs.
    needed_items_per_judge : int or None
        The fewest items of each judge with which these judges would do; None if no number would.
    """

    is_feasible: bool
    ratings: int
    judges: int
    room: int
    needed_judges: int
    judges_of_a_segment: int
    needed_items_per_judge: int | None


def feasibility(
    texts: Sequence[int], *, judges: int, raters: int = 2, items_per_judge: int | None = None
) -> Feasibility:
    """Say whether an allotment exists, before anything is opened.

    Parameters
    ----------
    texts : sequence of int, length S
        Distinct texts of each segment.
    judges : int
        J.
    raters : int
        Judges of an item, at least 1.
    items_per_judge : int, optional
        Most items of a judge; as many as there are segments if not given.

    Returns
    -------
    Feasibility

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    if judges < 0 or raters < 1 or any(count < 0 for count in texts):
        raise ValueError("texts and judges must not be negative, and raters at least 1")
    if items_per_judge is not None and items_per_judge < 1:
        raise ValueError("items_per_judge: expected at least 1")
    most = len(texts) if items_per_judge is None else min(items_per_judge, len(texts))
    ratings = raters * sum(texts)
    of_segment = raters * max(texts, default=0)
    needed = max(of_segment, -(-ratings // most)) if ratings else 0
    return Feasibility(
        is_feasible=judges >= needed,
        ratings=ratings,
        judges=judges,
        room=judges * most,
        needed_judges=needed,
        judges_of_a_segment=of_segment,
        needed_items_per_judge=-(-ratings // judges) if judges and judges >= of_segment else None,
    )


@dataclass(frozen=True, eq=False)
class Allotment:
    """Who rates what: N ratings of one pass, in the order of their segments.

    Attributes
    ----------
    segment, text, judge : int64, shape (N,)
        Places of the segment, of the text within it, and of the judge.
    """

    segment: Int64Array
    text: Int64Array
    judge: Int64Array

    def __len__(self) -> int:
        return len(self.judge)


def allot(
    texts: Sequence[Sequence[Sequence[int]]],
    *,
    judges: int,
    raters: int = 2,
    items_per_judge: int | None = None,
    seed: int = 0,
) -> Allotment:
    """Allot all items to judges, at random and balanced.

    Judges rate equally many items, or one more. Where all segments have one text of each system, judges
    also meet each system equally often, or once more. Where systems share texts, that cannot always be; each segment then
    goes to its judges so that those who met a system least get it.

    Parameters
    ----------
    texts : sequence, length S
        For each segment its distinct texts, each as the places of the systems that wrote it.
    judges, raters, items_per_judge
        As for `feasibility`.
    seed : int

    Returns
    -------
    Allotment

    Raises
    ------
    NotFeasibleError
        If there is none.
    ValueError
        If a number is out of range.
    """
    sizes = [len(of_segment) for of_segment in texts]
    found = feasibility(sizes, judges=judges, raters=raters, items_per_judge=items_per_judge)
    if not found.is_feasible:
        raise NotFeasibleError(found)
    random = np.random.default_rng(seed)
    groups = _round_by_round([raters * size for size in sizes], judges, random)
    systems = 1 + max((system for each in texts for text in each for system in text), default=-1)
    single = all([list(text) for text in each] == [[k] for k in range(systems)] for each in texts)
    if single:
        chosen = _equitable(groups, systems, judges, random)
    else:
        chosen = _least_met(groups, texts, raters, np.zeros((judges, systems)), random)
    return Allotment(
        segment=np.repeat(np.arange(len(texts)), [len(group) for group in groups]),
        text=np.array([text for each in chosen for text in each], dtype=np.int64),
        judge=np.array([judge for group in groups for judge in group], dtype=np.int64),
    )


def _round_by_round(
    needed: Sequence[int], judges: int, random: np.random.Generator
) -> list[list[int]]:
    """Return the judges of each segment: rounds through all judges, each in an order of its own."""
    waiting: list[int] = []
    groups = []
    for place in random.permutation(len(needed)).tolist():
        group, waiting = waiting[: needed[place]], waiting[needed[place] :]
        if len(group) < needed[place]:
            # A new round, whose first judges must not be of this segment already.
            order = random.permutation(judges).tolist()
            fresh = [judge for judge in order if judge not in group]
            taken = fresh[: needed[place] - len(group)]
            group = group + taken
            waiting = [judge for judge in order if judge not in taken]
        groups.append((place, group))
    return [random.permutation(group).tolist() for _place, group in sorted(groups)]


def _equitable(
    groups: Sequence[Sequence[int]], systems: int, judges: int, random: np.random.Generator
) -> list[list[int]]:
    """Return the system for each judge of each segment, every judge meeting all equally often.

    Segments and judges are the sides of a bipartite graph, and systems are colours of its edges. Each
    vertex is split into vertices of at most K edges, and a graph with at most K edges a vertex can be
    coloured properly with K colours (König 1916): then a full part of a vertex has each colour once.
    """
    parts: dict[tuple[str, int, int], dict[int, int]] = {}
    ends: list[tuple[tuple[str, int, int], tuple[str, int, int]]] = []
    met = [0] * judges
    for segment, group in enumerate(groups):
        for place, judge in enumerate(group):
            ends.append(
                (("segment", segment, place // systems), ("judge", judge, met[judge] // systems))
            )
            met[judge] += 1
    colour: list[int] = [-1] * len(ends)
    shuffled = random.permutation(systems).tolist()
    for edge, (one, other) in enumerate(ends):
        of_one, of_other = parts.setdefault(one, {}), parts.setdefault(other, {})
        free = next(each for each in shuffled if each not in of_one)
        wanted = next(each for each in shuffled if each not in of_other)
        if free in of_other:
            _swap(parts, ends, colour, other, free, wanted)
        colour[edge] = free
        of_one[free] = of_other[free] = edge
    found = iter(colour)
    return [[next(found) for _judge in group] for group in groups]


def _swap(
    parts: Mapping[tuple[str, int, int], dict[int, int]],
    ends: Sequence[tuple[tuple[str, int, int], tuple[str, int, int]]],
    colour: list[int],
    start: tuple[str, int, int],
    free: int,
    wanted: int,
) -> None:
    """Exchange two colours on the path from `start`, after which `free` is free there.

    The path cannot reach the other end of the edge that is to be coloured: it comes to vertices of that side by
    edges of colour `free`, and that vertex has none.
    """
    path, vertex, current = [], start, free
    while current in parts[vertex]:
        edge = parts[vertex][current]
        path.append(edge)
        one, other = ends[edge]
        vertex = other if vertex == one else one
        current = wanted if current == free else free
    for edge in path:
        for vertex in ends[edge]:
            del parts[vertex][colour[edge]]
        colour[edge] = wanted if colour[edge] == free else free
    for edge in path:
        for vertex in ends[edge]:
            parts[vertex][colour[edge]] = edge


def _least_met(
    groups: Sequence[Sequence[int]],
    texts: Sequence[Sequence[Sequence[int]]],
    raters: int,
    met: npt.NDArray[np.float64],
    random: np.random.Generator,
) -> list[list[int]]:
    """Return the text for each judge of each segment; `met` counts systems by judge, and is updated."""
    chosen: list[list[int]] = [[] for _group in groups]
    for segment in random.permutation(len(groups)).tolist():
        wanted = [text for text in range(len(texts[segment])) for _rater in range(raters)]
        chosen[segment] = _assigned(groups[segment], wanted, texts[segment], met, random)
    return chosen


def _assigned(
    group: Sequence[int],
    wanted: Sequence[int],
    texts: Sequence[Sequence[int]],
    met: npt.NDArray[np.float64],
    random: np.random.Generator,
) -> list[int]:
    """Return which of the `wanted` texts each judge of a segment gets, as many as there are judges."""
    if not wanted:
        return []
    # What a choice adds to the sum of squared counts of a judge, but for a constant.
    cost = np.array([[met[judge, list(texts[text])].sum() for text in wanted] for judge in group])
    rows, columns = linear_sum_assignment(cost + random.random(cost.shape) * 1e-6)
    found = [0] * len(group)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        found[row] = wanted[column]
        met[group[row], list(texts[wanted[column]])] += 1
    return found


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
        chosen = _assigned(group, placed, texts[segment], counts, random) if group else []
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


def hits(
    allotment: Allotment, *, pass_number: int, size: int = HIT_SIZE, seed: int = 0
) -> list[Int64Array]:
    """Return the HITs of a pass: rows of the allotment, at most `size` of one judge each.

    The order is random, and anew in each pass, never that of a document.

    Parameters
    ----------
    allotment : Allotment
    pass_number : int
        1 for fluency, 2 for adequacy.
    size : int
        At least 1.
    seed : int

    Returns
    -------
    list of int64 arrays
        Of the judges in their order, each with at least one row.

    Raises
    ------
    ValueError
        If `size` or `pass_number` is less than 1.
    """
    if size < 1 or pass_number < 1:
        raise ValueError("size and pass_number: expected at least 1")
    random = np.random.default_rng([seed, pass_number])
    found: list[Int64Array] = []
    for judge in np.unique(allotment.judge).tolist():
        rows = random.permutation(np.flatnonzero(allotment.judge == judge))
        found += [rows[start : start + size] for start in range(0, len(rows), size)]
    return found
