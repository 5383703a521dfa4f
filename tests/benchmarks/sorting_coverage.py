"""How often a sort is right, and how often its tests and intervals are wrong: simulated campaigns of known order.

    python -m tests.benchmarks.sorting_coverage                   # the table of comparisons in docs/protocols.md
    python -m tests.benchmarks.sorting_coverage --table sorts     # right orders, and clusters split by chance
    python -m tests.benchmarks.sorting_coverage --table tests     # levels of the normal and of the exact test

*comparisons*: of one comparison of two equal or nearly equal systems, in %: how often |R| > z · se[R], the exact test and Student's t over judges tell equal
systems apart, how often the sign of R is right where they differ by 0.1, and how often the interval of R leaves out its true
value, with judgments taken for independent and with the bootstrap. Judges differ in taste, sentences in luck.
*sorts*: whole sorts: comparisons made, the share of sorts in the right order, of neighbours told apart, and of sorts that split equal
systems into clusters. Standard errors are over campaigns.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.stats import norm

from protocols.sorting.statistics.comparison import compare
from ranking.core.ranges.sign_tests import Correction
from tests.simulated.sorts import SimulatedCampaign, SimulatedWorld, simulate_sorts

_SEVEN = SimulatedWorld({"X": 0.0, "Y": 0.0}, same=0.3)
_FEW = replace(_SEVEN, judges=3, sentences=40)
COMPARISONS: dict[str, SimulatedWorld] = {
    "7 judges × 100": _SEVEN,
    "7 × 100, taste 0.1": replace(_SEVEN, taste=0.1),
    "7 × 100, taste 0.2": replace(_SEVEN, taste=0.2),
    "7 × 100 of 150, luck 0.5": replace(_SEVEN, segments=150, luck=0.5),
    "7 × the same 100, luck 0.5": replace(_SEVEN, luck=0.5, is_shared=True),
    "7 × the same 100, luck 0.5, taste 0.2": replace(_SEVEN, luck=0.5, taste=0.2, is_shared=True),
    "7 × 20": replace(_SEVEN, sentences=20),
    "7 × the same 20, luck 0.5": replace(_SEVEN, sentences=20, luck=0.5, is_shared=True),
    "4 × 100, taste 0.2": replace(_SEVEN, judges=4, taste=0.2),
    "3 × 40": _FEW,
    "3 × 40, taste 0.2": replace(_FEW, taste=0.2),
    "3 × the same 40, luck 0.5": replace(_FEW, luck=0.5, is_shared=True),
    "2 × 40, taste 0.2": replace(_FEW, judges=2, taste=0.2),
}


def true_mean(world: SimulatedWorld) -> float:
    """Return what R is of: its mean over judges and sentences."""
    ahead = world.qualities["X"] - world.qualities["Y"]
    spread = (1 + 2 * world.taste**2 + 2 * world.luck**2) ** 0.5
    threshold = norm.ppf((1 + world.same) / 2)
    return float(norm.cdf((ahead - threshold) / spread) - norm.cdf((-ahead - threshold) / spread))


@dataclass(frozen=True)
class Found:
    """Of one world, shares in %: told apart by four tests, outside two intervals, and the right sign of R."""

    normal: float
    exact: float
    bootstrap: float
    over_judges: float
    outside: float
    outside_bootstrap: float
    right: float


def of_comparisons(world: SimulatedWorld, *, campaigns: int, resamples: int) -> Found:
    """Compare two equal systems, and two that differ by 0.1, in so many campaigns."""
    apart = replace(world, qualities={"X": 0.1, "Y": 0.0})
    told: list[tuple[bool, ...]] = []
    outside: list[tuple[bool, ...]] = []
    right: list[bool] = []
    for run in range(campaigns):
        for each in (world, apart):
            judgments = SimulatedCampaign(each, seed=8, run=run).judgments(("X", "Y"))
            results = [
                compare(judgments, error=error, seed=run, resamples=resamples)
                for error in ("judgments", "two_way")
            ]
            found = [each.pooled for each in results]
            ends = [one.interval(0.05) for one in found]
            outside.append(tuple(not low <= true_mean(each) <= high for low, high in ends))
            if each is world:
                p = (
                    *(found[0].p("normal"), found[0].p("exact"), found[1].p("normal")),
                    results[0].p_judges,
                )
                told.append(tuple(value is not None and value <= 0.05 for value in p))
            else:
                right.append(found[0].counts.lead > 0)
    normal, exact, bootstrap, over_judges = (100 * np.mean(told, axis=0)).tolist()
    of_judgments, of_bootstrap = (100 * np.mean(outside, axis=0)).tolist()
    return Found(
        normal,
        exact,
        bootstrap,
        over_judges,
        of_judgments,
        of_bootstrap,
        right=100 * float(np.mean(right)),
    )


def comparisons(campaigns: int, resamples: int) -> None:
    _say(["world", *Found.__dataclass_fields__])
    for name, world in COMPARISONS.items():
        found = of_comparisons(world, campaigns=campaigns, resamples=resamples)
        _say([name, *(f"{value:.1f}" for value in vars(found).values())])


def sorts(campaigns: int) -> None:
    """Say what whole sorts promise: of systems that differ, and of equal ones."""
    _say(["systems", "step", "comparisons", "right order", "told apart", "wrong way round"])
    for step, systems in product((0.02, 0.05, 0.1, 0.2), (5, 9)):
        world = replace(_SEVEN, qualities={f"S{place}": step * place for place in range(systems)})
        found = simulate_sorts(world, sorts=campaigns, seed=0)
        _say(
            [
                str(systems),
                str(step),
                f"{found.comparisons:.1f}",
                *(f"{100 * v:.1f}" for v in (found.right_order, found.significant, found.wrong)),
            ]
        )
    _say(
        ["equal systems", "judges", "test", "correction", "neighbours split", "sorts with a split"]
    )
    for systems, (judges, taste), test, correction in product(
        (5, 9), ((7, 0.0), (7, 0.2)), ("normal", "exact"), (Correction.NONE, Correction.HOLM)
    ):
        world = replace(
            _SEVEN,
            qualities={f"S{place}": 0.0 for place in range(systems)},
            judges=judges,
            taste=taste,
        )
        found = simulate_sorts(world, sorts=campaigns, seed=0, test=test, correction=correction)
        _say(
            [
                str(systems),
                f"{judges}, taste {taste}",
                test,
                correction.value,
                f"{100 * found.level:.1f}",
                f"{100 * found.any_false:.1f}",
            ]
        )


def tests(campaigns: int) -> None:
    """Say how often either test tells two equal systems apart, by the number of judgments."""
    _say(["judgments", "normal", "exact"])
    for judgments in (10, 20, 50, 100, 700):
        world = replace(_SEVEN, judges=1, sentences=judgments, same=0.0)
        levels = [
            simulate_sorts(world, sorts=campaigns, seed=0, test=test).level
            for test in ("normal", "exact")
        ]
        _say([str(judgments), *(f"{100 * level:.1f}" for level in levels)])


def _say(cells: list[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=400)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--table", choices=("comparisons", "sorts", "tests"), default="comparisons")
    options = parser.parse_args(arguments)
    if options.table == "comparisons":
        comparisons(options.campaigns, options.resamples)
    elif options.table == "sorts":
        sorts(options.campaigns)
    else:
        tests(options.campaigns)


if __name__ == "__main__":
    main(sys.argv[1:])
