"""An organiser and a judge of one campaign."""

import pytest
from django.test import Client

from campaign.models import (
    Campaign,
    Judge,
    User,
)
from tests.factories import make_campaign, make_judge, make_organiser, make_task


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def page(client: Client, organiser: User) -> Client:
    """The organiser's browser."""
    client.force_login(organiser)
    return client


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(make_task(campaign).test_set.campaign)
