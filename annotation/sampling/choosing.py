"""Which of a segment's distinct texts a block shows: from texts to the kernels' systems and back."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.sampling.corpus import DistinctText
from annotation.sampling.pairing import choose_active, choose_balanced, order_balanced
from annotation.sampling.plans import BlockPlan, Why
from annotation.sampling.priorities import active_priorities
from annotation.sampling.state import DrawState, Float64Array, Int64Array
from campaign.texts.hash_draw import HashDraw


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be chosen from for one block.

    Attributes
    ----------
    segment : int
    free : sequence of DistinctText
        What may be chosen.
    given : DistinctText or None
        What the block holds anyway and its systems are ranked with: the reference, where its rate
        is due.
    control : DistinctText or None
        What the block holds anyway as a control: a damaged reference.
    count : int
        How many of `free` to choose, not more than there are.
    """

    segment: int
    free: Sequence[DistinctText]
    given: DistinctText | None
    control: DistinctText | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Distinct texts in shown order, and what explains the choice."""

    texts: tuple[DistinctText, ...]
    why: Why


def choose_by_chance(task: Task, *, draw: HashDraw) -> Shown:
    """Every system equally likely (Callison-Burch et al. 2010, §3; Koehn 2012, §3).

    Systems are drawn without replacement until enough different texts are found, which are then
    shuffled again: a text that many systems share is met earlier and must not stand higher for it.
    """
    names_drawn = draw.integers(
        (name for text in task.free for name in text.systems), "system", task.segment
    )
    # Of those who share a text, the one that was drawn first.
    drawn = sorted(
        ((min((names_drawn[name], name) for name in text.systems), text) for text in task.free),
        key=lambda pair: pair[0],
    )[: task.count]
    names = {text: name for (_, name), text in drawn}
    for text in (task.given, task.control):
        if text is not None:
            names[text] = text.systems[0]
    shown = draw.shuffled(names, names.__getitem__, "order", task.segment)
    return Shown(texts=tuple(shown), why={"chosen": "uniform"})


class Chooser:
    """Choices that follow from a state, for the blocks of one HIT.

    A text that several systems wrote is chosen for the one of them that met others least; all of
    them are counted.
    """

    def __init__(self, state: DrawState, systems: Iterable[str], *, redundancy: int) -> None:
        self._state = state.covering(systems).copied()
        self._redundancy = redundancy

    def count(self, block: BlockPlan) -> None:
        """Let the next choices know of a block."""
        self._state = self._state.counted(block)

    @property
    def state(self) -> DrawState:
        """What the choices were made from, with the blocks that were counted."""
        return self._state

    def balanced(self, task: Task, *, draw: HashDraw) -> Shown:
        """What is planned ahead, or the pairs that met least often."""
        self._state = self._state.ready()
        counts = self._state.pair_counts
        ahead = self._state.ahead
        planned = None
        if ahead is not None and task.given is None and task.count == ahead.size:
            planned = ahead.fitting(task.free)
        if ahead is not None and planned is not None:
            chosen = [self._state.index[name] for name, _ in planned]
            texts = [text for _, text in planned]
            why: Why = {"chosen": "balanced", "cycle": ahead.cycle}
        else:
            chosen, texts = self._met_least(task, draw)
            why = {"chosen": "balanced"}
        why["met_before"] = _mean_pair(counts[chosen][:, chosen])
        why["met_before_any"] = _mean_pair(counts)
        return Shown(texts=self._ordered(task, texts, draw), why=why)

    def _met_least(self, task: Task, draw: HashDraw) -> tuple[list[int], list[DistinctText]]:
        counts = self._state.pair_counts
        at = self._representatives(task.free)
        key = draw.integer("balanced", task.segment)
        weights = counts
        if task.given is not None:
            weights = _with_given(counts, self._representative(task.given), task.count)
        chosen = self._chosen(task, at, lambda: choose_balanced(weights, list(at), task.count, key))
        return chosen, [at[system] for system in chosen]

    def active(self, task: Task, *, draw: HashDraw) -> Shown:
        """The pairs that tell most about the order."""
        at = self._representatives(task.free)
        key = draw.integer("active", task.segment)
        chosen = self._chosen(
            task, at, lambda: choose_active(self._priorities, list(at), task.count, key)
        )
        texts = [at[system] for system in chosen]
        why: Why = {
            "chosen": "active",
            "watermark": self._state.watermark,
            "priority": _mean_pair(self._priorities[chosen][:, chosen]),
            "priority_any": _mean_pair(self._priorities),
        }
        return Shown(texts=self._ordered(task, texts, draw), why=why)

    @cached_property
    def _priorities(self) -> Float64Array:
        state = self._state
        return active_priorities(state.wins, state.ties, state.pair_counts * self._redundancy)

    def _representatives(self, texts: Sequence[DistinctText]) -> dict[int, DistinctText]:
        index = self._state.index
        return {
            index[text.systems[0]] if len(text.systems) == 1 else self._representative(text): text
            for text in texts
        }

    def _representative(self, text: DistinctText) -> int:
        index, met = self._state.index, self._state.pair_counts
        return min((index[name] for name in text.systems), key=lambda i: (met[i].sum(), i))

    @staticmethod
    def _chosen(
        task: Task, at: dict[int, DistinctText], choose: Callable[[], tuple[int, ...]]
    ) -> list[int]:
        return list(at) if task.count >= len(at) else list(choose())

    def _ordered(
        self, task: Task, texts: list[DistinctText], draw: HashDraw
    ) -> tuple[DistinctText, ...]:
        ranked = texts if task.given is None else [*texts, task.given]
        at = self._representatives(ranked)
        positions = self._state.position_counts
        key = draw.integer("order", task.segment)
        if task.control is None:
            return tuple(at[system] for system in order_balanced(list(at), positions, key))
        # The control stands anywhere; the others share the positions it leaves.
        place = draw.below(len(at) + 1, "control", task.segment)
        shown = [
            at[system]
            for system in order_balanced(list(at), np.delete(positions, place, axis=1), key)
        ]
        return (*shown[:place], task.control, *shown[place:])


def _with_given(counts: Int64Array, given: int, count: int) -> Int64Array:
    """Counts by which the pairs with a system that is there anyway weigh as much as the others.

    Each of the chosen meets it once, and stands in `count - 1` pairs of the chosen.
    """
    met = counts[given]
    weights: Int64Array = max(1, count - 1) * counts + met[:, np.newaxis] + met[np.newaxis, :]
    return weights


def _mean_pair(square: Float64Array | Int64Array) -> float:
    """Mean over different pairs of a symmetric matrix with a diagonal of zeros."""
    n = len(square)
    return round(float(square.sum()) / (n * (n - 1)), 4) if n > 1 else 0.0
