"""How far metrics of a test set agree with its judges, who rank outputs or score them."""

import numpy as np
import pytest

from campaign.models import Segment, Task
from ranking.services.metrics import metric_store
from tests.factories import make_campaign
from tests.integration.protocols.judging import rated_task
from tests.integration.ranking.answered import answer
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def store(task: Task, systems: list[str], *, name: str = "COMET", is_human: bool = False) -> None:
    segments = Segment.objects.filter(test_set=task.test_set).count()
    values = np.random.default_rng(1).normal(np.arange(len(systems)), 1, (segments, len(systems)))
    values[0, 0] = np.nan
    metric_store(
        test_set=task.test_set,
        name=name,
        file_name="scores.tsv",
        systems=systems,
        values=values,
        is_human=is_human,
    )


def test_metrics_are_compared_with_rankings_or_with_imported_human_scores(
    varied: TestSetWriter,
) -> None:
    store(varied.task, ["A", "B", "C"])
    store(varied.task, ["A", "B"], name="MQM", is_human=True)
    said = answer(varied.task, "metrics", resamples=100).data
    assert said is not None
    assert said["people"]["from"] == "rankings"
    comet, mqm = said["metrics"]
    assert (comet["metric"], comet["missing"], set(comet["scores"])) == (
        "COMET",
        1,
        {"A", "B", "C"},
    )
    assert (mqm["is_human"], set(mqm["scores"])) == (True, {"A", "B"})
    assert {"tau_wmt14", "acc_eq", "acc_eq_folds"} <= set(comet["segments"])
    assert (
        said["ceiling"]["segments"]["acc_eq"]["value"]
        > said["floor"]["segments"]["acc_eq"]["value"]
    )
    said = answer(varied.task, "metrics", resamples=100, human="MQM").data
    assert said is not None
    assert said["people"]["from"] == "scores"
    assert [each["metric"] for each in said["metrics"]] == ["COMET"]


def test_metrics_are_compared_with_scores_of_judges() -> None:
    task = rated_task(make_campaign())
    systems = sorted(task.test_set.systems.filter(kind="system").values_list("name", flat=True))
    store(task, systems)
    said = answer(task, "metrics", resamples=100).data
    assert said is not None
    assert said["people"]["from"] == "scores"
    assert "kendall_by_segment" in said["metrics"][0]["segments"]
