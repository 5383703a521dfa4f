"""Judgments that metrics save on WMT23 English–German: `python -m tests.benchmarks.judgments_saved FOLDER`.

FOLDER holds `evalset.tar.xz`. Random fifths of the segments with human scores are kept, and each metric completes them. Printed
for each metric: the share of judgments saved by the formula, as the mean over the fifths, with the mean ends of its interval; and
the share by which the differences between systems really varied less from fifth to fifth, with the standard error over fifths.
Fifths of one test set share its segments, so the variance of the mean over all of them, which no metric can save, is added to both
variances. The number of fifths is a second argument; the default is 60.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from campaign.formats.archives import files_together, folder_files
from campaign.formats.evalset import read_evalset
from campaign.formats.metric_scores import MetricScores, segment_rows
from ranking.core.arrays import FloatArray
from ranking.core.estimates import Estimate
from ranking.core.metrics.figures import Drawing, pair_differences
from ranking.core.metrics.people import Metric, people_of_scores
from ranking.core.metrics.prediction_powered import predicted_scores
from tests.benchmarks import say
from tests.released import evalset_unpack

_SHARE = 5


def human_and_metrics(folder: Path) -> tuple[Metric, list[Metric]]:
    """Return the human scores of segments that have them for all systems, and the metrics' of the same segments."""
    with TemporaryDirectory() as unpacked:
        evalset_unpack(folder / "evalset.tar.xz", Path(unpacked))
        evalset = read_evalset(
            "wmt23",
            files_together("wmt23", folder_files(Path(unpacked))),
        )
    mqm = next(_metric(each) for each in evalset.scores if each.name == "mqm")
    people = people_of_scores(mqm)
    systems = [
        name for name in people.systems if not name.startswith(("ref", "synthetic"))
    ]
    human = mqm.take(systems).within(people.segments)
    metrics = [
        _metric(each).take(systems) for each in evalset.scores if not each.is_human
    ]
    return human, [each.within(human.segments) for each in metrics]


def _metric(scores: MetricScores) -> Metric:
    rows = segment_rows(scores)
    return Metric(
        name=scores.name,
        systems=scores.systems,
        segments=np.array(list(rows), dtype=np.int64),
        values=scores.values[list(rows.values())] * scores.sign,
    )


def fifths(
    human: Metric,
    metrics: list[Metric],
    count: int,
) -> dict[str, list[Estimate]]:
    """Return the shares of saved judgments by metric: by the formula in each fifth, and lastly as measured over all fifths."""
    size = len(human.segments) // _SHARE
    drawing = Drawing(500)
    by_formula: dict[str, list[Estimate]] = {each.name: [] for each in metrics}
    completed: dict[str, list[FloatArray]] = {each.name: [] for each in metrics}
    alone: list[FloatArray] = []
    for number in range(count):
        random = np.random.default_rng(number)
        chosen = np.sort(random.choice(human.segments, size, replace=False))
        people = people_of_scores(human, Drawing(2), segments=chosen)
        alone.append(people.scores)
        for metric in metrics:
            predicted = predicted_scores(people, metric)
            by_formula[metric.name].append(predicted.judgments_saved(drawing))
            completed[metric.name].append(predicted.scores)
    shared = pair_differences(human.values).var(axis=0, ddof=1).sum() / len(
        human.segments,
    )
    for name, estimates in by_formula.items():
        estimates.append(
            _measured(np.array(alone), np.array(completed[name]), float(shared)),
        )
    return by_formula


def _measured(alone: FloatArray, completed: FloatArray, shared: float) -> Estimate:
    """Return the measured share with 95% ends from a jackknife over fifths."""
    squares = [
        np.square(each - each.mean(axis=0)).sum(axis=1)
        for each in (pair_differences(alone), pair_differences(completed))
    ]
    count = len(alone)

    def share(kept: FloatArray) -> float:
        of_alone, of_completed = (
            (kept @ each) / (kept.sum() - 1) + shared for each in squares
        )
        return float(1 - of_completed / of_alone)

    without_each = [share(kept) for kept in 1.0 - np.eye(count)]
    reach = 1.96 * float(np.std(without_each)) * (count - 1) ** 0.5
    value = share(np.ones(count))
    return Estimate(value, value - reach, value + reach)


def main(folder: str, count: str = "60") -> None:
    """Print a row for each metric, best first."""
    found = fifths(*human_and_metrics(Path(folder)), int(count))
    say("| metric | formula | 95% interval | measured | 95% interval |")
    say("|---|---|---|---|---|")
    rows = []
    for name, (*estimates, measured) in found.items():
        ends = [[each.value, each.low or 0.0, each.high or 0.0] for each in estimates]
        rows.append((name, np.mean(ends, axis=0), measured))
    for name, (value, low, high), measured in sorted(rows, key=lambda row: -row[1][0]):
        say(
            f"| {name} | {value:.1%} | {low:.1%} to {high:.1%} | {measured.value:.1%} |"
            f" {measured.low:.1%} to {measured.high:.1%} |",
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
