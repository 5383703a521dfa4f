"""How much one person may ask of the API in a minute."""

from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import Settings

from campaign.models import Campaign, Judge, User

CAMPAIGNS = "/api/v1/campaigns/"

pytestmark = pytest.mark.django_db


def test_refused_client_gets_a_retry_time(analyst: Client, settings: Settings) -> None:
    settings.API_READS_A_MINUTE = 3
    answers = [analyst.get(CAMPAIGNS) for _ in range(5)]
    assert [each.status_code for each in answers] == [200, 200, 200, 429, 429]
    refused = answers[-1]
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.json()["type"] == "urn:quintet:problem:too-many-requests"
    # Writes are counted apart.
    assert analyst.patch(f"{CAMPAIGNS}museum/").status_code == 403


def test_writes_are_limited(
    campaign: Campaign,
    organiser: User,
    client_of: Callable[[User], Client],
    settings: Settings,
) -> None:
    settings.API_WRITES_A_MINUTE = 1
    client = client_of(organiser)
    changed = [
        client.patch(
            f"{CAMPAIGNS}museum/",
            {},
            content_type="application/json",
        ).status_code
        for _ in range(2)
    ]
    assert changed == [200, 429]


def test_without_a_limit_nothing_is_refused(
    analyst: Client,
    settings: Settings,
) -> None:
    settings.API_READS_A_MINUTE = 0
    assert {analyst.get(CAMPAIGNS).status_code for _ in range(3)} == {200}


def test_rate_limits_count_per_person(
    campaign: Campaign,
    analyst: Client,
    make_member: Callable[..., User],
    client_of: Callable[[User], Client],
    settings: Settings,
) -> None:
    settings.API_READS_A_MINUTE = 1
    other = client_of(make_member(campaign, name="eva"))
    assert [analyst.get(CAMPAIGNS).status_code for _ in range(2)] == [200, 429]
    assert other.get(CAMPAIGNS).status_code == 200


def test_judging_is_not_counted(
    judge: Judge,
    client_of: Callable[[User], Client],
    settings: Settings,
) -> None:
    settings.API_READS_A_MINUTE = 1
    assert judge.user is not None
    client = client_of(judge.user)
    answers = {client.get("/api/v1/judging/progress/").status_code for _ in range(3)}
    assert answers == {200}
