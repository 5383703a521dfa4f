"""A campaign made of a file in the browser and over REST: first what it would make, and then what the command makes."""

from html import unescape
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from campaign.formats.yaml_tree import MAX_BYTES
from campaign.models import ActivityEvent, Campaign, MembershipRole, User
from cells.campaign_file.writing import campaign_file
from tests.factories import make_analyst, make_campaign, make_organiser
from tests.integration.campaign_file.conftest import NEW
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


def test_the_page_of_new_campaigns_leads_here(client: Client) -> None:
    assert f'href="{PAGE}"' in client.get(reverse("campaign-new")).content.decode()
    assert 'type="file"' in client.get(PAGE).content.decode()


def test_what_it_would_make_is_shown_then_made(client: Client, user: User) -> None:
    before = rows()
    status, html = sent(client, FILE.encode())
    assert status == 200
    assert "+ lease_minutes: 45" in html
    assert "+ judge_groups › Experts" in html
    assert rows() == before
    done = client.post(PAGE, answers(html))
    assert (done.status_code, done["Location"]) == (302, reverse("campaign-detail", args=["tour"]))
    campaign = Campaign.objects.get(slug="tour")
    membership = campaign.memberships.get()
    assert (membership.user, membership.role) == (user, MembershipRole.OWNER)
    event = ActivityEvent.objects.filter(campaign=campaign.pk).first()
    assert event is not None
    assert (event.origin, event.user) == ("page", user)


def test_the_page_makes_what_the_command_makes(client: Client, user: User, tmp_path: Path) -> None:
    client.post(PAGE, answers(sent(client, FILE.encode())[1]))
    path = tmp_path / "campaign.yaml"
    path.write_text(FILE.replace("slug: tour", "slug: trip"))
    call_command("apply_campaign", str(path), yes=True, by=user.email, verbosity=0)
    by_page, by_command = (
        campaign_file(campaign=Campaign.objects.get(slug=slug), people=True)
        for slug in ("tour", "trip")
    )
    assert by_page.replace(b"slug: tour", b"slug: trip") == by_command


def test_the_same_file_applied_to_what_it_made_does_nothing(client: Client) -> None:
    client.post(PAGE, answers(sent(client, FILE.encode())[1]))
    before = rows()
    file = SimpleUploadedFile("mine.yaml", FILE.encode())
    again = client.post(reverse("campaign-file", args=["tour"]), {"file": file}, follow=True)
    assert "Nothing to do" in again.content.decode()
    assert rows() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"slug: tour\nname: Tour\nlease: 1\n", 'mine.yaml, line 3 (field "lease")'),
        (b"slug: museum\nname: Museum\nlease_minutes: 1\n", "there is a campaign museum already"),
        (b"slug: a b\nname: Tour\n", "line 1"),
        (b"a: &a [x, x]\nb: [*a, *a]\n", "anchors and aliases are not read"),
        (b"slug: !!python/object:os.system x\n", "the tag"),
        (b"slug: tour\nname: \xff\n", "UTF-8"),
        (b"a" * (MAX_BYTES + 1), "bytes"),
        (NEW.encode(), "bring its texts by Add texts"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_made(
    client: Client, content: bytes, said: str
) -> None:
    make_campaign()
    before = rows()
    status, html = sent(client, content)
    assert status == 400
    assert said in html
    assert rows() == before


def test_it_is_for_those_who_may_make_campaigns() -> None:
    campaign, client = make_campaign(), Client()
    make_organiser(campaign)
    client.force_login(make_analyst(campaign))
    given = {"file": SimpleUploadedFile("mine.yaml", FILE.encode())}
    assert client.get(PAGE).status_code == 404
    assert client.post(PAGE, given).status_code == 404
    assert not Campaign.objects.filter(slug="tour").exists()


def test_a_campaign_made_meanwhile_is_not_changed(client: Client) -> None:
    _status, html = sent(client, FILE.encode())
    other = Campaign.objects.create(slug="tour", name="Another")
    answer = client.post(PAGE, answers(html))
    assert answer.status_code == 400
    assert "there is a campaign tour already" in unescape(answer.content.decode())
    other.refresh_from_db()
    assert (other.name, other.judges.count()) == ("Another", 0)


def test_another_content_than_was_shown_is_refused(client: Client) -> None:
    given = answers(sent(client, FILE.encode())[1])
    for forged in ({"content": given["content"][:-3] + "abc"}, {"code": "0" * 32}):
        answer = client.post(PAGE, given | forged)
        assert answer.status_code in (400, 409)
    assert not Campaign.objects.exists()


def test_texts_come_first_and_then_the_whole_file(client: Client, user: User, folder: Path) -> None:
    """What the refusal says to do leads to what the command makes."""
    whole = (folder / "campaign.yaml").read_text()
    slug = whole.replace("slug: tour", "slug: trip")
    (folder / "campaign.yaml").write_text(slug)
    call_command(
        "apply_campaign", str(folder / "campaign.yaml"), yes=True, by=user.email, verbosity=0
    )
    client.post(PAGE, answers(sent(client, b"slug: tour\nname: A tour\n")[1]))
    call_command(
        "import_test_set",
        str(folder / "texts/en-de.tsv"),
        campaign="tour",
        name="en-de",
        source_language="en",
        target_language="de",
        verbosity=0,
    )
    page = reverse("campaign-file", args=["tour"])
    file = SimpleUploadedFile("mine.yaml", whole.encode())
    client.post(page, answers(client.post(page, {"file": file}).content.decode()))
    made, expected = (
        campaign_file(campaign=Campaign.objects.get(slug=slug), people=True)
        for slug in ("tour", "trip")
    )
    assert made.replace(b"slug: tour", b"slug: trip") == expected


class TestRest:
    @pytest.fixture
    def api(self, user: User) -> APIClient:
        api = APIClient()
        api.force_login(user)
        return api

    def test_a_file_makes_the_campaign_of_its_address(self, api: APIClient, user: User) -> None:
        before = rows()
        checked = api.put(f"{REST}?check=true", FILE, content_type="application/yaml")
        assert (checked.status_code, checked.json()["is_done"]) == (200, False)
        assert rows() == before
        code = checked.json()["code"]
        made = api.put(f"{REST}?confirmed={code}", FILE, content_type="application/yaml")
        assert (made.status_code, made.json()["is_done"]) == (201, True)
        assert Campaign.objects.get(slug="tour").memberships.get().user == user
        again = api.put(REST, FILE, content_type="application/yaml")
        assert (again.status_code, again.json()["changes"]) == (200, [])

    def test_what_is_refused(self, api: APIClient) -> None:
        before = rows()
        for content, said in (
            ("slug: trip\nname: A trip\n", "of another campaign than tour"),
            (NEW, "do not come with this one"),
        ):
            answer = api.put(REST, content, content_type="application/yaml")
            assert answer.status_code == 400
            assert said in str(answer.json())
        assert rows() == before

    def test_who_makes_no_campaigns_finds_none(self) -> None:
        api = APIClient()
        api.force_login(User.objects.create_user(name="Nobody", email="nobody@example.org"))
        assert api.put(REST, FILE, content_type="application/yaml").status_code == 404
        organiser = APIClient()
        organiser.force_login(make_organiser(make_campaign("tour")))
        stranger = APIClient()
        stranger.force_login(make_organiser(make_campaign("zoo"), "else@example.org"))
        assert stranger.put(REST, FILE, content_type="application/yaml").status_code == 404
        assert organiser.get(REST).status_code == 200
