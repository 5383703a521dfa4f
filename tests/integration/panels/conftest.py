"""A campaign that a study on Prolific sends people to."""

import pytest

from campaign.models import Campaign, Task
from tests.factories import make_task
from tests.recruiting import Prolific, make_panel


@pytest.fixture
def task(campaign: Campaign) -> Task:
    """Work for those who need some."""
    return make_task(campaign, documents=(9, 9), planned=6)


@pytest.fixture
def prolific(task: Task) -> Prolific:
    return Prolific(make_panel(task.test_set.campaign))
