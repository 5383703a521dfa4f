"""A campaign's file over REST: the same bytes, the same difference, the same service."""

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from campaign.models import ActivityEvent, Campaign, User
from cells.campaign_file.schema import schema_bytes
from cells.campaign_file.writing import campaign_file
from tests.factories import make_campaign, make_organiser

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/campaigns/museum/file/"
CHANGED = b"slug: museum\nname: Museum\nlease_minutes: 20\n"


@pytest.fixture
def client(campaign: Campaign) -> APIClient:
    client = APIClient()
    client.force_login(User.objects.get(memberships__campaign=campaign))
    return client


def put(client: APIClient, content: bytes, query: str = "") -> tuple[int, dict[str, object]]:
    answer = client.put(f"{ADDRESS}{query}", content, content_type="application/yaml")
    return answer.status_code, answer.json()


def test_command_page_and_rest_give_the_same_bytes(
    campaign: Campaign, client: APIClient, capsys: pytest.CaptureFixture[str]
) -> None:
    page = reverse("campaign-file-download", args=["museum"])
    for option, query, on_page in ((False, "", ""), (True, "?people=true", "?people=yes")):
        content = campaign_file(campaign=campaign, people=option)
        assert client.get(ADDRESS + query).content == content
        answer = client.get(page + on_page)
        assert answer.content == content
        assert answer.headers["Content-Type"] == "application/yaml"
        call_command("campaign_file", "museum", people=option)
        assert capsys.readouterr().out.encode() == content


def test_a_check_says_what_differs_and_changes_nothing(
    campaign: Campaign, client: APIClient
) -> None:
    status, found = put(client, CHANGED, "?check=true")
    assert status == 200
    assert found["changes"] == [
        {
            "kind": "changed",
            "path": "lease_minutes",
            "before": "17",
            "after": "20",
            "words": "~ lease_minutes: 17 → 20",
        }
    ]
    assert (found["is_done"], found["notes"]) == (False, [])
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 17
    status, done = put(client, CHANGED, f"?confirmed={found['code']}")
    assert (status, done["is_done"]) == (200, True)
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 20
    event = ActivityEvent.objects.order_by("pk").last()
    assert event is not None
    assert (event.origin, event.user) == ("api", User.objects.get(memberships__campaign=campaign))


def test_a_code_of_other_changes_does_nothing(campaign: Campaign, client: APIClient) -> None:
    _status, found = put(client, CHANGED, "?check=true")
    Campaign.objects.filter(pk=campaign.pk).update(lease_minutes=18)
    status, again = put(client, CHANGED, f"?confirmed={found['code']}")
    assert (status, again["is_done"]) == (409, False)
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 18
    assert put(client, CHANGED)[1]["is_done"] is True
    assert put(client, CHANGED)[1]["changes"] == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"slug: other\nname: Museum\n", "of another campaign than museum"),
        (b"slug: museum\nname: Museum\nlease_minutes: 0\n", "line 3"),
        (
            (
                b"slug: museum\nname: Museum\ntest_sets: [{name: x, source_language: de, "
                b"target_language: en, texts: {files: [/etc/passwd]}}]\n"
            ),
            "do not come with this one",
        ),
    ],
)
def test_what_is_refused(client: APIClient, content: bytes, said: str) -> None:
    status, answer = put(client, content)
    assert status == 400
    assert said in str(answer)


def test_other_media_types_are_refused(client: APIClient) -> None:
    answer = client.put(ADDRESS, {"slug": "museum"}, format="json")
    assert answer.status_code == 415


def test_organisers_of_other_campaigns_find_nothing(campaign: Campaign) -> None:
    other = APIClient()
    other.force_login(make_organiser(make_campaign("other"), "else@example.org"))
    assert other.get(ADDRESS).status_code == 404
    assert put(other, CHANGED)[0] == 404


def test_the_schema_is_for_everybody() -> None:
    answer = Client().get("/api/v1/schemas/campaign.json")
    assert answer.content == schema_bytes()
    assert answer.headers["Content-Type"] == "application/schema+json"
