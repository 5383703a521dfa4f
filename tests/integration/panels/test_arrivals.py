"""From one network address so many new people begin a panel an hour, and no more."""

import pytest
from django.test import Client

from campaign.models import Participation, SignInCount, Task
from campaign.services import panels
from campaign.services.campaigns import task_close
from tests.recruiting import Prolific

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("task")]


@pytest.fixture(autouse=True)
def _two_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panels, "ARRIVALS_AN_HOUR", 2)


def comes(
    prolific: Prolific,
    person: str,
    *,
    address: str = "192.0.2.1",
    **headers: str,
) -> int:
    browser = Client(REMOTE_ADDR=address, headers=headers)
    status: int = prolific.opens(browser, person).status_code
    return status


@pytest.mark.thorough
def test_arrival_beyond_the_limit_is_asked_to_return_and_stores_nothing(
    prolific: Prolific,
) -> None:
    assert [comes(prolific, person) for person in ("ada", "bob")] == [302, 302]
    browser = Client(REMOTE_ADDR="192.0.2.1")
    refused = prolific.opens(browser, "eve")
    assert (refused.status_code, refused["Retry-After"]) == (429, "3600")
    assert "Please try again in an hour" in refused.content.decode()
    assert Participation.objects.count() == 2
    assert comes(prolific, "ada") == 302, "who has begun goes on"
    assert comes(prolific, "eve", address="192.0.2.2") == 302


def test_the_address_itself_is_not_kept(prolific: Prolific) -> None:
    comes(prolific, "ada")
    kept = SignInCount.objects.get().cache_key
    assert len(kept) == 64
    assert set(kept) <= set("0123456789abcdef")


@pytest.mark.parametrize("reason", ["stopped", "nothing left"])
def test_study_without_places_does_not_invite(
    prolific: Prolific,
    task: Task,
    reason: str,
) -> None:
    begun = Client()
    assert prolific.opens(begun, "ada").status_code == 302
    if reason == "stopped":
        panels.panel_open_or_close(panel=prolific.panel, is_open=False)
    else:
        task_close(task=task)
    page = Client().get(prolific.address, prolific.query("bob"))
    assert page.status_code == 403
    assert "This study is closed to new participants." in page.content.decode()
    # Who has begun goes on.
    assert prolific.opens(begun, "ada").status_code == 302
