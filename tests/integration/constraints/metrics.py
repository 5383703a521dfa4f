"""Scores of metrics."""

from functools import partial
from typing import Any

from campaign.models import TestSet
from ranking.models import Metric
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.worlds import make_person, small_task


def stored() -> Create:
    """Create a second metric, with scores from a file."""
    create = partial(
        Metric.objects.create,
        test_set=small_task().test_set,
        systems=["A"],
        packed=b"",
        digest="1" * 32,
    )
    create(name="COMET", file_name="scores.tsv")
    return partial(create, name="BLEU")


@breaks("metric_frozen")
def a_metric_is_changed(attempt: Attempt) -> None:
    stored()
    other = small_task(TestSet.objects.get().campaign, name="other").test_set
    changes: list[dict[str, Any]] = [{"packed": b"1"}, {"name": "XCOMET"}, {"test_set": other}]
    for change in changes:
        with attempt.refuses(saying="Cannot update"):
            Metric.objects.update(**change)
    with attempt.accepts():
        Metric.objects.update(created_by=make_person())


@breaks("metric_has_statistics_exactly_if_of_texts")
def a_metric_comes_from_nowhere(attempt: Attempt) -> None:
    create = stored()
    with attempt.refuses():
        create(statistics=[])
    with attempt.refuses():
        create(statistics=["errors"], file_name="scores.tsv")
    with attempt.accepts():
        create(statistics=["errors"])
