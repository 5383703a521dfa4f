"""Who may read what: every address of the research API, for everybody."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.models import ApiToken, Campaign, Judge, Task, User
from tests.factories import make_campaign, make_organiser

pytestmark = pytest.mark.django_db

Members = Callable[..., User]
Clients = Callable[[User], Client]


def test_expired_deleted_and_inactive_tokens_open_nothing(
    campaign: Campaign, make_member: Members, client_of: Clients
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
    campaign: Campaign, task: Task, judge: Judge, make_member: Members
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
