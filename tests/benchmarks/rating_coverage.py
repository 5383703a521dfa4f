"""How often intervals of mean ratings, and rank ranges, hold the truth: simulated campaigns.

    python -m tests.benchmarks.rating_coverage                  # the table of docs/protocols/ratings.md, minutes
    python -m tests.benchmarks.rating_coverage --campaigns 1000

For each world: the share of systems whose true mean lies outside Student's t over segments and judges (promised: 5 %); the share
of systems whose true rank lies outside confidence sets; and, of the pairs
of systems that are truly equal, the share called different. Standard errors are over campaigns.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from protocols.frame.scale.statistics.means import MeanRatings, mean_ratings
from protocols.frame.scale.statistics.ratings import Scale
from tests.simulated.ratings import RatingWorld, simulated_ratings

FloatArray = npt.NDArray[np.float64]

_APART = (2.5, 2.8, 3.1, 3.4, 3.7)
_EQUAL = (3.1,) * 5
#: Fewest judges by outputs on a screen: two rate each of five systems, and none sees a segment twice.
_JUDGES_OF_A_SEGMENT = {1: 10, 2: 6, 3: 5, 4: 5, 5: 5}
WORLDS: dict[str, RatingWorld] = {
    "100 segments, 20 judges": RatingWorld(quality=_APART, segments=100, judges=20),
    "100 segments, 20 judges, equal": RatingWorld(
        quality=_EQUAL,
        segments=100,
        judges=20,
    ),
    "30 segments, 12 judges": RatingWorld(quality=_APART, segments=30, judges=12),
    "30 segments, 12 judges, equal": RatingWorld(
        quality=_EQUAL,
        segments=30,
        judges=12,
    ),
    "10 segments, 10 judges": RatingWorld(quality=_APART, segments=10, judges=10),
    "10 segments, 10 judges, equal": RatingWorld(
        quality=_EQUAL,
        segments=10,
        judges=10,
    ),
    "5 segments, 10 judges": RatingWorld(quality=_APART, segments=5, judges=10),
    "5 segments, 10 judges, equal": RatingWorld(quality=_EQUAL, segments=5, judges=10),
    "100 segments, 10 unlike judges": RatingWorld(
        quality=_APART,
        segments=100,
        judges=10,
        mildness=1.0,
        taste=0.3,
    ),
    "100 segments, 10 unlike judges, equal": RatingWorld(
        quality=_EQUAL,
        segments=100,
        judges=10,
        mildness=1.0,
        taste=0.3,
    ),
    "60 segments, 4 unlike judges, 2 systems": RatingWorld(
        quality=(3.0, 3.3),
        segments=60,
        judges=4,
        mildness=1.0,
        taste=0.3,
    ),
    "60 segments, 4 unlike judges, 2 equal systems": RatingWorld(
        quality=(3.0, 3.0),
        segments=60,
        judges=4,
        mildness=1.0,
        taste=0.3,
    ),
    **{
        f"40 segments, {judges} judges, severity {severity}": RatingWorld(
            quality=_APART
            if judges >= 10
            else (2.8, 3.1, 3.4)
            if judges >= 6
            else (3.0, 3.3),
            segments=40,
            judges=judges,
            mildness=severity,
            taste=0.3,
        )
        for judges in (4, 6, 8, 10, 15, 20)
        for severity in (1.0, 1.5)
    },
    # Criteria: each scale with one to five outputs on a screen, from as few judges and segments as have ranges.
    **{
        f"{name}, {outputs} a screen, {segments} segments, {judges} judges": RatingWorld(
            quality=_APART,
            segments=segments,
            judges=judges,
            raters=2,
            mildness=0.7,
            taste=0.2,
            screen=0.3,
            scale=scale,
            outputs=outputs,
        )
        for name, scale in {
            **{f"{points} points": Scale(1, points) for points in range(2, 12)},
            "0-100": Scale(0, 100),
        }.items()
        for outputs in range(1, 6)
        for segments, judges in ((5, _JUDGES_OF_A_SEGMENT[outputs]), (40, 10))
    },
}


@dataclass(frozen=True)
class Outside:
    """Shares of one campaign: means outside their intervals, ranks outside their sets, equal pairs called different."""

    two_way: float
    confidence_set: float
    different: float
    width: float


def measured(world: RatingWorld, *, seed: int) -> Outside:
    """Simulate a campaign and look where the truth lies."""
    ratings = simulated_ratings(world, seed=seed)
    sets = mean_ratings(ratings, seed=seed)
    truth = dict(zip(ratings.items.systems, world.true_means(), strict=True))
    true = np.array([truth[row.system] for row in sets.systems])

    def outside(low: str, high: str) -> float:
        ends = np.array(
            [[getattr(row, low), getattr(row, high)] for row in sets.systems],
            dtype=np.float64,
        )
        # No interval, which is NaN here, leaves nothing out.
        return float(np.mean((true < ends[:, 0]) | (true > ends[:, 1])))

    equal = np.isclose(true[:, np.newaxis], true) & ~np.eye(len(true), dtype=np.bool_)
    # NaN, where there is no test, is not different.
    called = sets.tests.p_value + sets.tests.p_value.T - 1 <= 1 - sets.confidence
    return Outside(
        two_way=outside("low", "high"),
        confidence_set=_ranks_outside(sets, true),
        different=float(called[equal].mean()) if equal.any() else float("nan"),
        width=float(
            np.mean(
                [
                    row.rank_high - row.rank_low + 1
                    for row in sets.systems
                    if row.rank_low is not None and row.rank_high is not None
                ],
            ),
        ),
    )


def _ranks_outside(found: MeanRatings, true: FloatArray) -> float:
    """Return the share of systems whose set leaves out a rank that truly is theirs; equal ones share ranks."""
    best = np.array([1 + np.sum(true > value + 1e-9) for value in true])
    worst = np.array([np.sum(true >= value - 1e-9) for value in true])
    low, high = (
        # No range, which is NaN here, leaves nothing out.
        np.array([getattr(row, name) for row in found.systems], dtype=np.float64)
        for name in ("rank_low", "rank_high")
    )
    return float(np.mean((low > best) | (high < worst)))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=300)
    parser.add_argument(
        "--worlds",
        nargs="+",
        choices=list(WORLDS),
        default=list(WORLDS),
    )
    options = parser.parse_args(arguments)
    names = list(Outside.__dataclass_fields__)
    _say(["world", *names])
    _say(["---"] * (1 + len(names)))
    for name in options.worlds:
        found = [measured(WORLDS[name], seed=seed) for seed in range(options.campaigns)]
        cells = []
        for column in names:
            values = np.array([getattr(row, column) for row in found])
            if column == "width":
                cells.append(f"{values.mean():.2f}")
            elif np.isnan(values).all():
                cells.append("–")
            else:
                error = values.std(ddof=1) / len(values) ** 0.5
                cells.append(f"{100 * values.mean():.1f} ± {100 * error:.1f}")
        _say([name, *cells])


def _say(cells: list[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
