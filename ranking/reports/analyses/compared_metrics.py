"""The metrics and the human side of analyses that compare the two."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.core.beside import OutputScores, ScoredTask
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.machine_judges import metric_of_blocks, metric_of_scores
from ranking.core.metrics.people import (
    Metric,
    NothingComparedError,
    People,
    people_of_blocks,
    people_of_ratings,
)
from ranking.reports.analyses.firmness import COUNTS_METHOD
from ranking.reports.analyses.kind import converging
from ranking.reports.analyses.options import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    AnalysisOptions,
    Option,
)
from ranking.reports.inputs import Input

SEGMENTS: Final = Option(
    name="segments",
    label=gettext_lazy("Segments"),
    default="all",
    choices={
        "all": gettext_lazy("All"),
        "judged": gettext_lazy("Judged segments only"),
    },
    help=gettext_lazy("Segments that metrics are computed on."),
)


class MetricCalled(NamedTuple):
    """A metric or machine judge as its users call it, which may not be unique."""

    name: str
    signature: str
    is_machine: bool


def labelled(metrics: Sequence[Metric]) -> list[Metric]:
    """Return metrics with unique names; repeated ones get their kind, their signatures or a number."""
    called = []
    for metric in metrics:
        called.append(MetricCalled(metric.name, metric.signature, metric.is_machine))
    unique = []
    for metric, name in zip(metrics, unique_names(called), strict=True):
        unique.append(replace(metric, name=name))
    return unique


def unique_names(metrics: Sequence[MetricCalled]) -> list[str]:
    """Return unique names of metrics and machine judges.

    Where a metric is called as a machine judge is, both begin with their kind, so that a request for the name alone is not
    answered by the one for the other.
    """
    machine_names = {metric.name for metric in metrics if metric.is_machine}
    metric_names = {metric.name for metric in metrics if not metric.is_machine}
    shared = machine_names & metric_names
    named = []
    for metric in metrics:
        name = metric.name
        if name in shared:
            kind = "machine" if metric.is_machine else "metric"
            name = f"{kind}:{name}"
        named.append(name)
    unique: list[str] = []
    for number, (name, metric) in enumerate(zip(named, metrics, strict=True), 1):
        label = name
        if named.count(name) > 1 and metric.signature:
            label = f"{name} ({metric.signature})"
        if label in unique:
            label = f"{label} {number}"
        unique.append(label)
    return unique


def with_machines(inputs: Input) -> list[Metric]:
    """Return the metrics, and the scores by machine judges."""
    metrics = list(inputs.metrics or ())
    for machine in inputs.machines or ():
        if not isinstance(inputs.judged, ScoredTask):
            metrics.append(metric_of_blocks(machine.name, machine.blocks))
        elif machine.scores is not None:
            metrics.append(metric_of_scores(machine.name, machine.scores))
    return metrics


class HumanSide(NamedTuple):
    """The human side of comparisons with metrics, and the scores by judge if outputs are scored."""

    people: Callable[..., People]
    ratings: OutputScores | None = None


def judged_side(inputs: Input, options: AnalysisOptions) -> HumanSide:
    """Return the judges of a task as the human side of comparisons with metrics."""
    drawing = drawing_of(options)
    judged = inputs.judged
    if isinstance(judged, ScoredTask):
        people = partial(people_of_ratings, judged, drawing)
        return HumanSide(people, judged.scores)
    method = options[COUNTS_METHOD]
    return HumanSide(partial(people_of_blocks, inputs.blocks, method, drawing))


def drawing_of(options: AnalysisOptions) -> Drawing:
    """Return the settings for resampling and significance from complete options."""
    return Drawing(options[RESAMPLES], options[SEED], options[CONFIDENCE])


@contextmanager
def comparing(method: str) -> Iterator[None]:
    """Raise a readable ValueError if no judgments compare systems, or the method did not converge."""
    try:
        with converging(method):
            yield
    except NothingComparedError as error:
        raise ValueError(_("These judgments do not compare any systems.")) from error
