"""How often intervals of κ hold the κ of the population: `python -m tests.benchmarks.kappa_coverage`.

Judges are drawn from populations that differ in care, `tests/judges_of_differing_care.py`. Printed
for each world: the share of campaigns whose interval holds κ of the population, resampling segments,
leaving out judges, and both; the standard deviation of κ over campaigns beside what both estimate;
and for a judge of each campaign how often the interval of their κ with others holds theirs.
`--chance` prints instead the error, interval and coverage of κ by definition of P(E), in worlds whose
judges use ties differently; `--time 100000 1000000` what the levels cost, `--files FILE …` the
standard errors of released judgments.
"""

import argparse
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from ranking.core.agreement.intervals import (
    KAPPA_LEVELS,
    Agreement,
    KappaLevel,
    variances,
)
from ranking.core.agreement.measures import measure_agreement
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
        f"{judges} judges, {segments} segments": CareWorld(
            judges=judges,
            segments=segments,
        )
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
#: Judges who are alike, but tie in 5 to 32% of comparisons, as those of WMT12.
_TIES = CareWorld(care=0, clicking=0, tie_radius=2.83, tie_care=0.6, tie_even=True)
TIE_WORLDS: dict[str, CareWorld] = {
    "6 judges, 300 segments": replace(_TIES, judges=6),
    "10 judges, 300 segments": replace(_TIES, judges=10),
    "10 judges, 1000 segments": replace(_TIES, judges=10, segments=1000),
    "10 judges, 1000 segments, 3 to 40% ties": replace(
        _TIES,
        judges=10,
        segments=1000,
        tie_even=False,
        tie_care=0.8,
        tie_radius=2.5,
    ),
    "20 judges, 500 segments, shares 1/j": replace(_TIES, segments=500, unequal=True),
    # Not used to develop Conger's P(E) and the variance of pairs.
    "5 judges, 1000 segments": replace(_TIES, judges=5, segments=1000),
    "8 judges, 1000 segments, shares 1/j": replace(
        _TIES,
        judges=8,
        segments=1000,
        unequal=True,
    ),
    "15 judges, two a segment, difficulty 0.7": replace(
        _TIES,
        judges=15,
        segments=600,
        judged_by=2,
        difficulty=0.7,
    ),
    "12 judges, tastes": replace(_TIES, judges=12, segments=500, taste=2.0),
    "16 judges, care 0.3, five of fifteen outputs": replace(
        _TIES,
        judges=16,
        judged_by=8,
        same_outputs=False,
        care=0.3,
    ),
    # Not used to choose the correction of V_pairs for few judges.
    "4 judges, 300 segments": replace(_TIES, judges=4),
    "5 judges, 500 segments, long tail of ties": CareWorld(
        judges=5,
        segments=500,
        care=0.2,
        clicking=0,
        tie_radius=2.5,
        tie_care=0.8,
    ),
    "7 judges, 400 segments, long tail of ties, shares 1/j": CareWorld(
        judges=7,
        segments=400,
        care=0.3,
        clicking=0,
        tie_radius=2.2,
        tie_care=0.7,
        unequal=True,
    ),
    "9 judges, 250 segments, care 0.6, tastes": CareWorld(
        judges=9,
        segments=250,
        care=0.6,
        clicking=0,
        taste=1.0,
    ),
    "12 judges, two a segment, one in twelve clicks, difficulty 0.5": CareWorld(
        judges=12,
        segments=400,
        judged_by=2,
        clicking=1 / 12,
        difficulty=0.5,
    ),
    # Where intervals held before.
    "10 judges, one in ten clicks": CareWorld(judges=10),
    "20 judges, one in ten clicks": CareWorld(judges=20),
    "10 judges, all alike": CareWorld(judges=10, care=0, clicking=0, tie_care=0),
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
        if not of_judges:
            continue
        own = [kappa_of_judge(world, drawn, judge, seed) for judge in range(of_judges)]
        rows = inter_judge_agreement(blocks).judges[:of_judges]
        judges += [
            _holds(row.agreement, of_judge)
            for row, of_judge in zip(rows, own, strict=True)
        ]
    return Coverage(
        truth=truth,
        held={level: float(np.mean(each)) for level, each in held.items()},
        deviation=float(np.std(kappas, ddof=1)),
        estimated=float(np.sqrt(np.mean(found))),
        judges=float(np.mean(judges)) if of_judges else float("nan"),
    )


@dataclass(frozen=True)
class ChanceCoverage:
    """Estimates of κ in the campaigns of a world, by one definition of P(E).

    Attributes
    ----------
    error, deviation : float
        Mean of κ minus that of the population, and standard deviation of κ over campaigns.
    width : float
        Mean width of the two-way intervals.
    held : float
        Share of campaigns whose interval holds κ of the population.
    """

    error: float
    deviation: float
    width: float
    held: float


def chance_coverage(
    world: CareWorld,
    chance: Chance,
    *,
    seeds: range,
    truth: float,
) -> ChanceCoverage:
    """Draw campaigns, and measure κ with one definition of P(E)."""
    kappas, widths, held = [], [], []
    for seed in seeds:
        blocks, _drawn = draw_campaign(world, seed)
        if chance in {Chance.CONGER, Chance.SCOTT}:
            inter: Agreement = inter_judge_agreement(blocks, chance=chance).inter
        else:
            inter = measure_agreement(blocks, chance=chance).inter
        kappas.append(math.nan if inter.kappa is None else inter.kappa)
        held.append(_holds(inter, truth))
        if inter.low is not None and inter.high is not None:
            widths.append(inter.high - inter.low)
    return ChanceCoverage(
        error=float(np.mean(kappas)) - truth,
        deviation=float(np.std(kappas, ddof=1)),
        width=float(np.mean(widths)),
        held=float(np.mean(held)),
    )


def print_chances(chances: Iterable[Chance], *, seeds: range) -> None:
    """Print the error, interval and coverage of κ in `TIE_WORLDS`."""
    say("| world | κ | P(E) | error | SD of κ | width | holds |")
    say("|---|---|---|---|---|---|---|")
    for name, world in TIE_WORLDS.items():
        truth = population_kappa(world, 200_000)
        for chance in chances:
            found = chance_coverage(world, chance, seeds=seeds, truth=truth)
            say(
                f"| {name} | {truth:.3f} | {chance} | {found.error:+.4f} | {found.deviation:.4f} "
                f"| {found.width:.3f} | {100 * found.held:.1f} |",
            )


def _holds(found: Agreement, truth: float) -> bool:
    """Whether the interval holds it; none at all holds nothing."""
    return (
        found.low is not None
        and found.high is not None
        and found.low <= truth <= found.high
    )


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
        "| judgments | judges (effective) | pairs | κ | segments | judges | two_way | two_way/segments |",
    )
    say("|---|---|---|---|---|---|---|---|")
    for name in names:
        blocks = read_judgments([name]).blocks
        blocks = blocks.without({"_ref"}.intersection(blocks.systems))
        judges = len(blocks.judges)
        tallies = tally_agreement(blocks)
        parts = parts_of_all(tallies, chance=Chance.CONGER)
        values = (
            parts.of_segments,
            parts.of_judges,
            variances([parts], "two_way")[0][0],
        )
        errors = [math.sqrt(value) for value in values]
        pairs = int(tallies.of_judges[:, COMPARABLE].sum()) // 2
        say(
            f"| {name} | {judges} ({parts.judges:.1f}) | {pairs:,} | {parts.kappa:.3f} "
            f"| {' | '.join(f'{error:.3f}' for error in errors)} | {errors[2] / errors[0]:.2f} |",
        )


