"""Abilities against the implementations they replace: paired ratios of CPU time, one thread.

    python -m tests.benchmarks.ability [--comparisons 10000] [--repeats 3]

Data are in memory on both sides. Slow and fast take turns, and the ratio is the median of the
ratios of neighbours, so that a busy machine slows both. The first calls, which compile, are not
timed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.hopkins_may.fit import hopkins_may
from ranking.core.methods.hopkins_may.gibbs import posterior_draws
from ranking.core.methods.hopkins_may.model import HopkinsMayModel, posterior_modes
from ranking.core.methods.trueskill.kernels import one_pass
from ranking.core.methods.trueskill.online import Games
from ranking.core.methods.trueskill.wmt import draw_margin, trueskill_wmt

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import trueskill as pypi  # type: ignore[import-untyped]

SYSTEMS, SHOWN, NOISE = 15, 5, 10.0
SWEEPS = 200
MU, SIGMA, BETA, DRAWS = 25.0, 25 / 3, 25 / 6, 0.25


@dataclass(frozen=True)
class Row:
    """One line of the table: what, how long each took (CPU seconds), the ratio, what differs."""

    what: str
    slow: float
    fast: float
    ratio: float
    note: str = ""


def paired(
    what: str, slow: Callable[[], Any], fast: Callable[[], Any], repeats: int, note: str = ""
) -> Row:
    """Time both in turns; the fast one as often as fits into a tenth of the slow one."""
    fast()
    started = time.process_time()
    fast()
    once = max(time.process_time() - started, 1e-7)
    slows, fasts = [], []
    for _ in range(repeats):
        started = time.process_time()
        slow()
        slows.append(time.process_time() - started)
        times = max(1, min(1000, int(slows[-1] / 10 / once)))
        started = time.process_time()
        for _ in range(times):
            fast()
        fasts.append((time.process_time() - started) / times)
    ratio = statistics.median(a / b for a, b in zip(slows, fasts, strict=True))
    return Row(what, statistics.median(slows), statistics.median(fasts), ratio, note)


def campaign(comparisons: int) -> Blocks:
    """Simulate five-way blocks of 15 systems, one a segment (Koehn 2012, with ties by rounding)."""
    rng = np.random.default_rng(2012)
    count = comparisons // 10
    shown = np.argsort(rng.random((count, SYSTEMS)), axis=1)[:, :SHOWN]
    seen = -shown + rng.normal(0, NOISE, shown.shape)
    cuts = np.quantile(seen, [0.2, 0.4, 0.6, 0.8])
    labels = np.zeros((count, SYSTEMS), dtype=np.int8)
    candidates = np.full((count, SYSTEMS), -1, dtype=np.int8)
    np.put_along_axis(labels, shown, (5 - np.digitize(seen, cuts)).astype(np.int8), axis=1)
    np.put_along_axis(candidates, shown, np.arange(SHOWN, dtype=np.int8)[np.newaxis], axis=1)
    return Blocks(
        systems=tuple(f"s{k:02d}" for k in range(SYSTEMS)),
        labels=labels,
        candidates=candidates,
        judge=np.zeros(count, dtype=np.int32),
        judges=("j",),
        segment=np.arange(count, dtype=np.int32),
        key=rng.integers(0, 1 << 64, count, dtype=np.uint64),
    )


def pass_of_pypi(games: list[tuple[int, int, bool]]) -> npt.NDArray[np.float64]:
    """One pass over the comparisons by the PyPI package."""
    environment = pypi.TrueSkill(mu=MU, sigma=SIGMA, beta=BETA, tau=0, draw_probability=DRAWS)
    ratings = [environment.create_rating() for _ in range(SYSTEMS)]
    for i, j, tie in games:
        ratings[i], ratings[j] = pypi.rate_1vs1(ratings[i], ratings[j], tie, env=environment)
    return np.array([[rating.mu, rating.sigma] for rating in ratings])


def pass_of_kernel(games: Games) -> npt.NDArray[np.float64]:
    """The same pass, compiled."""
    mu, variance = np.full(SYSTEMS, MU), np.full(SYSTEMS, SIGMA**2)
    margin = draw_margin(DRAWS) * BETA
    one_pass(mu, variance, games.first, games.second, games.tie, BETA, margin, 0.0)
    return np.column_stack([mu, np.sqrt(variance)])


def hopkins_may_as_at_wmt(
    rankings: dict[int, list[list[tuple[int, int]]]], sweeps: int
) -> npt.NDArray[np.float64]:
    """WMT's sampler in plain Python: the same steps, in our own words.

    In each sweep one ranking of each segment; for each pair two noisy qualities, pushed apart or
    together until they agree with the judgment; the mean of those of a system and segment, and
    the mean of these means is the system's new ability.
    """
    chance = random.Random(1)
    ability = [chance.gauss(0, 1) for _ in range(SYSTEMS)]
    radius = 0.5
    for _ in range(sweeps):
        of_system: list[dict[int, float]] = [{} for _ in range(SYSTEMS)]
        for segment, choices in rankings.items():
            ranking = chance.choice(choices)
            seen: dict[int, list[float]] = defaultdict(list)
            for k, (i, label_i) in enumerate(ranking):
                for j, label_j in ranking[k + 1 :]:
                    a = chance.gauss(ability[i], 0.5) + chance.gauss(0, 1)
                    b = chance.gauss(ability[j], 0.5) + chance.gauss(0, 1)
                    lead = b - a if label_i > label_j else a - b
                    push = 0.0
                    if label_i != label_j and lead < radius:
                        push = (radius - lead) / 2
                    elif label_i == label_j and abs(lead) > radius:
                        push = ((radius if lead > 0 else -radius) - lead) / 2
                    push = -push if label_i > label_j else push
                    seen[i].append(a + push)
                    seen[j].append(b - push)
            for system, values in seen.items():
                of_system[system][segment] = float(np.mean(values))
        ability = [float(np.mean(list(means.values()))) for means in of_system]
    return np.array(ability)


def rankings_of(blocks: Blocks) -> dict[int, list[list[tuple[int, int]]]]:
    """Rankings of each segment, as lists of (system, label)."""
    rankings: dict[int, list[list[tuple[int, int]]]] = defaultdict(list)
    for segment, labels in zip(blocks.segment.tolist(), blocks.labels, strict=True):
        shown = np.flatnonzero(labels).tolist()
        rankings[segment].append([(system, int(labels[system])) for system in shown])
    return dict(rankings)


def measure(comparisons: int, repeats: int) -> list[Row]:
    """Measure everything on a simulated campaign."""
    blocks = campaign(comparisons)
    games = Games(blocks)
    played = list(zip(games.first.tolist(), games.second.tolist(), games.tie.tolist(), strict=True))
    apart = float(np.abs(pass_of_pypi(played) - pass_of_kernel(games)).max())
    rankings = rankings_of(blocks)
    model = HopkinsMayModel(radius=0.5)
    tallies = tally(blocks)
    found = posterior_modes(tallies.wins[np.newaxis], tallies.ties[np.newaxis], model)

    def sweep() -> None:
        posterior_draws(tallies.wins, tallies.ties, model, found, chains=2, most_sweeps=SWEEPS // 2)

    def slow() -> None:
        hopkins_may_as_at_wmt(rankings, SWEEPS)

    return [
        paired(
            "TrueSkill, a pass: PyPI trueskill / compiled",
            lambda: pass_of_pypi(played),
            lambda: pass_of_kernel(games),
            repeats,
            f"results differ by at most {apart:.0e}",
        ),
        paired(
            "TrueSkill, 10 passes: PyPI trueskill / 10 runs of WMT's matching",
            lambda: [pass_of_pypi(played) for _ in range(10)],
            lambda: trueskill_wmt(blocks, runs=10),
            1,
            "a run also chooses opponents; includes counting the blocks",
        ),
        paired(f"Hopkins–May, {SWEEPS} sweeps: WMT's sampler / exact Gibbs", slow, sweep, repeats),
        paired(
            f"Hopkins–May: {SWEEPS} sweeps of WMT's sampler / exact Gibbs until it converges",
            slow,
            lambda: hopkins_may(blocks, inference="gibbs", model=model),
            1,
            "WMT's does not check convergence",
        ),
        paired(
            f"Hopkins–May: {SWEEPS} sweeps of WMT's sampler / collapsed, with counting",
            slow,
            lambda: hopkins_may(blocks, model=model),
            1,
        ),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comparisons", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{arguments.comparisons:,} comparisons, {SYSTEMS} systems")  # noqa: T201
    for row in measure(arguments.comparisons, arguments.repeats):
        print(  # noqa: T201
            f"{row.what:75} {row.slow * 1e3:11.2f} ms {row.fast * 1e3:9.3f} ms "
            f"{row.ratio:9.0f}×  {row.note}"
        )


if __name__ == "__main__":
    main()
