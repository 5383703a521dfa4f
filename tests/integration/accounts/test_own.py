"""The account page: name, password and address, each after the password was given again."""

import unicodedata
from typing import Literal
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.hashers import make_password
from django.core import mail
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext

from campaign.models import Campaign, Mail, MailKind, User
from campaign.services.api_tokens import token_create
from campaign.services.judges import user_language_set
from campaign.services.mails import mails_send_due
from campaign.services.own_account import account_link_create
from campaign.texts.addresses import address_key
from tests.factories import make_organiser
from tests.integration.accounts.people import (
    EMAIL,
    NEW,
    RIGHT,
    link_of_message,
    sign_in,
    signed_in,
)

pytestmark = pytest.mark.django_db
Form = Literal["NFC", "NFD"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "address",
    ["/account/password/", "/account/address/", "/account/second-factors/app/"],
)
def test_the_password_is_asked_for_first(organiser: User, address: str) -> None:
    client = Client()
    sign_in(client)
    asked = client.get(address)
    assert asked["Location"] == f"/account/again/?next={address.replace('/', '%2F')}"
    if "second" not in address:
        # What is sent too early is not kept until the password is given.
        sent = client.post(address, {"password": NEW, "email": "new@example.org"})
        assert sent["Location"] == asked["Location"]
        assert NEW not in str(dict(client.session))
    organiser.refresh_from_db()
    assert organiser.check_password(RIGHT)
    assert not Mail.objects.exists()
    assert client.post(asked["Location"], {"password": "wrong"}).status_code == 200
    assert client.get(address).status_code == 302
    given = client.post(asked["Location"], {"password": RIGHT, "next": address})
    assert given["Location"] == address
    assert client.get(address).status_code == 200


def test_the_password_cannot_be_guessed_there(organiser: User) -> None:
    client = Client()
    sign_in(client)
    for number in range(8):
        client.post("/account/again/", {"password": f"wrong {number}"})
    refused = client.post("/account/again/", {"password": RIGHT})
    assert "Location" not in refused
    assert "Too many" in refused.content.decode()


def test_a_new_password_ends_other_sessions_and_tokens(
    page: Client,
    organiser: User,
) -> None:
    token_create(user=organiser)
    other = Client()
    sign_in(other)
    assert page.post("/account/password/", {"password": "12345678"}).status_code == 400
    assert page.post("/account/password/", {"password": NEW})["Location"] == "/account/"
    assert page.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302
    assert sign_in(Client(), NEW).status_code == 302
    assert not organiser.api_tokens.exists()


def test_forms_of_passwords_name_the_account(page: Client) -> None:
    asked = Client()
    sign_in(asked)
    mail_with_link = Client().post("/sign-in/forgotten/", {"email": EMAIL})
    assert mail_with_link.status_code == 200
    for client, address in (
        (page, "/account/password/"),
        (asked, "/account/again/"),
        (Client(), link_of_message()),
    ):
        form = client.get(address).content.decode()
        assert f'value="{EMAIL}" autocomplete="username"' in form


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("typed", ["NFC", "NFD"])
def test_password_is_the_same_in_both_forms_of_unicode(
    organiser: User,
    stored: Form,
    typed: Form,
) -> None:
    password = unicodedata.normalize(stored, "café-Öffnung um neun")
    organiser.set_password(password)
    assert organiser.check_password(unicodedata.normalize(typed, password))
    # As it was stored before.
    organiser.password = make_password(password)
    organiser.save()
    client = Client()
    sign_in(client, unicodedata.normalize(typed, password))
    assert signed_in(client) == organiser.pk


