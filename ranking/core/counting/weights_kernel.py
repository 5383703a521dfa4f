"""Poisson weights in compiled code: the same bits as `ranking.core.counting.bootstrap`.

Change this file together with `ranking.core.counting.kernel`: numba keeps the compiled kernel until
the kernel's own file changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int16, int64, njit, types, uint16, uint64, void

from ranking.core.counting.bootstrap import poisson_thresholds

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1, _MULTIPLY_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_ONE, _SIXTEEN, _FORTY_EIGHT = np.uint64(1), np.uint64(16), np.uint64(48)
# Sixteen bits each, so that the compiler does not widen the weights.
_W0, _W1, _W2, _W3, _W4, _W5, _W6, _W7 = (np.int16(weight) for weight in range(8))
# Marks a weight that sixteen bits do not decide; no weight has this bit.
_UNDECIDED, _ANY_UNDECIDED = np.int16(256), 0x0100_0100_0100_0100

# Leading sixteen bits of 2**64 · P(X ≤ k), k = 0 … 7; from k = 7 on, all bits are 1.
_T0, _T1, _T2, _T3, _T4, _T5, _T6, _T7 = (int(t) >> 48 for t in poisson_thresholds()[:8])

_STATES = types.Array(uint64, 1, "C", readonly=True)


@njit(uint64(uint64), cache=True, nogil=True, inline="always")
def _mixed(state: Any) -> Any:
    state = (state ^ (state >> _SHIFT_1)) * _MULTIPLY_1
    state = (state ^ (state >> _SHIFT_2)) * _MULTIPLY_2
    return state ^ (state >> _SHIFT_3)


@njit(
    void(uint64, uint64, uint64[::1], uint16[::1], _STATES, int16[::1], int64[::1]),
    cache=True,
    nogil=True,
)
def weights_of_tile(  # noqa: C901
    start: Any,
    first_group: Any,
    bits: Any,
    lanes: Any,
    thresholds: Any,
    weights: Any,
    words: Any,
) -> None:
    """Fill `weights` with the Poisson weights of one block in a tile of T resamples.

    The compiler computes 32 weights at a time: there is no table, and only one rare branch.

    Parameters
    ----------
    start : uint64
        State of the block's generator.
    first_group : uint64
        Id of the first resample, divided by 4.
    bits : uint64, shape (T / 4,)
        Scratch.
    lanes : uint16, shape (T,)
        Another view of `bits`.
    thresholds : uint64, shape (20,)
        See `ranking.core.counting.bootstrap.poisson_thresholds`.
    weights : int16, shape (T,)
        Filled in.
    words : int64, shape (T / 4,)
        Another view of `weights`.
    """
    for group in range(len(bits)):
        bits[group] = _mixed(start + (first_group + np.uint64(group) + _ONE) * _GAMMA)
    for i in range(len(weights)):
        lane = lanes[i]
        weight = _W0
        if lane > _T0:
            weight = _W1
        if lane > _T1:
            weight = _W2
        if lane > _T2:
            weight = _W3
        if lane > _T3:
            weight = _W4
        if lane > _T4:
            weight = _W5
        if lane > _T5:
            weight = _W6
        if lane > _T6:
            weight = _W7
        if (
            (lane == _T0)
            | (lane == _T1)
            | (lane == _T2)
            | (lane == _T3)
            | (lane == _T4)
            | (lane == _T5)
            | (lane == _T6)
            | (lane == _T7)
        ):
            weight = _UNDECIDED
        weights[i] = weight
    undecided = np.int64(0)
    for i in range(len(words)):
        undecided |= words[i]
    if undecided & _ANY_UNDECIDED:
        for i in range(len(weights)):
            if weights[i] == _UNDECIDED:
                lane = lanes[i]
                resample = first_group * np.uint64(4) + np.uint64(i)
                low = _mixed(~start + (resample + _ONE) * _GAMMA) >> _SIXTEEN
                uniform = (np.uint64(lane) << _FORTY_EIGHT) | low
                count = 0
                while count < len(thresholds) and uniform >= thresholds[count]:
                    count += 1
                weights[i] = count
