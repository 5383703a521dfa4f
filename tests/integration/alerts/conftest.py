"""A campaign with an organiser, and test sets written row by row."""

from collections.abc import Callable

import pytest
from django.test import Client

from campaign.models import Campaign, User
from tests.factories import make_campaign, make_organiser
from tests.integration.ranking.writing import TestSetWriter

WriteTestSet = Callable[..., TestSetWriter]


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


@pytest.fixture
def writer(campaign: Campaign) -> TestSetWriter:
    """A test set that somebody judges."""
    written = TestSetWriter(campaign, "one", ("A", "B"))
    written.judge("ada")
    return written
