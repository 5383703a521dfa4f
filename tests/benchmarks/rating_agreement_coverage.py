"""How often intervals of n-agreement of ratings hold: `python -m tests.benchmarks.rating_agreement_coverage`.

For each world of `tests.benchmarks.rating_coverage`: of simulated campaigns with an interval of 95 % of Aₙ, the share whose
interval holds what Aₙ is on average over all of them, with other segments and other judges; a dash where fewer than a
tenth have one, because nearly all ratings are within n. Worlds of one kind with equal systems differ
in nothing that matters here, and are left out. `--campaigns 300` is the default.
"""

import argparse
import sys
from math import isnan, nan

import numpy as np

from protocols.frame.scale.statistics.agreement import rating_agreement
from tests.benchmarks.rating_coverage import WORLDS
from tests.simulated.ratings import RatingWorld, simulated_ratings

#: For n = 4 everything agrees.
_MOST = 4


def coverage_of_agreement(world: RatingWorld, *, campaigns: int) -> list[float]:
    """Return how often the interval of Aₙ holds its mean over campaigns, for n = 0 … 3."""
    found = np.array(
        [
            [
                (step.share.low, step.share.value, step.share.high)
                for step in rating_agreement(
                    simulated_ratings(world, seed=seed),
                ).n_agreement[:_MOST]
            ]
            for seed in range(campaigns)
        ],
        dtype=np.float64,
    )
    mean = found[:, :, 1].mean(axis=0)
    held = (found[:, :, 0] <= mean) & (mean <= found[:, :, 2])
    known = np.isfinite(found[:, :, 0]).sum(axis=0)
    shares = held.sum(axis=0) / np.maximum(known, 1)
    return [
        float(share) if count >= campaigns / 10 else nan
        for share, count in zip(shares, known.tolist(), strict=True)
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=300)
    campaigns = parser.parse_args().campaigns
    sys.stdout.write("| world | A₀ % | A₁ % | A₂ % | A₃ % |\n|---|---|---|---|---|\n")
    for name, world in WORLDS.items():
        if not name.endswith(("equal", "equal systems")):
            held = coverage_of_agreement(world, campaigns=campaigns)
            cells = " | ".join(
                "–" if isnan(each) else f"{100 * each:.1f}" for each in held
            )
            sys.stdout.write(f"| {name} | {cells} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
