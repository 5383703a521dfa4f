"""The page of a campaign's file: it shows what differs first, and does it once that is confirmed."""

import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from campaign.models import ActivityEvent, Campaign, User

pytestmark = pytest.mark.django_db

CHANGED = "\ufeffslug: museum\nname: Museum\nlease_minutes: 20\n"


@pytest.fixture
def client(campaign: Campaign) -> Client:
    client = Client()
    client.force_login(User.objects.get(memberships__campaign=campaign))
    return client


def page() -> str:
    return reverse("campaign-file", args=["museum"])


def sent(client: Client, text: str) -> tuple[int, str]:
    file = SimpleUploadedFile("mine.yaml", text.encode())
    answer = client.post(page(), {"file": file})
    return answer.status_code, unescape(answer.content.decode())


def answers(html: str) -> dict[str, str]:
    found = dict(
        re.findall(r'<input type="hidden" name="(content|code)" value="([^"]*)"', html),
    )
    return {**found, "act": "yes"}


@pytest.mark.thorough
def test_differences_are_previewed_then_applied(
    client: Client,
    campaign: Campaign,
) -> None:
    status, html = sent(client, CHANGED)
    assert status == 200
    assert "~ lease_minutes: 17 → 20" in html
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 17
    done = client.post(page(), answers(html), follow=True)
    assert "Saved." in done.content.decode()
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 20
    event = ActivityEvent.objects.order_by("pk").last()
    assert event is not None
    assert (event.origin, event.user) == (
        "page",
        User.objects.get(memberships__campaign=campaign),
    )
    again = client.post(
        page(),
        {"file": SimpleUploadedFile("m.yaml", CHANGED.encode())},
        follow=True,
    )
    assert "No changes" in again.content.decode()


@pytest.mark.thorough
def test_changes_made_meanwhile_are_previewed_again(
    client: Client,
    campaign: Campaign,
) -> None:
    _status, html = sent(client, CHANGED)
    Campaign.objects.filter(pk=campaign.pk).update(lease_minutes=18)
    answer = client.post(page(), answers(html))
    assert answer.status_code == 409
    again = unescape(answer.content.decode())
    assert "~ lease_minutes: 18 → 20" in again
    client.post(page(), answers(again))
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 20


def test_another_content_than_was_shown_is_refused(
    client: Client,
    campaign: Campaign,
) -> None:
    _status, html = sent(client, CHANGED)
    forged = {**answers(html), "content": answers(html)["content"][:-3] + "abc"}
    answer = client.post(page(), forged)
    assert answer.status_code == 400
    assert "Choose the file again." in answer.content.decode()
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 17
