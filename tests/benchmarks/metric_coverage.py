"""Coverage of intervals of the agreement between metrics and people: `python -m tests.benchmarks.metric_coverage`.

Printed for campaigns of five-way rankings by judges with tastes, and for scores of outputs without judges: the share of campaigns
whose interval of 95 % holds what a figure is on average over campaigns of the same size, with other segments and other judges.
Systems have a quality; a metric sees it with an error of its own for each system, and segments suit some systems better, as people
and the metric both see. `--campaigns 400` is the default.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.meta_evaluation import agreement_of_metric
from ranking.core.metrics.people import Metric, people_of_blocks, people_of_scores
from tests.benchmarks.beside_coverage import Held, World, first_task, spaced


@dataclass(frozen=True, kw_only=True)
class MetricWorld:
    """A kind of campaigns, and a metric; `error` is the spread of its errors of systems, in the unit of qualities."""

    world: World
    error: float = 0.3
    is_ranked: bool = True


def held(
    kind: MetricWorld, *, campaigns: int, resamples: int = 300, seed: int = 0
) -> dict[str, Held]:
    """Return each figure with its intervals in many campaigns."""
    found = defaultdict[str, Held](Held)
    quality = np.array(kind.world.first)
    bias = kind.error * np.random.default_rng(seed).normal(size=len(quality))
    numbers = np.arange(kind.world.segments)
    none = np.full(len(quality), np.nan)
    for campaign in range(campaigns):
        rng = np.random.default_rng([seed, campaign])
        task, luck = first_task(kind.world, rng)
        ease = rng.normal(size=(len(numbers), 1))
        seen = quality + bias + luck + ease + 0.5 * rng.normal(size=luck.shape)
        metric = Metric(
            name="m", systems=task.systems, segments=numbers, values=seen, of_systems=none
        )
        drawing = Drawing(resamples, seed=campaign)
        if kind.is_ranked:
            people = people_of_blocks(task.blocks, drawing=drawing)
        else:
            scores = quality + luck + 0.7 * ease + rng.normal(size=luck.shape)
            people = people_of_scores(replace(metric, values=np.round(scores * 2) / 2), drawing)
        each = agreement_of_metric(people, metric)
        for part in ("systems", "segments"):
            for name, estimate in each[part].items():
                found[f"{part}: {name}"].estimates.append(estimate)
    return found


_RANKED = World(first=spaced(8, 0.15), second=(), segments=300, judges=20, taste=0.0)

_TASTES = replace(_RANKED, taste=0.3)
_MANY = replace(_RANKED, first=spaced(12, 0.1), segments=1000)
WORLDS: Mapping[str, MetricWorld] = {
    "rankings, no tastes": MetricWorld(world=_RANKED),
    "rankings, tastes": MetricWorld(world=_TASTES),
    "rankings, tastes, 8 judges": MetricWorld(world=replace(_TASTES, judges=8)),
    "rankings, tastes, distinct systems": MetricWorld(world=replace(_TASTES, first=spaced(8, 0.5))),
    "rankings, tastes, precise metric": MetricWorld(world=_TASTES, error=0.05),
    "scores": MetricWorld(world=_RANKED, is_ranked=False),
    "scores, 12 systems, 1,000 segments": MetricWorld(world=_MANY, is_ranked=False),
}


def main(arguments: list[str]) -> None:
    """Print the share of intervals that hold, for each kind of campaigns and each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=400)
    campaigns = parser.parse_args(arguments).campaigns
    for name, kind in WORLDS.items():
        sys.stdout.write(f"\n{name}\n")
        for figure, found in held(kind, campaigns=campaigns).items():
            sys.stdout.write(f"  {figure:<32} {found.mean:6.3f} {found.share:6.1%}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
