"""How often the ranges of few blocks hold the true rank: systems × blocks × level.

    python -m tests.benchmarks.thin_coverage [--campaigns 60] [--judges 10] [--segments 10] [--ranges confidence_set]
                                             [--method bojar] [--processes 2]

Prints the share of shown ranges, in per cent, that leave out the true rank, and the share of systems with a range.
With `--segments`, the outputs of so many segments are judged again and again.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from multiprocessing import Pool

import numpy as np

from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.rankings.range_kinds import RANGE_KINDS, RangeKind
from ranking.core.rankings.rank import rank
from ranking.core.simulation.model import Model, simulate_blocks

SYSTEMS = (3, 5, 10, 20)
BLOCKS = (1, 2, 3, 5, 8, 10, 13, 16, 20, 30, 40, 50)


def outside(
    experiment: int,
    *,
    model: Model,
    blocks: int,
    judges: int,
    level: Level,
    kind: RangeKind,
    method: str,
) -> tuple[int, int, int]:
    """Return how many true ranks are outside shown ranges in a campaign, the shown ranges, and all systems."""
    judged, quality = simulate_blocks(
        model, blocks=blocks, seed=5, experiment=experiment, judges=judges
    )
    found = rank(judged, method, resample=level, ranges=kind, resamples=200, seed=experiment)
    truth = {row.system: quality[judged.systems.index(row.system)] for row in found.systems}
    missed = shown = 0
    for row in found.systems:
        if row.system not in found.shortages and len(found.groups) == 1:
            place = 1 + sum(other > truth[row.system] for other in truth.values())
            shown += 1
            missed += not row.rank_low <= place <= row.rank_high
    return missed, shown, len(found.systems)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=60)
    parser.add_argument("--judges", type=int, default=10)
    parser.add_argument("--segments", type=int)
    parser.add_argument("--ranges", choices=RANGE_KINDS, default="percentile")
    parser.add_argument("--method", default="expected_wins")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    noise = (8.0, 6.0) if given.segments else (10.0, 0.0)
    with Pool(given.processes) as workers:
        for systems in SYSTEMS:
            model = Model(
                systems=systems, noise=noise[0], judge_noise=noise[1], segments=given.segments
            )
            for blocks in BLOCKS:
                cells = []
                for level in LEVELS:
                    campaign = partial(
                        outside,
                        model=model,
                        blocks=blocks,
                        judges=given.judges,
                        level=level,
                        kind=given.ranges,
                        method=given.method,
                    )
                    found = workers.map(campaign, range(given.campaigns), chunksize=5)
                    missed, shown, every = np.sum(found, axis=0)
                    share = f"{100 * missed / shown:.1f}" if shown else "–"
                    cells.append(f"{level} {share} ({100 * shown / max(1, every):.0f}% shown)")
                sys.stdout.write(f"{systems} systems, {blocks} blocks: {'; '.join(cells)}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
