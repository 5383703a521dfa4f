"""How often hours and days until a target are within the forecast: `python -m tests.benchmarks.hours_coverage`.

Campaigns as in `tests.benchmarks.forecast_coverage` are forecast and then go on until 80 and 90 % of the pairs are told
apart, and until twice as many judgments are made as so far. Three to twenty judges, whose paces are lognormal with 0.4
and their blocks with 0.5, did so far; as many others do the rest. Days vary by a third, by chance. Printed for each
target: campaigns in which it is still to come (and never comes within the limit), the share of which the interval
holds the judgments, the hours and the days, how many intervals are open, and how far apart their ends are.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import numpy.typing as npt

from ranking.core.simulation.budget import plan_campaign
from ranking.core.simulation.measures import significant_pairs
from ranking.core.simulation.model import Model, simulate_blocks, simulate_wins
from ranking.core.simulation.noise import (
    NoiseNotEstimableError,
    campaign_curve,
    fit_noise,
    likely_futures,
)
from ranking.core.simulation.work_ahead import (
    Ahead,
    days_ahead,
    hours_ahead,
    judgments_ahead,
    reading_pace,
)

_TARGETS = (0.8, 0.9)
_TWICE = 2.0
_EXPERIMENTS, _FIRST_SEED = 100, 900
#: In judgments of five outputs, those made so far included.
_LIMIT = 20_000
_DAYS = 7
Float64Array = npt.NDArray[np.float64]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--confidence", type=float, default=0.95)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    rows: dict[float, list[list[tuple[bool, float | None]]]] = {
        target: [] for target in (*_TARGETS, _TWICE)
    }
    never = dict.fromkeys(rows, 0)
    without = 0
    for number in range(options.campaigns):
        found = _of_campaign(random, number, options.confidence)
        if found is None:
            without += 1
            continue
        for target, (needed, held) in found.items():
            rows[target].append(held)
            never[target] += bool(np.isinf(needed))
    sys.stdout.write(f"{options.campaigns} campaigns, {without} whose noise cannot be fitted\n")
    sys.stdout.write(
        "| target | to come (never) | judgments held | hours held | days held | open | ends apart: judgments, hours, days |\n"
    )
    sys.stdout.write("|---|---|---|---|---|---|---|\n")
    for target, of_target in rows.items():
        name = "twice as many" if target == _TWICE else f"{100 * target:.0f} % of the pairs"
        shares = [100 * np.mean([row[at][0] for row in of_target]) for at in range(3)]
        apart = [
            np.median([each for row in of_target if (each := row[at][1]) is not None])
            for at in range(3)
        ]
        is_open = sum(row[0][1] is None for row in of_target)
        held_shares = " | ".join(f"{share:.1f}" for share in shares)
        sys.stdout.write(
            f"| {name} | {len(of_target)} ({never[target]}) | {held_shares} | {is_open} | "
            f"{', '.join(f'{each:.1f}' for each in apart)} |\n"
        )


def _of_campaign(
    random: np.random.Generator, number: int, confidence: float
) -> dict[float, tuple[float, list[tuple[bool, float | None]]]] | None:
    systems = int(random.integers(5, 11))
    noise = float(np.exp(random.uniform(np.log(4), np.log(12))))
    blocks = int(random.integers(60, 400))
    groups = None if number % 2 else int(random.integers(1, systems))
    model = Model(systems=systems, noise=noise, groups=groups)
    seed = _FIRST_SEED + number
    judged, _quality = simulate_blocks(model, blocks=blocks, seed=seed, experiment=0)
    curve = campaign_curve(judged)
    try:
        fit = fit_noise(curve, experiments=_EXPERIMENTS)
    except NoiseNotEstimableError:
        return None
    futures = likely_futures(curve, fit, experiments=_EXPERIMENTS, seed=0)
    per_judgment = curve.comparisons / blocks
    budget = plan_campaign(
        curve,
        fit,
        targets=_TARGETS,
        experiments=_EXPERIMENTS,
        confidence=confidence,
        limit=round(_LIMIT * per_judgment),
        futures=futures,
    )
    judges = int(random.integers(3, 21))
    paces, others = 30 * np.exp(random.normal(0, 0.4, (2, judges)))
    shares = random.integers(10, 60, (2, judges))
    who = random.choice(judges, max(30, blocks), p=shares[0] / shares[0].sum())
    seconds = paces[who] * np.exp(random.normal(0, 0.5, len(who)))
    pace = reading_pace(who.tolist(), [1.0] * len(who), seconds.tolist())
    true_seconds = float(np.average(others, weights=shares[1])) * np.exp(0.5**2 / 2)
    mean_day = blocks / random.uniform(3, 20)
    done = _days(random, mean_day, _DAYS)
    found = {}
    grid = np.unique(np.geomspace(blocks, _LIMIT, 400).round().astype(int))
    truth = significant_pairs(simulate_wins(model, blocks=grid, seed=seed, experiment=0).wins)
    for target in (*_TARGETS, _TWICE):
        if target == _TWICE:
            needed, needs = float(blocks), [float(blocks)]
        else:
            there = np.flatnonzero(truth >= target - 1e-9)
            needed = float(grid[there[0]] - blocks) if len(there) else np.inf
            reached = budget.needs[_TARGETS.index(target)]
            needs = [(each - curve.comparisons) / per_judgment for each in reached]
        if needed == 0 or pace is None or not any(done):
            continue
        days = _days_of(random, mean_day, needed)
        held = [
            _held(judgments_ahead(needs, confidence=confidence), needed),
            _held(hours_ahead(needs, pace, confidence=confidence), needed * true_seconds / 3600),
            _held(days_ahead(needs, done, confidence=confidence), days),
        ]
        found[target] = (needed, held)
    return found


def _days(random: np.random.Generator, mean: float, days: int) -> list[int]:
    drawn: list[int] = random.poisson(mean * random.gamma(9.0, 1 / 9.0, days)).tolist()
    return drawn


def _days_of(random: np.random.Generator, mean: float, needed: float) -> float:
    """Return the days that so many judgments take."""
    if np.isinf(needed):
        return np.inf
    done = np.cumsum(_days(random, mean, round(3 * needed / mean) + 100))
    last = int(np.searchsorted(done, needed))
    before = done[last - 1] if last else 0
    return last + float(needed - before) / float(done[last] - before)


def _held(ahead: Ahead | None, truth: float) -> tuple[bool, float | None]:
    """Return whether an interval holds what came, and how many times its low end its high end is."""
    if ahead is None:
        return False, None
    low = np.inf if ahead.low is None else ahead.low
    high = np.inf if ahead.high is None else ahead.high
    # The grid of what came is as fine as one per cent.
    is_held = low <= truth * 1.02 and truth <= high * 1.02
    return is_held, None if np.isinf(high) or low == 0 else high / low


if __name__ == "__main__":
    main()
