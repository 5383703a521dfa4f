"""Tasks of other protocols than the ranking, and judges of them."""

from collections.abc import Callable

import pytest
from django.test import Client

from campaign.models import Judge, Protocol, Task
from tests.factories import make_judge
from tests.protocol_tasks import make_task_of_protocol

MakeTask = Callable[..., Task]


@pytest.fixture
def make_task_of() -> MakeTask:
    """Return what makes a task of a protocol."""
    return make_task_of_protocol


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    """Two outputs, with three answers."""
    return make_task_of(Protocol.TWO_OUTPUTS, blocks_per_judge=12)


@pytest.fixture
def judge(task: Task) -> Judge:
    return make_judge(task.test_set.campaign)


@pytest.fixture
def judging(client: Client, judge: Judge) -> Client:
    assert judge.user is not None
    client.force_login(judge.user)
    return client
