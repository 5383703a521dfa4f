"""Lopez orders proven optimal.

    python -m tests.benchmarks.lopez [--rounds 9]

Twenty systems in one circle: campaigns of few judgments, drawn from Koehn's model, and tables of
random numbers, the worst that can come. Processor seconds.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import numpy.typing as npt

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
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    lopez_order(random_table(20, 0))  # loads the solver
    kinds = {
        "drawn, 20 systems, 2,000 comparisons": [
            tally(drawn_campaign(2_000 + 10 * k, systems=20, noise=20)).wins for k in range(rounds)
        ],
        "random, 20 systems": [random_table(20, seed) for seed in range(rounds)],
        "random, 18 systems": [random_table(18, seed) for seed in range(rounds)],
        "random, 25 systems": [random_table(25, seed) for seed in range(rounds)],
    }
    for name, tables in kinds.items():
        found = [lopez_order(table) for table in tables]
        seconds = [processor_seconds(lambda table=table: lopez_order(table)) for table in tables]
        proven = sum(order.proven_optimal for order in found)
        say(
            f"{name:38} median {1000 * np.median(seconds):6.1f} ms, longest "
            f"{1000 * max(seconds):6.1f} ms, proven {proven} of {len(found)}"
        )
    say("(wanted: 20 systems proven within 100 ms)")


if __name__ == "__main__":
    main()
