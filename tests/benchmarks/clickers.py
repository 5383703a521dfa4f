"""How soon judges who click are found, and how often somebody who reads is suspected.

    python -m tests.benchmarks.clickers [--judges 1000] [--campaigns 200]

Prints the tables of docs/statistics/quality.md. Campaigns have 45 judges with 60 blocks of five
outputs each, the reference among them, and are looked at after every second block of each judge:
thirty days. Takes some minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import Blocks
from ranking.core.judges.disagreement import disagreement
from ranking.core.judges.random_clicking import ReferencePreference, reference_preferences
from tests.clickers import CLICKERS, REFERENCE, clicking, reading, suspected
from tests.worlds import World, draw_campaign

JUDGES, BLOCKS, A_DAY = 45, 60, 2
PREFERRED = (0.9, 0.8, 0.75, 0.7, 0.65)
SUSPECT = 0.05
Flags = npt.NDArray[np.bool_]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judges", type=int, default=1000, help="clickers of each kind")
    parser.add_argument("--campaigns", type=int, default=200, help="campaigns of each sort")
    given = parser.parse_args()
    _clickers(given.judges)
    _readers(given.campaigns)
    _disagreement(min(given.campaigns, 100))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _looks(blocks: Blocks, judges: int) -> Iterator[tuple[int, Blocks]]:
    for judged in range(A_DAY, BLOCKS + 1, A_DAY):
        yield judged, blocks.take(slice(0, judges * judged))


def _clickers(judges: int) -> None:
    _say(f"{judges} clickers of each kind. p <= 0.05 against clicking at random; caught by rules.")
    _say(f"{'':30}{'p, 15':>8}{'p, 60':>8}{'by 30':>8}{'by 60':>8}{'median':>8}")
    for kind in CLICKERS:
        blocks = clicking(kind, judges=judges, blocks=BLOCKS, seed=1)
        passed = [
            np.mean([(row.p_random or 0) <= 0.05 for row in _preferences(blocks, judges, number)])
            for number in (15, BLOCKS)
        ]
        caught = np.full(judges, np.inf)
        for judged, seen in _looks(blocks, judges):
            caught[suspected(seen, JUDGES) & np.isinf(caught)] = judged
        figures = [*passed, np.mean(caught <= 30), np.mean(caught <= BLOCKS)]
        line = "".join(f"{100 * each:7.1f}%" for each in figures)
        _say(f"{kind:30}{line}{np.median(caught):8.0f}")


def _preferences(blocks: Blocks, judges: int, number: int) -> tuple[ReferencePreference, ...]:
    return reference_preferences(blocks.take(slice(0, judges * number)), REFERENCE)


def _readers(campaigns: int) -> None:
    _say(f"\n{campaigns} campaigns of {JUDGES} judges who read: with a suspect at some look.")
    _say(f"{'reference preferred in':30}{'rules':>8}{'before':>8}{'p > 0.05':>9}")
    for share in PREFERRED:
        judges = JUDGES * campaigns
        blocks = reading(preferred=share, judges=judges, blocks=BLOCKS, seed=2)
        ever = np.zeros(judges, dtype=np.bool_)
        for _judged, seen in _looks(blocks, judges):
            ever |= suspected(seen, JUDGES)
        few = min(campaigns, 20) * JUDGES
        before = np.zeros(few, dtype=np.bool_)
        some = reading(preferred=share, judges=few, blocks=BLOCKS, seed=3)
        for judged, seen in _looks(some, few):
            if judged >= 15:
                before |= _at_least(seen, 0.1)
        figures = [
            _of_campaigns(ever),
            _of_campaigns(before),
            float(_at_least(some, 0.05).mean()),
        ]
        _say(f"{share:<30}" + "".join(f"{100 * each:7.1f}%" for each in figures))


def _at_least(blocks: Blocks, level: float) -> Flags:
    """The rule that was suggested before: who may have clicked as well."""
    rows = reference_preferences(blocks, REFERENCE)
    return np.array([row.p_random is not None and row.p_random > level for row in rows])


def _of_campaigns(ever: Flags) -> float:
    return float(np.mean(ever.reshape(-1, JUDGES).any(axis=1)))


def _disagreement(campaigns: int) -> None:
    _say(f"\n{campaigns} campaigns: who agrees less, by the dashboard, at some look.")
    _say(f"{'':38}{'honest':>8}{'careless':>9}{'median':>8}")
    for redundancy in (2, 3):
        for careless in (0, 5):
            world = World(
                name=f"redundancy {redundancy}, {careless} of {JUDGES} careless",
                systems=8,
                blocks=JUDGES * BLOCKS // redundancy * redundancy,
                segment_sd=8,
                noise=6,
                judges=JUDGES,
                redundancy=redundancy,
                clicking=careless / JUDGES,
            )
            first = np.array([_first_look(world, seed) for seed in range(campaigns)])
            honest = np.mean(np.isfinite(first[:, careless:]).any(axis=1))
            line = f"{world.name:38}{100 * honest:7.1f}%"
            if careless:
                found = first[:, :careless]
                line += f"{100 * np.mean(np.isfinite(found)):8.1f}%{np.median(found):8.0f}"
            _say(line)


def _first_look(world: World, seed: int) -> npt.NDArray[np.float64]:
    """After how many blocks a judge, on average, each judge is a suspect first."""
    blocks, _truth = draw_campaign(world, seed)
    first = np.full(JUDGES, np.inf)
    for judged, seen in _looks(blocks, JUDGES):
        p_values = [row.p_value(JUDGES) for row in disagreement(seen)]
        suspects = np.array([p is not None and p < SUSPECT for p in p_values])
        first[suspects & np.isinf(first)] = judged
    return first


if __name__ == "__main__":
    main()
