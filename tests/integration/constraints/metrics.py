"""Scores of metrics."""

from typing import Any

from campaign.models import TestSet
from ranking.models import Metric
from tests.integration.constraints.breakages import Attempt, breaks
from tests.integration.constraints.worlds import make_person, small_task


@breaks("metric_frozen")
def a_metric_is_changed(attempt: Attempt) -> None:
    given: dict[str, Any] = {
        "test_set": small_task().test_set,
        "name": "COMET",
        "systems": ["A"],
    }
    Metric.objects.create(**given, file_name="scores.tsv", packed=b"", digest="1" * 32)
    other = small_task(TestSet.objects.get().campaign, name="other").test_set
    changes: list[dict[str, Any]] = [
        {"packed": b"1"},
        {"name": "XCOMET"},
        {"test_set": other},
    ]
    for change in changes:
        with attempt.refuses(saying="Cannot update"):
            Metric.objects.update(**change)
    with attempt.accepts():
        Metric.objects.update(created_by=make_person())
