"""Simulated campaigns by Koehn's (2012, §3) generative model of human judgments, and experiments with them.

Every experiment depends only on the seed, its number and the model, not on other experiments, the
engine or the number of workers. A longer campaign starts with the shorter one, so one experiment
gives all points of a curve. Two models that differ only in noise use the same systems and the same
random numbers, so curves over the noise are smooth.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import (
    FloatArray,
    Int8Array,
    Int32Array,
    Int64Array,
    as_column,
)
from ranking.core.counting.counts import chunks
from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.sharding import Running, map_shards

#: System qualities are drawn from [0, QUALITY_RANGE]; all other scales are relative to it.
QUALITY_RANGE = 10.0
#: Separate streams of random numbers of an experiment, so that none affects another.
_JUDGING, _KEYS, _JUDGES, _RESAMPLING, _GROUPS, _DRAWING = range(6)
_BLOCKS_AT_A_TIME = 8192


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model of the judgments of n systems.

    The average quality of each system is drawn uniformly from [0, 10]. A block shows a few systems
    drawn at random, each with an output whose quality is normal around the system's average. A
    judge orders the perceived qualities; labels run from 1.

    Attributes
    ----------
    systems : int
        n, at least 2.
    noise : float
        Standard deviation of the quality of outputs around their system's average, above 0. Koehn
        prints this number as "σ² = 10", but it only reproduces his tables as a standard deviation.
    per_block : int
        Systems shown in a block, 2 … 5; all systems if there are fewer.
    tie_radius : float
        From best to worst, outputs within this distance of the best one with the current label get
        the same label. With two systems in a block, it is Hopkins & May's (2013) decision radius.
        0, as in Koehn's model, gives no ties.
    judge_noise : float
        Standard deviation of perceived around true quality, drawn for each judgment. Without
        `segments` it only adds to the noise (√(noise² + judge_noise²)), as Koehn notes.
    segments : int or None
        Size of the test set: the quality of each system's output for each segment is drawn once
        and shared by all blocks of that segment, and blocks draw a segment at random. With None, as
        in Koehn's model, every block has its own outputs.
    groups : int or None
        Number of different qualities, 1 … n: systems of one group are equally good. The sizes of
        the groups are drawn such that all are equally likely (Pólya's urn). With None, as in
        Koehn's model, no two systems are equally good.

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    systems: int
    noise: float
    per_block: int = 5
    tie_radius: float = 0.0
    judge_noise: float = 0.0
    segments: int | None = None
    groups: int | None = None

    def __post_init__(self) -> None:
        if self.systems < 2:
            raise ValueError("systems: expected at least 2")
        if not 0 < self.noise < np.inf:
            raise ValueError("noise: expected a number above 0")
        if not 2 <= self.per_block <= MAX_LABEL:
            raise ValueError(f"per_block: expected 2 … {MAX_LABEL}")
        if not 0 <= self.tie_radius < np.inf or not 0 <= self.judge_noise < np.inf:
            raise ValueError("tie_radius and judge_noise must not be negative")
        if self.segments is not None and self.segments < 1:
            raise ValueError("segments: expected at least 1")
        if self.groups is not None and not 1 <= self.groups <= self.systems:
            raise ValueError(f"groups: expected 1 … {self.systems}")

    @property
    def block_size(self) -> int:
        """Number of systems in a block."""
        return min(self.per_block, self.systems)

    @property
    def comparisons_per_block(self) -> int:
        """Number of pairwise comparisons of a block, including ties: 10 with five systems."""
        return self.block_size * (self.block_size - 1) // 2

    def blocks_for(self, comparisons: Sequence[int] | Int64Array) -> Int64Array:
        """Return the number of blocks with about this many comparisons, including ties; at least
        1.
        """
        blocks = np.asarray(comparisons, dtype=np.float64) / self.comparisons_per_block
        return np.maximum(1, np.rint(blocks)).astype(np.int64)


#: A function from the number of an experiment to its model: campaigns of a plan may differ in
#: noise.
ModelOf = Callable[[int], Model]


@dataclass(frozen=True, eq=False)
class Simulated:
    """The pairwise counts of one simulated campaign as it grows.

    Attributes
    ----------
    quality : float64, shape (n,)
        True average quality of each system; the order of the systems is arbitrary.
    blocks : int64, shape (C,)
        Number of judged blocks at each checkpoint.
    wins : int64, shape (C, n, n)
        ``wins[c, a, b]`` comparisons won by a against b up to checkpoint c.
    ties : int64, shape (C, n, n)
        Symmetric.
    """

    quality: FloatArray
    blocks: Int64Array
    wins: Int64Array
    ties: Int64Array


def generator_of(seed: int, experiment: int, *stream: int) -> np.random.Generator:
    """Return a generator for one experiment, which depends only on the arguments."""
    sequence = np.random.SeedSequence(seed, spawn_key=(experiment, *stream))
    return np.random.Generator(np.random.PCG64(sequence))


def resampling_generator(
    seed: int,
    experiment: int,
    blocks: int,
) -> np.random.Generator:
    """Return a generator for resampling an experiment after this many blocks."""
    return generator_of(seed, experiment, _RESAMPLING, blocks)


def simulate_wins(
    model: Model,
    *,
    blocks: Sequence[int] | Int64Array,
    seed: int,
    experiment: int,
) -> Simulated:
    """Simulate one campaign, and return its wins and ties at checkpoints.

    Parameters
    ----------
    model : Model
    blocks : sequence of int
        Checkpoints: numbers of blocks, at least 1, ascending.
    seed : int
        Not negative.
    experiment : int
        Number of the experiment, not negative.

    Returns
    -------
    Simulated
        Deterministic; counts at a checkpoint do not depend on the other checkpoints.

    Raises
    ------
    ValueError
        If the checkpoints are not ascending or an argument is out of range.

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    return _simulate(model, blocks, seed, experiment, keep=False)[0]


