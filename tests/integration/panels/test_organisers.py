"""What organisers see and do about panels, on pages and by command; what the database refuses."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import (
    Campaign,
    Judge,
    Panel,
    Task,
)
from tests.factories import make_analyst, make_organiser, make_task
from tests.recruiting import (
    COMPLETION,
    SCREENED_OUT,
    SECRET,
    Prolific,
    make_panel,
    prolific_id,
)

pytestmark = pytest.mark.django_db

FIELDS = {
    "kind": "prolific",
    "name": "pilot",
    "blocks_asked": "12",
    "minutes_allowed": "60",
    "participations_per_member": "1",
    "languages": ["en", "de"],
    "screen_out_after_training": "on",
    "completion_code": COMPLETION,
    "screened_out_code": SCREENED_OUT,
    "webhook_secret": SECRET,
    "id_parameter": "participant",
}
GENERIC = {"kind": "generic", "service": "SONA", "webhook_secret": ""}


@pytest.fixture
def task(campaign: Campaign) -> Task:
    """Work for those who need some."""
    return make_task(campaign, documents=(7, 7), planned=6)


@pytest.fixture
def page(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_organiser(campaign))
    return client


def words(response: Any) -> str:
    return " ".join(response.content.decode().split())


@pytest.mark.usefixtures("task")
def test_a_panel_is_added_changed_closed_and_opened(page: Client) -> None:
    added = page.post("/campaigns/museum/panels/", FIELDS, follow=True)
    panel = Panel.objects.get()
    assert (panel.blocks_asked, panel.languages, panel.webhook_secret) == (
        12,
        ["en", "de"],
        SECRET,
    )
    text = words(added)
    for shown in (
        COMPLETION,
        SCREENED_OUT,
        panel.key,
        panel.events_key,
        "No participants yet",
    ):
        assert shown in text
    # Kept, and given to nobody.
    assert SECRET not in text
    address = reverse("panel", args=["museum", panel.pk])
    changed = {**FIELDS, "blocks_asked": "15", "webhook_secret": ""}
    assert page.post(address, changed).status_code == 302
    panel.refresh_from_db()
    assert (panel.blocks_asked, panel.webhook_secret, panel.kind) == (
        15,
        SECRET,
        "prolific",
    )
    asked = page.post(reverse("panel-open", args=["museum", panel.pk]), {"open": "0"})
    assert "0 participants have started and can finish." in words(asked)
    panel.refresh_from_db()
    assert panel.is_open
    for is_open in (False, True):
        sent = {"open": str(int(is_open))} | ({} if is_open else {"act": "yes"})
        page.post(reverse("panel-open", args=["museum", panel.pk]), sent)
        panel.refresh_from_db()
        assert panel.is_open == is_open


def test_no_password_manager_fills_in_the_secret(page: Client) -> None:
    """mollie/OpenCart 306, elie222/rakazo 96, lobehub 1075: browsers enter the password of the account, unless told it is new."""
    html = page.get("/campaigns/museum/panels/").content.decode()
    [field] = re.findall(r'<input type="password"[^>]*>', html)
    assert 'autocomplete="new-password"' in field


REFUSED_CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"screened_out_code": COMPLETION}, "must be different"),
    ({"completion_code": "a b"}, "Enter at least four letters or digits"),
    ({"blocks_asked": "0"}, "greater than or equal to 1"),
    ({"kind": "other"}, "is not one of the available choices"),
    ({"languages": ["tlh"]}, "is not one of the available choices"),
    ({"name": "there"}, "panel named “there” already exists"),
    (
        {**GENERIC, "completion_address": "http://sona.example.org/"},
        "begins with https://",
    ),
]


@pytest.mark.usefixtures("task")
def test_a_panel_that_cannot_be_is_refused_in_words(
    page: Client,
    campaign: Campaign,
    subtests: pytest.Subtests,
) -> None:
    make_panel(campaign, name="there")
    for changes, said in REFUSED_CHANGES:
        with subtests.test(changes=changes, said=said):
            refused = page.post("/campaigns/museum/panels/", FIELDS | changes)
            assert refused.status_code == 400
            assert said in words(refused)
            assert Panel.objects.count() == 1


@pytest.mark.usefixtures("task")
def test_analysts_neither_see_ids_of_the_service_nor_find_anybody_by_them(
    client: Client,
    campaign: Campaign,
) -> None:
    prolific = Prolific(make_panel(campaign))
    prolific.opens(Client(), "ada")
    make_organiser(campaign)
    client.force_login(make_analyst(campaign))
    address = reverse("panel", args=["museum", prolific.panel.pk])
    pseudonym = Judge.objects.get().pseudonym
    for asked, found in (
        ({}, 1),
        ({"who": pseudonym}, 1),
        ({"who": prolific_id("ada")}, 0),
    ):
        shown = client.get(address, asked)
        assert len(shown.context["table"].page.object_list) == found
        if found:
            assert prolific_id("ada") not in shown.content.decode()
