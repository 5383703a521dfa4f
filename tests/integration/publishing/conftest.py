"""A test set with a ranking, and people who look at what is published of it."""

from collections.abc import Callable

import pytest
from django.test import Client

from campaign.models import Campaign, User
from ranking.services import ranking_run_compute
from tests.factories import make_analyst, make_campaign, make_organiser
from tests.integration.ranking.writing import TestSetWriter


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign("autumn")


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def judged(campaign: Campaign) -> TestSetWriter:
    """Four systems and a reference, judged by three judges; ranked."""
    return ranked_task(campaign)


def ranked_task(campaign: Campaign, name: str = "news") -> TestSetWriter:
    writer = TestSetWriter(campaign, name, ["amber", "birch", "cobalt", "dune"])
    writer.system("_ref", "reference")
    with writer.at_once():
        for segment in range(1, 9):
            block = writer.block(segment, ["amber", "birch", "cobalt", "dune"])
            for judge in ("j1", "j2", "j3"):
                slips = judge == "j3" and segment % 3 == 0
                writer.judgment(judge, block, [2, 1, 3, 3] if slips else [1, 2, 3, 4])
    assert ranking_run_compute(task_id=writer.task.pk) is not None
    return writer


@pytest.fixture
def as_organiser(client: Client, organiser: User) -> Client:
    client.force_login(organiser)
    return client


@pytest.fixture
def analyst(organiser: User, campaign: Campaign) -> User:
    return make_analyst(campaign)


@pytest.fixture
def signed_in() -> Callable[[User], Client]:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in
