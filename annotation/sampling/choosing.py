"""Choice of the distinct texts in a block: mapping between texts and systems, and the systems to compare.

Functions take arrays, return indices, and depend only on their arguments. Randomness comes from a
*key* of 64 random bits: `HashDraw.integer("systems", segment)` in a campaign, any integer in a
simulation. Counts are of *planned* blocks, including those waiting in the pool; otherwise the same
pairs would be planned again and again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from annotation.sampling.corpus import DistinctText
from annotation.sampling.plans import BlockPlan, Why
from annotation.sampling.priorities import active_priorities
from annotation.sampling.state import DrawState, Float64Array, Int64Array
from campaign.texts.hash_draw import HashDraw

_PAIR = 2

# Texts by the index of the system on whose behalf they are chosen.
TextsBySystem: TypeAlias = dict[int, DistinctText]


def choose_uniform(eligible: Sequence[int], size: int, key: int) -> tuple[int, ...]:
    """Choose systems with equal probability (WMT 2008–2011).

    Parameters
    ----------
    eligible : sequence of int
        Different indices of systems.
    size : int
        Number to choose; if fewer are eligible, all of them are chosen.
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
    # The compiled kernel makes the same choice, but the demo would have to wait for its
    # compilation.
    order = list(eligible)
    size = max(0, min(size, len(order)))
    # The first steps of a Fisher–Yates shuffle.
    for i, luck in enumerate(_luck(key, size).tolist()):
        remaining = len(order) - i
        j = i + int(luck * remaining)
        order[i], order[j] = order[j], order[i]
    return tuple(order[:size])


def choose_balanced(
    counts: npt.NDArray[np.integer],
    eligible: Sequence[int],
    size: int,
    key: int,
) -> tuple[int, ...]:
    """Choose systems so that all pairs meet about equally often.

    Starts with a pair that has met least often, then adds systems and exchanges them while this
    lowers the sum of (count − lowest count)² over the pairs of the block. The key breaks ties. With
    blocks of two, and with blocks of all systems, counts never differ by more than one; for other
    sizes, they stay within a few of each other. `annotation.sampling.cycles` plans blocks together
    and does better.

    Parameters
    ----------
    counts : integer, shape (n, n)
        How often two systems meet in the blocks planned so far; symmetric, the diagonal is ignored.
    eligible, size, key
        As for `choose_uniform`.

    Returns
    -------
    tuple of int
    """
    systems, size, chosen = _choice_arrays(eligible, size)
    if size == _PAIR:
        return _rarest_pair(counts, systems, key)
    from annotation.sampling.kernels import choose_balanced as kernel

    kernel(np.ascontiguousarray(counts, dtype=np.int64), systems, size, key, chosen)
    return tuple(chosen.tolist())


def _rarest_pair(
    counts: npt.NDArray[np.integer],
    systems: Int64Array,
    key: int,
) -> tuple[int, ...]:
    """Choose the same pair as the compiled kernel, without the seconds needed for its compilation."""
    later, earlier = np.tril_indices(len(systems), -1)
    one = systems[later]
    other = systems[earlier]
    met = counts[one, other]
    rarest = np.flatnonzero(met == met.min())
    luck = _luck(key, 1)[0]
    pair = rarest[int(luck * len(rarest))]
    return int(one[pair]), int(other[pair])


def choose_active(
    priorities: Float64Array,
    eligible: Sequence[int],
    size: int,
    key: int,
) -> tuple[int, ...]:
    """Choose systems whose pairs are most informative about the order.

    The first pair is drawn with probability proportional to its priority, and each further system
    in proportion to the sum of its priorities with those already drawn, so a block is a group of
    systems that are hard to tell apart. Systems are drawn at random rather than by highest
    priority, so that HITs planned from the same state differ, and every pair with a priority above
    0 is drawn eventually.

    Parameters
    ----------
    priorities : float64, shape (n, n)
        From `active_priorities`: symmetric, not negative. If all are 0, all systems are equally
        likely.
    eligible, size, key
        As for `choose_uniform`.

    Returns
    -------
    tuple of int
    """
    from annotation.sampling.kernels import choose_weighted as kernel

    systems, size, chosen = _choice_arrays(eligible, size)
    kernel(
        np.ascontiguousarray(priorities, dtype=np.float64),
        systems,
        size,
        key,
        chosen,
    )
    return tuple(chosen.tolist())


def _choice_arrays(
    eligible: Sequence[int],
    size: int,
) -> tuple[Int64Array, int, Int64Array]:
    systems = np.array(eligible, dtype=np.int64)
    size = max(0, min(size, len(systems)))
    return systems, size, np.empty(size, dtype=np.int64)


