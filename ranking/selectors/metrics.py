"""The metrics of a test set, and the texts that metrics are computed from."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import numpy as np
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from campaign.models import Output, Reference, Segment, SystemKind, TestSet
from campaign.texts.media import marked_text
from ranking.core.metrics.people import Metric as ScoredOutputs
from ranking.core.metrics.texts import known_sums, metric_values
from ranking.models import Metric


def metrics_of(*, test_set_id: int) -> QuerySet[Metric]:
    """Return the metrics of a test set without their numbers, human scores last."""
    metrics = Metric.objects.filter(test_set=test_set_id).select_related("created_by")
    return metrics.defer("packed").order_by("is_human", "name", "signature")


def metric_digests(*, test_set_id: int) -> tuple[str, ...]:
    """Return the digests of the metrics of a test set, in the order of `metrics_of`. One query."""
    return tuple(metrics_of(test_set_id=test_set_id).values_list("digest", flat=True))


def metrics_by_digest(
    *,
    test_set_id: int,
    digests: Sequence[str],
) -> tuple[ScoredOutputs, ...]:
    """Return metrics by their digests, in that order. One query.

    Raises
    ------
    ValueError
        If one has been deleted since; the message is shown to organisers.
    """
    rows = Metric.objects.filter(test_set=test_set_id, digest__in=digests)
    metrics = {metric.digest: metric for metric in rows}
    if metrics.keys() != set(digests):
        raise ValueError(
            _(
                "A metric of this analysis has been deleted. Compute the analysis again.",
            ),
        )
    return tuple(metric_with_scores(metrics[digest]) for digest in digests)


def metric_with_scores(metric: Metric) -> ScoredOutputs:
    """Return a metric with its numbers, as input of analyses."""
    values = numbers = metric.numbers
    system_scores = metric.of_systems or [None] * len(metric.systems)
    of_systems = np.array(system_scores, dtype=np.float64)
    kind = ""
    statistics = None
    if metric.statistics:
        kind = metric.name
        statistics = numbers
        values = metric_values(kind, numbers, of_segments=True).T
        of_systems = metric_values(kind, known_sums(numbers))
    sign = 1.0 if metric.higher_is_better else -1.0
    return ScoredOutputs(
        name=metric.name,
        systems=tuple(metric.systems),
        segments=np.arange(1, len(values) + 1),
        values=sign * values,
        of_systems=sign * of_systems,
        sign=sign,
        is_human=metric.is_human,
        signature=metric.signature,
        missing=metric.missing,
        kind=kind,
        statistics=statistics,
    )


def compared_texts(
    *,
    test_set: TestSet,
) -> tuple[dict[str, list[str | None]], list[list[str]]]:
    """Return the words of outputs by system, and of references; segment number s is at index s − 1. Four queries."""
    segments = Segment.objects.filter(test_set=test_set).order_by("-number")
    last = segments.values_list("number", flat=True).first() or 0
    systems = test_set.systems.filter(kind=SystemKind.SYSTEM).order_by("name")
    outputs: dict[str, list[str | None]] = {}
    for name in systems.values_list("name", flat=True):
        outputs[name] = [None] * last
    rows = Output.objects.filter(
        system__test_set=test_set,
        system__kind=SystemKind.SYSTEM,
        text__isnull=False,
    ).order_by()
    columns = ("system__name", "segment__number", "text")
    for system, number, text in rows.values_list(*columns):
        outputs[system][number - 1] = marked_text(text).words or None
    for name, texts in list(outputs.items()):
        if not any(texts):
            del outputs[name]
    references: list[list[str]] = [[] for _number in range(last)]
    stored = Reference.objects.filter(segment__test_set=test_set)
    in_order = stored.order_by("segment", "number")
    for number, text in in_order.values_list("segment__number", "text"):
        words = marked_text(text).words
        if words:
            references[number - 1].append(words)
    return outputs, references


def _needs_change_then_name(name: str) -> tuple[bool, str]:
    return (evalset_word(name) != name, name)


_IN_NO_WORD: Final = re.compile(r"[\s/\\]+")
#: Characters and names that Windows has in no file name.
_IN_NO_FILE_NAME: Final = re.compile(r'[:*?"<>|]')
_DEVICE: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)", re.IGNORECASE)


def evalset_word(name: str) -> str:
    """Return a name as in EvalSet files, with underscores for what words and names of files cannot contain."""
    word = _IN_NO_FILE_NAME.sub("_", joined_by_underscores(name))
    if _DEVICE.match(word):
        return _DEVICE.sub(r"\1_", word)
    return word


def joined_by_underscores(name: str) -> str:
    """Return a name with spaces and slashes replaced by underscores."""
    return _IN_NO_WORD.sub("_", name)


def evalset_words(
    names: Iterable[str],
    reserved: Collection[str] = (),
) -> dict[str, str]:
    """Return a different word for each name, as `evalset_word` does, also where upper and lower case are the same.

    Words that would be equal get a number. `reserved` are words that no name gets.
    """
    used_words = {word.casefold() for word in reserved}
    word_by_name: dict[str, str] = {}
    # Names that need no change keep their words.
    for name in sorted(names, key=_needs_change_then_name):
        base = evalset_word(name)
        word = base
        number = 1
        while word.casefold() in used_words:
            number += 1
            word = f"{base}-{number}"
        used_words.add(word.casefold())
        word_by_name[name] = word
    return word_by_name
