"""Equally good metrics that are told apart: `python -m tests.benchmarks.metric_pairs`.

Two metrics see the quality of outputs with errors of the same size, either of each output or also of whole systems. Printed for
each kind of campaign: the share in which they fall into different clusters, by the two-sided test and by the one-sided p-values of
WMT, and in which the 95% interval of the difference of the two excludes zero. Metrics that err on systems differ for the systems at
hand, so this is not a share of errors there. The number of campaigns is an argument; the default is 400.
"""

import sys
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ranking.core.estimates import Estimate
from ranking.core.metrics.comparing import TESTED, ComparedMetric, comparison_of_metrics
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.meta_evaluation import agreement_of_metric
from ranking.core.metrics.people import (
    Metric,
    People,
    people_of_blocks,
    people_of_scores,
)
from tests.benchmarks.beside_coverage import World, first_task, spaced


@dataclass(frozen=True)
class Kind:
    """A kind of campaigns; `error_of_systems` is the spread of each metric's errors of whole systems."""

    world: World
    is_ranked: bool
    error_of_systems: float = 0.0
    error_of_outputs: float = 0.5


_WORLD = World(first=spaced(8, 0.15), second=(), segments=300, judges=20, taste=0.3)
KINDS = {
    "scores": Kind(_WORLD, is_ranked=False),
    "rankings": Kind(_WORLD, is_ranked=True),
    "rankings, 8 judges, 100 segments": Kind(
        replace(_WORLD, judges=8, segments=100),
        is_ranked=True,
    ),
    "scores, 12 systems, noisy metrics": Kind(
        replace(_WORLD, first=spaced(12, 0.1)),
        is_ranked=False,
        error_of_outputs=2.0,
    ),
    "scores, errors of systems": Kind(_WORLD, is_ranked=False, error_of_systems=0.3),
    "rankings, errors of systems": Kind(_WORLD, is_ranked=True, error_of_systems=0.3),
}


def shares(kind: Kind, *, campaigns: int, seed: int = 0) -> dict[str, float]:
    """Return the share of campaigns in which two equally good metrics are told apart, in each way."""
    apart: Counter[str] = Counter()
    for campaign in range(campaigns):
        people, metrics = _campaign(
            kind,
            np.random.default_rng([seed, campaign]),
            campaign,
        )
        comparison = comparison_of_metrics(
            people,
            [_compared(people, metric) for metric in metrics],
        )
        (pair,) = comparison.pairs
        differences = {
            "soft_pairwise": pair["difference_soft_pairwise"],
            "acc_eq": pair["difference_acc_eq"],
        }
        for figure in TESTED:
            apart[f"{figure}, two-sided"] += _is_apart(comparison.clusters[figure])
            apart[f"{figure}, WMT"] += _is_apart(comparison.wmt_clusters[figure])
            apart[f"{figure}, interval"] += _excludes_zero(differences[figure])
    return {name: count / campaigns for name, count in apart.items()}


def _campaign(
    kind: Kind,
    rng: np.random.Generator,
    seed: int,
) -> tuple[People, tuple[Metric, Metric]]:
    task, luck = first_task(kind.world, rng)
    quality = np.array(kind.world.first)
    numbers = np.arange(kind.world.segments)
    ease = rng.normal(size=(len(numbers), 1))

    def metric(name: str) -> Metric:
        of_systems = kind.error_of_systems * rng.normal(size=len(quality))
        of_outputs = kind.error_of_outputs * rng.normal(size=luck.shape)
        values = quality + luck + ease + of_systems + of_outputs
        return Metric(name=name, systems=task.systems, segments=numbers, values=values)

    drawing = Drawing(300, seed=seed)
    metrics = metric("one"), metric("other")
    if kind.is_ranked:
        return people_of_blocks(task.blocks, drawing=drawing), metrics
    scores = quality + luck + 0.7 * ease + rng.normal(size=luck.shape)
    human = replace(metrics[0], name="human", values=np.round(scores * 2) / 2)
    return people_of_scores(human, drawing), metrics


def _compared(people: People, metric: Metric) -> ComparedMetric:
    agreement = agreement_of_metric(people, metric)
    accuracy = agreement["systems"]["soft_pairwise"].value
    threshold = agreement["threshold"]
    assert threshold is not None
    return ComparedMetric(metric, threshold, accuracy)


def _is_apart(clusters: dict[str, int]) -> bool:
    return len(set(clusters.values())) > 1


def _excludes_zero(difference: Estimate) -> bool:
    return difference.low is not None and not difference.low <= 0 <= (
        difference.high or 0.0
    )


def main(campaigns: str = "400") -> None:
    """Print the shares for each kind of campaigns."""
    for name, kind in KINDS.items():
        for way, share in shares(kind, campaigns=int(campaigns)).items():
            sys.stdout.write(f"{name}: {way:<26} {share:6.1%}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
