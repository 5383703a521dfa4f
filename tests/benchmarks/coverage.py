"""How often rank ranges hold the truth: worlds × levels × methods.

    python -m tests.benchmarks.coverage            # the short form, under ten minutes
    python -m tests.benchmarks.coverage --campaigns 400 --methods expected_wins bojar …

For each world of `tests.worlds`: the share of systems whose true rank lies outside their range
(promised: 5 %), with its standard error over campaigns; the mean width of a range in ranks; and
the share of campaigns in which two systems are in different clusters the wrong way round.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ranking.core.blocks import Blocks
from ranking.core.levels import LEVELS, Level
from ranking.core.methods import METHODS
from ranking.core.ranking import Ranking, rank
from tests.worlds import WORLDS, World, draw_campaign, world_named

_TASTES = world_named("10 judges, taste 3")
_SEGMENTS = world_named("100 segments")
#: Beside the audit's: few judges, one system that judges differ about, little data.
FURTHER: tuple[World, ...] = (
    *(
        replace(_TASTES, name=f"{judges} judges, taste 3", judges=judges)
        for judges in (3, 4, 5, 6, 8)
    ),
    *(replace(_SEGMENTS, name=f"{count} segments", segments=count) for count in (10, 30)),
    *(
        replace(world_named("Koehn"), name=f"Koehn, {size} blocks", blocks=size)
        for size in (50, 100, 200)
    ),
    replace(world_named("Koehn"), name="Koehn, 4,000 blocks", blocks=4000),
    replace(world_named("Koehn"), name="Koehn, 6 systems", systems=6),
)


@dataclass(frozen=True)
class Found:
    """What one way to make ranges did in a world.

    Attributes
    ----------
    outside, error : float
        Per cent of systems outside their range, and its standard error.
    width : float
        Mean number of ranks in a range.
    wrong : float
        Per cent of campaigns with two systems in different clusters the wrong way round.
    """

    outside: float
    error: float
    width: float
    wrong: float


def coverage(world: World, level: Level, method: str, *, campaigns: int, resamples: int) -> Found:
    """Rank seeded campaigns of a world, and compare ranges with the truth."""
    outside, width, wrong = [], [], []
    for seed in range(campaigns):
        blocks, truth = draw_campaign(world, seed)
        ranking = rank(blocks, method, resample=level, resamples=resamples, seed=seed)
        place = (-truth).argsort().argsort() + 1
        true = [int(place[blocks.systems.index(row.system)]) for row in ranking.systems]
        inside = [
            row.rank_low <= rank_ <= row.rank_high
            for row, rank_ in zip(ranking.systems, true, strict=True)
        ]
        outside.append(1 - np.mean(inside))
        width.append(np.mean([row.rank_high - row.rank_low + 1 for row in ranking.systems]))
        wrong.append(_is_misordered(ranking, true))
    return Found(
        outside=100 * float(np.mean(outside)),
        error=100 * float(np.std(outside, ddof=1)) / len(outside) ** 0.5,
        width=float(np.mean(width)),
        wrong=100 * float(np.mean(wrong)),
    )


def _is_misordered(ranking: Ranking, true: Sequence[int]) -> bool:
    """Whether a system of a better cluster is truly behind one of a worse cluster."""
    rows = list(zip(ranking.systems, true, strict=True))
    return any(
        one.cluster < other.cluster and mine > theirs
        for one, mine in rows
        for other, theirs in rows
    )


def halves(blocks: Blocks, *, seed: int) -> Iterator[tuple[Blocks, Blocks]]:
    """Cut a campaign into halves that share neither a judge nor a segment."""
    random = np.random.default_rng(seed)
    judges = random.random(len(blocks.judges)) < 0.5
    numbers, of_block = np.unique(blocks.segment, return_inverse=True)
    segments = random.random(len(numbers)) < 0.5
    first = judges[blocks.judge] & segments[of_block]
    second = ~judges[blocks.judge] & ~segments[of_block]
    yield blocks.take(first), blocks.take(second)


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=100)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=["expected_wins"])
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=list(LEVELS))
    parser.add_argument("--further", action="store_true", help="few judges, little data, …")
    parser.add_argument("--worlds", nargs="+", help="names of worlds; all if not given")
    options = parser.parse_args()
    worlds = [
        world
        for world in (FURTHER if options.further else WORLDS)
        if not options.worlds or world.name in options.worlds
    ]
    say(f"{options.campaigns} campaigns a cell, seeds 0 …, {options.resamples} resamples or draws")
    say("systems outside in % ± standard error (width of a range) [campaigns misordered in %]")
    for method in options.methods:
        say(f"\n| {method} | " + " | ".join(options.levels) + " |")
        say("|---|" + "---|" * len(options.levels))
        for world in worlds:
            cells = []
            for level in options.levels:
                found = coverage(
                    world,
                    level,
                    method,
                    campaigns=options.campaigns,
                    resamples=options.resamples,
                )
                cells.append(
                    f"{found.outside:.1f} ± {found.error:.1f} ({found.width:.2f}) [{found.wrong:.0f}]"
                )
            say(f"| {world.name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
