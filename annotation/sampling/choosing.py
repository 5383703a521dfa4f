"""Choice of the distinct texts in a block: mapping between texts and systems, and the systems to compare.

Functions take arrays, return indices, and depend on their arguments alone. Randomness comes as a *key* of 64 random
bits: `HashDraw.integer("systems", segment)` in a campaign, anything in a simulation. Counts are of *planned* blocks:
those that wait in the pool count, or they would be planned again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from annotation.sampling.corpus import DistinctText
from annotation.sampling.plans import BlockPlan, Why
from annotation.sampling.priorities import active_priorities
from annotation.sampling.state import DrawState, Float64Array, Int64Array
from campaign.texts.hash_draw import HashDraw

_PAIR = 2


def choose_uniform(eligible: Sequence[int], size: int, key: int) -> tuple[int, ...]:
    """Choose systems with equal chances (WMT 2008–2011).

    Parameters
    ----------
    eligible : sequence of int
        Different indices of systems.
    size : int
        Number to choose; all if fewer are eligible.
    key : int
        64 random bits.

    Returns
    -------
    tuple of int
        In random order.

    References
    ----------
    C. Callison-Burch et al. (2010), Findings of the 2010 Joint Workshop on SMT, WMT, §3.
    """
    # Not by the compiled kernel, which makes the same choice, so that the demo does not wait for its compilation.
    order = list(eligible)
    size = max(0, min(size, len(order)))
    for i, share in enumerate(_luck(key, size).tolist()):
        j = i + int(share * (len(order) - i))
        order[i], order[j] = order[j], order[i]
    return tuple(order[:size])


def choose_balanced(
    counts: npt.NDArray[np.integer], eligible: Sequence[int], size: int, key: int
) -> tuple[int, ...]:
    """Choose systems so that all pairs meet equally often.

    Starts from a pair that met least, adds systems and exchanges them while that lowers the sum
    over the pairs of the block of (count − lowest count)². Ties are decided by the key. With blocks
    of two, and with blocks of all, counts never differ by more than one; in between they stay
    within a few of each other. `annotation.sampling.cycles` plans blocks together and does better.

    Parameters
    ----------
    counts : integer, shape (n, n)
        How often two systems meet in what is planned so far; symmetric, the diagonal is ignored.
    eligible, size, key
        As for `choose_uniform`.

    Returns
    -------
    tuple of int
    """
    systems, size, chosen = _prepared(eligible, size)
    if size == _PAIR:
        return _rarest_pair(counts, systems, key)
    from annotation.sampling.kernels import choose_balanced as kernel

    kernel(np.ascontiguousarray(counts, dtype=np.int64), systems, size, key, chosen)
    return tuple(chosen.tolist())


def _rarest_pair(counts: npt.NDArray[np.integer], systems: Int64Array, key: int) -> tuple[int, ...]:
    """Choose a pair as the compiled kernel does, without the seconds of its first compilation."""
    later, earlier = np.tril_indices(len(systems), -1)
    met = counts[systems[later], systems[earlier]]
    rarest = np.flatnonzero(met == met.min())
    pair = rarest[int(_luck(key, 1)[0] * len(rarest))]
    return int(systems[later[pair]]), int(systems[earlier[pair]])


def choose_active(
    priorities: Float64Array, eligible: Sequence[int], size: int, key: int
) -> tuple[int, ...]:
    """Choose systems whose pairs tell most about the order.

    The first pair is drawn with probabilities proportional to the priorities, every further system in
    proportion to the sum of its priorities with those drawn already: a block is a group of systems that
    are hard to tell apart. They are drawn rather than ranked, so that a hundred HITs planned from one
    state differ, and no pair with a priority above 0 starves.

    Parameters
    ----------
    priorities : float64, shape (n, n)
        From `active_priorities`: symmetric, not negative. If all are 0, all systems have the same chance.
    eligible, size, key
        As for `choose_uniform`.

    Returns
    -------
    tuple of int
    """
    from annotation.sampling.kernels import choose_weighted as kernel

    systems, size, chosen = _prepared(eligible, size)
    kernel(np.ascontiguousarray(priorities, dtype=np.float64), systems, size, key, chosen)
    return tuple(chosen.tolist())


def _prepared(eligible: Sequence[int], size: int) -> tuple[Int64Array, int, Int64Array]:
    systems = np.array(eligible, dtype=np.int64)
    size = max(0, min(size, len(systems)))
    return systems, size, np.empty(size, dtype=np.int64)


def order_balanced(
    chosen: Sequence[int], position_counts: npt.NDArray[np.integer], key: int
) -> tuple[int, ...]:
    """Order systems so that each stands equally often in every position.

    The assignment of systems to positions with the least sum of (count − lowest count of the
    system)²; ties are decided by the key.

    Parameters
    ----------
    chosen : sequence of int
        Different indices of systems.
    position_counts : integer, shape (n, p)
        How often each system stands in each position in what is planned so far; p is at least the
        number of the chosen.
    key : int
        64 random bits.

    Returns
    -------
    tuple of int
        The chosen in shown order.
    """
    size = len(chosen)
    counts = position_counts[list(chosen), :size].astype(np.float64)
    excess = counts - counts.min(axis=1, keepdims=True, initial=np.inf)
    # Luck below 1 / size: all of it together never outweighs a step of the cost.
    decided = excess**2 + _luck(key, size * size).reshape(size, size) / max(1, size)
    from scipy.optimize import linear_sum_assignment  # Quintet starts without it

    systems, positions = linear_sum_assignment(decided)
    shown = np.empty(size, dtype=np.int64)
    shown[positions] = np.asarray(chosen, dtype=np.int64)[systems]
    return tuple(shown.tolist())


def _luck(key: int, count: int) -> Float64Array:
    """Return random numbers of a key in [0, 1), as `kernels.luck` does (SplitMix64)."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(key) + steps * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.asarray((z >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockOptions:
    """The texts one block may show.

    Attributes
    ----------
    segment : int
    free : sequence of DistinctText
        The texts to choose from.
    given : DistinctText or None
        A text the block shows in any case, ranked with the others: the reference, if due by its
        rate.
    control : DistinctText or None
        A text the block shows in any case, as a control: a damaged reference.
    count : int
        How many of `free` to choose, not more than there are.
    """

    segment: int
    free: Sequence[DistinctText]
    given: DistinctText | None
    control: DistinctText | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTexts:
    """Distinct texts in shown order, and the explanation of the choice."""

    texts: tuple[DistinctText, ...]
    why: Why


