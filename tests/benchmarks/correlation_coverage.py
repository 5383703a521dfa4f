"""How often intervals of correlations hold: `python -m tests.benchmarks.correlation_coverage`.

Printed first, for numbers of systems and correlations of the population they are drawn from (normal): the share of
campaigns whose interval of 95 % holds Pearson's coefficient of the population, and Spearman's as it is on average over
as many systems. Then, for ratings of two criteria by judges who differ in severity, of segments that differ in
difficulty: the share whose interval for judges and segments holds the coefficient of the population, on a line and on a
scale of five points. Last, for scores of 0 to 100, an eighth of them 100, of the same outputs by two judges: the share whose
interval for segments does. `--campaigns 2000` is the default.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import asin, pi, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from ranking.core.diagnosis.correlation import (
    Coefficient,
    correlation_clustered,
    correlation_sampled,
)


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
    ratings is each of judge, segment and the rating itself. With `points`, ratings are on a scale of so many, each used alike."""

    judges: int
    segments: int
    by: int
    points: int | None = None
    shared: tuple[float, float, float] = (0.2, 0.3, 0.5)
    correlations: tuple[float, float, float] = (0.8, 0.7, 0.3)

    @property
    def correlation(self) -> float:
        """The correlation of the two criteria over judges and segments like these, on a line."""
        return sum(
            share * each
            for share, each in zip(self.shared, self.correlations, strict=True)
        )

    @property
    def cuts(self) -> tuple[float, ...]:
        """Where one point ends and the next one begins."""
        return () if self.points is None else _cuts([1 / self.points] * self.points)


@dataclass(frozen=True)
class DrawnScores:
    """Two judges score the outputs of so many segments; `shared` of the variance of scores is the segment's."""

    segments: int
    outputs: int
    correlation: float
    shared: float = 0.4

    @property
    def cuts(self) -> tuple[float, ...]:
        """Where one score ends and the next one begins, of 0 to 100: an eighth are 100."""
        return _cuts([7 / 800] * 100 + [1 / 8])


def _cuts(shares: Sequence[float]) -> tuple[float, ...]:
    return tuple(ndtri(np.cumsum(shares)[:-1]).tolist())


@cache
def population(
    correlation: float,
    cuts: tuple[float, ...],
) -> Mapping[Coefficient, float]:
    """Return the coefficients of normal numbers that are cut into values: of half a million drawn pairs."""
    if not cuts:
        return {
            Coefficient.PEARSON: correlation,
            Coefficient.SPEARMAN: 6 / pi * asin(correlation / 2),
            Coefficient.KENDALL: 2 / pi * asin(correlation),
        }
    x, y = (
        np.searchsorted(cuts, each)
        for each in _pairs(np.random.default_rng(1), 500_000, correlation)
    )
    return {
        each: correlation_clustered(x, y, (), coefficient=each).value or 0.0
        for each in Coefficient
    }


def coverage_of_systems(drawn: DrawnSystems, *, campaigns: int, seed: int = 5) -> Held:
    """Return how often intervals hold, of campaigns whose scores of systems are drawn."""
    random = np.random.default_rng(
        [seed, drawn.systems, round(1000 * drawn.correlation)],
    )
    pearson = spearman = 0
    for _campaign in range(campaigns):
        x, y = _pairs(random, drawn.systems, drawn.correlation)
        found = correlation_sampled(x, y)
        pearson += _holds(found.pearson_low, drawn.correlation, found.pearson_high)
        spearman += _holds(found.spearman_low, drawn.mean_spearman, found.spearman_high)
    return Held(pearson / campaigns, spearman / campaigns)


