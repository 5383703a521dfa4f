"""Coverage of the intervals of the analysis `beside` in simulated campaigns of two tasks.

    python -m tests.benchmarks.beside_coverage              # the tables of docs/protocols.md, a quarter of an hour
    python -m tests.benchmarks.beside_coverage --beside ratings

Two tasks on the same segments: five outputs per block, and two outputs of each segment three times; then the first of them and
outputs one at a time: each scored once, rated by two judges, edited and accepted by two, or read as a quiz. Systems have a quality in
each; segments suit some of them better, judges have tastes and a pace. The true value is the mean of the figure over
campaigns of the same size with other segments and judges, taken from the same campaigns.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ranking.core.beside import (
    ActiveTime,
    JudgedTask,
    OutputScores,
    ScoredTask,
    tasks_beside,
)
from ranking.core.estimates import Estimate
from ranking.core.judged.blocks import Blocks

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_EQUAL_WITHIN = 0.4
_LUCK = 0.3
#: Places of the other order in the first.
OTHER_ORDER = (2, 0, 1, 3, 5, 4)


@dataclass(frozen=True, kw_only=True)
class World:
    """Campaigns of one kind; qualities are in standard deviations of a judgment's noise."""

    first: Sequence[float]
    second: Sequence[float]
    segments: int = 60
    judges: int = 8
    taste: float = 0.0
    pace: float = 0.3


def campaign(world: World, rng: np.random.Generator) -> list[JudgedTask | ScoredTask]:
    """Return the two tasks of a campaign, each with its own judges."""
    luck = rng.normal(0, _LUCK, (world.segments, len(world.first)))
    return [
        _task("ranking", world, np.array(world.first), luck, shown=5, times=1, rng=rng),
        _task(
            "two_outputs",
            world,
            np.array(world.second),
            luck,
            shown=2,
            times=3,
            rng=rng,
        ),
    ]


def scored_campaign(
    world: World,
    rng: np.random.Generator,
) -> list[JudgedTask | ScoredTask]:
    """Return the first task, and one in which each output is scored alone: 15 points per standard deviation."""
    first, luck = first_task(world, rng)
    n = len(world.second)
    segment, system = (
        np.repeat(np.arange(world.segments), n),
        np.tile(np.arange(n), world.segments),
    )
    judge = rng.integers(world.judges, size=len(segment))
    value = perceived(world, luck, segment, system, judge, rng)
    seconds = 20 * paces(world, rng)[judge]
    return [
        first,
        scored_task(
            world,
            scored=(segment, system, judge, 60 + 15 * value),
            timed=(segment, system, judge, seconds),
            rng=rng,
        ),
    ]


def first_task(world: World, rng: np.random.Generator) -> tuple[JudgedTask, FloatArray]:
    """Return the ranking task, and how well segments suit systems, shape (segments, systems)."""
    luck = rng.normal(0, _LUCK, (world.segments, len(world.first)))
    task = _task(
        "ranking",
        world,
        np.array(world.first),
        luck,
        shown=5,
        times=1,
        rng=rng,
    )
    return task, luck


