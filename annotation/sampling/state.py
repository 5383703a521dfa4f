"""State on which balanced and active draws depend; recorded so that draws can be repeated."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from operator import itemgetter
from typing import Any, NotRequired, TypedDict

import numpy as np
import numpy.typing as npt

from annotation.sampling.cycles import PlannedCycle, PlannedCycleJSON
from annotation.sampling.parameters import MOST_CANDIDATES, DesignParameters
from annotation.sampling.plans import BlockPlan, HITPlan

Int64Array = npt.NDArray[np.int64]
Float64Array = npt.NDArray[np.float64]


class DrawStateJSON(TypedDict):
    """The state of a draw as stored with its HITs and sequence; `comparisons` are two systems and a number of blocks."""

    systems: list[str]
    pair_counts: list[list[int]]
    position_counts: list[list[int]]
    wins: list[list[float]]
    ties: list[list[float]]
    watermark: int
    planned_cycle: PlannedCycleJSON | None
    comparisons: NotRequired[list[list[Any]]]
    uncompared: NotRequired[list[list[int]]]


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawState:
    """Number of times systems have met in planned blocks, and the comparisons judged so far.

    Damaged references are excluded, because they are controls and are not ranked.

    Attributes
    ----------
    systems : tuple of str
        Names in alphabetical order; they index the arrays.
    pair_counts : int64, shape (n, n)
        Blocks of first HITs in which two systems stand behind different candidates. Repeats show
        the same pairs again and are not counted: designs balance the windows drawn.
    position_counts : int64, shape (n, 26)
        How often each system appears in each position of those blocks.
    wins, ties : float64, shape (n, n)
        Judged comparisons up to `watermark`: ``wins[a, b]`` were won by a against b; `ties` is
        symmetric. Used only by active designs.
    uncompared : int64, shape (n, n)
        Planned comparisons that no judgment made and none is awaited for: of outputs that an answer
        leaves uncompared, of skipped blocks, checks, and excluded judges. Negative where repeats or
        imported judgments add comparisons. Used only by active designs.
    watermark : int
    planned_cycle : PlannedCycle or None
        Blocks that a balanced design has planned together; None in other designs.
    comparisons : tuple of (str, str)
        The pairs of systems that a sort compares now; empty in other designs.
    blocks_wanted : int64, shape (number of comparisons,)
        Blocks of first HITs still to be planned for each comparison; negative if too many are
        planned.
    """

    systems: tuple[str, ...]
    pair_counts: Int64Array
    position_counts: Int64Array
    wins: Float64Array
    ties: Float64Array
    uncompared: Int64Array
    watermark: int = 0
    planned_cycle: PlannedCycle | None = None
    comparisons: tuple[tuple[str, str], ...] = ()
    blocks_wanted: Int64Array = field(
        default_factory=lambda: np.zeros(0, dtype=np.int64),
    )
    index: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        index = {name: i for i, name in enumerate(self.systems)}
        object.__setattr__(self, "index", index)

    @classmethod
    def empty(cls, systems: Iterable[str] = ()) -> "DrawState":
        """Return the state before anything is planned or judged."""
        names = tuple(sorted(set(systems)))
        n = len(names)
        return cls(
            systems=names,
            pair_counts=np.zeros((n, n), dtype=np.int64),
            position_counts=np.zeros((n, MOST_CANDIDATES), dtype=np.int64),
            wins=np.zeros((n, n)),
            ties=np.zeros((n, n)),
            uncompared=np.zeros((n, n), dtype=np.int64),
        )

    def covering(self, systems: Iterable[str]) -> "DrawState":
        """Return this state with these systems added; new ones have no meetings yet."""
        unknown = set(systems) - self.index.keys()
        if not unknown:
            return self
        wider = DrawState.empty((*self.systems, *unknown))
        rows = [wider.index[name] for name in self.systems]
        pairs = np.ix_(rows, rows)
        wider.pair_counts[pairs] = self.pair_counts
        wider.position_counts[rows] = self.position_counts
        wider.wins[pairs] = self.wins
        wider.ties[pairs] = self.ties
        wider.uncompared[pairs] = self.uncompared
        return replace(
            wider,
            watermark=self.watermark,
            planned_cycle=self.planned_cycle,
            comparisons=self.comparisons,
            blocks_wanted=self.blocks_wanted,
        )

    def for_design(
        self,
        parameters: DesignParameters,
        systems: Collection[str],
    ) -> "DrawState":
        """Return this state prepared for a design that draws these systems, references included.

        A planned cycle is kept if it was planned for the same systems and parameters.
        """
        planned_cycle = PlannedCycle.of(parameters, systems)
        if planned_cycle is not None:
            planned_cycle = planned_cycle.continued(self.planned_cycle)
        return replace(self.covering(systems), planned_cycle=planned_cycle)

    def with_cycle(self) -> "DrawState":
        """Return this state with a new cycle planned, if its design plans cycles and one is due."""
        if self.planned_cycle is None:
            return self
        planned_cycle = self.planned_cycle.with_cycle(self.pair_counts, self.index)
        if planned_cycle is self.planned_cycle:
            return self
        return replace(self, planned_cycle=planned_cycle)

    def after(self, plan: HITPlan) -> "DrawState":
        """Return the state after this first HIT is planned."""
        systems: list[str] = []
        for block in plan.blocks:
            for _position, names in block.ranked:
                systems.extend(names)
        state = self.covering(systems).copied()
        for block in plan.blocks:
            state = state.counted(block)
        return state

    def without_hit(self, plan: HITPlan) -> "DrawState":
        """Return the state as if this first HIT, which was counted, had not been planned."""
        state = self.copied()
        for block in plan.blocks:
            state.count(block, -1)
        # The planned cycle depends on its counts.
        if state.planned_cycle is None:
            return state
        return replace(state, planned_cycle=state.planned_cycle.abandoned())

    def judged(
        self,
        *,
        systems: Sequence[str],
        wins: Float64Array,
        ties: Float64Array,
        watermark: int,
    ) -> "DrawState":
        """Return the state with these comparisons instead of those recorded so far.

        Systems not in `systems` get none; `systems` may be in any order.
        """
        state = self.covering(systems)
        rows = [state.index[name] for name in systems]
        pairs = np.ix_(rows, rows)
        won = np.zeros_like(state.wins)
        tied = np.zeros_like(state.ties)
        won[pairs] = wins
        tied[pairs] = ties
        return replace(state, wins=won, ties=tied, watermark=watermark)

    def awaiting(self, waiting: Int64Array, *, redundancy: int) -> "DrawState":
        """Return the state with the planned comparisons that are neither judged nor `waiting` as uncompared.

        `waiting` is in the order of `systems`; each first HIT is planned `redundancy` times.
        """
        judged = self.wins + self.wins.T + self.ties
        planned = self.pair_counts * redundancy
        uncompared = planned - waiting - judged.astype(np.int64)
        return replace(self, uncompared=uncompared)

    def comparing(
        self,
        open_comparisons: Sequence[tuple[str, str, int]],
    ) -> "DrawState":
        """Return the state with these comparisons of a sort, each with the blocks still to be planned for it."""
        comparisons = []
        blocks_wanted = []
        for first, second, blocks in open_comparisons:
            comparisons.append((first, second))
            blocks_wanted.append(blocks)
        return replace(
            self,
            comparisons=tuple(comparisons),
            blocks_wanted=np.array(blocks_wanted, dtype=np.int64),
        )

    def limited(
        self,
        blocks_by_pair: Mapping[tuple[str, str], int],
        *,
        most: int,
    ) -> "DrawState":
        """Return the state with the blocks wanted of each comparison limited to `most` less `blocks_by_pair`."""
        blocks_taken = [blocks_by_pair.get(pair, 0) for pair in self.comparisons]
        blocks_left = most - np.array(blocks_taken, dtype=np.int64)
        blocks_wanted = np.minimum(self.blocks_wanted, blocks_left)
        return replace(self, blocks_wanted=blocks_wanted)

    @property
    def next_comparisons(self) -> list[tuple[tuple[str, str], int]]:
        """Comparisons with the number of blocks wanted, most first. Lists all comparisons if none is wanted."""
        blocks_wanted = self.blocks_wanted.tolist()
        comparisons = list(zip(self.comparisons, blocks_wanted, strict=True))
        comparisons.sort(key=itemgetter(1), reverse=True)
        open_comparisons = [
            comparison for comparison in comparisons if comparison[1] > 0
        ]
        return open_comparisons or comparisons

    def copied(self) -> "DrawState":
        """Return a copy with its own count arrays."""
        return replace(
            self,
            pair_counts=self.pair_counts.copy(),
            position_counts=self.position_counts.copy(),
            blocks_wanted=self.blocks_wanted.copy(),
        )

    def counted(self, block: BlockPlan) -> "DrawState":
        """Return the state after a block of known systems; changes the count arrays in place."""
        if self.planned_cycle is None:
            self.count(block)
            return self
        planned_cycle = self.planned_cycle.with_cycle(self.pair_counts, self.index)
        self.count(block)
        systems_of_texts = [names for _position, names in block.ranked]
        return replace(self, planned_cycle=planned_cycle.after_block(systems_of_texts))

    def count(self, block: BlockPlan, times: int = 1) -> None:
        """Add a block to the counts in place; `times` is -1 to remove it."""
        systems_of_texts = []
        for position, names in block.ranked:
            systems = [self.index[name] for name in names]
            for system in systems:
                self.position_counts[system, position] += times
            systems_of_texts.append(systems)
        self.count_meetings(systems_of_texts, times)
        if self.comparisons and not block.control:
            self._count_compared(block, times)

    def count_meetings(
        self,
        systems_of_texts: Iterable[Sequence[int]],
        times: int = 1,
    ) -> None:
        """Count in place that the systems of these texts, by index, meet those of each other text."""
        # Cell by cell: faster than array indexing at this size.
        for one_text, other_text in combinations(systems_of_texts, 2):
            for a, b in product(one_text, other_text):
                self.pair_counts[a, b] += times
                self.pair_counts[b, a] += times

    def _count_compared(self, block: BlockPlan, times: int) -> None:
        pair = block.why.get("comparison")
        if isinstance(pair, list) and tuple(pair) in self.comparisons:
            number = self.comparisons.index((pair[0], pair[1]))
            self.blocks_wanted[number] -= times

    def to_json(self) -> DrawStateJSON:
        """Return lists and numbers from which `from_json` restores the state bit for bit."""
        planned_cycle = None
        if self.planned_cycle is not None:
            planned_cycle = self.planned_cycle.to_json()
        state: DrawStateJSON = {
            "systems": list(self.systems),
            "pair_counts": self.pair_counts.tolist(),
            "position_counts": self.position_counts.tolist(),
            "wins": self.wins.tolist(),
            "ties": self.ties.tolist(),
            "watermark": self.watermark,
            "planned_cycle": planned_cycle,
        }
        if self.uncompared.any():
            state["uncompared"] = self.uncompared.tolist()
        if self.comparisons:
            comparisons: list[list[Any]] = [list(pair) for pair in self.comparisons]
            for comparison, blocks in zip(
                comparisons,
                self.blocks_wanted.tolist(),
                strict=True,
            ):
                comparison.append(blocks)
            state["comparisons"] = comparisons
        return state

    @classmethod
    def from_json(cls, stored: DrawStateJSON) -> "DrawState":
        """Return the state that `to_json` wrote."""
        n = len(stored["systems"])
        # Without systems, the lists are empty and have only one dimension.
        pair_counts = np.array(stored["pair_counts"], dtype=np.int64)
        position_counts = np.array(stored["position_counts"], dtype=np.int64)
        wins = np.array(stored["wins"], dtype=np.float64)
        ties = np.array(stored["ties"], dtype=np.float64)
        uncompared = np.zeros((n, n), dtype=np.int64)
        if "uncompared" in stored:
            uncompared += np.array(stored["uncompared"], dtype=np.int64).reshape(n, n)
        state = cls(
            systems=tuple(stored["systems"]),
            pair_counts=pair_counts.reshape(n, n),
            position_counts=position_counts.reshape(n, MOST_CANDIDATES),
            wins=wins.reshape(n, n),
            ties=ties.reshape(n, n),
            uncompared=uncompared,
            watermark=int(stored["watermark"]),
            planned_cycle=PlannedCycle.from_json(stored["planned_cycle"]),
        )
        if "comparisons" not in stored:
            return state
        comparisons = []
        for first, second, blocks in stored["comparisons"]:
            comparisons.append((first, second, blocks))
        return state.comparing(comparisons)
