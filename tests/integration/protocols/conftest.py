"""Tasks of protocols other than the ranking, and their judges."""

from collections.abc import Callable

import pytest

from campaign.models import Protocol, Task
from tests.protocol_tasks import make_task_of_protocol

MakeTask = Callable[..., Task]


@pytest.fixture
def make_task_of() -> MakeTask:
    """Return a function that makes a task of a protocol."""
    return make_task_of_protocol


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    """Two outputs, with three answers."""
    return make_task_of(Protocol.TWO_OUTPUTS, blocks_per_judge=12)
