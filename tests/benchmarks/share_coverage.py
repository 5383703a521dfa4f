"""How often intervals of acceptable edits and of right answers hold the truth: simulated campaigns.

    python -m tests.benchmarks.share_coverage                # the table of docs/protocols.md, a minute

Segments, and snippets, differ in ease by as many standard deviations of the noise as is said.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

import numpy as np

from protocols.editing.simulator import simulated_edits
from protocols.editing.statistics.acceptability import acceptability
from protocols.quiz.simulator import simulated_quiz
from protocols.quiz.statistics.answers import quiz_scores
from ranking.core.judges.clustered_share import Share


def outside(shares: Iterable[Share | None], truth: float) -> list[bool]:
    """Return for each share whether its interval leaves out the truth."""
    return [
        not each.low <= truth <= each.high
        for each in shares
        if each is not None and each.low is not None and each.high is not None
    ]


def edits(edits_a_system: int, segments: int, ease: float, campaigns: int) -> tuple[float, float]:
    """Return the share of intervals of four equal systems that fail, and of campaigns that tell two of them apart."""
    failed: list[bool] = []
    apart: list[bool] = []
    for seed in range(campaigns):
        found = acceptability(
            simulated_edits(
                [0.4] * 4, [edits_a_system] * 4, segments=segments, ease=ease, seed=seed
            )
        )
        failed += outside((row.share for row in found.systems), 0.4)
        apart.append(
            any(pair.adjusted_p is not None and pair.adjusted_p <= 0.05 for pair in found.pairs)
        )
    return float(np.mean(failed)), float(np.mean(apart))


def quiz(right: float, snippets: int, ease: float, campaigns: int) -> float:
    """Return the share of intervals that fail."""
    failed: list[bool] = []
    for seed in range(campaigns):
        readings = simulated_quiz([right], snippets=snippets, ease=ease, seed=seed)
        failed += outside((row.share for row in quiz_scores(readings)), right)
    return float(np.mean(failed))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=1000)
    campaigns = parser.parse_args(arguments).campaigns
    for size, segments, ease in (
        (20, 20, 0.0),
        (20, 20, 1.0),
        (40, 20, 1.0),
        (100, 20, 1.0),
        (100, 200, 1.0),
    ):
        failed, apart = edits(size, segments, ease, campaigns)
        sys.stdout.write(
            f"{size} edits, {segments} segments, ease {ease}: outside {failed:.3f}, told apart {apart:.3f}\n"
        )
    for right in (0.6, 0.9):
        for snippets, ease in ((8, 0.7), (20, 0.7), (60, 0.7), (60, 0.0)):
            sys.stdout.write(
                f"{right} right, {snippets} snippets, ease {ease}: outside "
                f"{quiz(right, snippets, ease, campaigns):.3f}\n"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
