"""Compiled inner loops of `annotation.sampling.choosing` and `annotation.sampling.cycles`; import them only where used.

Importing this module imports numba and, the first time, compiles the functions; the result is
cached next to this file or in ``NUMBA_CACHE_DIR``. Random numbers are SplitMix64 of a key rather
than a generator's stream, so they are the same on every machine and in every version.

All arithmetic uses integers, except for the random numbers from `luck`, so blocks are the same on
every machine and in every version.
"""

import numpy as np
import numpy.typing as npt

from optional_packages.numba import float64, int64, njit, types, uint64, void

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30 = np.uint64(30)
_S27 = np.uint64(27)
_S31 = np.uint64(31)
_S11 = np.uint64(11)
_ONE = np.uint64(1)
_UNIT = 2.0**-53

_COUNTS = types.Array(int64, 2, "C", readonly=True)
_WEIGHTS = types.Array(float64, 2, "C", readonly=True)
_INDICES = types.Array(int64, 1, "C", readonly=True)


@njit(float64(uint64, int64), cache=True, nogil=True)
def luck(key: int, position: int) -> float:
    """Return random number `position` of a key, in [0, 1)."""
    steps = np.uint64(position) + _ONE
    z = np.uint64(key) + steps * _GAMMA
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    z = z ^ (z >> _S31)
    return float(z >> _S11) * _UNIT


@njit(void(_INDICES, int64, uint64, int64[::1]), cache=True, nogil=True)
def choose_uniform(
    eligible: Int64Array,
    size: int,
    key: int,
    chosen: Int64Array,
) -> None:
    """Fill `chosen` with `size` eligible systems, as the first steps of a shuffle."""
    order = eligible.copy()
    for i in range(size):
        j = i + int(luck(key, i) * (len(order) - i))
        order[i], order[j] = order[j], order[i]
        chosen[i] = order[i]


@njit(float64(_COUNTS, int64, int64[::1], int64, int64), cache=True, nogil=True)
def _cost(
    counts: Int64Array,
    system: int,
    chosen: Int64Array,
    without: int,
    least: int,
) -> float:
    """Sum the costs of one more meeting of `system` with the chosen, except one.

    Costs are squares of the excess over the rarest pair: one pair far ahead costs more than several
    that are slightly ahead.
    """
    total = 0.0
    for i in range(len(chosen)):
        if i != without:
            excess = float(counts[system, chosen[i]] - least)
            total += excess * excess
    return total


@njit(int64(_COUNTS, _INDICES, uint64, int64[::1]), cache=True, nogil=True)
def _rarest_pair(
    counts: Int64Array,
    eligible: Int64Array,
    key: int,
    chosen: Int64Array,
) -> int:
    """Start `chosen` with a random pair among those with the fewest meetings; return its count."""
    least = counts[eligible[0], eligible[1]]
    tied = 0
    for i in range(1, len(eligible)):
        for j in range(i):
            met = counts[eligible[i], eligible[j]]
            if met < least:
                least = met
                tied = 0
            if met == least:
                tied += 1
    ties_to_skip = int(luck(key, 0) * tied)
    for i in range(1, len(eligible)):
        for j in range(i):
            if counts[eligible[i], eligible[j]] == least:
                if ties_to_skip == 0:
                    chosen[0] = eligible[i]
                    chosen[1] = eligible[j]
                ties_to_skip -= 1
    return int(least)


@njit(cache=True, nogil=True)
def _swap(
    counts: Int64Array,
    eligible: Int64Array,
    key: int,
    chosen: Int64Array,
    free: npt.NDArray[np.bool_],
    least: int,
) -> bool:
    """Make the exchange of a chosen system that lowers the cost most; return False if none does."""
    position = -1
    best = -1
    lowest = 0.0
    for out in range(len(chosen)):
        own = _cost(counts, chosen[out], chosen, out, least)
        for system in eligible:
            if not free[system]:
                continue
            change = _cost(counts, system, chosen, out, least) - own
            # Costs are integers: an exchange that does not lower the cost is never made.
            if change >= 0:
                continue
            change += luck(key, 1 + system)
            if change < lowest:
                position = out
                best = system
                lowest = change
    if position < 0:
        return False
    free[chosen[position]] = True
    free[best] = False
    chosen[position] = best
    return True


