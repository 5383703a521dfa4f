"""Whether the forecast of a design keeps what it promises: `python -m tests.benchmarks.design_forecast`.

Simulated campaigns are forecast from the judgments they have so far, and then go on. Printed is the share
whose pairs told apart, clusters and hours lie within the interval: 95 % are promised.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ranking.core.simulation.budget_curve import DECIDED_SHARE, NOISES, budget_curve
from ranking.core.simulation.measures import clusters_at, sign_test_ranges, significant_pairs
from ranking.core.simulation.model import Model, simulate_wins
from ranking.core.simulation.reading_pace import reading_pace

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
MakeModel = Callable[[int, float], Model]

WORLDS: dict[str, MakeModel] = {
    "Koehn's": lambda n, noise: Model(systems=n, noise=noise),
    "half as many qualities as systems": lambda n, noise: Model(
        systems=n, noise=noise, groups=n // 2
    ),
    "all equal": lambda n, noise: Model(systems=n, noise=noise, groups=1),
    "blocks of two": lambda n, noise: Model(systems=n, noise=noise, per_block=2),
    "1,000 shared segments, judge noise 6": lambda n, noise: Model(
        systems=n, noise=noise, segments=1000, judge_noise=6.0
    ),
}


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def curves(campaigns: int) -> None:
    """Print how often the intervals of pairs and clusters hold after 3,000 blocks."""
    say("world | systems | blocks so far | pairs held | clusters held | mean error (pairs)")
    for world, model_of in WORLDS.items():
        for systems in (6, 12):
            for start in (0, 200, 1000):
                held = np.array(
                    [_one(model_of, systems, start, number) for number in range(campaigns)]
                )
                pairs, clusters, error = held.mean(axis=0)
                say(f"{world} | {systems} | {start} | {pairs:.3f} | {clusters:.3f} | {error:+.2f}")


def _one(model_of: MakeModel, systems: int, start: int, number: int) -> tuple[float, float, float]:
    random = np.random.default_rng([systems, start, number])
    noise = float(np.exp(random.uniform(np.log(NOISES[0]), np.log(NOISES[1]))))
    model = model_of(systems, noise)
    end = 3000
    blocks = [start, end] if start else [end]
    found = simulate_wins(model, blocks=blocks, seed=7, experiment=number)
    share = 1.0 if start else DECIDED_SHARE
    curve = budget_curve(
        [end * model.comparisons_per_block / share],
        systems=systems,
        per_block=model.per_block,
        wins=found.wins[0] if start else None,
    )
    pairs = round(float(significant_pairs(found.wins[-1])) * systems * (systems - 1) / 2)
    clusters = int(clusters_at(sign_test_ranges(found.wins[-1:])).max())
    return (
        float(curve.pairs_low[0] <= pairs <= curve.pairs_high[0]),
        float(curve.clusters_low[0] <= clusters <= curve.clusters_high[0]),
        float(curve.pairs[0] - pairs),
    )


def hours(campaigns: int) -> None:
    """Print how often the interval of hours holds what as many other judges, and the same ones, take."""
    say("judges so far | blocks of each | held, others | held, the same judges")
    for judges in (3, 5, 10, 30):
        for fewest, most in ((10, 20), (5, 200)):
            found = [_hours(judges, fewest, most, number) for number in range(campaigns)]
            others, same = np.mean(found, axis=0)
            say(f"{judges} | {fewest} to {most} | {others:.3f} | {same:.3f}")


def _hours(judges: int, fewest: int, most: int, number: int) -> tuple[bool, bool]:
    random = np.random.default_rng([judges, most, number])
    paces = 0.5 * np.exp(random.normal(0, 0.4, 2 * judges))

    def work(who: range) -> tuple[IntArray, FloatArray, FloatArray]:
        by = np.repeat(np.array(who), random.integers(fewest, most, len(who)))
        words = random.gamma(4, 25, len(by))
        return by, words, words * paces[by] * np.exp(random.normal(0, 0.5, len(by)))

    by, words, seconds = work(range(judges))
    found = reading_pace(by.tolist(), words.tolist(), seconds.tolist())
    if found is None:
        return True, True
    later = []
    for who in (range(judges, 2 * judges), range(judges)):
        _by, read, took = work(who)
        later.append(bool(found.low <= took.sum() / read.sum() <= found.high))
    return later[0], later[1]


def main() -> None:
    """Run both."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=100)
    campaigns = parser.parse_args().campaigns
    curves(campaigns)
    hours(10 * campaigns)


if __name__ == "__main__":
    main()
