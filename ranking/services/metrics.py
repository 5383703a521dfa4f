"""Compute metrics from the texts of a test set, store scores read from files, and delete metrics."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.db import transaction
from django.utils.translation import gettext as _

from campaign.database.many_rows import named_lock
from campaign.models import (
    Job,
    JobKind,
    Output,
    Reference,
    SystemKind,
    TestSet,
    User,
)
from campaign.services.jobs import JobProgress, handles, job_queue
from campaign.texts.media import MEDIA_ALONE_SQL
from campaign.texts.refusals import RefusedError
from optional_packages import ExtraMissingError, extra_require
from ranking.core.metrics.texts import ERROR_RATES, TEXT_METRICS, Progress, TextMetric
from ranking.models import Metric
from ranking.models.metric import text_digest
from ranking.selectors.metrics import compared_texts

FloatArray = npt.NDArray[np.float64]
#: Relative time per output, for the progress.
_COSTS: Final[Mapping[str, int]] = {"BLEU": 2, "chrF": 6, "TER": 40, "WER": 1, "PER": 1}


class MetricRefusedError(RefusedError):
    """A metric cannot be computed or stored. The message is shown to organisers."""

    field = "metrics"


@transaction.atomic
def metrics_ask(
    *,
    test_set: TestSet,
    metrics: Collection[str],
    lowercase: bool = False,
    tokens: str = "",
    user: User | None = None,
) -> Job:
    """Queue a job that computes metrics from the texts of a test set; return it.

    Systems whose texts and settings have not changed are not computed again.

    Parameters
    ----------
    test_set : TestSet
    metrics : collection of str
        Names from `ranking.core.metrics.texts.TEXT_METRICS`.
    lowercase : bool
        Whether case is ignored.
    tokens : str
        Tokenization for BLEU, WER and PER; empty for that of the target language.

    Raises
    ------
    MetricRefusedError
        If there is nothing to compute, or a package is missing.
    """
    if not metrics:
        raise MetricRefusedError(_("Choose at least one metric."))
    names = [name for name in TEXT_METRICS if name in metrics]
    settings: dict[str, Any] = {"lowercase": lowercase, "tokens": tokens}
    try:
        extra_require("metrics", "Metrics of texts")
        for name in names:
            TextMetric(name, test_set.target_language, **settings)
    except (ExtraMissingError, ValueError) as error:
        raise MetricRefusedError(str(error)) from error
    parameters = {"test_set": test_set.pk, "names": names, "settings": settings}
    if problem := texts_missing(test_set):
        raise MetricRefusedError(problem)
    waiting = Job.objects.waiting().filter(
        campaign=test_set.campaign_id,
        kind=JobKind.METRICS,
    )
    return waiting.filter(parameters=parameters).first() or job_queue(
        campaign=test_set.campaign,
        kind=JobKind.METRICS,
        name=test_set.name,
        parameters=parameters,
        user=user,
    )


def texts_missing(test_set: TestSet) -> str:
    """Return a sentence about the texts missing to compute metrics; empty if none are missing."""
    references = Reference.objects.filter(segment__test_set=test_set)
    if not references.exclude(text__regex=MEDIA_ALONE_SQL).exists():
        return _("This test set has no references. Import scores from files instead.")
    outputs = Output.objects.filter(
        system__test_set=test_set,
        system__kind=SystemKind.SYSTEM,
        text__isnull=False,
    )
    if not outputs.exclude(text__regex=MEDIA_ALONE_SQL).exists():
        return _("This test set has no output texts. Import scores from files instead.")
    return ""


@handles(JobKind.METRICS, MetricRefusedError)
def metrics_job(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Run a job queued by `metrics_ask`."""
    names = job.parameters["names"]
    settings = job.parameters["settings"]
    test_set = TestSet.objects.filter(pk=job.parameters["test_set"]).first()
    if test_set is None:
        raise MetricRefusedError(_("The test set has been deleted."))
    texts = compared_texts(test_set=test_set)
    total_cost = sum(_COSTS[name] for name in names)
    completed_cost = 0
    computed = 0
    for name in names:
        cost = _COSTS[name]

        def own_progress(
            segments: int,
            total: int,
            *,
            completed_cost: int = completed_cost,
            cost: int = cost,
        ) -> None:
            cost_so_far = completed_cost + cost * segments / total
            progress(round(1000 * cost_so_far), 1000 * total_cost)

        metric = TextMetric(name, test_set.target_language, **settings)
        computed += _metric_compute(test_set, metric, texts, own_progress, job.asked_by)
        completed_cost += cost
    return {"metrics": list(names), "computed": computed}


