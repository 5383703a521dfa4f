"""How often means over test sets hold the truth: mean scores, and mean ranks, by several ways.

    python -m tests.benchmarks.average_ranks            # the tables of docs/statistics/coverage.md

Each world is several test sets of eight systems, 300 blocks of five each. Judges have tastes (a shift of each
system for each judge); they are other people in each test set, or the same. Systems keep their quality in all
test sets, or have another one in each. The truth of a mean score is that of endless judgments, of a mean
rank that of the qualities.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.drawn_scores import draw_around
from ranking.core.rankings.mean_scores import (
    ScoreInfluence,
    mean_ranks,
    mean_scores,
    score_influence,
)
from ranking.core.rankings.rank import rank
from ranking.core.scores import Scores

FloatArray = npt.NDArray[np.float64]
_NOISE, _SYSTEMS, _SHOWN = 10.0, 8, 5
_METHOD = METHODS["expected_wins"]


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A campaign of several test sets: how many, by how many judges, and what they share."""

    name: str
    tasks: int
    judges: int = 12
    taste: float = 3.0
    same_judges: bool = False
    same_order: bool = False
    spread: float = 10.0
    blocks: int = 300


WORLDS = (
    Campaign(name="3 test sets, other judges", tasks=3),
    Campaign(name="3 test sets, the same judges", tasks=3, same_judges=True),
    Campaign(name="3 test sets, the same 6 judges", tasks=3, judges=6, same_judges=True),
    Campaign(name="10 test sets, other judges", tasks=10),
    Campaign(name="10 test sets, the same judges", tasks=10, same_judges=True),
    Campaign(name="10 test sets, the same order", tasks=10, same_order=True),
    Campaign(
        name="10 test sets, the same judges and order",
        tasks=10,
        same_judges=True,
        same_order=True,
    ),
    Campaign(name="20 test sets, the same order", tasks=20, same_order=True),
    Campaign(name="10 test sets, near-equal, the same order", tasks=10, same_order=True, spread=1),
    Campaign(name="2 test sets, no tastes", tasks=2, taste=0),
)


def drawn(
    world: Campaign, random: np.random.Generator
) -> list[tuple[Blocks, FloatArray, FloatArray]]:
    """Draw the blocks of each test set, the true qualities of its systems and their true scores."""
    quality = random.uniform(0, world.spread, _SYSTEMS)
    tastes = random.normal(0, world.taste, (world.judges, _SYSTEMS))
    found = []
    for number in range(world.tasks):
        if number and not world.same_order:
            quality = random.uniform(0, world.spread, _SYSTEMS)
        if number and not world.same_judges:
            tastes = random.normal(0, world.taste, (world.judges, _SYSTEMS))
        found.append(
            (_blocks(world, random, number, quality, tastes), quality, _scores(world, quality))
        )
    return found


def _scores(world: Campaign, quality: FloatArray) -> FloatArray:
    noise = (2 * (_NOISE**2 + world.taste**2)) ** 0.5
    wins = ndtr((quality[:, np.newaxis] - quality) / noise)
    return np.asarray((wins.sum(axis=1) - 0.5) / (_SYSTEMS - 1))


def _blocks(
    world: Campaign,
    random: np.random.Generator,
    number: int,
    quality: FloatArray,
    tastes: FloatArray,
) -> Blocks:
    count = world.blocks
    shown = random.permuted(np.tile(np.arange(_SYSTEMS), (count, 1)), axis=1)[:, :_SHOWN]
    judge = random.integers(0, world.judges, count)
    seen = (
        quality[shown] + tastes[judge[:, np.newaxis], shown] + random.normal(0, _NOISE, shown.shape)
    )
    rows = np.arange(count)[:, np.newaxis]
    labels = np.zeros((count, _SYSTEMS), dtype=np.int8)
    labels[rows, shown] = seen.argsort(axis=1)[:, ::-1].argsort(axis=1) + 1
    candidates = np.full(labels.shape, -1, dtype=np.int8)
    candidates[rows, shown] = np.arange(_SHOWN)
    of = 0 if world.same_judges else number
    return Blocks(
        systems=tuple(f"s{index}" for index in range(_SYSTEMS)),
        labels=labels,
        candidates=candidates,
        judge=judge.astype(np.int32),
        judges=tuple(f"j{of}-{index:02}" for index in range(world.judges)),
        segment=np.arange(count, dtype=np.int32),
        key=random.integers(0, 2**63, count, dtype=np.uint64),
    )


