"""How often equal systems are told apart where judges, segments or documents are few.

    python -m tests.benchmarks.equal_systems [--campaigns 400] [--first-seed 0]

Simulated campaigns of systems that are equal, all or in groups, with judges who have tastes, do unequal
shares of the work and use ties differently, with segments that suit systems differently, and with
designs that show leading systems more often. Promised: 5 % of each of

- pairs: campaigns in which Holm's correction tells equal systems apart by their own comparisons;
- simultaneous: campaigns in which any confidence set leaves out a true rank (Expected Wins, and
  Bradley–Terry);
- marginal: systems whose own set leaves out a true rank, and, without a promise, campaigns with any.
"""

import argparse
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.diagnosis.direct_pairs import direct_pairs
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.registry import method_named
from ranking.core.ranges import RankRanges, rank_confidence_sets
from tests.benchmarks import say

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_SEGMENTS_A_DOCUMENT = 10


@dataclass(frozen=True, kw_only=True)
class EqualWorld:
    """How campaigns come about; standard deviations are in units of the judges' noise.

    Attributes
    ----------
    name : str
    quality : tuple of float
        Of each system.
    shown, blocks, segments, judges : int
    segment_sd, document_sd, taste_sd : float
        Of how much a segment, a document of ten segments, or a judge suits a system.
    unequal : float
        Judge j does 1 / j^unequal of the work.
    ties : float
        Qualities closer than this look equal, to the median judge; its logarithm has SD 0.7 between
        judges. 0 without ties.
    is_adaptive : bool
        Whether later blocks show leading systems more often.
    """

    name: str
    quality: tuple[float, ...] = (0,) * 6
    shown: int = 5
    blocks: int = 400
    segments: int = 100
    judges: int = 20
    segment_sd: float = 1.0
    document_sd: float = 0.0
    taste_sd: float = 0.3
    unequal: float = 0.0
    ties: float = 0.0
    is_adaptive: bool = False


WORLDS = (
    EqualWorld(name="4 judges", judges=4),
    EqualWorld(name="4 judges without tastes", judges=4, segments=400, taste_sd=0),
    EqualWorld(name="8 judges", judges=8),
    EqualWorld(name="8 judges, 15 systems", quality=(0,) * 15, judges=8),
    EqualWorld(name="10 segments", segments=10),
    EqualWorld(name="6 documents", segments=60, document_sd=0.7),
    EqualWorld(name="20 judges, 15 systems", quality=(0,) * 15),
)
#: Worlds by which nothing was chosen.
FURTHER = (
    EqualWorld(name="5 judges, unequal work, own ties", judges=5, unequal=0.5, ties=0.8),
    EqualWorld(name="6 judges, adaptive", quality=(0,) * 10, judges=6, taste_sd=0.6, is_adaptive=True),
    EqualWorld(name="8 judges, pairs, own ties", quality=(0,) * 8, shown=2, blocks=1500, judges=8, ties=0.5),
    EqualWorld(name="12 segments, 15 judges", quality=(0,) * 8, judges=15, segments=12),
    EqualWorld(name="5 documents, own ties", segments=50, document_sd=0.5, ties=0.8),
    EqualWorld(name="6 judges, two of eight better", quality=(3, 3, *(0,) * 6), judges=6),
    EqualWorld(name="30 judges, unequal work, adaptive", judges=30, unequal=0.5, is_adaptive=True),
)  # fmt: skip


