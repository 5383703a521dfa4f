"""Rankings completed by a machine: `python -m tests.benchmarks.predicted_ranking`.

People judge a random fifth of the segments, and a machine scores all of them. Printed for each world, kind of judgments and machine:
the shares of true ranks outside their ranges and of true differences between systems outside their 95% intervals, the same for people
alone, the width of rank ranges and of intervals of differences relative to those by people alone, the share of judgments saved, and
how often the check rejects that the judged segments are a random sample (p < 0.05). True scores are those over all segments and judges
that might have been drawn. Differences have standard errors over campaigns: the largest of 56 shares is expected to lie two of them
too high. The number of campaigns is an argument; the default is 300. A second argument selects worlds by name.
"""

import sys
from dataclasses import dataclass, field, replace

import numpy as np

from ranking.core.arrays import FloatArray
from ranking.core.metrics.figures import Drawing, pair_differences
from ranking.core.metrics.people import Metric, People, people_of_blocks
from ranking.core.metrics.predicted_ranking import RankedScores, ranked_scores
from ranking.core.metrics.prediction_powered import (
    Predicted,
    predicted_means,
    predicted_scores,
    sample_p_value,
)
from tests.benchmarks import say
from tests.benchmarks.beside_coverage import World, first_task, spaced

WORLDS = {
    "50 of 250 segments, 6 judges": World(
        first=spaced(6, 0.2),
        second=(),
        segments=50,
        judges=6,
        taste=0.3,
    ),
    "100 of 500 segments, 10 judges": World(
        first=spaced(8, 0.15),
        second=(),
        segments=100,
        judges=10,
        taste=0.2,
    ),
    "80 of 400 segments, 8 judges": World(
        first=spaced(7, 0.1),
        second=(),
        segments=80,
        judges=8,
        taste=0.25,
    ),
    "300 of 1,500 segments, 30 judges": World(
        first=spaced(12, 0.1),
        second=(),
        segments=300,
        judges=30,
        taste=0.1,
    ),
}
MACHINES = (
    "right",
    "noisy",
    "favours one system",
    "reversed",
    "random",
    "constant",
    "segments not at random",
)
#: Times as many segments as people judge.
_TIMES = 5
_LUCK = 0.3
#: Change of one system's quality on the segments that people do not judge, if they are not chosen at random.
_SHIFT = -0.5


def machine_values(
    machine: str,
    outputs: FloatArray,
    random: np.random.Generator,
) -> FloatArray:
    """Return the scores of a machine for outputs of these qualities, shape (S, n)."""
    noise = random.normal(size=outputs.shape)
    if machine == "right":
        return outputs
    if machine == "reversed":
        return -outputs
    if machine == "random":
        return noise
    if machine == "constant":
        return np.zeros_like(outputs)
    values = outputs + noise
    if machine == "favours one system":
        values[:, -1] += 1.5
    return values


@dataclass
class Outcomes:
    """Outcomes of many campaigns; each list has one number per campaign."""

    ranks_outside: list[float] = field(default_factory=list)
    differences_outside: list[float] = field(default_factory=list)
    ranks_outside_alone: list[float] = field(default_factory=list)
    differences_outside_alone: list[float] = field(default_factory=list)
    rank_width: list[float] = field(default_factory=list)
    rank_width_alone: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    width_alone: list[float] = field(default_factory=list)
    saved: list[float] = field(default_factory=list)
    rejected: list[float] = field(default_factory=list)

    def add(
        self,
        predicted: Predicted,
        metric: Metric,
        people: People,
        truth: FloatArray,
    ) -> None:
        """Add a campaign with these true scores."""
        drawing = people.drawing
        completed = ranked_scores(predicted, drawing, with_machine=True)
        alone = ranked_scores(predicted, drawing, with_machine=False)
        self.ranks_outside.append(_ranks_outside(completed, truth))
        self.ranks_outside_alone.append(_ranks_outside(alone, truth))
        self.differences_outside.append(_differences_outside(completed, truth))
        self.differences_outside_alone.append(_differences_outside(alone, truth))
        self.rank_width.append(_rank_width(completed))
        self.rank_width_alone.append(_rank_width(alone))
        self.width.append(float(_reach(completed).mean()))
        self.width_alone.append(float(_reach(alone).mean()))
        self.saved.append(predicted.judgments_saved(Drawing(20)).value)
        p = sample_p_value(
            metric.values,
            np.isin(metric.segments, people.segments),
            drawing,
        )
        self.rejected.append(float(p < 0.05))


def _ranks_outside(ranked: RankedScores, truth: FloatArray) -> float:
    rank = (-truth).argsort().argsort() + 1
    return float(np.mean((rank < ranked.ranges.low) | (rank > ranked.ranges.high)))


def _differences_outside(ranked: RankedScores, truth: FloatArray) -> float:
    apart = pair_differences(ranked.scores) - pair_differences(truth)
    return float(np.mean(np.abs(apart) > _reach(ranked)))


def _reach(ranked: RankedScores) -> FloatArray:
    """Return half the widths of the intervals of differences between systems."""
    first, second = np.triu_indices(len(ranked.scores), 1)
    variance = np.diag(ranked.covariance)
    both = variance[first] + variance[second] - 2 * ranked.covariance[first, second]
    return np.asarray(ranked.quantile * np.sqrt(np.maximum(both, 0)))


