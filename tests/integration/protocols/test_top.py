"""Blocks of a task of “top or not”."""

import pytest

from annotation.models import Block
from annotation.selectors.shown import candidate_count
from annotation.services.planning.designs import DesignRefusedError, design_change
from campaign.models import Judge, Protocol, Task
from tests.at_work import lend
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.TOP, blocks_per_judge=12)


def test_blocks_show_two_outputs_to_five(task: Task, judge: Judge) -> None:
    with pytest.raises(DesignRefusedError):
        design_change(task=task, kind="uniform", systems_per_block=6)
    assert (
        design_change(task=task, kind="uniform", systems_per_block=3).systems_per_block
        == 3
    )
    lend(judge)
    sizes = Block.objects.filter(hit__task=task).annotate(size=candidate_count())
    assert set(sizes.values_list("size", flat=True)) <= {3, 5}
