"""What one more judgment costs in tallies kept up to date, early and late, part by part.

    python -m tests.benchmarks.live_state [--rounds 9] [--blocks 10000 100000 1000000]

A judgment is added to, and removed from, the tallies of many blocks over 15 systems by 40 judges on
3,003 segments in 150 documents; then the ranking and the agreement are computed. Processor
milliseconds, medians over rounds, with the exponent of cost against size.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ranking.core.agreement.report import agreement_of_tallies
from ranking.core.judged.blocks import Blocks
from ranking.core.live.definition import Definition, definition_of
from ranking.core.live.state import LiveState
from ranking.core.live.tallies import RunTallies, tallies_of_blocks
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import rank_counted
from tests.benchmarks.drawn_campaign import (
    COMPARISONS_PER_BLOCK,
    drawn_campaign,
    processor_seconds,
)

SIZES = (10_000, 100_000, 1_000_000)
METHOD, OPTIONS = "expected_wins", RangeOptions()
SEGMENTS_A_DOCUMENT = 20
#: Segments with a new judgment in a round.
SEGMENTS = 8


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Measured:
    """A state of many judgments, and the work of one more."""

    def __init__(self, blocks: int) -> None:
        drawn = drawn_campaign(blocks * COMPARISONS_PER_BLOCK)
        document = (drawn.segment // SEGMENTS_A_DOCUMENT).astype(np.int32)
        self.blocks = replace(drawn, document=document)
        self.definition: Definition = definition_of(METHOD, OPTIONS, systems=drawn.systems, seed=0)
        self.state = LiveState(self.definition)
        nothing = self.blocks.take([])
        self.filling = processor_seconds(partial(self.state.apply, nothing, self.blocks))
        self.counting = processor_seconds(partial(tallies_of_blocks, self.blocks, self.definition))
        most = np.argsort(-np.bincount(drawn.segment), kind="stable")[:SEGMENTS]
        self.segments = [self.blocks.take(self.blocks.segment == number) for number in most]
        self.tallies: RunTallies = self.state.tallies()

    def apply(self) -> None:
        """Remove and add one judgment of each of some segments."""
        for segment in self.segments:
            fewer = segment.take(slice(1, None))
            self.state.apply(segment, fewer)
            self.state.apply(fewer, segment)

    def parts(self) -> dict[str, tuple[Callable[[], object], int]]:
        """Return the work by name, and how often it is done in one call."""
        method = self.definition.counts_method
        return {
            "judgment": (self.apply, 2 * SEGMENTS),
            "tallies": (self.state.tallies, 1),
            "ranking": (
                partial(rank_counted, self.tallies.counted, method, {}, OPTIONS, seed=0),
                1,
            ),
            "agreement": (partial(agreement_of_tallies, self.tallies.agreement), 1),
            "packing": (self.state.packed, 1),
        }

    @property
    def largest(self) -> Blocks:
        return self.segments[0]


def exponent(sizes: list[int], costs: list[float]) -> float:
    """Return the slope of the logarithm of cost against that of size."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--blocks", type=int, nargs="+", default=list(SIZES))
    options = parser.parse_args()
    measured = [Measured(blocks) for blocks in options.blocks]
    for size, one in zip(options.blocks, measured, strict=True):
        say(
            f"{size:11,} blocks: taken in at once {one.filling:6.2f} s, counted without a state "
            f"{one.counting:6.2f} s, packed {len(one.state.packed()) / 1e6:.2f} MB, "
            f"largest segment {len(one.largest)} blocks"
        )
    names = list(measured[0].parts())
    costs: dict[str, list[list[float]]] = {name: [[] for _ in measured] for name in names}
    for _ in range(options.rounds):
        for at, one in enumerate(measured):
            for name, (work, times) in one.parts().items():
                costs[name][at].append(1000 * processor_seconds(work) / times)
    say("| ms | " + " | ".join(f"{size:,} blocks" for size in options.blocks) + " | exponent |")
    say("|---" * (len(measured) + 2) + "|")
    middle = {name: [float(np.median(each)) for each in costs[name]] for name in names}
    middle["all but packing"] = [
        sum(middle[name][at] for name in names if name != "packing") for at in range(len(measured))
    ]
    for name, medians in middle.items():
        slope = exponent(options.blocks, medians) if len(measured) > 1 else 0.0
        cells = " | ".join(f"{value:.2f}" for value in medians)
        say(f"| {name} | {cells} | {slope:.2f} |")


if __name__ == "__main__":
    main()
