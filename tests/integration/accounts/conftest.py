"""An organiser with a password, and their browser."""

import pytest
from django.test import Client

from campaign.models import Campaign, User
from tests.factories import make_campaign
from tests.integration.accounts.people import RIGHT


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign()


@pytest.fixture
def page(client: Client, organiser: User) -> Client:
    """The organiser's browser, signed in; whoever asks for the password is given it."""
    client.post("/sign-in/", {"login": organiser.email, "password": RIGHT})
    client.post("/account/again/", {"password": RIGHT})
    return client
