"""How often equal systems are told apart by each statement: `python -m tests.benchmarks.told_apart`.

Six equal systems, 100 segments and eight judges; systems suit some segments and some judges better than others. Printed for each
world: the share of pairs that differ, and of campaigns in which any does, by

- sign tests: one-sided at 0.05, comparisons taken as independent, uncorrected (Koehn 2012); *When to stop* and *Design* called
  this "told apart";
- scores, uncorrected: two-way tests of the difference of scores at 0.05; REST and reports called this "significant";
- scores, Holm: the same, corrected; this tells pairs apart everywhere;
- own comparisons, Holm: what the matrix of pairs shows;
- a stopping rule looked at twenty times, by Holm at each look and by anytime ranges, the default.

The number of campaigns is an argument; the default is 200.
"""

import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np

from ranking.core.counting.counts import tally
from ranking.core.diagnosis.direct_pairs import direct_pairs
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.rankings.rank import rank
from ranking.core.simulation.measures import significantly_better
from tests.benchmarks import say

LEVEL = 0.05
LOOKS = 20
_SYSTEMS = "abcdef"
_SEGMENTS = 100
_JUDGES = 8
_SHOWN = 4


@dataclass(frozen=True)
class World:
    """A kind of campaigns; standard deviations are in units of a judge's noise."""

    name: str
    segment_sd: float
    taste_sd: float
    blocks: int = 1_000


WORLDS = (
    World("segments alike, judges alike", segment_sd=0, taste_sd=0),
    World("segments and judges differ", segment_sd=1, taste_sd=0.3),
    World("segments and judges differ, fewer", segment_sd=1, taste_sd=0.3, blocks=400),
)


def campaign(world: World, seed: int) -> Blocks:
    """Draw a campaign of equal systems, in random order."""
    random = np.random.default_rng([seed, *world.name.encode()])
    suits = random.normal(0, world.segment_sd, (_SEGMENTS, len(_SYSTEMS)))
    tastes = random.normal(0, world.taste_sd, (_JUDGES, len(_SYSTEMS)))
    rows = []
    for _block in range(world.blocks):
        segment, judge = int(random.integers(_SEGMENTS)), int(random.integers(_JUDGES))
        shown = random.permutation(len(_SYSTEMS))[:_SHOWN]
        seen = suits[segment, shown] + tastes[judge, shown] + random.normal(size=_SHOWN)
        ranks = 1 + np.argsort(np.argsort(seen))
        names = [_SYSTEMS[system] for system in shown]
        rows.append(BlockRow(f"judge{judge}", segment + 1, names, ranks.tolist()))
    return blocks_from_rows(rows, _SYSTEMS)


def differing_pairs(blocks: Blocks) -> dict[str, int]:
    """Return the number of pairs that differ by each statement."""
    ranking = rank(blocks)
    own = direct_pairs(blocks)
    return {
        "sign tests": int(significantly_better(tally(blocks).wins).sum()),
        "scores, uncorrected": sum(pair.p_value <= LEVEL for pair in ranking.pairs),
        "scores, Holm": sum(
            pair.significant is True for pair in ranking.corrected_pairs
        ),
        "own comparisons, Holm": int((own.adjusted_p <= LEVEL).sum()) // 2,
    }


def differing_at_any_look(blocks: Blocks) -> dict[str, int]:
    """Return the largest number of pairs that differ at any look."""
    most: Counter[str] = Counter()
    for look in range(1, LOOKS + 1):
        so_far = blocks.take(np.arange(len(blocks) * look // LOOKS))
        for name, ranking in (
            ("rule, Holm at each look", rank(so_far)),
            ("rule, anytime", rank(so_far, ranges="anytime")),
        ):
            differing = sum(
                pair.significant is True for pair in ranking.corrected_pairs
            )
            most[name] = max(most[name], differing)
    return dict(most)


def main(campaigns: int) -> None:
    """Print the shares of each world in percent."""
    pairs = len(_SYSTEMS) * (len(_SYSTEMS) - 1) // 2
    for world in WORLDS:
        share, any_pair = Counter[str](), Counter[str]()
        for seed in range(campaigns):
            blocks = campaign(world, seed)
            for name, count in {
                **differing_pairs(blocks),
                **differing_at_any_look(blocks),
            }.items():
                share[name] += count
                any_pair[name] += count > 0
        say(f"{world.name}, {world.blocks} blocks, {campaigns} campaigns")
        for name in share:
            of_pairs = 100 * share[name] / (pairs * campaigns)
            of_campaigns = 100 * any_pair[name] / campaigns
            say(
                f"  {name:26} {of_pairs:5.1f}% of pairs  {of_campaigns:5.1f}% of campaigns",
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
