"""What rank confidence sets promise, keep and cost, beside percentiles of drawn ranks.

    python -m tests.benchmarks.rank_confidence_sets [--campaigns 400] [--seconds]

Simulated campaigns (`tests.worlds`) ranked by Expected Wins; all ranges come from the same
covariance of the scores, that over segments and judges.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ranking.core.counting.moments import moments_of_blocks
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import method_named
from ranking.core.ranges import RankRanges, clusters, rank_confidence_sets, rank_ranges
from ranking.core.scores import Scores
from ranking.core.uncertainty import ScoreCovariance, draw_scores
from tests.benchmarks import say
from tests.benchmarks.drawn_campaign import processor_seconds
from tests.worlds import World, draw_campaign, world_named

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scored:
    """What all ranges of one campaign are made of."""

    scores: Scores
    covariance: ScoreCovariance
    seed: int


def scored(blocks: Blocks, seed: int) -> Scored:
    method = method_named("expected_wins")
    assert isinstance(method, CountsMethod)
    layout = method.layout(len(blocks.systems))
    moments = moments_of_blocks(blocks, layout)
    return Scored(
        scores=method.of_counts(layout.unpack(moments.cells)),
        covariance=method.covariance(moments, layout),
        seed=seed,
    )


def percentile_ranges(campaign: Scored) -> RankRanges:
    scores, covariance = campaign.scores, campaign.covariance
    order = np.arange(len(scores.values))
    return rank_ranges(
        draw_scores(scores, covariance, range(1000), seed=campaign.seed, order=order),
    )


def confidence_sets(campaign: Scored, *, simultaneous: bool) -> RankRanges:
    covariance = campaign.covariance
    return rank_confidence_sets(
        campaign.scores.values,
        covariance.matrix,
        degrees_of_freedom=covariance.degrees_of_freedom,
        simultaneous=simultaneous,
        seed=campaign.seed,
    )


KINDS: dict[str, Callable[[Scored], RankRanges]] = {
    "percentiles": percentile_ranges,
    "marginal": partial(confidence_sets, simultaneous=False),
    "simultaneous": partial(confidence_sets, simultaneous=True),
}

WORLDS: tuple[World, ...] = (
    world_named("near-equal"),
    replace(world_named("near-equal"), name="near-equal, 100 blocks", blocks=100),
    replace(
        world_named("10 judges, taste 3"),
        name="near-equal, 10 judges, taste 3",
        spread=1.0,
    ),
    world_named("Koehn"),
    world_named("100 segments and 10 judges, taste 2.5"),
)


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


def simulate(world: World, campaigns: int) -> None:
    rows: dict[str, list[list[float]]] = {kind: [] for kind in KINDS}
    for seed in range(campaigns):
        blocks, truth = draw_campaign(world, seed)
        campaign = scored(blocks, seed)
        for kind, ranges in KINDS.items():
            rows[kind].append(measured(ranges(campaign), truth))
    say(f"{world.name}, {campaigns} campaigns")
    say(
        "               outside  any outside  best not 1st  a cluster wrong   size  clusters",
    )
    for kind, row in rows.items():
        outside, any_outside, best, wrong, size, count = np.mean(row, axis=0)
        say(
            f"{kind:14} {outside:7.1%} {any_outside:12.1%} {best:13.1%} {wrong:16.1%}"
            f" {size:6.2f} {count:9.2f}",
        )


def time_sets() -> None:
    random = np.random.default_rng(0)
    for systems in (2, 15, 60):
        root = random.normal(size=(systems, systems))
        values = random.normal(size=systems)
        for simultaneous in (False, True):
            work = partial(
                rank_confidence_sets,
                values,
                root @ root.T,
                simultaneous=simultaneous,
            )
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
        for world in WORLDS:
            simulate(world, options.campaigns)


if __name__ == "__main__":
    main()