def coverage_of_ratings(
    drawn: DrawnRatings,
    *,
    campaigns: int,
    seed: int = 5,
) -> Mapping[Coefficient, float]:
    """Return how often the interval of each coefficient for segments and judges holds."""
    random = np.random.default_rng([seed, drawn.judges, drawn.segments, drawn.by])
    true = population(drawn.correlation, drawn.cuts)
    held = dict.fromkeys(Coefficient, 0)
    for _campaign in range(campaigns):
        segment = np.repeat(np.arange(drawn.segments), drawn.by)
        judge = np.concatenate(
            [
                random.permutation(drawn.judges)[: drawn.by]
                for _each in range(drawn.segments)
            ],
        )
        places = judge, segment, np.arange(len(judge))
        counts = drawn.judges, drawn.segments, len(judge)
        values = np.zeros((2, len(judge)))
        for place, count, share, each in zip(
            places,
            counts,
            drawn.shared,
            drawn.correlations,
            strict=True,
        ):
            values += sqrt(share) * np.stack(_pairs(random, count, each))[:, place]
        _count_held(held, _cut(values, drawn.cuts), (segment, judge), true)
    return {each: number / campaigns for each, number in held.items()}


def coverage_of_scores(
    drawn: DrawnScores,
    *,
    campaigns: int,
    seed: int = 5,
) -> Mapping[Coefficient, float]:
    """Return how often the interval of each coefficient of two judges' scores for segments holds."""
    random = np.random.default_rng(
        [seed, drawn.segments, drawn.outputs, round(100 * drawn.correlation)],
    )
    true = population(drawn.correlation, drawn.cuts)
    held = dict.fromkeys(Coefficient, 0)
    segment = np.repeat(np.arange(drawn.segments), drawn.outputs)
    for _campaign in range(campaigns):
        of_segment = np.stack(_pairs(random, drawn.segments, drawn.correlation))[
            :,
            segment,
        ]
        of_output = np.stack(_pairs(random, len(segment), drawn.correlation))
        values = sqrt(drawn.shared) * of_segment + sqrt(1 - drawn.shared) * of_output
        _count_held(held, _cut(values, drawn.cuts), (segment,), true)
    return {each: number / campaigns for each, number in held.items()}


def _cut(
    values: npt.NDArray[np.float64],
    cuts: tuple[float, ...],
) -> npt.NDArray[np.float64]:
    return np.searchsorted(cuts, values).astype(np.float64) if cuts else values


def _count_held(
    held: dict[Coefficient, int],
    values: npt.NDArray[np.float64],
    kinds: Sequence[npt.NDArray[np.int64]],
    true: Mapping[Coefficient, float],
) -> None:
    for each in Coefficient:
        found = correlation_clustered(values[0], values[1], kinds, coefficient=each)
        held[each] += _holds(found.low, true[each], found.high)


def _pairs(
    random: np.random.Generator,
    count: int,
    correlation: float,
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    x, other = random.standard_normal((2, count))
    return x, correlation * x + sqrt(1 - correlation**2) * other


def _in_percent(held: Mapping[Coefficient, float]) -> str:
    return " | ".join(f"{100 * held[each]:.1f}" for each in Coefficient)


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
            held = coverage_of_systems(
                DrawnSystems(systems, correlation),
                campaigns=campaigns,
            )
            lines.append(
                f"| {systems} | {correlation:g} | {100 * held.pearson:.1f} | {100 * held.spearman:.1f} |",
            )
    names = " | ".join(f"{each.value.capitalize()} %" for each in Coefficient)
    lines += [
        "",
        f"| judges | segments | ratings of each | points | {names} |",
        "|---" * 7 + "|",
    ]
    for points in (None, 5):
        for judges, segments, by in (
            (5, 50, 2),
            (10, 50, 2),
            (20, 100, 2),
            (40, 200, 4),
        ):
            ratings = DrawnRatings(judges, segments, by, points)
            shares = _in_percent(coverage_of_ratings(ratings, campaigns=campaigns))
            lines.append(
                f"| {judges} | {segments} | {by} | {points or 'a line'} | {shares} |",
            )
    lines += [
        "",
        f"| segments | outputs of each | correlation | {names} |",
        "|---" * 6 + "|",
    ]
    for segments, outputs in ((10, 1), (10, 5), (20, 1), (30, 5), (100, 2)):
        for correlation in (0.0, 0.5, 0.9):
            scores = DrawnScores(segments, outputs, correlation)
            shares = _in_percent(coverage_of_scores(scores, campaigns=campaigns))
            lines.append(f"| {segments} | {outputs} | {correlation:g} | {shares} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
