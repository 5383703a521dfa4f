"""A campaign's file over REST: the same bytes, the same difference, the same service."""

import pytest
from django.core.management import call_command
from django.urls import reverse
from rest_framework.test import APIClient

from campaign.models import ActivityEvent, Campaign, User
from whole_campaigns.campaign_file.applying import campaign_file

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

ADDRESS = "/api/v1/campaigns/museum/file/"
CHANGED = b"slug: museum\nname: Museum\nlease_minutes: 20\n"


@pytest.fixture
def client(campaign: Campaign) -> APIClient:
    client = APIClient()
    client.force_login(User.objects.get(memberships__campaign=campaign))
    return client


def put(
    client: APIClient,
    content: bytes,
    query: str = "",
) -> tuple[int, dict[str, object]]:
    answer = client.put(f"{ADDRESS}{query}", content, content_type="application/yaml")
    return answer.status_code, answer.json()


def test_command_page_and_rest_give_the_same_bytes(
    campaign: Campaign,
    client: APIClient,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = reverse("campaign-file-download", args=["museum"])
    for option, query, on_page in (
        (False, "", ""),
        (True, "?people=true", "?people=yes"),
    ):
        content = campaign_file(campaign=campaign, people=option)
        assert client.get(ADDRESS + query).content == content
        answer = client.get(page + on_page)
        assert answer.content == content
        assert answer.headers["Content-Type"] == "application/yaml"
        call_command("campaign_file", "museum", people=option)
        assert capsys.readouterr().out.encode() == content


def test_a_check_says_what_differs_and_changes_nothing(
    campaign: Campaign,
    client: APIClient,
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
        },
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
    assert (event.origin, event.user) == (
        "api",
        User.objects.get(memberships__campaign=campaign),
    )


def test_a_code_of_other_changes_does_nothing(
    campaign: Campaign,
    client: APIClient,
) -> None:
    _status, found = put(client, CHANGED, "?check=true")
    Campaign.objects.filter(pk=campaign.pk).update(lease_minutes=18)
    status, again = put(client, CHANGED, f"?confirmed={found['code']}")
    assert (status, again["is_done"]) == (409, False)
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 18
    assert put(client, CHANGED)[1]["is_done"] is True
    assert put(client, CHANGED)[1]["changes"] == []