def order_balanced(
    chosen: Sequence[int],
    position_counts: npt.NDArray[np.integer],
    key: int,
) -> tuple[int, ...]:
    """Order systems so that each appears about equally often in every position.

    Minimizes the sum of (count − lowest count of the system)² over assignments of systems to
    positions; the key breaks ties.

    Parameters
    ----------
    chosen : sequence of int
        Different indices of systems.
    position_counts : integer, shape (n, p)
        How often each system appears in each position in the blocks planned so far; p is at least
        the number of chosen systems.
    key : int
        64 random bits.

    Returns
    -------
    tuple of int
        The chosen systems in display order.
    """
    size = len(chosen)
    counts = position_counts[list(chosen), :size].astype(np.float64)
    excess = counts - counts.min(axis=1, keepdims=True, initial=np.inf)
    # Random terms below 1 / size: their sum never outweighs one step of the cost.
    random = _luck(key, size * size).reshape(size, size)
    cost = excess**2 + random / max(1, size)
    from scipy.optimize import linear_sum_assignment  # not needed at startup

    systems, positions = linear_sum_assignment(cost)
    chosen_systems = np.asarray(chosen, dtype=np.int64)
    order = np.empty(size, dtype=np.int64)
    order[positions] = chosen_systems[systems]
    return tuple(order.tolist())


