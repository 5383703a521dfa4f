"""The compiled inner loop of `ranking.reports.design_study.study`; import it inside functions.

It draws blocks with the kernels of campaigns, `annotation.sampling.kernels`, and judges them
as `ranking.core.simulation.model` does.
"""

from typing import NamedTuple

import numpy as np

from annotation.sampling.kernels import choose_balanced, choose_uniform, choose_weighted
from optional_packages.numba import njit
from ranking.core.arrays import FloatArray, Int64Array

UNIFORM, BALANCED, ACTIVE = range(3)
_WORD = 2.0**53
_S20 = np.uint64(20)


class Streams(NamedTuple):
    """Separate streams of random numbers, so that none affects another."""

    drawing: np.random.Generator
    judging: np.random.Generator
    resampling: np.random.Generator


class BlockDesign(NamedTuple):
    """How blocks are drawn.

    Attributes
    ----------
    code : int
        UNIFORM, BALANCED or ACTIVE.
    floor : float
        Share of the active blocks that are drawn as balanced.
    priorities : float64, shape (n, n)
        Priorities of pairs in the active design.
    per_block : int
        Number of systems in a block.
    """

    code: int
    floor: float
    priorities: FloatArray
    per_block: int


class JudgeModel(NamedTuple):
    """How blocks are judged.

    Attributes
    ----------
    quality, outputs, noise, judge_noise, tie_radius
        As in `ranking.core.simulation.model.Model`.
    rates : float64, shape (2, n, n), or (0, 0, 0)
        If given, comparisons are drawn one by one instead: ``rates[0, a, b]`` is the probability
        that a beats b, ``rates[1, a, b]`` that they tie.
    """

    quality: FloatArray
    outputs: FloatArray
    noise: float
    judge_noise: float
    tie_radius: float
    rates: FloatArray


class CampaignCounts(NamedTuple):
    """Counts of a campaign, to which new blocks are added.

    Attributes
    ----------
    counts, wins, ties : int64, shape (n, n)
        Pairs shown, wins and ties.
    resampled_wins, resampled_ties : int64, shape (R, n, n)
        Wins and ties in resamples; blocks are added with Poisson weights of mean 1 (the bootstrap
        of blocks).
    """

    counts: Int64Array
    wins: Int64Array
    ties: Int64Array
    resampled_wins: Int64Array
    resampled_ties: Int64Array


@njit(cache=True, nogil=True)
def judge_model(
    generator: np.random.Generator,
    model: JudgeModel,
    chosen: Int64Array,
    perceived: FloatArray,
) -> None:
    """Fill in the perceived qualities of the chosen systems' outputs for a segment."""
    row = int(generator.random() * len(model.outputs))
    for i in range(len(chosen)):
        system = chosen[i]
        if len(model.outputs):
            value = model.outputs[row, system]
        else:
            error = generator.standard_normal()
            value = model.quality[system] + model.noise * error
        if model.judge_noise > 0:
            error = generator.standard_normal()
            value += model.judge_noise * error
        perceived[i] = value


@njit(cache=True, nogil=True)
def judge_rates(
    generator: np.random.Generator,
    rates: FloatArray,
    chosen: Int64Array,
    outcome: Int64Array,
) -> None:
    """Draw the outcome of each pair of chosen systems independently."""
    for i in range(1, len(chosen)):
        for j in range(i):
            a = chosen[i]
            b = chosen[j]
            win_rate = rates[0, a, b]
            tie_rate = rates[1, a, b]
            share = generator.random()
            if share < win_rate:
                outcome[i, j] = 1
            elif share < win_rate + tie_rate:
                outcome[i, j] = 0
            else:
                outcome[i, j] = -1


