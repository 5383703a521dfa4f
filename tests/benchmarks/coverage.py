"""How often rank ranges hold the truth: worlds × levels × methods.

    python -m tests.benchmarks.coverage            # the short form, under ten minutes
    python -m tests.benchmarks.coverage --campaigns 400 --methods expected_wins bojar …

For each world of `tests.worlds`: the share of systems whose true rank lies outside their range
(promised: 5 %), with its standard error over campaigns; the mean width of a range in ranks; and
the share of campaigns in which two systems are in different clusters the wrong way round.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import CLUSTER_UNITS, ClusterUnit, moments_of_blocks
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.registry import METHODS
from ranking.core.methods.shares import expected_wins_influence
from ranking.core.ranges import rank_ranges
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.scores import Scores, ordinal_ranks
from ranking.core.uncertainty import clustered_covariance, two_way_covariance
from ranking.files.reading import read_judgments
from tests.benchmarks import say
from tests.released import FOLDER
from tests.worlds import SEGMENTS_A_DOCUMENT, WORLDS, World, draw_campaign, world_named

_TASTES = world_named("10 judges, taste 3")
_SEGMENTS = world_named("100 segments")
_DOCUMENTS = world_named("documents")
#: Beside the audit's: few judges, few documents, little data.
FURTHER: tuple[World, ...] = (
    *(
        replace(_TASTES, name=f"{judges} judges, taste 3", judges=judges)
        for judges in (3, 4, 5, 6, 8)
    ),
    *(
        replace(_SEGMENTS, name=f"{count} segments", segments=count)
        for count in (10, 30)
    ),
    *(
        replace(
            _DOCUMENTS,
            name=f"{count} documents",
            segments=count * SEGMENTS_A_DOCUMENT,
        )
        for count in (3, 4, 6, 10, 20)
    ),
    *(
        replace(world_named("Koehn"), name=f"Koehn, {size} blocks", blocks=size)
        for size in (50, 100, 200)
    ),
    replace(world_named("Koehn"), name="Koehn, 4,000 blocks", blocks=4000),
    replace(world_named("Koehn"), name="Koehn, 6 systems", systems=6),
)


@dataclass(frozen=True)
class Found:
    """What one way to make ranges did in a world.

    Attributes
    ----------
    outside, error : float
        Per cent of systems outside their range, and its standard error.
    width : float
        Mean number of ranks in a range.
    wrong : float
        Per cent of campaigns with two systems in different clusters the wrong way round.
    """

    outside: float
    error: float
    width: float
    wrong: float


def best_and_worst(blocks: Blocks, seed: int) -> Blocks:
    """Return blocks as if judges chose only the best and the worst, at random among equal ranks."""
    random = np.random.default_rng(seed)
    jitter = random.random(blocks.labels.shape)
    shown = blocks.labels > 0
    rows = np.arange(len(blocks))
    labels = np.where(shown, 2, 0).astype(np.int8)
    labels[rows, np.where(shown, blocks.labels + jitter, np.inf).argmin(axis=1)] = 1
    labels[rows, np.where(shown, blocks.labels + jitter, -np.inf).argmax(axis=1)] = 3
    return replace(blocks, labels=labels, best_worst=True)


def coverage(
    world: World,
    level: Level,
    method: str,
    *,
    campaigns: int,
    resamples: int,
    first_seed: int = 0,
    best_worst: bool = False,
) -> Found:
    """Rank seeded campaigns of a world, and compare ranges with the truth."""
    outside, width, wrong = [], [], []
    for seed in range(first_seed, first_seed + campaigns):
        blocks, truth = draw_campaign(world, seed)
        if best_worst:
            blocks = best_and_worst(blocks, seed)
        ranking = rank(blocks, method, resample=level, resamples=resamples, seed=seed)
        place = (-truth).argsort().argsort() + 1
        true = [int(place[blocks.systems.index(row.system)]) for row in ranking.systems]
        inside = [
            row.rank_low <= rank_ <= row.rank_high
            for row, rank_ in zip(ranking.systems, true, strict=True)
        ]
        outside.append(1 - np.mean(inside))
        width.append(
            np.mean([row.rank_high - row.rank_low + 1 for row in ranking.systems]),
        )
        wrong.append(_is_misordered(ranking, true))
    return Found(
        outside=100 * float(np.mean(outside)),
        error=100 * float(np.std(outside, ddof=1)) / len(outside) ** 0.5,
        width=float(np.mean(width)),
        wrong=100 * float(np.mean(wrong)),
    )


def _is_misordered(ranking: Ranking, true: Sequence[int]) -> bool:
    """Whether a system of a better cluster is truly behind one of a worse cluster."""
    rows = list(zip(ranking.systems, true, strict=True))
    return any(
        one.cluster < other.cluster and mine > theirs
        for one, mine in rows
        for other, theirs in rows
    )


HalfLevel = ClusterUnit | Literal["two_way"]
#: Released judgments, in tests/data/released; the references among them are left out.
RELEASED = {
    "wmt10/judgments.cs-en.csv.gz": "WMT10 Czech–English",
    "wmt10/judgments.es-en.csv.gz": "WMT10 Spanish–English",
    "wmt12-cs-en/judgments.csv.gz": "WMT12 Czech–English",
    "wmt12-es-en/judgments.csv.gz": "WMT12 Spanish–English",
    "wmt15-en-fi/judgments.xml.gz": "WMT15 English–Finnish",
    "wmt16-it-en-nl/pairwise.csv.gz": "WMT16 English–Dutch (IT)",
}


def split_half(blocks: Blocks, level: HalfLevel, *, splits: int) -> tuple[float, float]:
    """Rank halves of a campaign that share neither a judge nor a segment, nor a document if named.

    Returns
    -------
    float
        Per cent of systems whose rank in one half lies outside their range in the other.
    float
        The same of ranges for another half: of draws with the variance of both halves. If the
        variance is right, these leave out 5 %.
    """
    random = np.random.default_rng(0)
    method = METHODS["expected_wins"]
    outside, predicted = [], []
    for split in range(splits):
        of_judge = random.random(len(blocks.judges)) < 0.5
        whole = blocks.segment if blocks.document is None else blocks.document
        numbers, of_block = np.unique(whole, return_inverse=True)
        of_segment = random.random(len(numbers)) < 0.5
        here = of_judge[blocks.judge] & of_segment[of_block]
        there = ~of_judge[blocks.judge] & ~of_segment[of_block]
        one, other = blocks.take(here), blocks.take(there)
        found = method.score(other)
        score = method.score(one)
        if not (found.estimable.all() and score.estimable.all()):
            continue
        rank_there = ordinal_ranks(found)
        for row in rank(one, resample=level, seed=split).systems:
            true = int(rank_there[blocks.systems.index(row.system)])
            outside.append(not row.rank_low <= true <= row.rank_high)
        both = _covariance(one, level) + _covariance(other, level)
        drawn = random.multivariate_normal(score.values, both, size=1000, method="eigh")
        ranges = rank_ranges(Scores(drawn, np.ones(drawn.shape, dtype=np.bool_)))
        predicted += ((rank_there < ranges.low) | (rank_there > ranges.high)).tolist()
    return 100 * float(np.mean(outside)), 100 * float(np.mean(predicted))


def _covariance(blocks: Blocks, level: HalfLevel) -> npt.NDArray[np.float64]:
    layout = Layout(len(blocks.systems))
    if level != "two_way":
        blocks = replace(blocks, document=None)
    moments = moments_of_blocks(blocks, layout)
    influence = expected_wins_influence(layout.unpack(moments.cells).wins)
    influence = influence.reshape(layout.systems, layout.size)[:, layout.used]
    if level == "two_way":
        return two_way_covariance(moments, influence).matrix
    total = int(moments.cells.sum())
    return clustered_covariance(total, getattr(moments, level), influence).matrix


def say_split_halves(splits: int) -> None:
    """Print the table of released campaigns."""
    levels: tuple[HalfLevel, ...] = (*CLUSTER_UNITS, "two_way")
    say(f"\n{splits} splits into halves without a judge or a segment in common:")
    say("the other half's ranks outside in % (outside ranges for another half in %)")
    say("| released campaign | " + " | ".join(levels) + " |")
    say("|---|" + "---|" * len(levels))
    for name, title in RELEASED.items():
        blocks = read_judgments([str(FOLDER / name)]).blocks
        blocks = blocks.without([name for name in blocks.systems if name == "_ref"])
        found = [split_half(blocks, level, splits=splits) for level in levels]
        say(f"| {title} | " + " | ".join(f"{a:.1f} ({b:.1f})" for a, b in found) + " |")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=100)
    parser.add_argument(
        "--first-seed",
        type=int,
        default=0,
        help="others check what was chosen",
    )
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=list(METHODS),
        default=["expected_wins"],
    )
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=list(LEVELS))
    parser.add_argument(
        "--further",
        action="store_true",
        help="few judges, little data, …",
    )
    parser.add_argument(
        "--splits",
        type=int,
        default=40,
        help="of each released campaign",
    )
    parser.add_argument("--worlds", nargs="+", help="names of worlds; all if not given")
    parser.add_argument(
        "--best-worst",
        action="store_true",
        help="judges choose best and worst",
    )
    options = parser.parse_args()
    worlds = [
        world
        for world in (FURTHER if options.further else WORLDS)
        if not options.worlds or world.name in options.worlds
    ]
    say(
        f"{options.campaigns} campaigns a cell, seeds {options.first_seed} …, {options.resamples} resamples or draws",
    )
    say(
        "systems outside in % ± standard error (width of a range) [campaigns misordered in %]",
    )
    for method in options.methods:
        say(f"\n| {method} | " + " | ".join(options.levels) + " |")
        say("|---|" + "---|" * len(options.levels))
        for world in worlds:
            cells = []
            for level in options.levels:
                found = coverage(
                    world,
                    level,
                    method,
                    campaigns=options.campaigns,
                    resamples=options.resamples,
                    first_seed=options.first_seed,
                    best_worst=options.best_worst,
                )
                cells.append(
                    f"{found.outside:.1f} ± {found.error:.1f} ({found.width:.2f}) [{found.wrong:.0f}]",
                )
            say(f"| {world.name} | " + " | ".join(cells) + " |")
    if options.splits:
        say_split_halves(options.splits)


if __name__ == "__main__":
    main()