def perceived(
    world: World,
    luck: FloatArray,
    segment: Int64Array,
    system: Int64Array,
    judge: Int64Array,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the quality that judges perceive in outputs of the second task, with severity of judges and ease of segments."""
    taste = world.taste * rng.normal(size=(world.judges, len(world.second)))
    severity, ease = (
        rng.normal(0, 0.5, world.judges),
        rng.normal(0, 0.7, world.segments),
    )
    noise = rng.normal(size=len(segment))
    quality = (
        np.array(world.second)[system]
        + luck[segment, system]
        + taste[judge, system]
        + noise
    )
    return np.asarray(quality + severity[judge] + ease[segment])


def paces(world: World, rng: np.random.Generator) -> FloatArray:
    """Return the pace of each judge as a multiple of the usual time."""
    return rng.lognormal(0, world.pace, world.judges)


#: Segments, systems, judges, and a score or seconds of each.
Rows = tuple[Int64Array, Int64Array, Int64Array, FloatArray]


def scored_task(
    world: World,
    *,
    scored: Rows,
    timed: Rows,
    rng: np.random.Generator,
) -> ScoredTask:
    """Return a task of blocks of one output; `scored` and `timed`, with usual seconds, are rows of their own."""
    n = len(world.second)
    systems = tuple(f"system {number}" for number in range(n))
    judges = tuple(f"scores {number}" for number in range(world.judges))
    segment, system, judge, seconds = timed
    rows = np.arange(len(segment))
    labels = np.zeros((len(rows), n), dtype=np.int8)
    labels[rows, system] = 1
    of_score, score_system, score_judge, score = scored
    return ScoredTask(
        "scores",
        Blocks(
            systems=systems,
            labels=labels,
            candidates=labels - np.int8(1),
            judge=judge.astype(np.int32),
            judges=judges,
            segment=segment.astype(np.int32),
            key=rng.integers(2**63, size=len(rows)).astype(np.uint64),
        ),
        ActiveTime(
            seconds * rng.lognormal(0, 0.5, len(rows)),
            segment.astype(np.int64),
            tuple(judges[each] for each in judge),
        ),
        OutputScores(
            systems=systems,
            system=score_system.astype(np.int64),
            segment=of_score.astype(np.int64),
            judge=tuple(judges[each] for each in score_judge),
            score=score,
        ),
    )


def rated_campaign(
    world: World,
    rng: np.random.Generator,
) -> list[JudgedTask | ScoredTask]:
    """Return the first task, and ratings of each output by two judges: the mean of fluency and adequacy, 1 to 5 each."""
    first, luck = first_task(world, rng)
    n, raters = len(world.second), 2
    cells = np.arange(world.segments * n)
    segment, system = np.repeat(cells // n, raters), np.repeat(cells % n, raters)
    # Different ones for one output.
    judge = np.repeat(rng.integers(world.judges, size=len(cells)), raters)
    judge = (judge + np.tile(np.arange(raters), len(cells))) % world.judges
    both = perceived(world, luck, segment, system, judge, rng)
    points = np.stack(
        [both + 0.5 * rng.normal(size=len(both)) for _criterion in range(2)],
    )
    score = np.clip(np.round(3 + points), 1, 5).mean(axis=0)
    seconds = 24 * paces(world, rng)[judge]
    rows = segment, system, judge
    return [
        first,
        scored_task(world, scored=(*rows, score), timed=(*rows, seconds), rng=rng),
    ]


def edited_campaign(
    world: World,
    rng: np.random.Generator,
) -> list[JudgedTask | ScoredTask]:
    """Return the first task, and edits of each output, each accepted or not by two others; 15 % cannot be edited."""
    first, luck = first_task(world, rng)
    n, acceptors = len(world.second), 2
    cells = np.arange(world.segments * n)
    segment, system = cells // n, cells % n
    editor = rng.integers(world.judges, size=len(cells))
    came_out = perceived(world, luck, segment, system, editor, rng)
    # One standard deviation of a judgment below the middle.
    is_unable = came_out < -1.4
    asked = np.repeat(np.flatnonzero(~is_unable), acceptors)
    other = 1 + np.tile(np.arange(acceptors), len(asked) // acceptors)
    acceptor = (editor[asked] + other) % world.judges
    accepted = came_out[asked] + rng.normal(0, 0.5, len(asked)) > 0
    unable = np.flatnonzero(is_unable)
    scored = (
        np.concatenate([segment[unable], segment[asked]]),
        np.concatenate([system[unable], system[asked]]),
        np.concatenate([editor[unable], acceptor]),
        np.concatenate([np.zeros(len(unable)), accepted.astype(np.float64)]),
    )
    pace = paces(world, rng)
    judge = np.concatenate([editor, acceptor])
    usual = np.concatenate([np.full(len(cells), 45.0), np.full(len(asked), 15.0)])
    timed = (
        np.concatenate([segment, segment[asked]]),
        np.concatenate([system, system[asked]]),
        judge,
        usual * pace[judge],
    )
    return [first, scored_task(world, scored=scored, timed=timed, rng=rng)]


def read_campaign(
    world: World,
    rng: np.random.Generator,
) -> list[JudgedTask | ScoredTask]:
    """Return the first task, and a quiz: snippets of two segments, three statements, a reader for each system of a snippet."""
    first, luck = first_task(world, rng)
    n, length, statements = len(world.second), 2, 3
    readings = np.arange(world.segments // length * n)
    snippet, system = readings // n, readings % n
    reader = rng.integers(world.judges, size=len(readings))
    last = snippet * length + length - 1
    understood = perceived(world, luck, last, system, reader, rng)
    right = rng.random((statements, len(readings))) < 0.5 + 0.5 / (
        1 + np.exp(-understood)
    )
    pace = paces(world, rng)
    # Each segment of a snippet is a judgment, with its time.
    segment = np.concatenate([snippet * length + place for place in range(length)])
    judge = np.tile(reader, length)
    seconds = 20 * pace[judge]
    return [
        first,
        scored_task(
            world,
            scored=(last, system, reader, right.mean(axis=0)),
            timed=(segment, np.tile(system, length), judge, seconds),
            rng=rng,
        ),
    ]


def _task(
    name: str,
    world: World,
    quality: FloatArray,
    luck: FloatArray,
    *,
    shown: int,
    times: int,
    rng: np.random.Generator,
) -> JudgedTask:
    n, shown = len(quality), min(shown, len(quality))
    blocks = world.segments * times
    segment = np.repeat(np.arange(world.segments), times)
    # A judge meets a segment once, where there are judges enough.
    first = np.repeat(rng.integers(world.judges, size=world.segments), times)
    judge = (first + np.tile(np.arange(times), world.segments)) % world.judges
    taste = world.taste * rng.normal(size=(world.judges, n))
    seen = quality + luck[segment] + taste[judge] + rng.normal(size=(blocks, n))
    chosen = np.argsort(rng.random((blocks, n)), axis=1)[:, :shown]
    perceived = np.take_along_axis(-np.round(seen / _EQUAL_WITHIN), chosen, axis=1)
    rows = np.arange(blocks)[:, np.newaxis]
    labels = np.zeros((blocks, n), dtype=np.int8)
    labels[rows, chosen] = [
        np.unique(row, return_inverse=True)[1] + 1 for row in perceived
    ]
    candidates = np.full((blocks, n), -1, dtype=np.int8)
    candidates[rows, chosen] = np.arange(shown)
    pace = rng.lognormal(0, world.pace, world.judges)
    seconds = 60 * pace[judge] * rng.lognormal(0, 0.5, blocks)
    judges = tuple(f"{name} {number}" for number in range(world.judges))
    return JudgedTask(
        name,
        Blocks(
            systems=tuple(f"system {number}" for number in range(n)),
            labels=labels,
            candidates=candidates,
            judge=judge.astype(np.int32),
            judges=judges,
            segment=segment.astype(np.int32),
            key=rng.integers(2**63, size=blocks).astype(np.uint64),
        ),
        ActiveTime(
            seconds,
            segment.astype(np.int64),
            tuple(judges[each] for each in judge),
        ),
    )


@dataclass
class Held:
    """A figure in each campaign, with its interval."""

    estimates: list[Estimate] = field(default_factory=list)
    hours: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """True value: the mean or, for rates, all decided pairs ÷ all hours."""
        values = [each.value for each in self.estimates]
        return float(np.average(values, weights=self.hours or None))

    @property
    def share(self) -> float:
        """Share of the intervals that contain the true value; NaN without intervals."""
        ends = [
            (each.low, each.high)
            for each in self.estimates
            if each.low is not None and each.high is not None
        ]
        if not ends:
            return float("nan")
        return float(np.mean([low <= self.mean <= high for low, high in ends]))

    @property
    def without(self) -> float:
        """The share of campaigns with the figure, but without an interval."""
        return float(np.mean([each.low is None for each in self.estimates]))


def held(
    world: World,
    *,
    campaigns: int,
    resamples: int = 200,
    seed: int = 0,
    make: Callable[
        [World, np.random.Generator],
        list[JudgedTask | ScoredTask],
    ] = campaign,
) -> dict[str, Held]:
    """Return the figures of many campaigns: decided pairs per hour of both tasks, and correlations."""
    found = defaultdict[str, Held](Held)
    for number in range(campaigns):
        tasks = make(world, np.random.default_rng([seed, number]))
        beside = tasks_beside(tasks, resamples=resamples, seed=number)
        for order in beside.orders:
            assert order.decided.per_hour is not None
            assert order.task.time.hours is not None
            found[order.task.name].estimates.append(order.decided.per_hour)
            found[order.task.name].hours.append(order.task.time.hours)
        for name in ("kendall", "spearman", "pearson"):
            if estimate := beside.pairs[0].correlations.by_measure.get(name):
                found[name].estimates.append(estimate)
    return found


def spaced(systems: int, step: float) -> list[float]:
    """Return qualities from best to worst, this far from neighbour to neighbour."""
    return [step * ((systems - 1) / 2 - place) for place in range(systems)]


_SAME = spaced(6, 0.2)
_OTHER = [_SAME[place] for place in OTHER_ORDER]
WORLDS: dict[str, World] = {
    "the same order": World(first=_SAME, second=_SAME),
    "another order": World(first=_SAME, second=_OTHER),
    "equal systems": World(first=[0.0] * 6, second=[0.0] * 6),
    "far apart": World(first=spaced(6, 0.6), second=spaced(6, 0.6), segments=100),
    "three systems": World(first=spaced(3, 0.2), second=spaced(3, 0.2)),
    "12 segments": World(first=_SAME, second=_SAME, segments=12),
    "12 segments, another order": World(first=_SAME, second=_OTHER, segments=12),
    "4 segments": World(first=_SAME, second=_SAME, segments=4),
    "tastes": World(first=_SAME, second=_OTHER, taste=0.3),
    "3 judges, tastes": World(first=_SAME, second=_OTHER, judges=3, taste=0.3),
    "2 judges, strong tastes": World(
        first=_SAME,
        second=_OTHER,
        judges=2,
        taste=0.5,
        pace=0.5,
    ),
    "3 judges, far apart": World(
        first=spaced(6, 0.6),
        second=spaced(6, 0.6),
        segments=100,
        judges=3,
        pace=0.5,
    ),
}


#: Tasks set beside the ranking.
BESIDE: dict[
    str,
    Callable[[World, np.random.Generator], list[JudgedTask | ScoredTask]],
] = {
    "two outputs": campaign,
    "scores": scored_campaign,
    "ratings": rated_campaign,
    "edits": edited_campaign,
    "quiz": read_campaign,
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=300)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--beside", choices=BESIDE, action="append")
    options = parser.parse_args(arguments)
    for beside, name in [
        (each, name) for each in options.beside or BESIDE for name in WORLDS
    ]:
        found = held(
            WORLDS[name],
            campaigns=options.campaigns,
            resamples=options.resamples,
            make=BESIDE[beside],
        )
        cells = [
            f"{each.share:.3f} ({each.mean:.2f}; {each.without:.2f})"
            for each in found.values()
        ]
        sys.stdout.write("| " + " | ".join([beside, name, *cells]) + " |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