def main() -> None:
    """Print a table of all worlds, or of those asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=300)
    parser.add_argument("--first-seed", type=int, default=0, help="for --chance")
    parser.add_argument("--of-judges", type=int, default=_OF_JUDGES)
    parser.add_argument(
        "--world",
        nargs="*",
        default=list(WORLDS),
        choices=list(WORLDS),
    )
    parser.add_argument("--chance", nargs="*", type=Chance, choices=list(Chance))
    parser.add_argument("--time", nargs="*", type=int, metavar="COMPARISONS")
    parser.add_argument("--files", nargs="*", metavar="FILE")
    given = parser.parse_args()
    if given.chance:
        seeds = range(given.first_seed, given.first_seed + given.campaigns)
        print_chances(given.chance, seeds=seeds)
        return
    if given.files:
        print_files(given.files)
        return
    if given.time:
        print_times(given.time)
        return
    say(
        "| world | κ | segments | judges | two_way | SD of κ | two-way SE | a judge's own κ |",
    )
    say("|---|---|---|---|---|---|---|---|")
    for name in cast("list[str]", given.world):
        found = coverage(
            WORLDS[name],
            campaigns=given.campaigns,
            of_judges=given.of_judges,
        )
        cells = [f"{100 * found.held[level]:.1f}" for level in KAPPA_LEVELS]
        say(
            f"| {name} | {found.truth:.3f} | {' | '.join(cells)} | {found.deviation:.3f} "
            f"| {found.estimated:.3f} | {100 * found.judges:.1f} |",
        )


if __name__ == "__main__":
    main()
