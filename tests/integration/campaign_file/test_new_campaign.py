"""A campaign made of a file in the browser and over REST: first what it would make, and then what the command makes."""

from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from campaign.models import ActivityEvent, Campaign, MembershipRole, User
from tests.integration.campaign_file.test_pages import answers
from tests.integration.campaign_file.test_round_trip import rows

pytestmark = pytest.mark.django_db

FILE = """\
slug: tour
name: A tour
lease_minutes: 45
instructions:
  - language: en
    text: |
      Read both.

      Then rank.
judge_groups:
  - {name: Experts, blocks_asked: 12}
quality_rules:
  - {measure: seconds, direction: below, threshold: 5, minimum: 30, action: warn}
judges:
  - {pseudonym: Ada, languages: [de, en], groups: [Experts]}
"""
PAGE = "/new-campaign/file/"
REST = "/api/v1/campaigns/tour/file/"


@pytest.fixture
def client(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def sent(client: Client, content: bytes) -> tuple[int, str]:
    answer = client.post(PAGE, {"file": SimpleUploadedFile("mine.yaml", content)})
    return answer.status_code, unescape(answer.content.decode())


def test_new_campaign_is_previewed_then_created(client: Client, user: User) -> None:
    before = rows()
    status, html = sent(client, FILE.encode())
    assert status == 200
    assert "+ lease_minutes: 45" in html
    assert "+ judge_groups › Experts" in html
    assert rows() == before
    done = client.post(PAGE, answers(html))
    assert (done.status_code, done["Location"]) == (
        302,
        reverse("campaign-detail", args=["tour"]),
    )
    campaign = Campaign.objects.get(slug="tour")
    membership = campaign.memberships.get()
    assert (membership.user, membership.role) == (user, MembershipRole.OWNER)
    event = ActivityEvent.objects.filter(campaign=campaign.pk).first()
    assert event is not None
    assert (event.origin, event.user) == ("page", user)


def test_a_campaign_made_meanwhile_is_not_changed(client: Client) -> None:
    _status, html = sent(client, FILE.encode())
    other = Campaign.objects.create(slug="tour", name="Another")
    answer = client.post(PAGE, answers(html))
    assert answer.status_code == 400
    assert "campaign tour already exists" in unescape(answer.content.decode())
    other.refresh_from_db()
    assert (other.name, other.judges.count()) == ("Another", 0)


def test_another_content_than_was_shown_is_refused(client: Client) -> None:
    given = answers(sent(client, FILE.encode())[1])
    for forged in ({"content": given["content"][:-3] + "abc"}, {"code": "0" * 32}):
        answer = client.post(PAGE, given | forged)
        assert answer.status_code in (400, 409)
    assert not Campaign.objects.exists()


class TestRest:
    @pytest.fixture
    def api(self, user: User) -> APIClient:
        api = APIClient()
        api.force_login(user)
        return api

    def test_a_file_makes_the_campaign_of_its_address(
        self,
        api: APIClient,
        user: User,
    ) -> None:
        before = rows()
        checked = api.put(f"{REST}?check=true", FILE, content_type="application/yaml")
        assert (checked.status_code, checked.json()["is_done"]) == (200, False)
        assert rows() == before
        code = checked.json()["code"]
        made = api.put(
            f"{REST}?confirmed={code}",
            FILE,
            content_type="application/yaml",
        )
        assert (made.status_code, made.json()["is_done"]) == (201, True)
        assert Campaign.objects.get(slug="tour").memberships.get().user == user
        again = api.put(REST, FILE, content_type="application/yaml")
        assert (again.status_code, again.json()["changes"]) == (200, [])
