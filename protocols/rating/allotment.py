"""Who rates which text: each text by so many judges, no judge a segment twice, all alike in work.

An item is a segment and a distinct text of it, and is rated by the same judges in both passes. A rating
here is one judge on one item. Whether there is an allotment says `protocols.rating.feasibility`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from protocols.rating.feasibility import NotFeasibleError, feasibility

Int64Array = npt.NDArray[np.int64]

#: Items of one judge that are handed out together.
HIT_SIZE = 10


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
        chosen[segment] = assigned(groups[segment], wanted, texts[segment], met, random)
    return chosen


def assigned(
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
    from scipy.optimize import linear_sum_assignment  # Quintet starts without it

    rows, columns = linear_sum_assignment(cost + random.random(cost.shape) * 1e-6)
    found = [0] * len(group)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        found[row] = wanted[column]
        met[group[row], list(texts[wanted[column]])] += 1
    return found


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
