"""Coverage of intervals of the agreement between metrics and people: `python -m tests.benchmarks.metric_coverage`.

Printed for campaigns of five-way rankings by judges with tastes, and for scores of outputs without judges: the share of campaigns
whose interval of 95 % holds what a figure is on average over campaigns of the same size, with other segments and other judges.
Systems have a quality; a metric sees it with an error of its own for each system, and segments suit some systems better, as people
and the metric both see. The number of campaigns is an argument; the default is 400.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ranking.core.arrays import FloatArray
from ranking.core.beside import NO_TIME, OutputScores, ScoredTask
from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.meta_evaluation import agreement_of_metric, ceiling
from ranking.core.metrics.people import (
    Metric,
    People,
    people_of_blocks,
    people_of_ratings,
    people_of_scores,
)
from tests.benchmarks.beside_coverage import Held, World, first_task, spaced

#: Judges of a segment where people are compared with each other.
_JUDGES_OF_SEGMENT = 3


def held(
    world: World,
    *,
    campaigns: int,
    error: float = 0.3,
    is_ranked: bool = True,
    resamples: int = 300,
    seed: int = 0,
) -> dict[str, Held]:
    """Return each figure with its intervals in many campaigns.

    `error` is the spread of the metric's errors of systems, in the unit of qualities; people rank outputs or score them.
    """
    found = defaultdict[str, Held](Held)
    quality = np.array(world.first)
    bias = error * np.random.default_rng(seed).normal(size=len(quality))
    numbers = np.arange(world.segments)
    for campaign in range(campaigns):
        rng = np.random.default_rng([seed, campaign])
        task, luck = first_task(world, rng)
        ease = rng.normal(size=(len(numbers), 1))
        seen = quality + bias + luck + ease + 0.5 * rng.normal(size=luck.shape)
        metric = Metric(name="m", systems=task.systems, segments=numbers, values=seen)
        drawing = Drawing(resamples, seed=campaign)
        if is_ranked:
            people = people_of_blocks(task.blocks, drawing=drawing)
        else:
            scores = quality + luck + 0.7 * ease + rng.normal(size=luck.shape)
            people = people_of_scores(
                replace(metric, values=np.round(scores * 2) / 2),
                drawing,
            )
        agreement = agreement_of_metric(people, metric)
        for name, estimate in agreement["systems"].items():
            found[f"systems: {name}"].estimates.append(estimate)
        for name, estimate in agreement["segments"].items():
            found[f"segments: {name}"].estimates.append(estimate)
    return found


def ceiling_held(
    world: World,
    *,
    campaigns: int,
    is_ranked: bool = True,
    resamples: int = 300,
    seed: int = 0,
) -> dict[str, Held]:
    """Return each figure of the ceiling with its intervals in many campaigns of judges who differ in care."""
    found = defaultdict[str, Held](Held)
    for campaign in range(campaigns):
        rng = np.random.default_rng([seed, campaign])
        scores = _scores_by_judge(world, rng)
        drawing = Drawing(resamples, seed=campaign)
        if is_ranked:
            people = _ranking_people(scores, drawing)
        else:
            people = _rating_people(scores, drawing)
        agreement = ceiling(people, people.ratings)
        assert agreement is not None
        for name, estimate in agreement["systems"].items():
            found[f"systems: {name}"].estimates.append(estimate)
        for name, estimate in agreement["segments"].items():
            found[f"segments: {name}"].estimates.append(estimate)
    return found


def _scores_by_judge(world: World, rng: np.random.Generator) -> FloatArray:
    """Return what judges think of each output, shape (J, S, n); NaN where a judge did not judge a segment."""
    n = len(world.first)
    outputs = np.array(world.first) + rng.normal(0, 0.7, (world.segments, n))
    taste = world.taste * rng.normal(size=(world.judges, 1, n))
    noise = rng.lognormal(0, 0.5, (world.judges, 1, 1))
    scores = (
        outputs + taste + noise * rng.normal(size=(world.judges, world.segments, n))
    )
    order = rng.permuted(np.tile(np.arange(world.judges), (world.segments, 1)), axis=1)
    scores[order.T[_JUDGES_OF_SEGMENT:], np.arange(world.segments)] = np.nan
    return np.asarray(np.round(scores))


def _ranking_people(scores: FloatArray, drawing: Drawing) -> People:
    rows = []
    names = [chr(ord("a") + index) for index in range(scores.shape[2])]
    for judge, segment in np.argwhere(~np.isnan(scores[:, :, 0])).tolist():
        own = scores[judge, segment]
        ranks = 1 + np.searchsorted(np.unique(-own), -own)
        rows.append(
            BlockRow(str(judge), segment, [[name] for name in names], ranks.tolist()),
        )
    return people_of_blocks(blocks_from_rows(rows, names), drawing=drawing)


def _rating_people(scores: FloatArray, drawing: Drawing) -> People:
    ratings = OutputScores.of_rows(
        (segment, str(judge), chr(ord("a") + system), scores[judge, segment, system])
        for judge, segment, system in np.argwhere(~np.isnan(scores)).tolist()
    )
    assert ratings is not None
    blocks = _ranking_people(scores, drawing).blocks
    assert blocks is not None
    return people_of_ratings(ScoredTask("people", blocks, NO_TIME, ratings), drawing)


_RANKED = World(first=spaced(8, 0.15), second=(), segments=300, judges=20, taste=0.0)

_TASTES = replace(_RANKED, taste=0.3)
_MANY = replace(_RANKED, first=spaced(12, 0.1), segments=1000)
#: Arguments of `held`.
WORLDS: Mapping[str, dict[str, Any]] = {
    "rankings, no tastes": {"world": _RANKED},
    "rankings, tastes": {"world": _TASTES},
    "rankings, tastes, 8 judges": {"world": replace(_TASTES, judges=8)},
    "rankings, tastes, distinct systems": {
        "world": replace(_TASTES, first=spaced(8, 0.5)),
    },
    "rankings, tastes, precise metric": {"world": _TASTES, "error": 0.05},
    "scores": {"world": _RANKED, "is_ranked": False},
    "scores, 12 systems, 1,000 segments": {"world": _MANY, "is_ranked": False},
}
#: Worlds of `ceiling_held`.
CEILINGS: Mapping[str, dict[str, Any]] = {
    "ceiling, rankings, 8 judges": {
        "world": replace(_TASTES, first=spaced(5, 0.3), judges=8, segments=100),
    },
    "ceiling, rankings, 20 judges": {
        "world": replace(_TASTES, first=spaced(5, 0.3), segments=200),
    },
    "ceiling, scores, 8 judges": {
        "world": replace(_TASTES, first=spaced(5, 0.3), judges=8, segments=100),
        "is_ranked": False,
    },
}


def main(campaigns: str = "400") -> None:
    """Print the share of intervals that hold, for each kind of campaigns and each figure."""
    for name, kind in WORLDS.items():
        for figure, found in held(**kind, campaigns=int(campaigns)).items():
            sys.stdout.write(
                f"{name}: {figure:<32} {found.mean:6.3f} {found.share:6.1%}\n",
            )
    for name, kind in CEILINGS.items():
        for figure, found in ceiling_held(**kind, campaigns=int(campaigns)).items():
            sys.stdout.write(
                f"{name}: {figure:<32} {found.mean:6.3f} {found.share:6.1%}\n",
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
