"""How often a plan from a campaign's judgments holds what the campaign needs.

    python -m tests.benchmarks.budgets [--campaigns 40] [--blocks 500] [--systems 9] [--worlds 6]

Campaigns of Koehn's model (noise 10), and campaigns whose systems are spread otherwise: a leader and
equals behind it, two groups of equals, normal qualities. Each is planned from its first blocks, and
then judged on, to 200,000 comparisons. Printed for targets not yet reached: in how many campaigns
the interval holds the number of comparisons needed ("never" lies within an interval without an upper
end), how many intervals have no upper end, how the median compares with what was needed, and how
often the plan warns that the systems are not spread as in the model.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks
from ranking.core.simulation.budget import Budget, plan_campaign
from ranking.core.simulation.kernel import judge_blocks
from ranking.core.simulation.measures import significant_pairs
from ranking.core.simulation.noise import NoiseNotEstimableError, campaign_curve, noise_table

Float64Array = npt.NDArray[np.float64]
Quality = Callable[[np.random.Generator, int], Float64Array]

NOISE, LIMIT = 10.0, 200_000
TARGETS = (0.5, 0.7)


def leader(ahead: float) -> Quality:
    return lambda _random, n: np.r_[ahead, np.zeros(n - 1)]


WORLDS: dict[str, Quality] = {
    "Koehn": lambda random, n: random.uniform(0, 10, n),
    "leader 2 ahead of equals": leader(2),
    "leader 4 ahead of equals": leader(4),
    "leader 8 ahead of equals": leader(8),
    "two groups of equals, 4 apart": lambda _random, n: np.where(np.arange(n) < n // 2, 4.0, 0.0),
    "normal, SD 3": lambda random, n: random.normal(0, 3, n),
}


def judged(
    quality: Float64Array, seed: int, ends: list[int], *, keep: bool
) -> tuple[npt.NDArray[np.int64], Blocks]:
    """Judge the first blocks of the campaign `seed`; the wins at each end, and the blocks."""
    n, last = len(quality), ends[-1] if keep else 0
    wins = np.zeros((len(ends), n, n), dtype=np.int64)
    labels = np.zeros((last, n), dtype=np.int8)
    candidates = np.full((last, n), -1, dtype=np.int8)
    segment = np.zeros(last, dtype=np.int32)
    judge_blocks(
        np.random.default_rng([seed, 1]),
        quality,
        np.empty((0, n)),
        NOISE,
        0.0,
        0.0,
        5,
        np.array(ends),
        wins,
        np.zeros_like(wins),
        labels,
        candidates,
        segment,
    )
    key = np.random.default_rng([seed, 2]).integers(0, 2**64, last, dtype=np.uint64)
    names = tuple(f"{number:02}" for number in range(n))
    judge = np.zeros(last, dtype=np.int32)
    return wins, Blocks(names, labels, candidates, judge, ("judge",), segment, key)


def needed(quality: Float64Array, seed: int, blocks: int) -> list[float]:
    """Comparisons after which the campaign reaches each target; infinite beyond the limit."""
    ends = np.unique(np.rint(np.geomspace(blocks, LIMIT / 10, 80)).astype(int)).tolist()
    share = significant_pairs(judged(quality, seed, ends, keep=False)[0])
    reached = [np.flatnonzero(share >= target - 1e-9) for target in TARGETS]
    return [10.0 * ends[int(where[0])] if len(where) else np.inf for where in reached]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=40)
    parser.add_argument("--blocks", type=int, default=500)
    parser.add_argument("--systems", type=int, default=9)
    parser.add_argument("--experiments", type=int, default=100)
    parser.add_argument("--worlds", type=int, default=len(WORLDS), help="the first few of them")
    options = parser.parse_args()
    blocks = options.blocks
    some = judged(
        WORLDS["Koehn"](np.random.default_rng(0), options.systems), 0, [blocks], keep=True
    )
    table = noise_table(campaign_curve(some[1]), experiments=options.experiments, seed=1)
    for name, quality_of in list(WORLDS.items())[: options.worlds]:
        plans: list[tuple[Budget, list[float]]] = []
        for seed in range(options.campaigns):
            quality = quality_of(np.random.default_rng([seed, 0]), options.systems)
            curve = campaign_curve(judged(quality, seed, [blocks], keep=True)[1])
            try:
                fit = table.fit(curve.significant, 0.95)
            except NoiseNotEstimableError:
                continue
            plan = plan_campaign(
                curve, fit, targets=TARGETS, experiments=options.experiments, limit=LIMIT, seed=seed
            )
            plans.append((plan, needed(quality, seed, blocks)))
        say(name, plans, options.campaigns, 10 * blocks)


def say(name: str, plans: list[tuple[Budget, list[float]]], campaigns: int, collected: int) -> None:
    warned = sum(not plan.fits for plan, _ in plans)
    sys.stdout.write(f"{name}: {len(plans)} of {campaigns} planned, {warned} warned\n")
    for index, target in enumerate(TARGETS):
        rows = [
            (plan.rows[index], plan.fits, need[index])
            for plan, need in plans
            if need[index] > collected
        ]
        low = np.array([row.low or np.inf for row, _, _ in rows])
        high = np.array([row.high or np.inf for row, _, _ in rows])
        median = np.array([row.comparisons or np.inf for row, _, _ in rows])
        need = np.array([count for _, _, count in rows])
        held = (low <= need * 1.02) & (need <= high)
        told = held | ~np.array([fits for _, fits, _ in rows], dtype=bool)
        both = np.isfinite(need) & np.isfinite(median)
        ratio = np.exp(np.mean(np.log(need[both] / median[both]))) if both.any() else np.nan
        sys.stdout.write(
            f"  {target:.0%} of pairs: {len(rows)} to come ({np.isinf(need).sum()} beyond the limit), "
            f"held {held.sum()}, held or warned {told.sum()}, open {np.isinf(high).sum()}, "
            f"needed / median {ratio:.2f}\n"
        )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
