"""A judge's way through a task of “top or not”, by the API of their browser."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from annotation.models import Block, Judgment
from annotation.selectors.outputs_shown import candidate_count
from annotation.services import (
    DesignRefusedError,
    design_change,
)
from campaign.models import Judge, Protocol, Task
from tests.at_work import lend
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

JUDGING = "/api/v1/judging"


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.TOP, blocks_per_judge=12)


def asked(judging: Client) -> Any:
    return judging.post(f"{JUDGING}/assignments/", {}, content_type="application/json").json()


def put(judging: Client, block: Any, id_: UUID | None = None, **body: Any) -> Any:
    address = f"{JUDGING}/judgments/{id_ or uuid4()}/"
    return judging.put(address, {"block": block["id"], **body}, content_type="application/json")


def test_what_is_not_asked_is_refused_in_words(judging: Client) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"labels": [1, 2, 2, 2, 2]}, "have an `answer`, and no `labels`"),
        ({}, "have an `answer`, and no `labels`"),
        ({"answer": {"top": [False] * 5}}, "at least one output"),
        ({"answer": {"top": [True, False]}}, "2 answers were sent for 5 outputs"),
        ({"answer": {"top": [True] * 6}}, "top: "),
        ({"answer": {}}, "top: "),
        ({"answer": {"top": ["A"]}}, "top: "),
    ]
    for body, words in cases:
        refused = put(judging, asked(judging)["blocks"][0], **body)
        assert refused.status_code == 400
        assert words in refused.json()["errors"]["answer"][0]
        assert not Judgment.objects.exists()


def test_blocks_show_two_outputs_to_five(task: Task, judge: Judge) -> None:
    with pytest.raises(DesignRefusedError):
        design_change(task=task, kind="uniform", systems_per_block=6)
    assert design_change(task=task, kind="uniform", systems_per_block=3).systems_per_block == 3
    lend(judge)
    sizes = Block.objects.filter(hit__task=task).annotate(size=candidate_count())
    assert set(sizes.values_list("size", flat=True)) <= {3, 5}
