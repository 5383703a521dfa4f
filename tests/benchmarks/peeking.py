"""Looking every day: how often equal systems are told apart, and what ranges that allow it cost.

    python -m tests.benchmarks.peeking [--campaigns 120] [--power 16] [--full]

Campaigns are looked at 60 times as they grow. First table: six equal systems; the share of campaigns
in which any pair is told apart at any look, by `ranking.core.anytime`, by the two-way test for all
pairs together that is meant for one look, and by evidence that takes comparisons for independent
(`ranking.core.anytime`); with standard errors. Second table: ten systems of different
quality; the median number of blocks after which 50 % and 80 % of the pairs are told apart, by the
same, and by the two-way test for each pair alone. The tests are given their number of blocks
beforehand, which nobody has: that is the price of looking.

The short form takes eight minutes on a core of its own. `--full` adds longer campaigns, and 15 systems.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from annotation.sampling.priorities import active_priorities
from ranking.core.anytime import anytime_ranges_of_moments
from tests.benchmarks import say
from tests.benchmarks.growing_campaign import LOOKS, Growing, Setting, looks
from tests.worlds import WORLDS, World, world_named

FloatArray = npt.NDArray[np.float64]

#: Blocks before, and between, looks.
EQUAL_STEP, DIFFERENT_STEP = 50, 100


def settings() -> tuple[Setting, ...]:
    """The worlds of the audit, and some that are harder."""
    hundred, documents = world_named("100 segments"), world_named("documents")
    tastes = world_named("10 judges, taste 3")
    return (
        *(
            Setting(name=world.name, world=world)
            for world in WORLDS
            if world.name not in ("near-equal", "documents")
        ),
        Setting(name="documents, known", world=documents, documents=True),
        Setting(name="documents, not known", world=documents),
        Setting(name="100 segments, in order", world=hundred, in_order_of="segment"),
        Setting(
            name="20 judges in turn, taste 3", world=replace(tastes, judges=20), in_order_of="judge"
        ),
        Setting(name="10 judges, taste 3 for one system", world=replace(tastes, disputed=1)),
        Setting(name="10 judges, taste 3 for half", world=replace(tastes, disputed=3)),
        Setting(name="5 judges, taste 3", world=replace(tastes, judges=5)),
        Setting(name="10 segments", world=replace(hundred, segments=10)),
    )


def share(hits: list[bool]) -> str:
    """A percentage with its standard error."""
    mean = float(np.mean(hits))
    error = (mean * (1 - mean) / len(hits)) ** 0.5
    return f"{100 * mean:.1f} ({100 * error:.1f})"


def equal_systems(campaigns: int, step: int, systems: int = 6) -> None:
    """Print how often equal systems are told apart."""
    say(f"{systems} equal systems, 60 looks up to {LOOKS * step} blocks, {campaigns} campaigns:")
    say("share of campaigns in which any pair is told apart, % (standard error)")
    say()
    say("| world | anytime | two-way test, looked at 60 times | independent comparisons |")
    say("|---|---|---|---|")
    for setting in settings():
        world = replace(setting.world, systems=systems, spread=0)
        found: dict[str, list[bool]] = {"anytime": [], "two_way": [], "independent": []}
        for seed in range(campaigns):
            wrong = dict.fromkeys(found, False)
            for look, _truth in looks(replace(setting, world=world), seed, step):
                # Once wrong is enough; the two-way test is spared what anytime ranges refuse.
                wrong["anytime"] = wrong["anytime"] or bool(look.anytime.above.any())
                if not wrong["two_way"] and not look.anytime.refused:
                    wrong["two_way"] = bool(look.two_way.any())
                if not wrong["independent"]:
                    wrong["independent"] = bool(look.independent.any())
            for name, hits in found.items():
                hits.append(wrong[name])
        say(f"| {setting.name} | {' | '.join(share(hits) for hits in found.values())} |")
    say()


def different_systems(campaigns: int, step: int) -> None:
    """Print how many blocks it takes to tell different systems apart."""
    say(f"Ten systems, qualities uniform on [0, 20], up to {LOOKS * step} blocks, {campaigns}")
    say("campaigns: median blocks until 50 % / 80 % of the pairs are told apart, – if never")
    say()
    say("| world | anytime | two-way, all pairs, one look | two-way, each pair | wrong: anytime |")
    say("|---|---|---|---|---|")
    for name in (
        "Koehn",
        "300 segments",
        "100 segments",
        "redundancy 3",
        "10 judges, taste 1.5",
        "20 judges, unequal shares, taste 1.5",
        "100 segments and 10 judges, taste 2.5",
    ):
        world = replace(world_named(name), systems=10, spread=20)
        setting = Setting(name=name, world=world)
        first = np.full((campaigns, 3, 2), np.inf)
        wrong = []
        for seed in range(campaigns):
            hit = False
            for number, (look, truth) in enumerate(looks(setting, seed, step), start=1):
                claims = (look.anytime.above, look.two_way, look.two_way_each)
                for method, above in enumerate(claims):
                    reached = above.sum() / 45 >= np.array([0.5, 0.8])
                    first[seed, method] = np.minimum(
                        first[seed, method], np.where(reached, number * step, np.inf)
                    )
                hit |= bool((look.anytime.above & (truth[:, np.newaxis] < truth)).any())
            wrong.append(hit)
        cells = [" / ".join(_median(first[:, m, s]) for s in (0, 1)) for m in range(3)]
        say(f"| {name} | {' | '.join(cells)} | {share(wrong)} |")
    say()


def _median(blocks: FloatArray) -> str:
    # The upper one of the two in the middle: campaigns that never got there count as long ones.
    middle = float(np.sort(blocks)[len(blocks) // 2])
    return f"{middle:.0f}" if np.isfinite(middle) else "–"


def active_campaigns(campaigns: int, step: int) -> None:
    """Print how often pairs chosen by past results are told apart wrongly."""
    say(
        f"Six systems, three of them equal, in {campaigns} active campaigns of {LOOKS * step} blocks:"
    )
    say("share in which a pair is told apart wrongly, % (standard error)")
    say()
    say("| world | anytime |")
    say("|---|---|")
    for name in (
        "Koehn",
        "100 segments",
        "10 judges, taste 3",
        "100 segments and 10 judges, taste 2.5",
    ):
        world = replace(world_named(name), systems=6)
        hits = [_active_is_wrong(world, seed, step) for seed in range(campaigns)]
        say(f"| {name} | {share(hits)} |")
    say()


def _active_is_wrong(world: World, seed: int, step: int) -> bool:
    """Whether an active campaign of pairs, planned anew at each look, ever says what is wrong."""
    random = np.random.default_rng([seed, *world.name.encode()])
    truth = np.array([0.0, 0.0, 0.0, 2.0, 5.0, 10.0])
    n = world.systems
    segments = world.segments or LOOKS * step
    on_segment = random.normal(0, world.segment_sd, (segments, n))
    of_judge = random.normal(0, world.taste_sd, (world.judges, n))
    growing = Growing(n, (segments, world.judges, LOOKS * step))
    first, second = np.triu_indices(n, 1)
    for look in range(LOOKS):
        wins = growing.wins
        open_pairs = active_priorities(wins, np.zeros_like(wins), wins + wins.T)[first, second]
        # A tenth of the blocks is drawn evenly, as in `docs/sampling.md`.
        chance = 0.9 * open_pairs / open_pairs.sum() + 0.1 / len(first)
        pair = random.choice(len(first), step, p=chance / chance.sum())
        number = np.arange(look * step, (look + 1) * step)
        segment = random.integers(0, segments, step) if world.segments else number
        judge = random.integers(0, world.judges, step)
        shown = np.zeros((step, n), dtype=np.bool_)
        shown[np.arange(step), first[pair]] = shown[np.arange(step), second[pair]] = True
        seen = truth + on_segment[segment] + of_judge[judge]
        seen += random.normal(0, world.noise, seen.shape)
        order = (-np.where(shown, seen, -np.inf)).argsort(axis=1).argsort(axis=1)
        labels = np.where(shown, order + 1, 0).astype(np.int8)
        growing.add(labels, (segment, judge, number))
        above = anytime_ranges_of_moments(growing.moments(), tuple("abcdef")).above
        if (above & (truth[:, np.newaxis] <= truth)).any():
            return True
    return False


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=120)
    parser.add_argument("--power", type=int, default=16, help="campaigns of different systems")
    parser.add_argument("--full", action="store_true", help="longer campaigns, more systems too")
    options = parser.parse_args()
    begun = time.monotonic()
    equal_systems(options.campaigns, EQUAL_STEP)
    if options.full:
        equal_systems(options.campaigns, 3 * EQUAL_STEP)
        equal_systems(options.campaigns, EQUAL_STEP, systems=15)
    active_campaigns(options.campaigns, EQUAL_STEP)
    different_systems(options.power, DIFFERENT_STEP)
    say(f"{time.monotonic() - begun:.0f} seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
