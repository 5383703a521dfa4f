"""Simulated campaigns in which what ranges promise can be checked: the truth is known.

Each world breaks one assumption that a level of resampling makes: segments judged several times,
judges with tastes of their own, documents, careless judges. A system's quality in a block is a
normal draw around its true quality; judges rank what they perceive.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_SEGMENTS_A_HIT = 3
SEGMENTS_A_DOCUMENT = 10


@dataclass(frozen=True, kw_only=True)
class World:
    """Model of simulated campaigns.

    Attributes
    ----------
    name : str
    systems : int
    spread : float
        True qualities are uniform on [0, spread].
    blocks : int
        Judged blocks of five systems, repetitions by further judges among them.
    segments : int or None
        Distinct segments; None for a fresh one a block.
    noise : float
        Standard deviation of what a judge perceives, fresh for each look.
    segment_sd : float
        Of a system's quality on a segment, the same for all who judge the segment.
    document_sd : float
        Of a shift of each system in each document of ten segments.
    judges : int
    taste_sd : float
        Of a shift of each system for each judge.
    disputed : int or None
        Systems that judges have tastes about, the first ones; None for all.
    unequal : bool
        Whether judge j does 1/j of the work instead of equal parts.
    redundancy : int
        Judges who rank the very same block.
    clicking : float
        Share of judges who hardly look: their noise is six times as large.
    """

    name: str
    systems: int = 15
    spread: float = 10.0
    blocks: int = 1000
    segments: int | None = None
    noise: float = 10.0
    segment_sd: float = 0.0
    document_sd: float = 0.0
    judges: int = 20
    taste_sd: float = 0.0
    disputed: int | None = None
    unequal: bool = False
    redundancy: int = 1
    clicking: float = 0.0


#: The worlds of docs/statistics/coverage.md, in its order.
WORLDS: tuple[World, ...] = (
    World(name="Koehn"),
    World(name="300 segments", segments=300, segment_sd=8, noise=6),
    World(name="100 segments", segments=100, segment_sd=8, noise=6),
    World(name="redundancy 3", segment_sd=8, noise=6, redundancy=3),
    World(name="documents", segment_sd=7, noise=6, document_sd=4),
    World(name="10 judges, taste 1.5", judges=10, taste_sd=1.5),
    World(name="10 judges, taste 3", judges=10, taste_sd=3),
    World(name="20 judges, unequal shares, taste 1.5", taste_sd=1.5, unequal=True),
    World(name="a fifth click at random", clicking=0.2),
    World(
        name="100 segments and 10 judges, taste 2.5",
        segments=100,
        segment_sd=8,
        noise=6,
        judges=10,
        taste_sd=2.5,
    ),
    World(name="near-equal", spread=1),
)


def world_named(name: str) -> World:
    """Return the world of that name; KeyError if there is none."""
    return {world.name: world for world in WORLDS}[name]


def draw_campaign(world: World, seed: int) -> tuple[Blocks, FloatArray]:
    """Draw a campaign of a world.

    Parameters
    ----------
    world : World
    seed : int

    Returns
    -------
    Blocks
        Systems are called s00, s01 …, judges j00, j01 ….
    float64, shape (n,)
        True qualities of the systems, in the order of `Blocks.systems`.
    """
    random = np.random.default_rng([seed, *world.name.encode()])
    truth = random.uniform(0, world.spread, world.systems)
    segment, judge = _who_judges_what(world, random)
    of_look = np.arange(world.blocks) // world.redundancy
    shown = random.permuted(
        np.tile(np.arange(world.systems), (of_look[-1] + 1, 1)),
        axis=1,
    )[of_look, :5]
    perceived = truth[shown] + _shifts(world, random, segment, judge, shown)
    ranks = perceived.argsort(axis=1)[:, ::-1].argsort(axis=1) + 1
    rows = np.arange(world.blocks)[:, np.newaxis]
    labels = np.zeros((world.blocks, world.systems), dtype=np.int8)
    labels[rows, shown] = ranks
    candidates = np.full(labels.shape, -1, dtype=np.int8)
    candidates[rows, shown] = np.arange(5)
    blocks = Blocks(
        systems=tuple(f"s{index:02}" for index in range(world.systems)),
        labels=labels,
        candidates=candidates,
        judge=judge.astype(np.int32),
        judges=tuple(f"j{index:02}" for index in range(world.judges)),
        segment=segment.astype(np.int32),
        key=random.integers(0, 2**63, world.blocks, dtype=np.uint64),
        document=_documents(segment) if world.document_sd else None,
    )
    return blocks, truth


def _documents(segment: IntArray) -> npt.NDArray[np.int32]:
    """Return the document of each block: ten segments in a row."""
    return (segment // SEGMENTS_A_DOCUMENT).astype(np.int32)


def _who_judges_what(
    world: World,
    random: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """Return the segment and the judge of each block: HITs of three segments in a row."""
    looks = world.blocks // world.redundancy
    segments = world.segments or looks + 1
    weights = (
        1 / np.arange(1, world.judges + 1) if world.unequal else np.ones(world.judges)
    )
    free = np.ones((world.judges, segments), dtype=np.bool_)
    segment = np.empty(world.blocks, dtype=np.int64)
    judge = np.empty(world.blocks, dtype=np.int64)
    done = 0
    for hit in count():
        first = hit * _SEGMENTS_A_HIT
        if first >= looks:
            break
        here = np.arange(first, min(first + _SEGMENTS_A_HIT, looks)) % segments
        suited = weights * free[:, here].all(axis=1)
        if np.count_nonzero(suited) < world.redundancy:
            suited = weights
        chosen = random.choice(
            world.judges,
            world.redundancy,
            replace=False,
            p=suited / suited.sum(),
        )
        free[np.ix_(chosen, here)] = False
        size = len(here) * world.redundancy
        segment[done : done + size] = np.repeat(here, world.redundancy)
        judge[done : done + size] = np.tile(chosen, len(here))
        done += size
    # A number of blocks that the redundancy does not divide: the last look is judged again.
    segment[done:], judge[done:] = (
        segment[done - 1],
        (judge[done - 1] + 1) % world.judges,
    )
    return segment, judge


def _shifts(
    world: World,
    random: np.random.Generator,
    segment: IntArray,
    judge: IntArray,
    shown: IntArray,
) -> FloatArray:
    """Return perceived minus true qualities, shape (B, 5)."""
    segments = int(segment.max()) + 1
    clickers = round(world.clicking * world.judges)
    noise = np.where(np.arange(world.judges) < clickers, 6 * world.noise, world.noise)
    shift = random.normal(size=shown.shape) * noise[judge][:, np.newaxis]
    for standard_deviation, unit, systems in (
        (world.segment_sd, segment, None),
        (world.document_sd, _documents(segment), None),
        (world.taste_sd, judge, world.disputed),
    ):
        if standard_deviation:
            units = max(segments, world.judges)
            of_unit = random.normal(0, standard_deviation, (units, world.systems))
            of_unit[:, world.systems if systems is None else systems :] = 0
            shift += of_unit[unit[:, np.newaxis], shown]
    return shift
