"""Cohen's κ of all pairs of judges, against pandas: `python -m tests.benchmarks.cohen`.

Both get the same ratings in memory (item, judge, outcome) and give the same κ for each pair. Two
ways to write it with pandas: the obvious one joins the ratings of each pair of judges and crosses
their outcomes; the clever one joins all ratings with themselves once and counts groups.

`--intervals 1000000 10000000` measures instead what κ with its bootstrap interval takes at these
numbers of comparisons, from the smallest on: the peak of memory is that of the process so far.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from ranking.core.agreement.judge_pairs import judge_pair_tables
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.report import Chance
from ranking.core.agreement.statistics import cohen_of_tables
from tests.benchmarks.drawn_campaign import drawn_campaign, processor_seconds

JUDGES = 45
FloatArray = npt.NDArray[np.float64]


def ratings(comparisons: int) -> pd.DataFrame:
    """Five comparisons of an item on average, by judges of different habits."""
    rng = np.random.default_rng(comparisons)
    judge = rng.integers(0, JUDGES, comparisons)
    item = rng.integers(0, comparisons // 5, comparisons)
    habit = rng.dirichlet([5, 2, 5], JUDGES).cumsum(axis=1)
    outcome = (rng.random(comparisons)[:, np.newaxis] > habit[judge]).sum(axis=1)
    return pd.DataFrame({"item": item, "judge": judge, "outcome": np.minimum(outcome, 2)})


def kappas(tables: npt.NDArray[np.int64]) -> FloatArray:
    _, agree, chance = cohen_of_tables(tables)
    kappa: FloatArray = (agree - chance) / (1 - chance)
    return kappa


def ours(frame: pd.DataFrame) -> FloatArray:
    tables = judge_pair_tables(
        frame["item"].to_numpy(),
        frame["judge"].to_numpy(),
        frame["outcome"].to_numpy(),
        items=len(frame) // 5,
        judges=JUDGES,
        compiled=True,
    )
    return kappas(tables[np.triu_indices(JUDGES, k=1)])


def pandas_pair_by_pair(frame: pd.DataFrame) -> FloatArray:
    by_judge = {judge: own[["item", "outcome"]] for judge, own in frame.groupby("judge")}
    found = []
    for one, other in combinations(range(JUDGES), 2):
        joined = by_judge[one].merge(by_judge[other], on="item")
        table = pd.crosstab(joined["outcome_x"], joined["outcome_y"], normalize=True)
        table = table.reindex(index=range(3), columns=range(3), fill_value=0.0)
        agree = np.trace(table)
        chance = (table.sum(axis=1) * table.sum(axis=0)).sum()
        found.append((agree - chance) / (1 - chance))
    return np.array(found)


def pandas_one_join(frame: pd.DataFrame) -> FloatArray:
    joined = frame.merge(frame, on="item")
    joined = joined[joined["judge_x"] < joined["judge_y"]]
    counts = joined.groupby(["judge_x", "judge_y", "outcome_x", "outcome_y"]).size()
    tables = np.zeros((JUDGES, JUDGES, 3, 3), dtype=np.int64)
    tables[tuple(counts.index.get_level_values(level) for level in range(4))] = counts
    return kappas(tables[np.triu_indices(JUDGES, k=1)])


def seconds(function: Callable[[pd.DataFrame], FloatArray], frame: pd.DataFrame) -> float:
    start = time.process_time()
    function(frame)
    return time.process_time() - start


def print_intervals(sizes: list[int]) -> None:
    sys.stdout.write(
        "| comparisons | s | peak with the data, MB | data alone |\n|---|---|---|---|\n"
    )
    for comparisons in sizes:
        blocks = drawn_campaign(comparisons)
        judge = np.random.default_rng(1).integers(0, JUDGES, len(blocks)).astype(np.int32)
        judges = tuple(f"judge-{index:02}" for index in range(JUDGES))
        blocks = replace(blocks, judge=judge, judges=judges)
        alone = peak_megabytes()
        spent = processor_seconds(
            partial(measure_agreement, blocks, chance=Chance.COHEN, resample="segments")
        )
        sys.stdout.write(f"| {comparisons:,} | {spent:.1f} | {peak_megabytes()} | {alone} |\n")


def peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def print_ratios(sizes: list[int], repeat: int) -> None:
    sys.stdout.write("| comparisons | ours, ms | pandas, a join per pair | pandas, one join |\n")
    sys.stdout.write("|---|---|---|---|\n")
    for comparisons in sizes:
        frame = ratings(comparisons)
        expected = ours(frame)  # also compiles
        for peer in (pandas_pair_by_pair, pandas_one_join):
            np.testing.assert_allclose(peer(frame), expected, atol=1e-9)
        pairs, joins, times = [], [], []
        for _ in range(repeat):
            # Paired: what else the machine does then hits both sides alike.
            own = min(seconds(ours, frame) for _ in range(5))
            times.append(own)
            pairs.append(seconds(pandas_pair_by_pair, frame) / own)
            joins.append(seconds(pandas_one_join, frame) / own)
        sys.stdout.write(
            f"| {comparisons:,} | {1000 * np.median(times):.2f} "
            f"| {np.median(pairs):.0f}× | {np.median(joins):.0f}× |\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comparisons", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--intervals", type=int, nargs="+")
    arguments = parser.parse_args()
    if arguments.intervals:
        print_intervals(sorted(arguments.intervals))
    else:
        print_ratios(arguments.comparisons, arguments.repeat)


if __name__ == "__main__":
    main()
