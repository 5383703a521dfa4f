"""What a balanced or active draw knows of those before it: recorded, so that it can be repeated."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.sampling.ahead import Ahead
from annotation.sampling.parameters import MOST_CANDIDATES, DesignParameters
from annotation.sampling.plans import BlockPlan, HITPlan

Int64Array = npt.NDArray[np.int64]
Float64Array = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawState:
    """How often systems have met in what is planned, and what the judges said so far.

    Damaged references are not in it: they are controls, and meet nobody for the ranking's sake.

    Attributes
    ----------
    systems : tuple of str
        Names in alphabetical order; they index the arrays.
    pair_counts : int64, shape (n, n)
        Blocks of first HITs in which two systems stand behind different candidates. Repeats show
        the same pairs again and are not counted: balance is one of windows drawn.
    position_counts : int64, shape (n, 26)
        How often each system stands in each position of those blocks.
    wins, ties : float64, shape (n, n)
        Comparisons that were judged, ``wins[a, b]`` won by a against b, ties symmetric: those of
        the judgments up to `watermark`. Only active designs look at them.
    watermark : int
    ahead : Ahead or None
        What a balanced design has planned; None in other designs, and in states recorded before
        designs planned ahead: HITs drawn from those chose block by block, and do so again.
    """

    systems: tuple[str, ...]
    pair_counts: Int64Array
    position_counts: Int64Array
    wins: Float64Array
    ties: Float64Array
    watermark: int = 0
    ahead: Ahead | None = None
    index: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {name: i for i, name in enumerate(self.systems)})

    @classmethod
    def empty(cls, systems: Iterable[str] = ()) -> "DrawState":
        """Nothing planned, nothing judged."""
        names = tuple(sorted(set(systems)))
        n = len(names)
        return cls(
            systems=names,
            pair_counts=np.zeros((n, n), dtype=np.int64),
            position_counts=np.zeros((n, MOST_CANDIDATES), dtype=np.int64),
            wins=np.zeros((n, n)),
            ties=np.zeros((n, n)),
        )

    def covering(self, systems: Iterable[str]) -> "DrawState":
        """This state, with systems that it did not know: they have met nobody yet."""
        unknown = set(systems) - self.index.keys()
        if not unknown:
            return self
        wider = DrawState.empty((*self.systems, *unknown))
        at = [wider.index[name] for name in self.systems]
        both = np.ix_(at, at)
        wider.pair_counts[both] = self.pair_counts
        wider.position_counts[at] = self.position_counts
        wider.wins[both] = self.wins
        wider.ties[both] = self.ties
        return replace(wider, watermark=self.watermark, ahead=self.ahead)

    def looking_ahead(self, parameters: DesignParameters, systems: Collection[str]) -> "DrawState":
        """This state, to be drawn from by a design among these systems, references included.

        What was planned ahead is kept if it was planned for the same.
        """
        ahead = Ahead.of(parameters, systems)
        if ahead is not None:
            ahead = ahead.continued(self.ahead)
        return replace(self.covering(systems), ahead=ahead)

    def ready(self) -> "DrawState":
        """This state, with blocks planned ahead where its design does so."""
        if self.ahead is None:
            return self
        ahead = self.ahead.ready(self.pair_counts, self.index)
        return self if ahead is self.ahead else self._planning(ahead)

    def after(self, plan: HITPlan) -> "DrawState":
        """The state once this first HIT is planned too."""
        names = (name for block in plan.blocks for _, names in block.ranked for name in names)
        state = self.covering(names).copied()
        for block in plan.blocks:
            state = state.counted(block)
        return state

    def without(self, plan: HITPlan) -> "DrawState":
        """The state had this first HIT, which was counted, not been planned."""
        state = self.copied()
        for block in plan.blocks:
            state.count(block, -1)
        # What was planned ahead counted on it.
        return state if state.ahead is None else replace(state, ahead=state.ahead.given_up())

    def judged(
        self, *, systems: Sequence[str], wins: Float64Array, ties: Float64Array, watermark: int
    ) -> "DrawState":
        """The state with these comparisons in place of those recorded so far.

        Systems that are not in `systems` have none; `systems` may come in any order.
        """
        state = self.covering(systems)
        at = [state.index[name] for name in systems]
        won, tied = np.zeros_like(state.wins), np.zeros_like(state.ties)
        won[np.ix_(at, at)] = wins
        tied[np.ix_(at, at)] = ties
        return replace(state, wins=won, ties=tied, watermark=watermark)

    def copied(self) -> "DrawState":
        """The same, with counts of its own."""
        return self._with(
            pair_counts=self.pair_counts.copy(), position_counts=self.position_counts.copy()
        )

    def _planning(self, ahead: Ahead) -> "DrawState":
        """The same counts with another plan."""
        return self._with(ahead=ahead)

    def _with(self, **changed: Any) -> "DrawState":
        """`replace` for what leaves the systems as they are: without making their index again."""
        # Several for each HIT, a hundred thousand HITs at once: `copy` takes five times as long.
        state = object.__new__(DrawState)
        state.__dict__.update(self.__dict__, **changed)
        return state

    def counted(self, block: BlockPlan) -> "DrawState":
        """The state after a block; its counts are these, changed. All its systems are known."""
        if self.ahead is None:
            self.count(block)
            return self
        ahead = self.ahead.ready(self.pair_counts, self.index)
        self.count(block)
        return self._planning(ahead.shown([names for _, names in block.ranked]))

    def count(self, block: BlockPlan, times: int = 1) -> None:
        """Add a block to the counts in place; `times` is -1 where it is taken back."""
        rows = []
        for position, names in block.ranked:
            row = [self.index[name] for name in names]
            for system in row:
                self.position_counts[system, position] += times
            rows.append(row)
        # Cell by cell: for so few, faster than indexing with arrays.
        for one, other in combinations(rows, 2):
            for a in one:
                for b in other:
                    self.pair_counts[a, b] += times
                    self.pair_counts[b, a] += times

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers; `from_json` gives the same state back, bit for bit."""
        return {
            "systems": list(self.systems),
            "pair_counts": self.pair_counts.tolist(),
            "position_counts": self.position_counts.tolist(),
            "wins": self.wins.tolist(),
            "ties": self.ties.tolist(),
            "watermark": self.watermark,
            "ahead": None if self.ahead is None else self.ahead.to_json(),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "DrawState":
        """What `to_json` wrote."""
        n = len(stored["systems"])
        return cls(
            systems=tuple(stored["systems"]),
            pair_counts=np.array(stored["pair_counts"], dtype=np.int64).reshape(n, n),
            position_counts=np.array(stored["position_counts"], dtype=np.int64).reshape(
                n, MOST_CANDIDATES
            ),
            wins=np.array(stored["wins"], dtype=np.float64).reshape(n, n),
            ties=np.array(stored["ties"], dtype=np.float64).reshape(n, n),
            watermark=int(stored["watermark"]),
            ahead=Ahead.from_json(stored.get("ahead")),
        )