def test_sign_in_form_of_another_tab_leads_on_once_signed_in(organiser: User) -> None:
    client = Client(enforce_csrf_checks=True)
    page = client.get("/sign-in/").content.decode()
    token = page.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    sent = {"login": EMAIL, "password": RIGHT, "csrfmiddlewaretoken": token}
    assert client.post("/sign-in/", sent).status_code == 302
    again = client.post("/sign-in/", sent | {"next": "/credentials/"})
    assert (again.status_code, again["Location"]) == (302, "/credentials/")
    elsewhere = client.post("/sign-in/", sent | {"next": "//example.org/"})
    assert elsewhere["Location"] == "/"
    # Any other form is refused.
    assert client.post("/credentials/", {"action": "revoke-tokens"}).status_code == 403
    assert Client(enforce_csrf_checks=True).post("/sign-in/", sent).status_code == 403


def test_an_address_is_theirs_once_they_open_the_link(
    page: Client,
    organiser: User,
) -> None:
    page.post("/account/address/", {"email": "New@Example.org"})
    organiser.refresh_from_db()
    assert organiser.email == EMAIL
    link = link_of_message()
    assert mail.outbox[0].to == ["New@example.org"]
    browser = Client()  # the mailbox may be on another device
    assert "New@example.org" in browser.get(link).content.decode()
    organiser.refresh_from_db()
    assert organiser.email == EMAIL
    browser.post(link)
    organiser.refresh_from_db()
    assert organiser.email == "New@example.org"
    assert browser.post(link).status_code == 404
    assert signed_in(browser) is None


def test_former_address_gets_a_notice_without_a_link_that_signs_in(
    page: Client,
    organiser: User,
) -> None:
    """flarum/framework#723."""
    user_language_set(user=organiser, language="de")
    page.post("/account/address/", {"email": "new@example.org"})
    Client().post(link_of_message())
    mails_send_due()
    notice = mail.outbox[-1]
    assert notice.to == [EMAIL]
    stored = Mail.objects.get(kind=MailKind.OLD_ADDRESS)
    with translation.override("de"):
        assert (
            date_format(localtime(stored.created_at), "DATETIME_FORMAT") in notice.body
        )
        assert notice.subject == gettext("Your e-mail address for Quintet was changed")
    [address] = [line for line in notice.body.splitlines() if line.startswith("http")]
    assert urlsplit(address).path == "/"
    assert "new@example.org" not in notice.body


@pytest.mark.parametrize(
    ("email", "notices"),
    [("new@example.org", 1), (EMAIL.upper(), 0)],
)
def test_address_changed_by_an_operators_link_gets_a_notice(
    organiser: User,
    email: str,
    notices: int,
) -> None:
    Client().post(
        f"/i/{account_link_create(user=organiser)}/account/",
        {"name": "Olga", "email": email, "password": NEW},
    )
    organiser.refresh_from_db()
    assert address_key(organiser.email or "") == address_key(email)
    assert (
        Mail.objects.filter(kind=MailKind.OLD_ADDRESS, address=EMAIL).count() == notices
    )


def test_taken_address_is_refused_by_mail_only(
    page: Client,
    organiser: User,
    campaign: Campaign,
) -> None:
    make_organiser(campaign, "taken@example.org")
    free = page.post("/account/address/", {"email": "free@example.org"})
    taken = page.post("/account/address/", {"email": "Taken@example.org"})
    assert free.content == taken.content
    mails_send_due()
    refused = Client().post(link_of_message(1))
    assert refused.status_code == 409
    assert (
        "An account with this e-mail address already exists" in refused.content.decode()
    )
    organiser.refresh_from_db()
    assert organiser.email == EMAIL


UNUSED = [
    "/accounts/signup/",
    "/signup/",
    "/account/signup/",
    "/account/email/",
    "/account/3rdparty/",
    "/account/login/code/",
    "/account/inactive/",
    "/account/2fa/",
    "/sign-in/elsewhere/signup/",
]


def test_unused_allauth_addresses_do_not_exist(
    page: Client,
    subtests: pytest.Subtests,
) -> None:
    for address in UNUSED:
        with subtests.test(address=address):
            assert page.get(address).status_code == 404
