"""A campaign, its organiser, and browsers to come with."""

import pytest

from campaign.models import Campaign
from tests.factories import make_campaign


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign()