def simulate_blocks(
    model: Model,
    *,
    blocks: int,
    seed: int,
    experiment: int,
    judges: int = 1,
) -> tuple[Blocks, FloatArray]:
    """Simulate the same campaign as `simulate_wins`, and return its blocks.

    Parameters
    ----------
    model : Model
    blocks : int
        Number B of blocks.
    seed, experiment : int
        Not negative.
    judges : int
        Number of judges; blocks are assigned to them at random. Judges do not differ.

    Returns
    -------
    Blocks
        Over systems "01", "02" … Segments count from 1; without `Model.segments`, every block has
        its own segment. Keys are random numbers, functions of (seed, experiment, row).
    float64, shape (n,)
        True average quality of each system.
    """
    simulated, labels, candidates, segment = _simulate(
        model,
        [blocks],
        seed,
        experiment,
        keep=True,
    )
    # Separate streams, so that more blocks or judges do not change the others.
    key = generator_of(seed, experiment, _KEYS).integers(
        0,
        2**64,
        size=blocks,
        dtype=np.uint64,
    )
    judge = generator_of(seed, experiment, _JUDGES).integers(
        0,
        judges,
        blocks,
        dtype=np.int32,
    )
    width = len(str(max(model.systems, judges)))
    columns = Blocks(
        systems=tuple(f"{number:0{width}}" for number in range(1, model.systems + 1)),
        labels=labels,
        candidates=candidates,
        judge=judge,
        judges=tuple(f"judge {number:0{width}}" for number in range(1, judges + 1)),
        segment=segment,
        key=key,
    )
    return columns, simulated.quality


def _simulate(
    model: Model,
    blocks: Sequence[int] | Int64Array,
    seed: int,
    experiment: int,
    *,
    keep: bool,
) -> tuple[Simulated, Int8Array, Int8Array, Int32Array]:
    checkpoints = np.asarray(blocks, dtype=np.int64)
    if not len(checkpoints) or checkpoints[0] < 1 or np.any(np.diff(checkpoints) <= 0):
        raise ValueError("blocks: expected ascending numbers from 1")
    n = model.systems
    last = int(checkpoints[-1])
    judging = generator_of(seed, experiment, _JUDGING)
    drawing = generator_of(seed, experiment, _DRAWING)
    quality = judging.uniform(0, QUALITY_RANGE, n)
    if model.groups is not None:
        random = generator_of(seed, experiment, _GROUPS)
        quality = quality[groups_of_systems(n, model.groups, random)]
    outputs, noise = _outputs(model, quality, judging)
    counts = np.zeros((2, len(checkpoints), n, n), dtype=np.int64)
    # The first checkpoint with each block.
    new_blocks = np.diff(checkpoints, prepend=0)
    reached = np.repeat(np.arange(len(checkpoints)), new_blocks)
    stored_blocks = 0
    if keep:
        stored_blocks = last
    labels = np.zeros((stored_blocks, n), dtype=np.int8)
    candidates = np.full((stored_blocks, n), -1, dtype=np.int8)
    segment = np.arange(1, stored_blocks + 1, dtype=np.int32)
    for rows in chunks(last, _BLOCKS_AT_A_TIME):
        block = np.arange(rows.start, rows.stop)
        # The first number of a block draws its segment, the others its systems.
        drawn = drawing.random((len(block), 1 + n))
        segment_number = drawn[:, 0]
        system_numbers = drawn[:, 1:]
        row = (segment_number * len(outputs)).astype(np.int64)
        order = np.argpartition(system_numbers, model.block_size - 1, axis=1)
        systems = order[:, : model.block_size]
        perceived = outputs[as_column(row), systems]
        perceived += noise * judging.standard_normal(perceived.shape)
        # Small numbers with the longest axis last make this three times as fast.
        columns = systems.T.astype(np.int32, order="C")
        label = _labels(np.ascontiguousarray(perceived.T), model.tie_radius)
        _count(columns, label, reached[rows], counts)
        if keep:
            labels[block, columns] = label
            candidates[block, columns] = as_column(np.arange(model.block_size))
            if model.segments:
                segment[block] = row + 1
    wins, ties = counts.cumsum(axis=1)
    counted = Simulated(
        quality=quality,
        blocks=checkpoints,
        wins=wins,
        ties=ties + ties.swapaxes(1, 2),
    )
    return counted, labels, candidates, segment


