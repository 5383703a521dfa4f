"""How often the forecast of pairs told apart holds what comes: `python -m tests.benchmarks.forecast_coverage`.

Campaigns of five to ten systems, with noises from 4 to 12, 60 to 400 blocks, in half of which some systems are
equally good, are forecast and then go on. Printed for each multiple of the comparisons so far: the share of
campaigns whose share of pairs told apart the band holds, its mean width, and the forecast's mean error and the
root of its mean square. `--campaigns 200 --confidence 0.9` are the defaults.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from ranking.core.simulation.measures import significant_pairs
from ranking.core.simulation.model import Model, simulate_blocks, simulate_wins
from ranking.core.simulation.noise import (
    NoiseNotEstimableError,
    campaign_curve,
    fit_noise,
    forecast_pairs,
    likely_futures,
)

_TIMES = (1.25, 2.0, 4.0, 8.0)
_EXPERIMENTS = 100
_FIRST_SEED = 900


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--confidence", type=float, default=0.9)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    rows, without = [], 0
    for number in range(options.campaigns):
        found = _of_campaign(random, number, options.confidence)
        if found is None:
            without += 1
        else:
            rows.append(found)
    held, width, error = np.moveaxis(np.array(rows), 1, 0)
    lines = [
        f"{len(rows)} campaigns, {without} whose noise cannot be fitted",
        "| comparisons, times those so far | held % | width | mean error | root mean square |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {times:g} | {100 * held[:, place].mean():.1f} | {width[:, place].mean():.3f}"
        f" | {error[:, place].mean():+.3f} | {np.sqrt((error[:, place] ** 2).mean()):.3f} |"
        for place, times in enumerate(_TIMES)
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def _of_campaign(
    random: np.random.Generator, number: int, confidence: float
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]] | None:
    """Return whether the band holds, its width and the error at each multiple, (3, T); None without a fit."""
    systems = int(random.integers(5, 11))
    noise = float(np.exp(random.uniform(np.log(4), np.log(12))))
    blocks = int(random.integers(60, 400))
    model = Model(
        systems=systems,
        noise=noise,
        groups=None if number % 2 else int(random.integers(1, systems)),
    )
    seed = _FIRST_SEED + number
    judged, _quality = simulate_blocks(model, blocks=blocks, seed=seed, experiment=0)
    curve = campaign_curve(judged)
    try:
        fit = fit_noise(curve, experiments=_EXPERIMENTS, confidence=confidence)
    except NoiseNotEstimableError:
        return None
    futures = likely_futures(curve, fit, experiments=_EXPERIMENTS, seed=0)
    points = [curve.comparisons * times for times in _TIMES]
    found = forecast_pairs(curve, futures, points, confidence=confidence)
    # The same campaign goes on.
    later = [round(blocks * times) for times in _TIMES]
    truth = significant_pairs(simulate_wins(model, blocks=later, seed=seed, experiment=0).wins)
    is_held = (truth >= found.low - 1e-9) & (truth <= found.high + 1e-9)
    return np.array([is_held, found.high - found.low, found.share - truth])


if __name__ == "__main__":
    main()
