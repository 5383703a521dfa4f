"""Lopez orders proven optimal.

    python -m tests.benchmarks.lopez [--rounds 25] [--before 3]

Resamples of blocks of campaigns from Koehn's model with 20, 24 and 30 systems, whose qualities are
spread as in WMT or nearly equal; and tables of random numbers, the worst that can come. The first
few tables of 24 and more systems are also ordered as they were before the search: by dynamic
programming over all subsets up to 24 systems, by integer programming (at most a minute) beyond.
Processor seconds, once the compiled code is loaded.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

import numpy as np
import numpy.typing as npt

from ranking.core.counting.bootstrap import bootstrap_wins
from ranking.core.methods.linear_ordering.lopez import TIME_LIMIT, lopez_order
from ranking.core.methods.linear_ordering.solver import (
    MAX_BY_SUBSETS,
    _by_integer_programming,
    _by_subsets,
)
from tests.benchmarks.drawn_campaign import drawn_campaign, processor_seconds

Int64Array = npt.NDArray[np.int64]


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def random_table(systems: int, seed: int) -> Int64Array:
    wins = np.random.default_rng(seed).integers(0, 50, (systems, systems))
    np.fill_diagonal(wins, 0)
    return wins


def resamples(systems: int, comparisons: int, noise: float, rounds: int) -> list[Int64Array]:
    """Win counts of resampled blocks of a campaign."""
    campaign = drawn_campaign(comparisons, systems=systems, noise=noise)
    return list(bootstrap_wins(campaign, resamples=rounds, seed=0))


def seconds_before(wins: Int64Array) -> float:
    """Processor seconds of ordering one table without the search."""
    cost = np.maximum(wins.T - wins, 0)
    if len(cost) <= MAX_BY_SUBSETS:
        return processor_seconds(partial(_by_subsets, cost))
    return processor_seconds(partial(_by_integer_programming, cost, TIME_LIMIT))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--before", type=int, default=3)
    options = parser.parse_args()
    rounds = options.rounds
    for systems in (20, MAX_BY_SUBSETS + 1):
        lopez_order(random_table(systems, 0))
        seconds_before(random_table(systems, 0))  # loads the compiled code, and the solver
    kinds = {
        f"{spread}, {systems} systems, {comparisons // 10:,} blocks": resamples(
            systems, comparisons, noise, rounds
        )
        for systems in (20, 24, 30)
        for spread, noise in (("spread", 10.0), ("nearly equal", 100.0))
        for comparisons in (10_000, 50_000, 100_000)
    }
    kinds |= {
        f"random, {systems} systems": [random_table(systems, seed) for seed in range(rounds)]
        for systems in (8, 12, 15, 18, 20, 22, 24, 25, 30)
    }
    for name, tables in kinds.items():
        found = [lopez_order(table) for table in tables]
        seconds = [processor_seconds(partial(lopez_order, table)) for table in tables]
        proven = sum(order.proven_optimal for order in found)
        before = ""
        if len(tables[0]) >= MAX_BY_SUBSETS and options.before:
            earlier = [seconds_before(table) for table in tables[: options.before]]
            before = f"; before {np.median(earlier):.2f} s, longest {max(earlier):.2f} s"
        say(
            f"{name:38} median {1000 * np.median(seconds):7.2f} ms, longest "
            f"{1000 * max(seconds):7.2f} ms, proven {proven} of {len(found)}{before}"
        )
    say("(wanted: 50 ms)")


if __name__ == "__main__":
    main()
