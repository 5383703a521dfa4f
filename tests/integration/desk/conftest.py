"""A campaign with an organiser, and test sets written row by row."""

from collections.abc import Callable

import pytest

from campaign.models import Campaign
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

WriteTestSet = Callable[..., TestSetWriter]


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign()


@pytest.fixture
def writer(campaign: Campaign) -> TestSetWriter:
    """A test set that somebody judges."""
    written = TestSetWriter(campaign, "one", ("A", "B"))
    written.judge("ada")
    return written
