"""How often intervals of κ hold the κ of the population: `python -m tests.benchmarks.kappa_coverage`.

Judges are drawn from populations that differ in care, `tests/judges_of_differing_care.py`. Printed
for each world: the share of campaigns whose interval holds κ of the population, resampling segments,
leaving out judges, and both; the standard deviation of κ over campaigns beside what both estimate;
and for a judge of each campaign how often the interval of their κ with others holds theirs. `--time
100000 1000000` prints instead what the levels cost, `--files FILE …` the standard errors of released judgments.
"""

import argparse
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from ranking.core.agreement.intervals import KAPPA_LEVELS, Agreement, KappaLevel, variances
from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.agreement.tallies import parts_of_all, tally_agreement
from ranking.core.agreement.units import COMPARABLE
from ranking.files.reading import read_judgments
from tests.benchmarks import say
from tests.benchmarks.drawn_campaign import drawn_campaign, processor_seconds
from tests.judges_of_differing_care import (
    CareWorld,
    draw_campaign,
    kappa_of_judge,
    population_kappa,
)

WORLDS: dict[str, CareWorld] = {
    **{
        f"{judges} judges, {segments} segments": CareWorld(judges=judges, segments=segments)
        for judges in (10, 20, 45)
        for segments in (100, 300, 1000)
    },
    "5 judges, 300 segments": CareWorld(judges=5),
    "10 judges, nobody clicks, care 0.8": CareWorld(judges=10, care=0.8, clicking=0),
    "20 judges, nobody clicks, care 0.8": CareWorld(judges=20, care=0.8, clicking=0),
    "10 judges, one in seven clicks": CareWorld(judges=10, clicking=1 / 7),
    "20 judges, one in seven clicks": CareWorld(judges=20, clicking=1 / 7),
    "10 judges, shares 1/j": CareWorld(judges=10, unequal=True),
    "20 judges, shares 1/j": CareWorld(judges=20, unequal=True),
    "20 judges, five of fifteen outputs": CareWorld(judged_by=8, same_outputs=False),
    "10 judges, all alike": CareWorld(judges=10, care=0, clicking=0, tie_care=0),
    "20 judges, all alike": CareWorld(judges=20, care=0, clicking=0, tie_care=0),
    "45 judges, all alike": CareWorld(judges=45, care=0, clicking=0, tie_care=0),
}
_OF_JUDGES = 1


@dataclass(frozen=True)
class Coverage:
    """What came out of the campaigns of a world.

    Attributes
    ----------
    truth : float
        κ of the population.
    held : dict of str to float
        Share of campaigns whose interval holds it, by level.
    deviation, estimated : float
        Standard deviation of κ over campaigns, and root of the mean two-way variance.
    judges : float
        Share of judges whose two-way interval holds their κ.
    """

    truth: float
    held: dict[KappaLevel, float]
    deviation: float
    estimated: float
    judges: float


def coverage(
    world: CareWorld,
    *,
    campaigns: int,
    levels: Iterable[KappaLevel] = KAPPA_LEVELS,
    of_judges: int = _OF_JUDGES,
    resamples: int = 400,
    pairs: int = 100_000,
) -> Coverage:
    """Draw campaigns and count the intervals that hold the truth."""
    truth = population_kappa(world, pairs)
    held: dict[KappaLevel, list[bool]] = {level: [] for level in levels}
    kappas, found = [], []
    judges: list[bool] = []
    for seed in range(campaigns):
        blocks, drawn = draw_campaign(world, seed)
        parts = parts_of_all(tally_agreement(blocks), chance=Chance.CONGER)
        kappas.append(parts.kappa)
        found.append(variances([parts], "two_way")[0][0])
        for level, of_level in held.items():
            report = inter_judge_agreement(blocks, resample=level, resamples=resamples)
            of_level.append(_holds(report.inter, truth))
        own = [kappa_of_judge(world, drawn, judge, seed) for judge in range(of_judges)]
        rows = inter_judge_agreement(blocks).judges[:of_judges]
        judges += [_holds(row.agreement, of_judge) for row, of_judge in zip(rows, own, strict=True)]
    return Coverage(
        truth=truth,
        held={level: float(np.mean(each)) for level, each in held.items()},
        deviation=float(np.std(kappas, ddof=1)),
        estimated=float(np.sqrt(np.mean(found))),
        judges=float(np.mean(judges)) if of_judges else float("nan"),
    )


def _holds(found: Agreement, truth: float) -> bool:
    """Whether the interval holds it; none at all holds nothing."""
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def print_times(sizes: Iterable[int]) -> None:
    """Print processor time of `inter_judge_agreement`, by level."""
    say("| comparisons | segments, s | two_way, s |")
    say("|---|---|---|")
    for comparisons in sizes:
        blocks = drawn_campaign(comparisons)
        spent = [
            processor_seconds(partial(inter_judge_agreement, blocks, resample=level))
            for level in ("segments", "two_way")
        ]
        say(f"| {comparisons:,} | {spent[0]:.2f} | {spent[1]:.2f} |")


def print_files(names: Iterable[str]) -> None:
    """Print the standard errors of κ of released judgments, without the reference."""
    say(
        "| judgments | judges (effective) | pairs | κ | segments | judges | two_way | two_way/segments |"
    )
    say("|---|---|---|---|---|---|---|---|")
    for name in names:
        blocks = read_judgments([name]).blocks
        blocks = blocks.without({"_ref"}.intersection(blocks.systems))
        judges = len(blocks.judges)
        tallies = tally_agreement(blocks)
        parts = parts_of_all(tallies, chance=Chance.CONGER)
        values = (parts.of_segments, parts.of_judges, variances([parts], "two_way")[0][0])
        errors = [math.sqrt(value) for value in values]
        pairs = int(tallies.of_judges[:, COMPARABLE].sum()) // 2
        say(
            f"| {name} | {judges} ({parts.judges:.1f}) | {pairs:,} | {parts.kappa:.3f} "
            f"| {' | '.join(f'{error:.3f}' for error in errors)} | {errors[2] / errors[0]:.2f} |"
        )


def main() -> None:
    """Print a table of all worlds, or of those asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=300)
    parser.add_argument("--of-judges", type=int, default=_OF_JUDGES)
    parser.add_argument("--world", nargs="*", default=list(WORLDS), choices=list(WORLDS))
    parser.add_argument("--time", nargs="*", type=int, metavar="COMPARISONS")
    parser.add_argument("--files", nargs="*", metavar="FILE")
    given = parser.parse_args()
    if given.files:
        print_files(given.files)
        return
    if given.time:
        print_times(given.time)
        return
    say("| world | κ | segments | judges | two_way | SD of κ | two-way SE | a judge's own κ |")
    say("|---|---|---|---|---|---|---|---|")
    for name in cast("list[str]", given.world):
        found = coverage(WORLDS[name], campaigns=given.campaigns, of_judges=given.of_judges)
        cells = [f"{100 * found.held[level]:.1f}" for level in KAPPA_LEVELS]
        say(
            f"| {name} | {found.truth:.3f} | {' | '.join(cells)} | {found.deviation:.3f} "
            f"| {found.estimated:.3f} | {100 * found.judges:.1f} |"
        )


if __name__ == "__main__":
    main()
