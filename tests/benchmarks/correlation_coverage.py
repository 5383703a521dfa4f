"""How often intervals of correlations hold: `python -m tests.benchmarks.correlation_coverage`.

Printed first, for numbers of systems and correlations of the population they are drawn from (normal): the share of
campaigns whose interval of 95 % holds Pearson's coefficient of the population, and Spearman's as it is on average over
as many systems. Then, for ratings of two criteria by judges who differ in severity, of segments that differ in
difficulty: the share whose interval for judges and segments holds the correlation of the population.
`--campaigns 2000` is the default.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from math import asin, pi, sqrt

import numpy as np

from ranking.core.diagnosis.clustered_correlation import correlation_clustered
from ranking.core.diagnosis.correlation import correlation_sampled


@dataclass(frozen=True)
class DrawnSystems:
    """So many systems are drawn from a normal population with this correlation."""

    systems: int
    correlation: float

    @property
    def mean_spearman(self) -> float:
        """Spearman's coefficient on average over campaigns (Moran 1948)."""
        r, n = self.correlation, self.systems
        return 6 / (pi * (n + 1)) * (asin(r) + (n - 2) * asin(r / 2))


@dataclass(frozen=True)
class Held:
    """The shares of campaigns whose interval holds each coefficient."""

    pearson: float
    spearman: float


@dataclass(frozen=True)
class DrawnRatings:
    """So many judges, who differ in severity, rate so many segments, each by some of them; `shared` of the variance of
    ratings is each of judge, segment and the rating itself."""

    judges: int
    segments: int
    by: int
    shared: tuple[float, float, float] = (0.2, 0.3, 0.5)
    correlations: tuple[float, float, float] = (0.8, 0.7, 0.3)

    @property
    def correlation(self) -> float:
        """The correlation of the two criteria over judges and segments like these."""
        return sum(share * each for share, each in zip(self.shared, self.correlations, strict=True))


def coverage_of_systems(drawn: DrawnSystems, *, campaigns: int, seed: int = 5) -> Held:
    """Return how often intervals hold, of campaigns whose scores of systems are drawn."""
    random = np.random.default_rng([seed, drawn.systems, round(1000 * drawn.correlation)])
    pearson = spearman = 0
    for _campaign in range(campaigns):
        x, y = _pairs(random, drawn.systems, drawn.correlation)
        found = correlation_sampled(x, y)
        pearson += _holds(found.pearson_low, drawn.correlation, found.pearson_high)
        spearman += _holds(found.spearman_low, drawn.mean_spearman, found.spearman_high)
    return Held(pearson / campaigns, spearman / campaigns)


def coverage_of_ratings(drawn: DrawnRatings, *, campaigns: int, seed: int = 5) -> float:
    """Return how often the interval for segments and judges holds."""
    random = np.random.default_rng([seed, drawn.judges, drawn.segments, drawn.by])
    held = 0
    for _campaign in range(campaigns):
        segment = np.repeat(np.arange(drawn.segments), drawn.by)
        judge = np.concatenate(
            [random.permutation(drawn.judges)[: drawn.by] for _each in range(drawn.segments)]
        )
        places = judge, segment, np.arange(len(judge))
        counts = drawn.judges, drawn.segments, len(judge)
        values = np.zeros((2, len(judge)))
        for place, count, share, each in zip(
            places, counts, drawn.shared, drawn.correlations, strict=True
        ):
            values += sqrt(share) * np.stack(_pairs(random, count, each))[:, place]
        found = correlation_clustered(values[0], values[1], (segment, judge))
        held += _holds(found.low, drawn.correlation, found.high)
    return held / campaigns


def _pairs(
    random: np.random.Generator, count: int, correlation: float
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    x, other = random.standard_normal((2, count))
    return x, correlation * x + sqrt(1 - correlation**2) * other


def _holds(low: float | None, value: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= value <= high


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=2000)
    campaigns = parser.parse_args().campaigns
    lines = ["| systems | correlation | Pearson % | Spearman % |", "|---|---|---|---|"]
    for systems in (4, 5, 6, 8, 12, 20):
        for correlation in (0.0, 0.3, 0.6, 0.9, 0.97, 0.995):
            held = coverage_of_systems(DrawnSystems(systems, correlation), campaigns=campaigns)
            lines.append(
                f"| {systems} | {correlation:g} | {100 * held.pearson:.1f} | {100 * held.spearman:.1f} |"
            )
    lines += ["", "| judges | segments | ratings of each | held % |", "|---|---|---|---|"]
    for drawn in (
        DrawnRatings(5, 50, 2),
        DrawnRatings(10, 50, 2),
        DrawnRatings(20, 100, 2),
        DrawnRatings(40, 200, 4),
    ):
        held_ratings = coverage_of_ratings(drawn, campaigns=campaigns)
        lines.append(
            f"| {drawn.judges} | {drawn.segments} | {drawn.by} | {100 * held_ratings:.1f} |"
        )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
