"""Lopez orders proven optimal.

    python -m tests.benchmarks.lopez [--rounds 25]

Twenty systems in one circle: campaigns drawn from Koehn's model, and tables of random numbers, the
worst that can come; and random tables of fewer systems and of more, up to the first size that goes
to integer programming. Processor seconds, once the compiled code is loaded.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

import numpy as np
import numpy.typing as npt

from ranking.core.linear_ordering import MAX_BY_SUBSETS
from ranking.core.lopez import lopez_order
from ranking.core.tallies import tally
from tests.benchmarks.drawn_campaign import drawn_campaign, processor_seconds


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def random_table(systems: int, seed: int) -> npt.NDArray[np.int64]:
    wins = np.random.default_rng(seed).integers(0, 50, (systems, systems))
    np.fill_diagonal(wins, 0)
    return wins


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    for systems in (20, MAX_BY_SUBSETS + 1):
        lopez_order(random_table(systems, 0))  # loads the compiled code, and the solver
    kinds = {
        f"drawn, 20 systems, {comparisons:,} comparisons": [
            tally(drawn_campaign(comparisons + 10 * k, systems=20, noise=20)).wins
            for k in range(rounds)
        ]
        for comparisons in (500, 2_000, 20_000)
    }
    kinds |= {
        f"random, {systems} systems": [random_table(systems, seed) for seed in range(rounds)]
        for systems in (8, 12, 15, 18, 20, 22, 24, 25)
    }
    for name, tables in kinds.items():
        found = [lopez_order(table) for table in tables]
        seconds = [processor_seconds(partial(lopez_order, table)) for table in tables]
        proven = sum(order.proven_optimal for order in found)
        say(
            f"{name:38} median {1000 * np.median(seconds):7.2f} ms, longest "
            f"{1000 * max(seconds):7.2f} ms, proven {proven} of {len(found)}"
        )
    say("(wanted: 20 systems proven within 100 ms)")


if __name__ == "__main__":
    main()