def _apart(given: ScoreInfluence, number: int) -> ScoreInfluence:
    """Return the same as if nobody judged in another test set."""
    return replace(given, names=tuple(f"{number} {name}" for name in given.names))


def campaign(world: Campaign, seed: int) -> dict[str, tuple[float, float]]:
    """Return, for each way, the share of means outside, and the mean width of an interval."""
    tasks = drawn(world, np.random.default_rng([seed, *world.name.encode()]))
    systems = tasks[0][0].systems
    given = [score_influence(blocks, _METHOD) for blocks, _quality, _score in tasks]
    score = np.mean([each for _blocks, _quality, each in tasks], axis=0)
    place = np.mean([(-each).argsort().argsort() + 1 for _blocks, each, _score in tasks], axis=0)
    together = mean_scores(given, systems)
    alone = mean_scores([_apart(each, number) for number, each in enumerate(given)], systems)
    ranges = [
        {
            row.system: (row.rank, row.rank_low, row.rank_high)
            for row in rank(blocks, seed=seed + 1).systems
        }
        for blocks, _quality, _score in tasks
    ]
    sets = [
        {
            row.system: (row.rank, row.rank_low, row.rank_high)
            for row in rank(blocks, ranges="confidence_set", seed=seed + 1).systems
        }
        for blocks, _quality, _score in tasks
    ]
    ends, of_sets = mean_ranks(ranges, systems), mean_ranks(sets, systems)
    averaged = np.mean(
        [
            _drawn_ranks(each, blocks, seed * 1000 + number)
            for number, (each, (blocks, _q, _s)) in enumerate(zip(given, tasks, strict=True))
        ],
        axis=0,
    )
    low, high = np.quantile(averaged, [0.025, 0.975], axis=0)
    return {
        "score, judges together": _found(score, [(row.low, row.high) for row in together]),
        "score, test sets apart": _found(score, [(row.low, row.high) for row in alone]),
        "rank, ends of sets": _found(place, [(row.low, row.high) for row in of_sets]),
        "rank, ends of percentile ranges": _found(place, [(row.low, row.high) for row in ends]),
        "rank, percentiles of drawn means": _found(place, list(zip(low, high, strict=True))),
    }


def _drawn_ranks(given: ScoreInfluence, blocks: Blocks, seed: int) -> FloatArray:
    scores = Scores(given.scores, np.ones(len(given.scores), dtype=np.bool_))
    values = draw_around(scores, tally(blocks).wins, given.covariance, seed=seed, draws=1000).values
    return np.asarray((-values).argsort(axis=1).argsort(axis=1) + 1.0)


def _found(truth: FloatArray, intervals: list[tuple[float, float]]) -> tuple[float, float]:
    low, high = np.array(intervals).T
    return float(np.mean((truth < low - 1e-9) | (truth > high + 1e-9))), float(np.mean(high - low))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    sys.stdout.write(
        f"{options.campaigns} campaigns a cell; outside in % ± standard error (width)\n"
    )
    for world in WORLDS:
        seeds = range(options.first_seed, options.first_seed + options.campaigns)
        found = [campaign(world, seed) for seed in seeds]
        cells = []
        for way in found[0]:
            outside = 100 * np.array([each[way][0] for each in found])
            width = np.mean([each[way][1] for each in found])
            error = outside.std(ddof=1) / len(found) ** 0.5
            cells.append(f"{way}: {outside.mean():.1f} ± {error:.1f} ({width:.3g})")
        sys.stdout.write(f"| {world.name} | " + " | ".join(cells) + " |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
