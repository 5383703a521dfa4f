"""Who may read what: every address of the research API, for everybody."""

import gzip
from codecs import BOM_UTF8
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.models import ApiToken, Campaign, Judge, Task, User
from campaign.services.api_tokens import token_create
from tests.factories import make_campaign, make_organiser

pytestmark = pytest.mark.django_db

Members = Callable[..., User]
Clients = Callable[[User], Client]


def test_expired_deleted_and_inactive_tokens_open_nothing(
    campaign: Campaign,
    make_member: Members,
    client_of: Clients,
) -> None:
    address = reverse("api-campaigns")
    member = make_member(campaign)
    client = client_of(member)
    assert client.get(address).status_code == 200
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert client.get(address).status_code == 401
    client = client_of(member)
    ApiToken.objects.all().delete()
    assert client.get(address).status_code == 401
    client = client_of(member)
    User.objects.update(is_active=False)
    assert client.get(address).status_code == 401


def test_download_is_for_members_of_this_campaign(
    campaign: Campaign,
    task: Task,
    judge: Judge,
    make_member: Members,
) -> None:
    asked = "?kind=with-skips&file_format=five-way-csv&stream=on"
    address = reverse("exports", args=[campaign.slug, task.pk]) + asked

    def status(user: User | None) -> int:
        client = Client()
        if user:
            client.force_login(user)
        return client.get(address).status_code

    other = make_campaign("zoo")
    assert status(None) == 302
    assert status(judge.user) == 404
    assert status(make_organiser(other)) == 404
    assert status(make_member(campaign, "analyst", "rita")) == 200
    organiser = make_member(campaign, "organiser", "olaf")
    assert status(organiser) == 200
    client = Client()
    client.force_login(organiser)
    wrong = reverse("exports", args=[other.slug, task.pk])
    assert client.get(wrong + asked).status_code == 404


@pytest.mark.parametrize("scheme", ["Token", "token", "Bearer", "bearer"])
def test_tokens_are_accepted_in_both_usual_schemes(
    campaign: Campaign,
    make_member: Members,
    scheme: str,
) -> None:
    _instance, token = token_create(user=make_member(campaign))
    client = Client(headers={"Authorization": f"{scheme} {token}"})
    assert client.get(reverse("api-campaigns")).status_code == 200


@pytest.mark.parametrize("header", ["{token}", "Basic {token}", "Token", "Bearer x y"])
def test_another_header_is_refused_by_naming_the_right_one(
    campaign: Campaign,
    make_member: Members,
    header: str,
) -> None:
    _instance, token = token_create(user=make_member(campaign))
    client = Client(headers={"Authorization": header.format(token=token)})
    answer = client.get(reverse("api-campaigns"))
    assert answer.status_code == 401
    assert answer.json()["detail"]


@pytest.mark.parametrize("method", ["post", "patch", "delete"])
def test_a_request_without_the_last_slash_is_repeated_as_it_is(
    campaign: Campaign,
    make_member: Members,
    client_of: Clients,
    method: str,
) -> None:
    """After 301, a client sends GET and takes its 200 for success."""
    address = f"/api/v1/campaigns/{campaign.slug}"
    answer = getattr(client_of(make_member(campaign)), method)(address)
    assert (answer.status_code, answer["Location"]) == (308, f"{address}/")


def test_json_with_a_byte_order_mark_is_read_and_compressed_json_is_refused(
    campaign: Campaign,
    client: Client,
) -> None:
    client.force_login(make_organiser(campaign))
    address = f"/api/v1/campaigns/{campaign.slug}/"
    marked = BOM_UTF8 + b'{"contact": "ada@example.org"}'
    assert (
        client.patch(address, marked, "application/json").json()["contact"]
        == "ada@example.org"
    )
    compressed = gzip.compress(b'{"contact": "x@example.org"}')
    headers = {"Content-Encoding": "gzip"}
    answer = client.patch(address, compressed, "application/json", headers=headers)
    assert answer.status_code == 415
    assert "Content-Encoding" in answer.json()["detail"]
    headers = {"Content-Encoding": "identity"}
    answer = client.patch(address, marked, "application/json", headers=headers)
    assert answer.status_code == 200
