"""A new password by mail: who gets one, and that nobody learns who has an account."""

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from campaign.models import Mail, User
from campaign.tasks import send_mails
from tests.integration.accounts.people import (
    EMAIL,
    NEW,
    RIGHT,
    app_set_up,
    link_of_message,
    sign_in,
    signed_in,
)

pytestmark = pytest.mark.django_db
ASK = "/sign-in/forgotten/"


def test_a_message_brings_a_new_password_and_signs_in(
    client: Client,
    organiser: User,
) -> None:
    elsewhere = Client()
    sign_in(elsewhere)
    client.post(ASK, {"email": EMAIL.upper()})
    link = link_of_message()
    assert mail.outbox[0].to == [EMAIL]
    assert client.get(link).status_code == 200
    assert signed_in(client) is None  # opening it changes nothing
    assert client.post(link, {"password": "12345678"}).status_code == 400
    assert client.post(link, {"password": NEW})["Location"] == "/"
    assert signed_in(client) == organiser.pk
    assert signed_in(elsewhere) is None
    assert sign_in(Client(), RIGHT).status_code == 200
    assert sign_in(Client(), NEW).status_code == 302
    assert Client().get(link).status_code == 404


def test_the_worker_sends_it_and_the_link_leads_to_the_public_address(
    client: Client,
    organiser: User,
    settings: Settings,
) -> None:
    settings.PUBLIC_ADDRESS = "https://judge.example.org/quintet/"
    settings.ALLOWED_HOSTS = ["evil.example.org", "testserver"]
    client.post(ASK, {"email": EMAIL}, headers={"host": "evil.example.org"})
    send_mails()
    assert "\nhttps://judge.example.org/quintet/i/" in mail.outbox[0].body
    assert "evil" not in mail.outbox[0].body
    assert Mail.objects.get().state == "sent"


def test_no_answer_tells_whether_there_is_an_account(
    client: Client,
    organiser: User,
) -> None:
    answers, work = [], []
    client.post(ASK, {"email": "first@example.org"})
    for address in (EMAIL, "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            answers.append(client.post(ASK, {"email": address}))
        work.append([query["sql"].split()[0] for query in queries])
    assert work[0] == work[1]
    known, unknown = answers
    assert known.content == unknown.content
    assert known.status_code == unknown.status_code == 200
    assert "If an account with this address exists" in known.content.decode()
    send_mails()
    assert [message.to for message in mail.outbox] == [[EMAIL]]
    assert Mail.objects.count() == 1  # the other addresses are not kept


@pytest.mark.parametrize("who", ["inactive", "of no campaign"])
def test_some_accounts_get_none(client: Client, organiser: User, who: str) -> None:
    if who == "inactive":
        organiser.is_active = False
        organiser.save()
    else:
        organiser.memberships.all().delete()
    client.post(ASK, {"email": EMAIL})
    send_mails()
    assert mail.outbox == []


def test_a_mailbox_is_not_filled_by_whoever_asks(organiser: User) -> None:
    def asked(address: str, number: int) -> int:
        return (
            Client(REMOTE_ADDR=f"192.0.2.{number}")
            .post(ASK, {"email": address})
            .status_code
        )

    for address in (EMAIL, "nobody@example.org"):
        assert [asked(address, number) for number in range(4)] == [200, 200, 200, 429]


def test_one_address_asks_for_few(client: Client, organiser: User) -> None:
    answers = [client.post(ASK, {"email": f"a{n}@example.org"}) for n in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert answers[-1]["Retry-After"] == "3600"


def test_a_link_ends_with_a_sign_in_with_another_and_with_time(
    client: Client,
    organiser: User,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client.post(ASK, {"email": EMAIL})
    link = link_of_message()
    assert client.get(link).status_code == 200
    monkeypatch.setattr("campaign.services.own_account.LINK_HOURS", -1)
    assert client.get(link).status_code == 404
    monkeypatch.undo()
    assert client.get(link).status_code == 200
    sign_in(Client())
    assert client.get(link).status_code == 404


def test_forged_links_open_nothing(client: Client, organiser: User) -> None:
    client.post(ASK, {"email": EMAIL})
    link = link_of_message()
    other_kind = link.replace("/password/", "/address/")
    for forged in (link.replace("/i/", "/i/x"), other_kind, "/i/W10:a:b/password/"):
        assert client.get(forged).status_code == 404
        assert client.post(forged, {"password": NEW}).status_code == 404
    organiser.refresh_from_db()
    assert organiser.check_password(RIGHT)


def test_a_new_password_does_not_stand_in_for_a_second_factor(
    page: Client,
    organiser: User,
) -> None:
    app_set_up(page)
    other = Client()
    other.post(ASK, {"email": EMAIL})
    assert (
        other.post(link_of_message(), {"password": NEW})["Location"]
        == "/sign-in/second-factor/"
    )
    assert signed_in(other) is None