def draw_campaign(world: EqualWorld, seed: int) -> Blocks:
    """Draw a campaign of a world."""
    random = np.random.default_rng([seed, *world.name.encode()])
    n = len(world.quality)
    work = (1 + np.arange(world.judges)) ** -world.unequal
    judge = random.choice(world.judges, world.blocks, p=work / work.sum())
    segment = np.arange(world.blocks) % world.segments
    document = segment // _SEGMENTS_A_DOCUMENT
    suits = random.normal(0, world.segment_sd, (world.segments, n))
    suits += random.normal(0, world.document_sd, (int(document.max()) + 1, n))[
        np.arange(world.segments) // _SEGMENTS_A_DOCUMENT
    ]
    tastes = random.normal(0, world.taste_sd, (world.judges, n))
    steps = world.ties * np.exp(random.normal(0, 0.7, world.judges))
    labels = np.zeros((world.blocks, n), dtype=np.int8)
    candidates = np.full((world.blocks, n), -1, dtype=np.int8)
    size = world.blocks // 10 if world.is_adaptive else world.blocks
    for start in range(0, world.blocks, size):
        rows = np.arange(start, min(start + size, world.blocks))
        shown = _shown(world, labels[:start], len(rows), random)
        seen = np.array(world.quality)[shown] + random.normal(size=shown.shape)
        seen += (
            suits[segment[rows][:, np.newaxis], shown]
            + tastes[judge[rows][:, np.newaxis], shown]
        )
        if world.ties:
            seen = np.round(seen / steps[judge[rows]][:, np.newaxis])
        ranks = 1 + (seen[:, np.newaxis] > seen[:, :, np.newaxis]).sum(axis=2)
        labels[rows[:, np.newaxis], shown] = ranks
        candidates[rows[:, np.newaxis], shown] = np.arange(world.shown)
    return Blocks(
        systems=tuple(f"s{index:02}" for index in range(n)),
        labels=labels,
        candidates=candidates,
        judge=judge.astype(np.int32),
        judges=tuple(f"j{index:02}" for index in range(world.judges)),
        segment=segment.astype(np.int32),
        key=random.integers(0, 2**63, world.blocks, dtype=np.uint64),
        document=document.astype(np.int32) if world.document_sd else None,
    )


def _shown(
    world: EqualWorld,
    before: npt.NDArray[np.int8],
    blocks: int,
    random: np.random.Generator,
) -> IntArray:
    """Return the systems of some blocks in random order, those with better mean ranks more often."""
    drawn = random.exponential(size=(blocks, len(world.quality)))
    if len(before):
        mean = before.sum(axis=0) / np.count_nonzero(before, axis=0)
        drawn *= np.exp((mean - mean.min()) / mean.std())
    return random.permuted(drawn.argsort(axis=1)[:, : world.shown], axis=1)


@dataclass(frozen=True)
class Missed:
    """What went wrong in a campaign; `width` is the mean size of simultaneous sets."""

    pairs: float
    simultaneous: float
    bradley_terry: float
    marginal: float
    any_marginal: float
    width: float


def measured(world: EqualWorld, seed: int) -> Missed:
    blocks = draw_campaign(world, seed)
    quality = np.array(world.quality)
    equal = quality[:, np.newaxis] == quality
    told_apart = direct_pairs(blocks).adjusted_p <= 0.05
    marginal, together = (
        _sets(blocks, "expected_wins", simultaneous, seed)
        for simultaneous in (False, True)
    )
    of_abilities = _sets(blocks, "bradley_terry", True, seed)
    return Missed(
        pairs=float((told_apart & equal).any()),
        simultaneous=float(_missed(together, quality).any()),
        bradley_terry=float(_missed(of_abilities, quality).any()),
        marginal=float(_missed(marginal, quality).mean()),
        any_marginal=float(_missed(marginal, quality).any()),
        width=float((together.high - together.low + 1).mean()),
    )


def _sets(blocks: Blocks, method: str, simultaneous: bool, seed: int) -> RankRanges:
    ranking_method = method_named(method)
    covariance = ranking_method.score_covariance(
        blocks,
        **ranking_method.complete(None),
    )
    return rank_confidence_sets(
        ranking_method.score(blocks).values,
        covariance.matrix,
        simultaneous=simultaneous,
        degrees_of_freedom=covariance.degrees_of_freedom,
        seed=seed,
    )


def _missed(sets: RankRanges, quality: FloatArray) -> npt.NDArray[np.bool_]:
    best = 1 + np.count_nonzero(quality > quality[:, np.newaxis], axis=1)
    worst = np.count_nonzero(quality >= quality[:, np.newaxis], axis=1)
    return np.asarray((sets.low > best) | (sets.high < worst))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=400)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.campaigns)
    names = list(Missed.__dataclass_fields__)
    say(
        f"{len(seeds)} campaigns, seeds {options.first_seed} …; percentages ± standard errors",
    )
    say(f"| world | {' | '.join(names)} |")
    say("|---" * (1 + len(names)) + "|")
    for world in (*WORLDS, *FURTHER):
        found = [measured(world, seed) for seed in seeds]
        cells = []
        for name in names:
            values = np.array([getattr(row, name) for row in found])
            error = 100 * values.std(ddof=1) / len(values) ** 0.5
            cells.append(
                f"{values.mean():.2f}"
                if name == "width"
                else f"{100 * values.mean():.1f} ± {error:.1f}",
            )
        say(f"| {world.name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
