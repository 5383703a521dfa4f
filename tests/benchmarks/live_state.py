"""One more HIT in the live state, early and late.

    python -m tests.benchmarks.live_state [--rounds 15]

A HIT of three blocks is added to (and removed from) a state of 10,000 and one of 10,000,000
comparisons, in turn, with 1,000 resamples of blocks and with moments over segments and judges; then
rank ranges are asked of each. Processor seconds, medians over rounds.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from itertools import product

import numpy as np

from ranking.core.counting.resampling import Level, Resampling
from ranking.core.rankings.live import LiveState
from tests.benchmarks.drawn_campaign import drawn_campaign, processor_seconds

LEVELS: tuple[Level, ...] = ("blocks", "two_way")
KINDS = tuple(product(LEVELS, (10_000, 10_000_000)))
HITS_A_ROUND = 50


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    hits = [drawn_campaign(30 * 97 + k).take(slice(0, 3)) for k in range(HITS_A_ROUND)]
    states = []
    for level, size in KINDS:
        blocks = drawn_campaign(size)
        state = LiveState(blocks.systems, Resampling(level))
        filling = processor_seconds(partial(state.add, blocks))
        say(f"{level:8} {size:12,} comparisons taken in at once: {filling:6.2f} s")
        states.append(state)

    def add_and_remove(state: LiveState) -> None:
        for hit in hits:
            state.add(hit)
        for hit in hits:
            state.remove(hit)

    seconds: list[list[float]] = [[] for _ in KINDS]
    ranges: list[list[float]] = [[] for _ in KINDS]
    for _ in range(options.rounds):
        for at, state in enumerate(states):
            seconds[at].append(processor_seconds(partial(add_and_remove, state)))
            ranges[at].append(processor_seconds(state.rank_ranges))
    changes = 2 * HITS_A_ROUND
    for at, (level, size) in enumerate(KINDS):
        say(
            f"{level:8} {size:12,} comparisons: a HIT {1000 * np.median(seconds[at]) / changes:6.3f} ms, "
            f"rank ranges {1000 * np.median(ranges[at]):5.1f} ms"
        )
    ratio = np.median(np.array(seconds[1]) / np.array(seconds[0]))
    say(f"ratio of a HIT, late to early: {ratio:.2f} (wanted: below 1.5)")


if __name__ == "__main__":
    main()
