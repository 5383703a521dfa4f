"""Campaigns, people and sessions for the tests of the ranking app."""

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg2
import pytest
from django.db import connection
from psycopg2.extensions import cursor

from campaign.models import Campaign, Membership, TestSet, User
from tests.integration.ranking.writing import TestSetWriter, WMT12Writer

WriteTestSet = Callable[..., TestSetWriter]


@pytest.fixture
def other_session(transactional_db: None) -> Iterator[cursor]:
    """A session of its own with the test database, each statement committed at once."""
    session = psycopg2.connect(**connection.get_connection_params())
    session.autocommit = True
    with session.cursor() as opened:
        yield opened
    session.close()


@pytest.fixture
def campaign(db: None) -> Campaign:
    return Campaign.objects.create(slug="museum", name="A day at the museum")


@pytest.fixture
def write_test_set(campaign: Campaign) -> WriteTestSet:
    def write(
        systems: Sequence[str] = ("A", "B", "C"), *, name: str = "one", into: Campaign = campaign
    ) -> TestSetWriter:
        return TestSetWriter(into, name, systems)

    return write


@pytest.fixture
def writer(write_test_set: WriteTestSet) -> TestSetWriter:
    return write_test_set()


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    user = User.objects.create_user(name="Olga", email="olga@example.org")
    Membership.objects.create(campaign=campaign, user=user, role="organiser")
    return user


@pytest.fixture
def wmt12_folder(real_data: Path) -> Path:
    return real_data / "wmt12-cs-en"


@pytest.fixture
def wmt12(campaign: Campaign, wmt12_folder: Path) -> TestSet:
    """The 1,294 blocks of WMT12 Czech–English, three of them skipped, in the order of the file."""
    with (wmt12_folder / "judgments.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    test_set = TestSet.objects.create(
        campaign=campaign, name="newstest2012", source_language="cs", target_language="en"
    )
    WMT12Writer(test_set).write(rows)
    return test_set
