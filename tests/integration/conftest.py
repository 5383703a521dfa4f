"""What many tests of pages, services and commands begin with."""

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from campaign.models import Campaign, Judge, Task, User
from tests.factories import (
    make_analyst,
    make_campaign,
    make_judge,
    make_organiser,
    make_task,
)
from tests.permissions.world import World, make_world
from tests.shared_rows import shared_rows


@pytest.fixture
def analyst(organiser: User, campaign: Campaign) -> User:
    return make_analyst(campaign)


@pytest.fixture
def as_organiser(client: Client, organiser: User) -> Client:
    client.force_login(organiser)
    return client


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def judge(task: Task) -> Judge:
    return make_judge(task.test_set.campaign)


@pytest.fixture
def judging(client: Client, judge: Judge) -> Client:
    assert judge.user is not None
    client.force_login(judge.user)
    return client


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def page(client: Client, organiser: User) -> Client:
    """The organiser's browser."""
    client.force_login(organiser)
    return client


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign())


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with shared_rows(django_db_blocker, make_world) as made:
        yield made
