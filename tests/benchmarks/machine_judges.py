"""Coverage of the intervals of machine judges, in simulated campaigns with and without biases.

python -m tests.benchmarks.machine_judges 400
"""

import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ranking.core.beside import OutputScores
from ranking.core.estimates import Estimate
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.machine_judges import (
    MachineBesidePeople,
    ScoresBesidePeople,
    pairs_as_shown,
)


@dataclass(frozen=True)
class World:
    """A machine that judges four systems beside people, with added quality for the output shown first, the longer one, and
    those of the first system.
    """

    first: float = 0
    longer: float = 0
    own: float = 0


WORLDS = {"unbiased": World(), "biased": World(first=0.8, longer=0.6, own=0.8)}
FOUR = ("A", "B", "C", "D")


def judged(
    world: World,
    seed: int,
    *,
    segments: int,
    judges: int,
) -> dict[str, Estimate]:
    """Return the estimates of figures from simulated judgments."""
    random = np.random.default_rng(seed)
    lengths = random.integers(20, 60, (segments, 4)).astype(np.float64)
    quality = np.array([0.6, 0.3, 0, 0]) + random.normal(0, 0.7, (segments, 4))
    taste = random.normal(0, 0.3, (judges, 4))
    noise = random.choice([0.3, 0.6, 2.0], judges)
    people, machine = [], []
    for segment in range(segments):
        order = random.permutation(4)
        for judge in random.choice(judges, 3, replace=False):
            seen = quality[segment] + taste[judge] + random.normal(0, noise[judge], 4)
            people.append(ranked(f"j{judge}", segment, order, seen))
        seen = quality[segment] + random.normal(0, 0.7, 4)
        seen += world.longer * (lengths[segment] - 40) / 12
        seen[0] += world.own
        for name, shown in (("0", order), ("1", order[::-1])):
            again = seen + random.normal(0, 0.5, 4)
            again[shown[0]] += world.first
            machine.append(ranked(name, segment, shown, again))
    of_people, of_machine = (
        pairs_as_shown(blocks_from_rows(rows, FOUR)) for rows in (people, machine)
    )
    beside = MachineBesidePeople(of_people, of_machine, FOUR, Drawing())
    figures = beside.figures(lengths, has_positions=True)
    found = {each.system or each.figure: each for each in figures}
    estimates = {
        f"{name}, {part}": getattr(each, part)
        for name, each in found.items()
        for part in ("value", "people", "difference")
    }
    return {name: each for name, each in estimates.items() if each is not None}


def scored(
    world: World,
    seed: int,
    *,
    segments: int,
    judges: int,
) -> dict[str, Estimate]:
    """Return the estimates of figures from simulated scores from 1 to 7 of one output at a time.

    Judges differ in leniency. The machine judge is lenient to longer outputs and to those of the first system.
    """
    random = np.random.default_rng(seed)
    leniency = random.normal(0, 0.5, judges)
    noise = random.choice([0.4, 0.7, 1.2], judges)
    people, machine = [], []
    for segment in range(1, segments + 1):
        system = int(random.integers(4))
        length = random.normal()
        quality = 4 + (0.6, 0.3, 0, -0.3)[system] + random.normal(0, 1)
        for judge in random.choice(judges, random.integers(1, 4), replace=False):
            seen = quality + leniency[judge] + random.normal(0, noise[judge])
            people.append((segment, f"j{judge}", FOUR[system], on_scale(seen)))
        seen = quality + 0.2 + random.normal(0, 0.7)
        seen += world.longer * length + world.own * (system == 0)
        machine.append((segment, "0", FOUR[system], on_scale(seen)))
    of_people, of_machine = OutputScores.of_rows(people), OutputScores.of_rows(machine)
    assert of_people is not None
    assert of_machine is not None
    texts = np.tile(np.arange(4), (segments + 1, 1))
    beside = ScoresBesidePeople(of_people, of_machine, FOUR, texts, Drawing())
    estimates = {}
    for each in beside.figures():
        name = f"{each.figure} {each.system}".strip()
        for part in ("value", "people", "difference"):
            estimate = getattr(each, part)
            if estimate is not None:
                estimates[f"{name}, {part}"] = estimate
    return estimates


def on_scale(seen: float) -> float:
    """Return the nearest point from 1 to 7."""
    return float(np.clip(np.round(seen), 1, 7))


#: Simulated campaigns by how people judge.
CAMPAIGNS = {"ranked": judged, "scored": scored}


def ranked(
    judge: str,
    segment: int,
    order: npt.NDArray[np.int64],
    seen: npt.NDArray[np.float64],
) -> BlockRow:
    steps = np.round(-2 * seen)
    labels = np.minimum(5, 1 + np.unique(steps, return_inverse=True)[1])
    shown = [(FOUR[index],) for index in order]
    return BlockRow(judge, segment, shown, labels[order].tolist())


def main() -> None:
    campaigns = int(sys.argv[1])
    for (kind, drawn), (name, world) in product(CAMPAIGNS.items(), WORLDS.items()):
        truth = drawn(world, 0, segments=8_000, judges=1_500)
        inside: dict[str, list[bool]] = defaultdict(list)
        for seed in range(1, campaigns + 1):
            for figure, each in drawn(world, seed, segments=60, judges=8).items():
                if each.low is not None and each.high is not None:
                    inside[figure].append(each.low <= truth[figure].value <= each.high)
        for figure, hits in inside.items():
            share = sum(hits) / len(hits)
            row = f"{kind} {name:9} {figure:24} {truth[figure].value:6.3f} {share:6.1%} of {len(hits)}"
            sys.stdout.write(f"{row}\n")


if __name__ == "__main__":
    main()
