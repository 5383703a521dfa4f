"""How often intervals of acceptable edits and of right answers hold the truth: simulated campaigns.

    python -m tests.benchmarks.share_coverage                # the table of docs/protocols.md, a minute

Segments, and snippets, differ in ease by as many standard deviations of the noise as is said, editors and readers in skill.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import product

import numpy as np

from protocols.editing.statistics import acceptability
from protocols.quiz.statistics import quiz_scores
from ranking.core.judges.clustered_share import Share
from tests.simulated.edits import simulated_edits
from tests.simulated.quizzes import simulated_quiz


def outside(shares: Iterable[Share | None], truth: float) -> list[bool]:
    """Return for each share whether its interval leaves out the truth."""
    return [
        not each.low <= truth <= each.high
        for each in shares
        if each is not None and each.low is not None and each.high is not None
    ]


def edits(
    edits_a_system: int,
    segments: int,
    ease: float,
    campaigns: int,
    *,
    editors: int = 1,
    skill: float = 0.0,
) -> tuple[float, float]:
    """Return the share of intervals of four equal systems that fail, and of campaigns that tell two of them apart."""
    failed: list[bool] = []
    apart: list[bool] = []
    for seed in range(campaigns):
        found = acceptability(
            simulated_edits(
                [0.4] * 4,
                [edits_a_system] * 4,
                segments=segments,
                ease=ease,
                editors=editors,
                skill=skill,
                seed=seed,
            )
        )
        failed += outside((row.share for row in found.systems), 0.4)
        apart.append(
            any(pair.adjusted_p is not None and pair.adjusted_p <= 0.05 for pair in found.pairs)
        )
    return float(np.mean(failed)), float(np.mean(apart))


def quiz(
    right: float,
    snippets: int,
    ease: float,
    campaigns: int,
    *,
    readers: int | None = None,
    skill: float = 0.0,
) -> float:
    """Return the share of intervals that fail."""
    failed: list[bool] = []
    for seed in range(campaigns):
        readings = simulated_quiz(
            [right], snippets=snippets, ease=ease, readers=readers, skill=skill, seed=seed
        )
        failed += outside((row.share for row in quiz_scores(readings)), right)
    return float(np.mean(failed))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=1000)
    campaigns = parser.parse_args(arguments).campaigns
    for size, segments, ease, editors, skill in (
        (20, 20, 0.0, 1, 0.0),
        (20, 20, 1.0, 1, 0.0),
        (40, 20, 1.0, 1, 0.0),
        (100, 20, 1.0, 1, 0.0),
        (100, 200, 1.0, 1, 0.0),
        (40, 40, 0.7, 4, 0.3),
        (40, 40, 0.7, 4, 0.7),
        (40, 40, 0.7, 10, 0.7),
        (100, 100, 0.7, 4, 0.7),
        (100, 100, 0.7, 10, 0.7),
        (100, 100, 0.7, 30, 0.7),
    ):
        failed, apart = edits(size, segments, ease, campaigns, editors=editors, skill=skill)
        sys.stdout.write(
            f"{size} edits, {segments} segments, ease {ease}, {editors} editors, skill {skill}: "
            f"outside {failed:.3f}, told apart {apart:.3f}\n"
        )
        sys.stdout.flush()
    for right, (snippets, ease, readers, skill) in product(
        (0.6, 0.9),
        (
            (8, 0.7, None, 0.0),
            (20, 0.7, None, 0.0),
            (60, 0.7, None, 0.0),
            (60, 0.0, None, 0.0),
            (8, 0.7, 4, 0.7),
            (20, 0.7, 4, 0.3),
            (20, 0.7, 4, 0.7),
            (20, 0.7, 10, 0.7),
            (60, 0.7, 4, 0.7),
            (60, 0.7, 10, 0.7),
            (60, 0.7, 30, 0.7),
        ),
    ):
        failed_share = quiz(right, snippets, ease, campaigns, readers=readers, skill=skill)
        sys.stdout.write(
            f"{right} right, {snippets} snippets, ease {ease}, {readers or 'one'} readers, skill {skill}: "
            f"outside {failed_share:.3f}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
