"""Who rates which text in simulated campaigns: each text by so many judges, no judge a segment twice, all alike in work.

Whether there is an allotment says `protocols.frame.scale.statistics.feasibility`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from protocols.frame.scale.statistics.feasibility import Feasibility, feasibility

Int64Array = npt.NDArray[np.int64]


class NotFeasibleError(ValueError):
    """There are too few judges, or they rate too few items each."""

    def __init__(self, feasibility: Feasibility) -> None:
        super().__init__(
            f"{feasibility.ratings} ratings of a pass need at least {feasibility.needed_judges} judges; "
            f"there are {feasibility.judges}",
        )
        self.feasibility = feasibility


@dataclass(frozen=True, eq=False)
class Allotment:
    """Who rates what: N ratings, in the order of their segments.

    Attributes
    ----------
    segment, system, judge : int64, shape (N,)
        Places.
    """

    segment: Int64Array
    system: Int64Array
    judge: Int64Array

    def __len__(self) -> int:
        return len(self.judge)


def allot(
    *,
    systems: int,
    segments: int,
    judges: int,
    raters: int = 2,
    items_per_judge: int | None = None,
    seed: int = 0,
) -> Allotment:
    """Allot one text of each system of each segment to judges, at random and balanced.

    Judges rate equally many texts, or one more, and meet each system equally often, or once more.

    Parameters
    ----------
    systems, segments : int
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
    sizes = [systems] * segments
    found = feasibility(
        sizes,
        judges=judges,
        raters=raters,
        items_per_judge=items_per_judge,
    )
    if not found.is_feasible:
        raise NotFeasibleError(found)
    random = np.random.default_rng(seed)
    groups = _round_by_round([raters * size for size in sizes], judges, random)
    chosen = _equitable(groups, systems, judges, random)
    return Allotment(
        segment=np.repeat(np.arange(segments), [len(group) for group in groups]),
        system=np.array([system for each in chosen for system in each], dtype=np.int64),
        judge=np.array([judge for group in groups for judge in group], dtype=np.int64),
    )


def _round_by_round(
    needed: Sequence[int],
    judges: int,
    random: np.random.Generator,
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
    groups: Sequence[Sequence[int]],
    systems: int,
    judges: int,
    random: np.random.Generator,
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
                (
                    ("segment", segment, place // systems),
                    ("judge", judge, met[judge] // systems),
                ),
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