@njit(void(_COUNTS, _INDICES, int64, uint64, int64[::1]), cache=True, nogil=True)
def choose_balanced(
    counts: Int64Array,
    eligible: Int64Array,
    size: int,
    key: int,
    chosen: Int64Array,
) -> None:
    """Fill `chosen` with the rarest pair, add systems greedily, then swap while that lowers the cost."""
    if size < 2:
        choose_uniform(eligible, size, key, chosen)
        return
    least = _rarest_pair(counts, eligible, key, chosen)
    free = np.ones(len(counts), np.bool_)
    free[chosen[0]] = free[chosen[1]] = False
    for count in range(2, size):
        best = -1
        lowest = np.inf
        for system in eligible:
            if free[system]:
                cost = _cost(counts, system, chosen[:count], -1, least)
                # Below 1, the smallest cost difference, so randomness only breaks ties.
                cost += luck(key, 1 + system)
                if cost < lowest:
                    best = system
                    lowest = cost
        chosen[count] = best
        free[best] = False
    improved = True
    while improved:
        improved = _swap(counts, eligible, key, chosen[:size], free, least)


@njit(cache=True, nogil=True)
def _weighted_choice(
    chance: Float64Array,
    is_chosen: npt.NDArray[np.bool_],
    total: float,
    share: float,
) -> int:
    """Return the index at which the running sum of the weights passes `share` of the total."""
    has_weights = total > 0
    if not has_weights:
        total = float(len(is_chosen) - is_chosen.sum())
    point = share * total
    last = -1
    for i in range(len(is_chosen)):
        if is_chosen[i]:
            continue
        step = 1.0
        if has_weights:
            step = chance[i]
        if step > 0:
            last = i
            if point < step:
                return i
            point -= step
    return last


@njit(void(_WEIGHTS, _INDICES, int64, uint64, int64[::1]), cache=True, nogil=True)
def choose_weighted(
    weights: Float64Array,
    eligible: Int64Array,
    size: int,
    key: int,
    chosen: Int64Array,
) -> None:
    """Fill `chosen` with a pair drawn by weight, then draw each system by its weights with those chosen.

    If no weight is above 0, all are equally likely.
    """
    is_chosen = np.zeros(len(eligible), np.bool_)
    chance = np.zeros(len(eligible))
    for count in range(size):
        total = 0.0
        for i in range(len(eligible)):
            chance[i] = 0.0
            if is_chosen[i]:
                continue
            system = eligible[i]
            if count == 0:
                for other in eligible:
                    if other != system:
                        chance[i] += weights[system, other]
            else:
                for other in chosen[:count]:
                    chance[i] += weights[system, other]
            total += chance[i]
        position = _weighted_choice(chance, is_chosen, total, luck(key, count))
        is_chosen[position] = True
        chosen[count] = eligible[position]


#: Probability of accepting a change that costs 2, the smallest possible increase.
_UPHILL = 0.02


@njit(cache=True, nogil=True)
def meet(counts: Int64Array, block: Int64Array, times: int) -> None:
    """Add the meetings of a block to the counts, `times` times."""
    for i in range(1, len(block)):
        for j in range(i):
            one = block[i]
            other = block[j]
            counts[one, other] += times
            counts[other, one] += times


@njit(cache=True, nogil=True)
def squares(counts: Int64Array) -> int:
    """Return the sum of squares over all pairs; for a given total, smallest if counts differ by at most 1."""
    total = 0
    for a in range(1, len(counts)):
        for b in range(a):
            total += counts[a, b] ** 2
    return total


@njit(cache=True, nogil=True)
def apart(counts: Int64Array) -> int:
    """Return the largest count of a pair minus the smallest."""
    most = least = counts[1, 0]
    for a in range(1, len(counts)):
        for b in range(a):
            most = max(most, counts[a, b])
            least = min(least, counts[a, b])
    return int(most - least)


