"""Whether the forecast of a design keeps what it promises: `python -m tests.benchmarks.design_forecast`.

Simulated campaigns are forecast from the judgments they have so far, and then go on. Printed is the share
whose pairs told apart, clusters and hours lie within the interval: 95 % are promised.
"""

from argparse import ArgumentParser
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from annotation.sampling.priorities import active_priorities_of_many
from ranking.core.simulation.budget_curve import DECIDED_SHARE, NOISES, ActiveDraw, budget_curve
from ranking.core.simulation.measures import clusters_at, sign_test_ranges, significant_pairs
from ranking.core.simulation.model import Model, simulate_wins
from ranking.core.simulation.work_ahead import reading_pace
from ranking.design_study.campaigns import ComparedDesign, SimulatedCampaign
from tests.benchmarks import say

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
MakeModel = Callable[[int, float], Model]

WORLDS: dict[str, MakeModel] = {
    "Koehn's": lambda n, noise: Model(systems=n, noise=noise),
    "half as many qualities as systems": lambda n, noise: Model(
        systems=n, noise=noise, groups=n // 2
    ),
    "two qualities": lambda n, noise: Model(systems=n, noise=noise, groups=2),
    "all equal": lambda n, noise: Model(systems=n, noise=noise, groups=1),
    "blocks of two": lambda n, noise: Model(systems=n, noise=noise, per_block=2),
    "1,000 shared segments, judge noise 6": lambda n, noise: Model(
        systems=n, noise=noise, segments=1000, judge_noise=6.0
    ),
}


#: How many different qualities systems of active campaigns have.
ACTIVE_WORLDS: dict[str, int | None] = {"Koehn's": None, "two qualities": 2, "all equal": 1}
#: Judges who each like some systems better, by a normal deviate of this size, as in qualities from 0 to 10.
TASTE, JUDGES = 1.0, 3


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


def few_judges(campaigns: int) -> None:
    """Print the same where three judges judge all, each with a taste of their own."""
    for world in (FEW_JUDGES, FEW_JUDGES_EQUAL):
        for systems in (6, 12):
            for start in (0, 200, 1000):
                held = np.array(
                    [_one(world, systems, start, number) for number in range(campaigns)]
                )
                pairs, clusters, error = held.mean(axis=0)
                say(f"{world} | {systems} | {start} | {pairs:.3f} | {clusters:.3f} | {error:+.2f}")


FEW_JUDGES, FEW_JUDGES_EQUAL = "three judges", "three judges, all equal"


def _wins_of_few_judges(
    systems: int, noise: float, blocks: list[int], number: int, *, equal: bool
) -> FloatArray:
    """Return wins (C, n, n) after so many blocks of five; each judge adds their taste to all outputs of a system."""
    random = np.random.default_rng([systems, number, equal])
    quality = np.zeros(systems) if equal else random.uniform(0, 10, systems)
    tastes = quality + TASTE * random.standard_normal((JUDGES, systems))
    wins, kept = np.zeros((systems, systems)), []
    for done in range(1, blocks[-1] + 1):
        shown = random.choice(systems, 5, replace=False)
        seen = tastes[done % JUDGES, shown] + noise * random.standard_normal(5)
        wins[np.ix_(shown, shown)] += seen[:, np.newaxis] > seen
        if done in blocks:
            kept.append(wins.copy())
    return np.array(kept)


def _one(
    world: MakeModel | str, systems: int, start: int, number: int
) -> tuple[float, float, float]:
    random = np.random.default_rng([systems, start, number])
    noise = float(np.exp(random.uniform(np.log(NOISES[0]), np.log(NOISES[1]))))
    end = 3000
    blocks = [start, end] if start else [end]
    if isinstance(world, str):
        model = Model(systems=systems, noise=noise)
        equal = world == FEW_JUDGES_EQUAL
        wins = _wins_of_few_judges(systems, noise, blocks, number, equal=equal).astype(np.int64)
    else:
        model = world(systems, noise)
        wins = simulate_wins(model, blocks=blocks, seed=7, experiment=number).wins
    share = 1.0 if start else DECIDED_SHARE
    curve = budget_curve(
        [end * model.comparisons_per_block / share],
        systems=systems,
        per_block=model.per_block,
        wins=wins[0] if start else None,
    )
    pairs = round(float(significant_pairs(wins[-1])) * systems * (systems - 1) / 2)
    clusters = int(clusters_at(sign_test_ranges(wins[-1:])).max())
    return (
        float(curve.pairs_low[0] <= pairs <= curve.pairs_high[0]),
        float(curve.clusters_low[0] <= clusters <= curve.clusters_high[0]),
        float(curve.pairs[0] - pairs),
    )


def active(campaigns: int) -> None:
    """Print the same of active campaigns, whose blocks the draw of real ones chooses, and of the forecast as if balanced."""
    say(
        "active: world | systems | blocks so far | pairs held | clusters held | mean error | held as balanced | error"
    )
    for world, qualities in ACTIVE_WORLDS.items():
        for systems in (6, 12):
            for start in (0, 200, 1000):
                found = [_active(qualities, systems, start, number) for number in range(campaigns)]
                means = np.mean(found, axis=0)
                pairs, clusters, error, as_balanced, balanced_error = means.tolist()
                say(
                    f"{world} | {systems} | {start} | {pairs:.3f} | {clusters:.3f} | {error:+.2f}"
                    f" | {as_balanced:.3f} | {balanced_error:+.2f}"
                )


def _active(qualities: int | None, systems: int, start: int, number: int) -> list[float]:
    random = np.random.default_rng([systems, start, number])
    noise = float(np.exp(random.uniform(np.log(NOISES[0]), np.log(NOISES[1]))))
    campaign = SimulatedCampaign(
        Model(systems=systems, noise=noise), ComparedDesign.ACTIVE, seed=5, experiment=number
    )
    if qualities is not None:
        # The first two are of different groups, if there are two.
        drawn = random.uniform(0, 10, qualities)
        groups = np.concatenate([np.arange(qualities), random.integers(0, qualities, systems)])
        campaign.quality = drawn[groups[:systems]]
    wins, end = None, 3000
    for until in [start, end] if start else [end]:
        while campaign.blocks < until:
            # As after rankings: each when there are a twentieth more judgments.
            campaign.simulate_until(min(until, campaign.blocks + 10 + campaign.blocks // 20))
        if until < end:
            wins = campaign.wins.copy()
    comparisons = end * 10 / (1.0 if start else DECIDED_SHARE)
    pairs = round(float(significant_pairs(campaign.wins)) * systems * (systems - 1) / 2)
    clusters = int(clusters_at(sign_test_ranges(campaign.wins[np.newaxis])).max())
    found: list[float] = []
    for draw in (ActiveDraw(active_priorities_of_many, floor=0.1), None):
        curve = budget_curve([comparisons], systems=systems, per_block=5, wins=wins, active=draw)
        found.append(float(curve.pairs_low[0] <= pairs <= curve.pairs_high[0]))
        if draw is not None:
            found.append(float(curve.clusters_low[0] <= clusters <= curve.clusters_high[0]))
        found.append(float(curve.pairs[0] - pairs))
    return found


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
    few_judges(campaigns)
    active(campaigns)
    hours(10 * campaigns)


if __name__ == "__main__":
    main()
