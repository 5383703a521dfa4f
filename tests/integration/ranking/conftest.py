"""Campaigns, people and sessions for the tests of the ranking app."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import psycopg2
import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from psycopg2.extensions import cursor

from annotation.models import WorkedQuarterHour
from campaign.models import (
    Campaign,
    Membership,
    System,
    Task,
    User,
)
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.writing import TestSetWriter

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
        systems: Sequence[str] = ("A", "B", "C"),
        *,
        name: str = "one",
        into: Campaign = campaign,
    ) -> TestSetWriter:
        return TestSetWriter(into, name, systems)

    return write


@pytest.fixture
def writer(write_test_set: WriteTestSet) -> TestSetWriter:
    return write_test_set()


@pytest.fixture
def ten_blocks(writer: TestSetWriter) -> TestSetWriter:
    """Ten blocks by two judges: A before B before C, with a slip here and there."""
    with writer.at_once():
        for segment in range(1, 6):
            block = writer.block(segment, ["A", "B", "C"])
            writer.judgment("j1", block, [1, 2, 3])
            writer.judgment("j2", block, [1, 2, 3] if segment != 3 else [2, 1, 1])
    return writer


@pytest.fixture
def varied(writer: TestSetWriter) -> TestSetWriter:
    """Twelve segments by six judges: for four A is better than B, for two B than A.

    72 blocks tell A and B apart; six judges do not.
    """
    with writer.at_once():
        for segment in range(1, 13):
            block = writer.block(segment, ["A", "B", "C"])
            for judge in range(6):
                writer.judgment(
                    f"j{judge}",
                    block,
                    [2, 1, 3] if judge < 2 else [1, 2, 3],
                )
    return writer


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    user = User.objects.create_user(name="Olga", email="olga@example.org")
    Membership.objects.create(campaign=campaign, user=user, role="owner")
    return user


@pytest.fixture
def wmt12_folder(real_data: Path) -> Path:
    return real_data / "wmt12-cs-en"


@pytest.fixture
def wmt12(campaign: Campaign, wmt12_folder: Path) -> Task:
    """WMT12 Czech–English as it is imported: 1,294 blocks, three of them skipped."""
    call_command(
        "import_answers",
        str(wmt12_folder / "judgments.csv"),
        campaign=campaign.slug,
        test_set="newstest2012",
        create_test_set=True,
        verbosity=0,
    )
    return Task.objects.get(test_set__campaign=campaign)


@pytest.fixture
def judged(writer: TestSetWriter) -> TestSetWriter:
    """Five segments ranked by two judges who differ once, and a ranking of them."""
    with writer.at_once():
        for segment in range(1, 6):
            block = writer.block(segment, ["A", "B", "C"])
            writer.judgment("j1", block, [1, 2, 3], active_ms=125_000)
            writer.judgment("j2", block, [1, 2, 3] if segment != 3 else [2, 1, 1])
    ranking_run_compute(task_id=writer.task.pk)
    return writer


@pytest.fixture
def three(write_test_set: WriteTestSet) -> list[TestSetWriter]:
    """Three test sets: A > B > C always, the same with a tie, and C ahead; D is in the last alone.

    j1 and j2 judge in the first, j1 in the second, j3 and j4 in the last. Two days. One skip.
    """
    first = write_test_set(("A", "B", "C"), name="one")
    with first.at_once():
        for segment in range(1, 5):
            block = first.block(segment, ["A", "B", "C"])
            for judge in ("j1", "j2"):
                first.judgment(judge, block, [1, 2, 3])
        first.skip("j2", first.block(5, ["A", "B", "C"]))
    WorkedQuarterHour.objects.create(
        task=first.task,
        judge=first.judge("j1"),
        start=timezone.now(),
        sentences=4,
        active_ms=5_400_000,
        untimed=0,
    )
    second = write_test_set(("A", "B", "C"), name="two")
    three_days_ago = timezone.now() - timedelta(days=3)
    with second.at_once():
        for segment in range(1, 4):
            block = second.block(segment, ["A", "B,C"])
            second.judgment("j1", block, [1, 2], at=three_days_ago)
        block = second.block(4, ["A", "B", "C"])
        second.judgment("j1", block, [1, 2, 2], at=three_days_ago)
    third = write_test_set(("A", "B", "C", "D"), name="three")
    third.system("_ref", kind="reference")
    with third.at_once():
        for segment in range(1, 5):
            block = third.block(segment, ["A", "B", "C", "D"])
            for judge in ("j3", "j4"):
                third.judgment(judge, block, [3, 4, 1, 2])
        block = third.block(5, ["A", "_ref"])
        third.judgment("j3", block, [2, 1])
    System.objects.filter(name="A").update(constrained=True)
    System.objects.filter(name="B").update(constrained=False)
    for each in (first, second, third):
        ranking_run_compute(task_id=each.task.pk)
    return [first, second, third]
