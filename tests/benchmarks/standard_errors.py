"""Do standard errors say how much abilities vary from campaign to campaign?

    python -m tests.benchmarks.standard_errors [--method bradley_terry] [--campaigns 200]
        [--worlds documents Koehn …] [--levels two_way segments …] [--first-seed 0]

For each world of `tests.worlds`: the mean standard error at each level, divided by the root mean
square error of the abilities. The error is taken against what the method says of the outcomes
expected in that world: abilities are the method's own, and no model need be true.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from ranking.core.counting.counts import Counts
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.methods.method import BlocksMethod, Method
from ranking.core.methods.registry import method_named
from tests.worlds import WORLDS, World, draw_campaign

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Careless judges of `World.clicking` have noise larger by this factor.
_CARELESS = 6.0
_MANY = 10**7


def expected_wins_of(world: World, truth: FloatArray) -> Int64Array:
    """Return the wins expected of very many comparisons of each pair, shape (n, n)."""
    fixed = world.segment_sd**2 + world.document_sd**2 + world.taste_sd**2
    difference = truth[:, np.newaxis] - truth
    share = np.zeros_like(difference)
    for part, noise in (
        (1 - world.clicking, world.noise),
        (world.clicking, _CARELESS * world.noise),
    ):
        share += part * norm.cdf(difference / np.sqrt(2 * (fixed + noise**2)))
    np.fill_diagonal(share, 0)
    return np.rint(share * _MANY).astype(np.int64)


def abilities(method: Method, wins: Int64Array) -> FloatArray:
    """Score counts alone, shape (n,)."""
    counts = Counts(wins=wins[np.newaxis], ties=np.zeros_like(wins)[np.newaxis])
    settings: dict[str, Any] = dict(method.defaults)
    if isinstance(method, BlocksMethod):
        settings.update(seed=0, ids=range(1))
        assert method.of_resamples is not None
        scored = method.of_resamples(counts, **settings).values
    else:
        scored = method.function(counts, **settings).values
    return np.asarray(scored[0])


def ratios(
    method: Method,
    world: World,
    campaigns: int,
    *,
    levels: Sequence[Level] = LEVELS,
    first_seed: int = 0,
) -> dict[str, float]:
    """Mean standard error over root mean square error, by level."""
    errors: list[FloatArray] = []
    reported: dict[str, list[float]] = {level: [] for level in levels}
    for seed in range(first_seed, first_seed + campaigns):
        blocks, truth = draw_campaign(world, seed)
        target = abilities(method, expected_wins_of(world, truth))
        errors.append(method.score(blocks, **method.defaults).values - target)
        for level in levels:
            found = method.standard_errors(blocks, level, **method.defaults)
            assert found is not None
            reported[level].extend(found["values"].values())
    spread = float(np.sqrt(np.mean(np.square(errors))))
    return {level: float(np.mean(values)) / spread for level, values in reported.items()}


def main() -> None:
    """Print a row for each world, while it goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--method", choices=["bradley_terry", "hopkins_may"], default="bradley_terry"
    )
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0, help="others check what was chosen")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=list(LEVELS))
    parser.add_argument("--worlds", nargs="+", help="names of worlds; all if not given")
    given = parser.parse_args()
    method = method_named(given.method)
    _say(["world", *given.levels])
    _say(["---"] * (1 + len(given.levels)))
    for world in WORLDS:
        if given.worlds and world.name not in given.worlds:
            continue
        found = ratios(
            method, world, given.campaigns, levels=given.levels, first_seed=given.first_seed
        )
        _say([world.name, *(f"{found[level]:.2f}" for level in given.levels)])


def _say(cells: list[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