def choose_by_chance(options: BlockOptions, *, draw: HashDraw) -> ShownTexts:
    """Return systems drawn with equal chances (Callison-Burch et al. 2010, §3; Koehn 2012, §3).

    Systems are drawn without replacement until enough different texts are found, which are then
    shuffled again: a text that many systems share is met earlier and must not stand higher for it.
    """
    names_drawn = draw.integers(
        (name for text in options.free for name in text.systems), "system", options.segment
    )
    # Among systems that share a text, take the one drawn first.
    drawn = sorted(
        ((min((names_drawn[name], name) for name in text.systems), text) for text in options.free),
        key=lambda pair: pair[0],
    )[: options.count]
    names = {text: name for (_, name), text in drawn}
    for text in (options.given, options.control):
        if text is not None:
            names[text] = text.systems[0]
    shown = draw.shuffled(names, names.__getitem__, "order", options.segment)
    return ShownTexts(texts=tuple(shown), why={"chosen": "uniform"})


class Chooser:
    """Choices that follow from a state, for the blocks of one HIT.

    A text that several systems wrote is chosen for the one of them that met others least; all of
    them are counted.
    """

    def __init__(self, state: DrawState, systems: Iterable[str], *, redundancy: int) -> None:
        self._state = state.covering(systems).copied()
        self._redundancy = redundancy

    def count(self, block: BlockPlan) -> None:
        """Update the state of the next choices with a block."""
        self._state = self._state.counted(block)

    def balanced(self, options: BlockOptions, *, draw: HashDraw) -> ShownTexts:
        """Choose the next block of the planned cycle, or the pairs with fewest meetings."""
        self._state = self._state.with_cycle()
        counts = self._state.pair_counts
        planned_cycle = self._state.planned_cycle
        planned = None
        if (
            planned_cycle is not None
            and options.given is None
            and options.count == planned_cycle.size
        ):
            planned = planned_cycle.fitting(options.free)
        if planned_cycle is not None and planned is not None:
            chosen = [self._state.index[name] for name, _ in planned]
            texts = [text for _, text in planned]
            why: Why = {"chosen": "balanced", "cycle": planned_cycle.cycle}
        else:
            chosen, texts = self._met_least(options, draw)
            why = {"chosen": "balanced"}
        why["met_before"] = _mean_pair(counts[chosen][:, chosen])
        why["met_before_any"] = _mean_pair(counts)
        return ShownTexts(texts=self._ordered(options, texts, draw), why=why)

    def _met_least(
        self, options: BlockOptions, draw: HashDraw
    ) -> tuple[list[int], list[DistinctText]]:
        counts = self._state.pair_counts
        at = self._representatives(options.free)
        key = draw.integer("balanced", options.segment)
        if options.count == 1 and options.given is None and options.control is None:
            chosen = self._shown_least(at, key)
            return chosen, [at[system] for system in chosen]
        weights = counts
        if options.given is not None:
            weights = _with_given(counts, self._representative(options.given), options.count)
        chosen = self._chosen(
            options, at, lambda: choose_balanced(weights, list(at), options.count, key)
        )
        return chosen, [at[system] for system in chosen]

    def _shown_least(self, at: Mapping[int, DistinctText], key: int) -> list[int]:
        """Choose one system: in a block of one, no pair meets."""
        shown = self._state.position_counts[list(at)].sum(axis=1)
        least = [system for system, times in zip(at, shown, strict=True) if times == shown.min()]
        return list(choose_uniform(least, 1, key))

    def active(self, options: BlockOptions, *, draw: HashDraw) -> ShownTexts:
        """Choose the pairs whose comparisons tell most about the order."""
        at = self._representatives(options.free)
        key = draw.integer("active", options.segment)
        chosen = self._chosen(
            options, at, lambda: choose_active(self._priorities, list(at), options.count, key)
        )
        texts = [at[system] for system in chosen]
        why: Why = {
            "chosen": "active",
            "watermark": self._state.watermark,
            "priority": _mean_pair(self._priorities[chosen][:, chosen]),
            "priority_any": _mean_pair(self._priorities),
        }
        return ShownTexts(texts=self._ordered(options, texts, draw), why=why)

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
        options: BlockOptions, at: dict[int, DistinctText], choose: Callable[[], tuple[int, ...]]
    ) -> list[int]:
        return list(at) if options.count >= len(at) else list(choose())

    def _ordered(
        self, options: BlockOptions, texts: list[DistinctText], draw: HashDraw
    ) -> tuple[DistinctText, ...]:
        ranked = texts if options.given is None else [*texts, options.given]
        at = self._representatives(ranked)
        positions = self._state.position_counts
        key = draw.integer("order", options.segment)
        if options.control is None:
            return tuple(at[system] for system in order_balanced(list(at), positions, key))
        # The control is in any position; the others share the rest.
        place = draw.below(len(at) + 1, "control", options.segment)
        shown = [
            at[system]
            for system in order_balanced(list(at), np.delete(positions, place, axis=1), key)
        ]
        return (*shown[:place], options.control, *shown[place:])


def _with_given(counts: Int64Array, given: int, count: int) -> Int64Array:
    """Return counts that give pairs with a system already shown the same weight as the others.

    Each of the chosen meets it once, and stands in `count - 1` pairs of the chosen.
    """
    met = counts[given]
    weights: Int64Array = max(1, count - 1) * counts + met[:, np.newaxis] + met[np.newaxis, :]
    return weights


def _mean_pair(square: Float64Array | Int64Array) -> float:
    """Return the mean over different pairs of a symmetric matrix with a diagonal of zeros."""
    n = len(square)
    return round(float(square.sum()) / (n * (n - 1)), 4) if n > 1 else 0.0
