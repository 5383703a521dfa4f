"""Poisson weights in compiled code: the same bits as `ranking.core.counting.resampling`.

Change this file together with `ranking.core.counting.resampling_kernel`: numba keeps the compiled kernel
until the kernel's own file changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from optional_packages.numba import boolean, njit, types, uint8, uint16, uint64, void
from ranking.core.counting.resampling import poisson_thresholds

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1, _MULTIPLY_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_ONE, _SIXTEEN, _FORTY_EIGHT = np.uint64(1), np.uint64(16), np.uint64(48)
# Eight bits each, so that the compiler does not widen the weights.
_W0, _W1, _W2, _W3, _W4, _W5, _W6, _W7 = (np.uint8(weight) for weight in range(8))
# Marks a weight that sixteen bits do not decide; no weight has this bit.
_UNDECIDED, _ANY_UNDECIDED = np.uint8(128), np.uint64(0x8080_8080_8080_8080)
_FARTHEST = np.uint16(65535)
#: The largest weight that sixteen bits can decide.
MOST_COMMON = 7

# Leading sixteen bits of 2**64 · P(X ≤ k), k = 0 … 7; from k = 7 on, all bits are 1.
_T0, _T1, _T2, _T3, _T4, _T5, _T6, _T7 = (int(t) >> 48 for t in poisson_thresholds()[:8])
_S0, _S1, _S2, _S3, _S4, _S5, _S6, _S7 = (np.uint16(int(t) >> 48) for t in poisson_thresholds()[:8])

_THRESHOLDS = types.Array(uint64, 1, "C", readonly=True)


@njit(uint64(uint64), cache=True, nogil=True, inline="always")
def _mixed(state: Any) -> Any:
    state = (state ^ (state >> _SHIFT_1)) * _MULTIPLY_1
    state = (state ^ (state >> _SHIFT_2)) * _MULTIPLY_2
    return state ^ (state >> _SHIFT_3)


@njit(boolean(uint16[::1], uint8[::1]), cache=True, nogil=True)
def _decide(lanes: Any, weights: Any) -> Any:
    """Set weights, and return whether sixteen bits do not decide one: a number is a threshold.

    That is told from a minimum of differences: the processor has fewer units for comparisons, which are
    busy with the weights.
    """
    closest = _FARTHEST
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
        weights[i] = weight
        closest = min(
            closest,
            np.uint16(lane ^ _S0),
            np.uint16(lane ^ _S1),
            np.uint16(lane ^ _S2),
            np.uint16(lane ^ _S3),
            np.uint16(lane ^ _S4),
            np.uint16(lane ^ _S5),
            np.uint16(lane ^ _S6),
            np.uint16(lane ^ _S7),
        )
    return closest == 0


@njit(void(uint16[::1], uint8[::1]), cache=True, nogil=True)
def _mark_undecided(lanes: Any, weights: Any) -> None:
    for i in range(len(weights)):
        lane = lanes[i]
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
            weights[i] = _UNDECIDED


@njit(
    boolean(uint64, uint64, uint64[::1], uint16[::1], _THRESHOLDS, uint8[::1], uint64[::1]),
    cache=True,
    nogil=True,
)
def weights_of_tile(
    start: Any,
    first_group: Any,
    bits: Any,
    lanes: Any,
    thresholds: Any,
    weights: Any,
    words: Any,
) -> Any:
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
        See `ranking.core.counting.resampling.poisson_thresholds`.
    weights : uint8, shape (T,)
        Filled in.
    words : uint64, shape (T / 8,)
        Another view of `weights`.

    Returns
    -------
    bool
        Whether a weight is larger than `MOST_COMMON`.
    """
    for group in range(len(bits)):
        bits[group] = _mixed(start + (first_group + np.uint64(group) + _ONE) * _GAMMA)
    large = False
    if _decide(lanes, weights):
        _mark_undecided(lanes, weights)
        for word in range(len(words)):
            if words[word] & _ANY_UNDECIDED:
                for i in range(8 * word, 8 * word + 8):
                    if weights[i] == _UNDECIDED:
                        resample = first_group * np.uint64(4) + np.uint64(i)
                        low = _mixed(~start + (resample + _ONE) * _GAMMA) >> _SIXTEEN
                        uniform = (np.uint64(lanes[i]) << _FORTY_EIGHT) | low
                        count = 0
                        while count < len(thresholds) and uniform >= thresholds[count]:
                            count += 1
                        weights[i] = count
                        large |= count > MOST_COMMON
    return large
