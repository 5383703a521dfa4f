"""From one network address so many new people begin a panel an hour, and no more."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from campaign.models import PanelArrival, Participation
from campaign.services import arrivals
from campaign.tasks import purge_browser_visits
from tests.recruiting import Prolific

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("task")]


@pytest.fixture(autouse=True)
def _two_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "ARRIVALS_AN_HOUR", 2)


def comes(prolific: Prolific, person: str, *, address: str = "192.0.2.1", **headers: str) -> int:
    browser = Client(REMOTE_ADDR=address, headers=headers)
    status: int = prolific.opens(browser, person).status_code
    return status


def test_one_too_many_is_told_to_come_later_and_leaves_nothing(prolific: Prolific) -> None:
    assert [comes(prolific, person) for person in ("ada", "bob")] == [302, 302]
    browser = Client(REMOTE_ADDR="192.0.2.1")
    refused = prolific.opens(browser, "eve")
    assert refused.status_code == 429
    assert "Please try again in an hour" in refused.content.decode()
    assert (Participation.objects.count(), PanelArrival.objects.count()) == (2, 2)
    assert comes(prolific, "ada") == 302, "who has begun goes on"
    assert comes(prolific, "eve", address="192.0.2.2") == 302


def test_the_hour_passes(prolific: Prolific) -> None:
    for person in ("ada", "bob"):
        comes(prolific, person)
    PanelArrival.objects.update(arrived_at=Now() - timedelta(minutes=61))
    assert comes(prolific, "eve") == 302
    purge_browser_visits()
    assert PanelArrival.objects.count() == 1


def test_the_address_itself_is_not_kept(prolific: Prolific) -> None:
    comes(prolific, "ada")
    kept = bytes(PanelArrival.objects.get().address)
    assert len(kept) == 32
    assert b"192" not in kept


def test_behind_a_proxy_of_ours_it_is_the_address_that_the_proxy_names(
    prolific: Prolific, settings: Settings
) -> None:
    settings.PROXIES = 1
    for number in range(4):
        forged = {"X-Forwarded-For": f"203.0.113.9, 192.0.2.{number}"}
        assert comes(prolific, f"person{number}", address="127.0.0.1", **forged) == 302
    last = {"X-Forwarded-For": "198.51.100.1, 192.0.2.7"}
    codes = [comes(prolific, f"late{n}", address="127.0.0.1", **last) for n in range(3)]
    assert codes == [302, 302, 429]