@njit(cache=True, nogil=True)
def compare(
    perceived: FloatArray,
    tie_radius: float,
    labels: Int64Array,
    outcome: Int64Array,
) -> None:
    """Label outputs from 1, the best, and compare them.

    Outputs share a label unless they are too far below the best one with it. `labels` and, below the
    diagonal, `outcome` are filled in.
    """
    order = np.argsort(-perceived)
    best = perceived[order[0]]
    label = 1
    for i in order:
        if best - perceived[i] > tie_radius:
            label += 1
            best = perceived[i]
        labels[i] = label
    for i in range(1, len(perceived)):
        for j in range(i):
            outcome[i, j] = np.sign(labels[j] - labels[i])


@njit(cache=True, nogil=True)
def count_pairs_shown(chosen: Int64Array, counts: Int64Array) -> None:
    """Add the pairs of a block to `counts`."""
    for i in range(1, len(chosen)):
        for j in range(i):
            a = chosen[i]
            b = chosen[j]
            counts[a, b] += 1
            counts[b, a] += 1


@njit(cache=True, nogil=True)
def draw_block(
    design: BlockDesign,
    counts: Int64Array,
    everybody: Int64Array,
    generator: np.random.Generator,
    chosen: Int64Array,
) -> None:
    """Choose the systems of a block by the design, with a key from the generator."""
    high = np.uint64(generator.random() * _WORD)
    low = np.uint64(generator.random() * _WORD)
    key = int((high << _S20) ^ low)
    if design.code == ACTIVE and generator.random() >= design.floor:
        choose_weighted(design.priorities, everybody, len(chosen), key, chosen)
    elif design.code == UNIFORM:
        choose_uniform(everybody, len(chosen), key, chosen)
    else:
        choose_balanced(counts, everybody, len(chosen), key, chosen)


@njit(cache=True, nogil=True)
def poisson_of(share: float) -> int:
    """Convert a uniform random number to a Poisson one with mean 1, by inversion."""
    weight = 0
    step = below = 0.36787944117144233  # 1 / e
    while share >= below and weight < 20:
        weight += 1
        step /= weight
        below += step
    return weight


@njit(cache=True, nogil=True)
def count_block(
    chosen: Int64Array,
    outcome: Int64Array,
    weight: int,
    wins: Int64Array,
    ties: Int64Array,
) -> None:
    """Add a block's comparisons: `outcome[i, j]` is 1, 0 or −1 if i wins, ties or loses."""
    for i in range(1, len(chosen)):
        for j in range(i):
            a = chosen[i]
            b = chosen[j]
            if outcome[i, j] > 0:
                wins[a, b] += weight
            elif outcome[i, j] < 0:
                wins[b, a] += weight
            else:
                ties[a, b] += weight
                ties[b, a] += weight


@njit(cache=True, nogil=True)
def simulate_more_blocks(
    streams: Streams,
    design: BlockDesign,
    model: JudgeModel,
    counts: CampaignCounts,
    blocks: int,
) -> None:
    """Draw and judge more blocks of a campaign, and add them to its counts."""
    everybody = np.arange(len(counts.counts))
    chosen = np.empty(design.per_block, np.int64)
    perceived = np.empty(design.per_block, np.float64)
    labels = np.empty(design.per_block, np.int64)
    outcome = np.zeros((design.per_block, design.per_block), np.int64)
    for _ in range(blocks):
        draw_block(design, counts.counts, everybody, streams.drawing, chosen)
        if len(model.rates):
            judge_rates(streams.judging, model.rates, chosen, outcome)
        else:
            judge_model(streams.judging, model, chosen, perceived)
            compare(perceived, model.tie_radius, labels, outcome)
        count_pairs_shown(chosen, counts.counts)
        count_block(chosen, outcome, 1, counts.wins, counts.ties)
        for resample in range(len(counts.resampled_wins)):
            weight = poisson_of(streams.resampling.random())
            if weight:
                wins = counts.resampled_wins[resample]
                ties = counts.resampled_ties[resample]
                count_block(chosen, outcome, weight, wins, ties)