def _luck(key: int, count: int) -> Float64Array:
    """Return random numbers of a key in [0, 1), as `kernels.luck` does (SplitMix64)."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(key) + steps * np.uint64(0x9E3779B97F4A7C15)
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.asarray((z >> np.uint64(11)) * 2.0**-53, dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockOptions:
    """The texts one block may show.

    Attributes
    ----------
    segment : int
    free : sequence of DistinctText
        The texts to choose from.
    reference : DistinctText or None
        A text that the block always shows, ranked with the others, if the rate of references calls
        for it.
    control : DistinctText or None
        A text that the block always shows, as a control: a damaged reference.
    count : int
        How many of `free` to choose; at most their number.
    """

    segment: int
    free: Sequence[DistinctText]
    reference: DistinctText | None
    control: DistinctText | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTexts:
    """Distinct texts in display order, and the explanation of the choice."""

    texts: tuple[DistinctText, ...]
    why: Why


def choose_by_chance(options: BlockOptions, *, draw: HashDraw) -> ShownTexts:
    """Return systems drawn with equal probability (Callison-Burch et al. 2010, §3; Koehn 2012, §3).

    Systems are drawn without replacement until enough different texts are found. The texts are then
    shuffled again: a text shared by many systems tends to be drawn earlier, and must not be shown
    higher for that reason.
    """
    drawable: list[str] = []
    for text in options.free:
        drawable.extend(text.systems)
    numbers = draw.integers(drawable, "system", options.segment)
    # Among systems that share a text, take the one drawn first.
    first_drawn = {}
    for text in options.free:
        first_drawn[text] = min((numbers[name], name) for name in text.systems)
    texts = sorted(first_drawn, key=first_drawn.__getitem__)
    names = {}
    for text in texts[: options.count]:
        _number, names[text] = first_drawn[text]
    for always in (options.reference, options.control):
        if always is not None:
            names[always] = always.systems[0]
    shuffled = draw.shuffled(names, names.__getitem__, "order", options.segment)
    return ShownTexts(texts=tuple(shuffled), why={"chosen": "uniform"})


class Chooser:
    """Chooses the texts for the blocks of one HIT from a draw state.

    A text by several systems is chosen on behalf of the system that has met others least often, but
    counts for all of them.
    """

    def __init__(
        self,
        state: DrawState,
        systems: Iterable[str],
        *,
        redundancy: int,
    ) -> None:
        self._state = state.covering(systems).copied()
        self._redundancy = redundancy

    def count(self, block: BlockPlan) -> None:
        """Update the state with a block, for the choices that follow."""
        self._state = self._state.counted(block)

    def balanced(self, options: BlockOptions, *, draw: HashDraw) -> ShownTexts:
        """Choose the next block of the planned cycle, or else the pairs with the fewest meetings."""
        self._state = self._state.with_cycle()
        why: Why = {"chosen": "balanced"}
        chosen = self._next_planned_block(options)
        if chosen is None:
            chosen = self._met_least(options, draw)
        elif self._state.planned_cycle is not None:
            why["cycle"] = self._state.planned_cycle.cycle
        counts = self._state.pair_counts
        chosen_pairs = np.ix_(list(chosen), list(chosen))
        why["met_before"] = _mean_pair(counts[chosen_pairs])
        why["met_before_any"] = _mean_pair(counts)
        return ShownTexts(
            texts=self._texts_in_display_order(options, chosen, draw),
            why=why,
        )

    def _next_planned_block(self, options: BlockOptions) -> TextsBySystem | None:
        """Return the next block of the planned cycle that these options allow; None if there is none."""
        cycle = self._state.planned_cycle
        if (
            cycle is None
            or options.reference is not None
            or options.count != cycle.size
        ):
            return None
        texts = cycle.fitting(options.free)
        if texts is None:
            return None
        return {self._state.index[name]: text for name, text in texts.items()}

    def _met_least(self, options: BlockOptions, draw: HashDraw) -> TextsBySystem:
        free = self._representatives(options.free)
        key = draw.integer("balanced", options.segment)
        if options.count == 1 and options.reference is None and options.control is None:
            chosen = self._shown_least(list(free), key)
        elif options.count >= len(free):
            return free
        else:
            weights = self._state.pair_counts
            if options.reference is not None:
                first_system = self._representative(options.reference)
                weights = _weights_beside(weights, first_system, options.count)
            chosen = choose_balanced(weights, list(free), options.count, key)
        return {system: free[system] for system in chosen}

    def _shown_least(self, systems: Sequence[int], key: int) -> tuple[int, ...]:
        """Choose the system shown least often, for blocks of one, in which no pairs meet."""
        times_shown = self._state.position_counts[systems].sum(axis=1)
        least = compress(systems, times_shown == times_shown.min())
        return choose_uniform(list(least), 1, key)

    def active(self, options: BlockOptions, *, draw: HashDraw) -> ShownTexts:
        """Choose the pairs whose comparisons are most informative about the order."""
        chosen = self._representatives(options.free)
        if options.count < len(chosen):
            key = draw.integer("active", options.segment)
            systems = choose_active(self._priorities, list(chosen), options.count, key)
            chosen = {system: chosen[system] for system in systems}
        priorities = self._priorities
        chosen_pairs = np.ix_(list(chosen), list(chosen))
        why: Why = {
            "chosen": "active",
            "watermark": self._state.watermark,
            "priority": _mean_pair(priorities[chosen_pairs]),
            "priority_any": _mean_pair(priorities),
        }
        return ShownTexts(
            texts=self._texts_in_display_order(options, chosen, draw),
            why=why,
        )

    @cached_property
    def _priorities(self) -> Float64Array:
        state = self._state
        planned = state.pair_counts * self._redundancy
        awaited = planned - state.uncompared
        return active_priorities(state.wins, state.ties, awaited)

    def _representatives(self, texts: Iterable[DistinctText]) -> TextsBySystem:
        return {self._representative(text): text for text in texts}

    def _representative(self, text: DistinctText) -> int:
        """Return the system that has met others least often, of those that wrote a text."""
        systems = sorted(self._state.index[name] for name in text.systems)
        if len(systems) == 1:
            return systems[0]
        meetings = self._state.pair_counts[systems].sum(axis=1)
        return systems[int(meetings.argmin())]

    def _texts_in_display_order(
        self,
        options: BlockOptions,
        chosen: TextsBySystem,
        draw: HashDraw,
    ) -> tuple[DistinctText, ...]:
        ranked = list(chosen.values())
        if options.reference is not None:
            ranked.append(options.reference)
        texts = self._representatives(ranked)
        positions = self._state.position_counts
        if options.control is not None:
            # The control may take any position; the others share the rest.
            position = draw.below(len(texts) + 1, "control", options.segment)
            positions = np.delete(positions, position, axis=1)
        key = draw.integer("order", options.segment)
        order = order_balanced(list(texts), positions, key)
        ordered = [texts[system] for system in order]
        if options.control is not None:
            ordered.insert(position, options.control)
        return tuple(ordered)


def _weights_beside(counts: Int64Array, first_system: int, count: int) -> Int64Array:
    """Return counts that give pairs with a system already shown the same weight as the others.

    Each chosen system meets it once, and is part of `count - 1` pairs of chosen systems.
    """
    met = counts[first_system]
    weights: Int64Array = max(1, count - 1) * counts
    weights += np.add.outer(met, met)
    return weights


def _mean_pair(square: Float64Array | Int64Array) -> float:
    """Return the mean of a symmetric matrix over its pairs; its diagonal must be zero."""
    n = len(square)
    if n < 2:
        return 0.0
    mean = float(square.sum()) / (n * (n - 1))
    return round(mean, 4)
