"""How much one person may ask of the API in a minute."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from campaign.models import Campaign, Judge, RequestCount, User
from campaign.services.request_counts import request_count

CAMPAIGNS = "/api/v1/campaigns/"


@pytest.mark.django_db
def test_who_asks_too_much_is_told_when_to_go_on(analyst: Client, settings: Settings) -> None:
    settings.API_READS_A_MINUTE = 3
    answers = [analyst.get(CAMPAIGNS) for _ in range(5)]
    assert [each.status_code for each in answers] == [200, 200, 200, 429, 429]
    left = [each.headers["RateLimit"].partition(";t=")[0] for each in answers]
    assert left == [f'"reads";r={each}' for each in (2, 1, 0, 0, 0)]
    assert {each.headers["RateLimit-Policy"] for each in answers} == {'"reads";q=3;w=60'}
    refused = answers[-1]
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.json()["type"] == "urn:quintet:problem:too-many-requests"
    # Writes are counted apart.
    assert analyst.patch(f"{CAMPAIGNS}museum/").status_code == 403
    RequestCount.objects.update(begun_at=F("begun_at") - timedelta(seconds=61))
    assert analyst.get(CAMPAIGNS).status_code == 200


@pytest.mark.django_db
def test_each_person_is_counted_alone(
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


@pytest.mark.django_db
def test_judging_is_not_counted(
    judge: Judge, client_of: Callable[[User], Client], settings: Settings
) -> None:
    settings.API_READS_A_MINUTE = 1
    assert judge.user is not None
    client = client_of(judge.user)
    answers = {client.get("/api/v1/judging/progress/").status_code for _ in range(3)}
    assert answers == {200}
    assert not RequestCount.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_requests_at_the_same_time_are_each_counted(
    campaign: Campaign, make_member: Callable[..., User]
) -> None:
    user = make_member(campaign)

    def count(_number: int) -> None:
        request_count(user_id=user.pk, kind=RequestCount.Kind.READS)
        connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(40)))
    assert RequestCount.objects.get().count == 40
