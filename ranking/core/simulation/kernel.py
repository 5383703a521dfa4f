"""The compiled inner loop of `ranking.core.simulation.model`; import it inside functions.

Importing this module imports numba, which takes as long as the rest of the core, and compiles
kernels that are not cached on disk, see `optional_packages.numba`.
"""

from __future__ import annotations

import numpy as np

from optional_packages.numba import float64, int8, int32, int64, njit, types, void
from ranking.core.arrays import FloatArray, Int8Array, Int32Array, Int64Array

_SIGNATURE = void(
    types.NumPyRandomGeneratorType("npy_rng"),
    float64[::1],
    float64[:, ::1],
    float64,
    float64,
    float64,
    int64,
    int64[::1],
    int64[:, :, ::1],
    int64[:, :, ::1],
    int8[:, ::1],
    int8[:, ::1],
    int32[::1],
)


@njit(cache=True, nogil=True)
def _draw_systems(generator: np.random.Generator, order: Int64Array, count: int) -> None:
    """Move drawn systems to the front of `order`, by the first steps of a shuffle."""
    for i in range(count):
        j = i + int(generator.random() * (len(order) - i))
        order[i], order[j] = order[j], order[i]


@njit(cache=True, nogil=True)
def _insert(
    perceived: FloatArray, shown: Int64Array, count: int, value: float, system: int
) -> None:
    """Insert a system into the first `count`, which are sorted by perceived quality, best first."""
    k = count
    while k > 0 and perceived[k - 1] < value:
        perceived[k] = perceived[k - 1]
        shown[k] = shown[k - 1]
        k -= 1
    perceived[k] = value
    shown[k] = system


@njit(cache=True, nogil=True)
def _give_labels(perceived: FloatArray, tie_radius: float, label: Int64Array) -> None:
    """Label sorted outputs; a label ends where outputs are too far below its best one."""
    best = perceived[0]
    label[0] = 1
    for i in range(1, len(perceived)):
        label[i] = label[i - 1]
        if best - perceived[i] > tie_radius:
            label[i] += 1
            best = perceived[i]


@njit(cache=True, nogil=True)
def _count(shown: Int64Array, label: Int64Array, won: Int64Array, tied: Int64Array) -> None:
    """Count the comparisons of a block."""
    for i in range(1, len(shown)):
        for j in range(i):
            if label[j] < label[i]:
                won[shown[j], shown[i]] += 1
            else:
                tied[shown[j], shown[i]] += 1
                tied[shown[i], shown[j]] += 1


@njit(_SIGNATURE, cache=True, nogil=True)
def judge_blocks(
    generator: np.random.Generator,
    quality: FloatArray,
    outputs: FloatArray,
    noise: float,
    judge_noise: float,
    tie_radius: float,
    per_block: int,
    checkpoints: Int64Array,
    wins: Int64Array,
    ties: Int64Array,
    labels: Int8Array,
    candidates: Int8Array,
    segment: Int32Array,
) -> None:
    """Judge blocks one after the other, and count wins and ties up to each checkpoint.

    Draws for a block do not depend on later blocks, so a longer campaign starts with the shorter
    one.

    Parameters
    ----------
    generator : numpy.random.Generator
    quality : float64, shape (n,)
        Average quality of each system.
    outputs : float64, shape (S, n)
        Quality of each system's output for each segment; with S = 0, new outputs are drawn for each
        block.
    noise, judge_noise, tie_radius : float
        See `ranking.core.simulation.model.Model`.
    per_block : int
        Systems in a block, at most n.
    checkpoints : int64, shape (C,)
        Numbers of blocks, ascending.
    wins, ties : int64, shape (C, n, n)
        Filled in.
    labels, candidates : int8, shape (checkpoints[-1], n), or no rows if not wanted
        As in `Blocks`; filled in.
    segment : int32, shape (checkpoints[-1],), or empty like those
        Filled in, counted from 1.
    """
    n = len(quality)
    order = np.arange(n)
    shown = np.empty(per_block, np.int64)
    perceived = np.empty(per_block, np.float64)
    label = np.empty(per_block, np.int64)
    won = np.zeros((n, n), np.int64)
    tied = np.zeros((n, n), np.int64)
    block = 0
    for checkpoint in range(len(checkpoints)):
        while block < checkpoints[checkpoint]:
            row = int(generator.random() * len(outputs)) if len(outputs) else block
            _draw_systems(generator, order, per_block)
            for i in range(per_block):
                system = order[i]
                if len(outputs):
                    value = outputs[row, system]
                else:
                    value = quality[system] + noise * generator.standard_normal()
                if judge_noise > 0:
                    value += judge_noise * generator.standard_normal()
                _insert(perceived, shown, i, value, system)
            _give_labels(perceived, tie_radius, label)
            _count(shown, label, won, tied)
            if len(labels):
                segment[block] = row + 1
                for i in range(per_block):
                    candidates[block, order[i]] = i
                    labels[block, shown[i]] = label[i]
            block += 1
        wins[checkpoint] = won
        ties[checkpoint] = tied