@njit(void(int64[:, ::1], int64[:, ::1], uint64), cache=True, nogil=True)
def lay_out(counts: Int64Array, blocks: Int64Array, key: int) -> None:
    """Fill `blocks` one after the other, each as `choose_balanced` does; adds them to `counts`."""
    everybody = np.arange(len(counts))
    for b in range(len(blocks)):
        block = blocks[b]
        block_key = int(key + np.uint64(b) * _GAMMA)
        choose_balanced(counts, everybody, len(block), block_key, block)
        meet(counts, block, 1)


@njit(cache=True, nogil=True)
def _change(counts: Int64Array, block: Int64Array, position: int, system: int) -> int:
    """Return how much the sum of squares grows when `system` takes another's place in `block`."""
    out = block[position]
    total = len(block) - 1
    for j in range(len(block)):
        if j != position:
            other = block[j]
            total += counts[system, other] - counts[out, other]
    return int(2 * total)


@njit(int64(int64[:, ::1], int64[:, ::1], uint64, int64, int64), cache=True, nogil=True)
def even_out(
    counts: Int64Array,
    blocks: Int64Array,
    key: int,
    target: int,
    steps: int,
) -> int:
    """Exchange single systems of `blocks` until the sum of squares of `counts` falls to `target`.

    `counts` must include the blocks. An exchange is made if it costs nothing, or with a small
    probability if it costs the smallest possible amount: plateaus are wide, and few ways out lead
    only downhill. Stops after `steps` and returns the remaining difference.
    """
    m = len(blocks)
    size = blocks.shape[1]
    n = len(counts)
    is_shown = np.zeros((m, n), np.bool_)
    for b in range(m):
        for i in range(size):
            is_shown[b, blocks[b, i]] = True
    total = squares(counts)
    for step in range(steps):
        if total <= target:
            break
        drawn = luck(key, step) * (m * size * n)
        cell = int(drawn)
        fraction = drawn - cell
        b = cell // (size * n)
        position = cell // n % size
        system = cell % n
        if is_shown[b, system]:
            continue
        block = blocks[b]
        change = _change(counts, block, position, system)
        if change > 2 or (change == 2 and fraction >= _UPHILL):
            continue
        is_shown[b, block[position]] = False
        is_shown[b, system] = True
        meet(counts, block, -1)
        block[position] = system
        meet(counts, block, 1)
        total += change
    return int(total - target)


@njit(void(int64[:, ::1], int64[:, ::1], uint64, float64), cache=True, nogil=True)
def _shuffle_by_cost(
    counts: Int64Array,
    blocks: Int64Array,
    key: int,
    chance: float,
) -> None:
    """Order `blocks` so that each next one has pairs with few meetings, with some randomness."""
    for position in range(len(blocks)):
        best = position
        lowest = np.inf
        for b in range(position, len(blocks)):
            block = blocks[b]
            cost = chance * luck(key, position * len(blocks) + b)
            for i in range(1, len(block)):
                for j in range(i):
                    cost += counts[block[i], block[j]]
            if cost < lowest:
                best = b
                lowest = cost
        next_block = blocks[best].copy()
        blocks[best] = blocks[position]
        blocks[position] = next_block
        meet(counts, next_block, 1)


@njit(int64(int64[:, ::1], int64[:, ::1], uint64, int64), cache=True, nogil=True)
def put_in_order(counts: Int64Array, blocks: Int64Array, key: int, tries: int) -> int:
    """Order `blocks` so that counts stay close throughout; return how far apart they get.

    `counts` are those before the blocks, and are not modified.
    """
    best = blocks.copy()
    lowest = np.iinfo(np.int64).max
    for attempt in range(tries):
        ordered = blocks.copy()
        attempt_key = int(key + np.uint64(attempt) * _GAMMA)
        chance = float(1 + attempt % 5)
        _shuffle_by_cost(counts.copy(), ordered, attempt_key, chance)
        met = counts.copy()
        worst = 0
        for b in range(len(ordered)):
            meet(met, ordered[b], 1)
            worst = max(worst, apart(met))
        if worst < lowest:
            lowest = worst
            best[:] = ordered
        if lowest <= 2:
            break
    blocks[:] = best
    return lowest
