"""A campaign, its organiser, and browsers to come with."""

import pytest
from django.test import Client

from campaign.models import Campaign, User
from tests.factories import make_campaign, make_organiser


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign()


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def page(client: Client, organiser: User) -> Client:
    """The organiser's browser."""
    client.force_login(organiser)
    return client