def _rank_width(ranked: RankedScores) -> float:
    return float(np.mean(ranked.ranges.high - ranked.ranges.low + 1))


def ranked_campaign(
    world: World,
    machine: str,
    random: np.random.Generator,
    seed: int,
) -> tuple[Predicted, Metric, People]:
    """Return a campaign in which people rank five outputs of each judged segment."""
    task, luck = first_task(world, random)
    quality = np.array(world.first)
    metric = _metric(machine, task.systems, quality, luck, random)
    people = people_of_blocks(task.blocks, drawing=Drawing(500, seed=seed))
    return predicted_scores(people, metric), metric, people


def scored_campaign(
    world: World,
    machine: str,
    random: np.random.Generator,
    seed: int,
) -> tuple[Predicted, Metric, People]:
    """Return a campaign in which two judges score all outputs of each judged segment."""
    task, luck = first_task(world, random)
    quality = np.array(world.first)
    metric = _metric(machine, task.systems, quality, luck, random)
    people = people_of_blocks(task.blocks, drawing=Drawing(500, seed=seed))
    segment = np.repeat(np.arange(world.segments), 2)
    judge = np.repeat(random.integers(world.judges, size=world.segments), 2)
    judge = (judge + np.tile([0, 1], world.segments)) % world.judges
    taste = world.taste * random.normal(size=(world.judges, len(quality)))
    severity, ease = (
        random.normal(0, 0.5, world.judges),
        random.normal(0, 0.7, world.segments),
    )
    of_rows = severity[judge] + ease[segment]
    values = quality + luck[segment] + taste[judge] + of_rows[:, np.newaxis]
    values = values + random.normal(size=values.shape)
    predicted = predicted_means(values, segment, judge, metric)
    return predicted, metric, people


CAMPAIGNS = {"rankings": ranked_campaign, "scores": scored_campaign}


def _metric(
    machine: str,
    systems: tuple[str, ...],
    quality: FloatArray,
    luck: FloatArray,
    random: np.random.Generator,
) -> Metric:
    count = len(luck)
    more = random.normal(0, _LUCK, ((_TIMES - 1) * count, len(quality)))
    if machine == "segments not at random":
        more[:, 0] += _SHIFT
    outputs = quality + np.concatenate([luck, more])
    values = machine_values(machine, outputs, random)
    return Metric(
        name=machine,
        systems=systems,
        segments=np.arange(len(outputs)),
        values=values,
    )


def true_scores(world: World, kind: str, machine: str) -> FloatArray:
    """Return the expected scores over all segments and judges."""
    qualities = [world.first]
    if machine == "segments not at random":
        first, *others = world.first
        qualities += (_TIMES - 1) * [[first + _SHIFT, *others]]
    if kind == "scores":
        return np.asarray(np.mean(qualities, axis=0))
    wins = [_expected_wins(replace(world, first=each)) for each in qualities]
    return np.asarray(np.mean(wins, axis=0))


_WINS: dict[tuple[float, ...], FloatArray] = {}


def _expected_wins(world: World) -> FloatArray:
    """Return the expected scores of ranked campaigns, from one with 100,000 segments."""
    key = tuple(world.first)
    if key not in _WINS:
        large = replace(world, segments=100_000, judges=10_000)
        task, _luck = first_task(large, np.random.default_rng(0))
        _WINS[key] = people_of_blocks(task.blocks, drawing=Drawing(2)).scores
    return _WINS[key]


def outcomes(
    world: World,
    kind: str,
    machine: str,
    truth: FloatArray,
    *,
    campaigns: int,
) -> Outcomes:
    """Return the outcomes of many campaigns."""
    found = Outcomes()
    for number in range(campaigns):
        random = np.random.default_rng([number, MACHINES.index(machine)])
        predicted, metric, people = CAMPAIGNS[kind](world, machine, random, number)
        found.add(predicted, metric, people, truth)
    return found


def _with_error(outside: list[float]) -> str:
    """Return a mean with its standard error over campaigns, whose differences share judges and segments."""
    error = np.std(outside, ddof=1) / np.sqrt(len(outside))
    return f"{np.mean(outside):.1%} ± {error:.1%}"


def main(campaigns: str = "300", chosen: str = "") -> None:
    """Print a row for each world, kind of judgments and machine."""
    say(
        "| world | judgments | machine | ranks outside | differences outside | by people alone |"
        " rank ranges | intervals | saved | check rejects |",
    )
    say("|---|---|---|---|---|---|---|---|---|---|")
    for name, world in WORLDS.items():
        if chosen not in name:
            continue
        for kind in CAMPAIGNS:
            for machine in MACHINES:
                truth = true_scores(world, kind, machine)
                found = outcomes(world, kind, machine, truth, campaigns=int(campaigns))
                mean = {
                    key: float(np.mean(values)) for key, values in vars(found).items()
                }
                wider = mean["rank_width"] / mean["rank_width_alone"] - 1
                say(
                    f"| {name} | {kind} | {machine} | {mean['ranks_outside']:.1%}"
                    f" | {_with_error(found.differences_outside)}"
                    f" | {mean['ranks_outside_alone']:.1%}, {_with_error(found.differences_outside_alone)}"
                    f" | {wider:+.1%} | {mean['width'] / mean['width_alone'] - 1:+.1%}"
                    f" | {mean['saved']:.1%} | {mean['rejected']:.0%} |",
                )


if __name__ == "__main__":
    main(*sys.argv[1:])
