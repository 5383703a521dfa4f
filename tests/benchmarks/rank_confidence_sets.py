"""What rank confidence sets promise, keep and cost, beside percentiles of resampled ranks.

    python -m tests.benchmarks.rank_confidence_sets [--campaigns 400] [--seconds]

Simulated campaigns (`tests.worlds`) ranked by Expected Wins: 15 near-equal systems and Koehn's
model. Blocks are independent there, so the covariance of the scores is that over blocks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from ranking.core.blocks import Blocks
from ranking.core.clusters import RankRanges, clusters, rank_ranges
from ranking.core.levels import Resampling
from ranking.core.methods import method_named
from ranking.core.rank_confidence_sets import rank_confidence_sets
from ranking.core.tallies import tally
from ranking.core.wins import expected_wins
from tests.benchmarks.drawn_campaign import processor_seconds
from tests.worlds import draw_campaign, world_named

FloatArray = npt.NDArray[np.float64]

Ranges = Callable[[Blocks, FloatArray, FloatArray], RankRanges]


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def covariance_over_blocks(blocks: Blocks) -> FloatArray:
    """Covariance of Expected Wins if blocks are independent: a sum over influences.

    A block changes the score of a by the mean over opponents b of
    (a won · losses against b − a lost · wins against b) / (comparisons of a and b)².
    """
    wins = tally(blocks).wins
    decided = np.maximum(wins + wins.T, 1)
    shown = blocks.labels > 0
    both = shown[:, :, np.newaxis] & shown[:, np.newaxis, :]
    first, second = blocks.labels[:, :, np.newaxis], blocks.labels[:, np.newaxis, :]
    won, lost = both & (first < second), both & (first > second)
    influence: FloatArray = ((won * wins.T - lost * wins) / decided**2).sum(axis=2) / (
        len(wins) - 1
    )
    return np.asarray(influence.T @ influence)


def percentile_ranges(blocks: Blocks, _values: FloatArray, _covariance: FloatArray) -> RankRanges:
    method = method_named("expected_wins")
    resampling = Resampling(level="blocks", seed=0)
    return rank_ranges(
        method.score_resamples(blocks, resampling, range(1000), **method.complete(None))
    )


def confidence_sets(
    _blocks: Blocks, values: FloatArray, covariance: FloatArray, *, simultaneous: bool
) -> RankRanges:
    return rank_confidence_sets(values, covariance, simultaneous=simultaneous)


KINDS: dict[str, Ranges] = {
    "percentiles": percentile_ranges,
    "marginal": partial(confidence_sets, simultaneous=False),
    "simultaneous": partial(confidence_sets, simultaneous=True),
}


def measured(ranges: RankRanges, truth: FloatArray) -> list[float]:
    """Measure one campaign: outside, any outside, best not first, clusters wrong, size, clusters."""
    rank = 1 + np.count_nonzero(truth[:, np.newaxis] < truth, axis=1)
    outside = (rank < ranges.low) | (rank > ranges.high)
    cluster = clusters(ranges)
    wrong = (cluster[:, np.newaxis] < cluster) & (rank[:, np.newaxis] > rank)
    return [
        float(outside.mean()),
        float(outside.any()),
        float(ranges.low[rank == 1][0] > 1),
        float(wrong.any()),
        float((ranges.high - ranges.low + 1).mean()),
        float(cluster.max()),
    ]


def simulate(world: str, campaigns: int) -> None:
    rows: dict[str, list[list[float]]] = {kind: [] for kind in KINDS}
    for seed in range(campaigns):
        blocks, truth = draw_campaign(world_named(world), seed)
        values = expected_wins(tally(blocks).wins).values
        covariance = covariance_over_blocks(blocks)
        for kind, ranges in KINDS.items():
            rows[kind].append(measured(ranges(blocks, values, covariance), truth))
    say(f"{world}, {campaigns} campaigns")
    say("               outside  any outside  best not 1st  a cluster wrong   size  clusters")
    for kind, row in rows.items():
        outside, any_outside, best, wrong, size, count = np.mean(row, axis=0)
        say(
            f"{kind:14} {outside:7.1%} {any_outside:12.1%} {best:13.1%} {wrong:16.1%}"
            f" {size:6.2f} {count:9.2f}"
        )


def time_sets() -> None:
    random = np.random.default_rng(0)
    for systems in (2, 15, 60):
        root = random.normal(size=(systems, systems))
        values = random.normal(size=systems)
        for simultaneous in (False, True):
            work = partial(rank_confidence_sets, values, root @ root.T, simultaneous=simultaneous)
            seconds = min(processor_seconds(work) for _ in range(10))
            kind = "simultaneous" if simultaneous else "marginal"
            say(f"{systems:3} systems, {kind:12} {1000 * seconds:7.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=400)
    parser.add_argument("--seconds", action="store_true", help="only measure the time")
    options = parser.parse_args()
    time_sets()
    if not options.seconds:
        for world in ("near-equal", "Koehn"):
            simulate(world, options.campaigns)


if __name__ == "__main__":
    main()
