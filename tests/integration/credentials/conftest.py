"""An organiser and a judge of one campaign."""

import pytest

from campaign.models import (
    Campaign,
    Judge,
)
from tests.factories import make_judge, make_task


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(make_task(campaign).test_set.campaign)