def _outputs(
    model: Model,
    quality: FloatArray,
    judging: np.random.Generator,
) -> tuple[FloatArray, float]:
    """Return the qualities of outputs, with a row for each segment, and the noise of each judgment.

    Without a limited number of segments, there is one row, and the noise of outputs is part of that
    of the judgments.
    """
    if not model.segments:
        return quality[np.newaxis], float(np.hypot(model.noise, model.judge_noise))
    deviates = judging.standard_normal((model.segments, len(quality)))
    return quality + model.noise * deviates, model.judge_noise


def _labels(perceived: FloatArray, tie_radius: float) -> Int8Array:
    """Label the k outputs of B blocks, shape (k, B); a label ends where outputs are too far below its best one."""
    label = np.zeros(perceived.shape, dtype=np.int8)
    below = np.ones(perceived.shape, dtype=np.bool_)
    for _label in range(len(perceived)):
        label += below
        best = np.where(below, perceived, -np.inf).max(axis=0)
        below &= best - perceived > tie_radius
    return label


def _count(
    labels_shown: Int32Array,
    label: Int8Array,
    checkpoint: Int64Array,
    counts: Int64Array,
) -> None:
    """Add the comparisons of B blocks, with systems and labels of shape (k, B), to wins and ties.

    Both, shape (2, C, n, n), are counted at the first checkpoint with the block.
    """
    _two, checkpoints, n, _n = counts.shape
    first, second = np.triu_indices(len(labels_shown), k=1)
    one = labels_shown[first]
    other = labels_shown[second]
    ahead = label[second] - label[first]
    pair = np.where(ahead >= 0, one * n + other, other * n + one)
    is_tie = ahead == 0
    table = is_tie * checkpoints + checkpoint
    cell = pair + table.astype(np.int32) * (n * n)
    counted = np.bincount(cell.ravel(), minlength=counts.size)
    counts += counted.reshape(counts.shape)


def groups_of_systems(
    systems: int,
    groups: int,
    random: np.random.Generator,
) -> Int64Array:
    """Return each system's group: first one system per group, then the group of a random earlier
    system.
    """
    group = np.arange(systems)
    for system in range(groups, systems):
        group[system] = group[int(random.random() * system)]
    return group


Measure = Callable[[int], npt.NDArray[Any]]

#: Number of experiments in a shard, and between two reports of progress.
_AT_A_TIME = 20


def measure_experiments(
    measure: Measure,
    experiments: Sequence[int],
    **running: Unpack[Running],
) -> npt.NDArray[Any]:
    """Return the stacked measurements of experiments.

    Parameters
    ----------
    measure : callable
        Returns an array that depends only on the number of an experiment: a module-level function,
        or a partial of one.
    experiments : sequence of int
        Numbers of the experiments, at least one.
    **running : see `ranking.core.sharding.Running`
        Progress is that of experiments.

    Returns
    -------
    array, shape (E, …)
        In the order of `experiments`.

    Raises
    ------
    ValueError
        If there are no experiments.
    """
    if not len(experiments):
        raise ValueError("experiments: expected at least one")
    parts = []
    for rows in chunks(len(experiments), _AT_A_TIME):
        parts.append(list(experiments[rows]))
    progress = running.get("progress")
    if progress is not None:
        progress(0, len(experiments))
    measured = map_shards(
        partial(_measure_all, measure),
        parts,
        sizes=[len(part) for part in parts],
        **running,
    )
    return np.array([*chain.from_iterable(measured)])


def _measure_all(
    measure: Measure,
    experiments: Sequence[int],
) -> list[npt.NDArray[Any]]:
    return [measure(experiment) for experiment in experiments]