def _metric_compute(
    test_set: TestSet,
    metric: TextMetric,
    texts: tuple[dict[str, list[str | None]], list[list[str]]],
    progress: Progress,
    user: User | None,
) -> int:
    """Compute and store a metric of the outputs of a test set; return the number of systems computed."""
    named_lock(f"metrics of {test_set.pk}")
    outputs, references = texts
    systems = sorted(outputs)
    computed = Metric(
        test_set=test_set,
        name=metric.name,
        signature=metric.signature(references),
        higher_is_better=metric.name not in ERROR_RATES,
        uses_reference=True,
        systems=systems,
        statistics=list(TEXT_METRICS[metric.name]),
        digests=[text_digest([outputs[name], references]) for name in systems],
        created_by=user,
    )
    stored = computed.stored
    numbers: dict[str, FloatArray] = {}
    if stored is not None:
        if not stored.is_of_texts:
            message = _(
                "Scores of %(name)s with the signature %(signature)s were imported from a file. Delete them first.",
            )
            values = {"name": computed.name, "signature": computed.signature}
            raise MetricRefusedError(message % values)
        numbers = _unchanged_numbers(stored, computed)
        if stored.systems == systems and len(numbers) == len(systems):
            return 0
    lacking = {name: texts for name, texts in outputs.items() if name not in numbers}
    numbers |= metric.statistics(lacking, references, progress)
    if stored is not None:
        stored.delete()
    computed.numbers = np.stack([numbers[name] for name in systems])
    computed.missing = int(np.isnan(computed.numbers).any(axis=-1).sum())
    computed.save()
    return len(lacking)


def _unchanged_numbers(stored: Metric, computed: Metric) -> dict[str, FloatArray]:
    """Return the stored numbers of the systems whose texts have not changed."""
    digest_of = dict(zip(computed.systems, computed.digests, strict=True))
    rows = zip(stored.systems, stored.digests, stored.numbers, strict=True)
    unchanged = {}
    for system, digest, numbers in rows:
        if digest_of.get(system) == digest:
            unchanged[system] = numbers
    return unchanged


@transaction.atomic
def metric_store(
    *,
    test_set: TestSet,
    values: FloatArray,
    user: User | None = None,
    **fields: Any,
) -> tuple[Metric, bool]:
    """Store scores read from a file; return the metric, and whether it is new.

    Parameters
    ----------
    values : float64, shape (N, n)
        Scores by segment number and system; NaN if missing.
    fields
        Fields of `Metric`: name, file name, systems, and any others.

    Raises
    ------
    MetricRefusedError
        If other scores with this name and signature are stored.
    """
    named_lock(f"metrics of {test_set.pk}")
    metric = Metric(test_set=test_set, created_by=user, **fields)
    metric.numbers = values
    stored = metric.stored
    if stored is None:
        metric.save()
        return metric, True
    if stored.digest != metric.digest:
        message = _(
            "Other scores of “%(name)s” with the same signature exist. Delete them first.",
        )
        raise MetricRefusedError(message % {"name": metric.name}, field="files")
    return stored, False


def metric_delete(*, metric: Metric) -> None:
    """Delete a metric; results of analyses are kept."""
    metric.delete()
