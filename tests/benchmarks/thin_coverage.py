"""How often the ranges of few blocks hold the true rank: systems × blocks × level.

    python -m tests.benchmarks.thin_coverage [--campaigns 60] [--judges 5]

Prints the share of shown ranges, in per cent, that leave out the true rank, and the share of systems with a range.
"""

from __future__ import annotations

import argparse
import sys

from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.rankings.rank import rank
from ranking.core.simulation.model import Model, simulate_blocks

SYSTEMS = (3, 5, 10, 20)
BLOCKS = (1, 2, 3, 5, 8, 10, 16, 20, 30, 50)


def outside(
    systems: int, blocks: int, level: Level, *, campaigns: int, judges: int
) -> tuple[int, int, int]:
    """Return how many true ranks are outside shown ranges, the shown ranges, and all systems."""
    missed = shown = every = 0
    for experiment in range(campaigns):
        model = Model(systems=systems, noise=10.0)
        judged, quality = simulate_blocks(
            model, blocks=blocks, seed=5, experiment=experiment, judges=judges
        )
        found = rank(judged, resample=level, resamples=200, seed=experiment)
        truth = {row.system: quality[judged.systems.index(row.system)] for row in found.systems}
        for row in found.systems:
            every += 1
            if row.system not in found.shortages:
                place = 1 + sum(other > truth[row.system] for other in truth.values())
                shown += 1
                missed += not row.rank_low <= place <= row.rank_high
    return missed, shown, every


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=60)
    parser.add_argument("--judges", type=int, default=5)
    given = parser.parse_args()
    for systems in SYSTEMS:
        for blocks in BLOCKS:
            cells = []
            for level in LEVELS:
                missed, shown, every = outside(
                    systems, blocks, level, campaigns=given.campaigns, judges=given.judges
                )
                share = f"{100 * missed / shown:.1f}" if shown else "–"
                cells.append(f"{level} {share} ({100 * shown / max(1, every):.0f}% shown)")
            sys.stdout.write(f"{systems} systems, {blocks} blocks: {'; '.join(cells)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
