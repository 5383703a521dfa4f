"""Second factors: set up, asked for wherever somebody comes in, lost, and demanded."""

from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from campaign.models import Campaign, InvitationRole, Session, User
from campaign.services.api_tokens import token_create
from campaign.services.invitations import invitation_create
from campaign.services.own_account import account_link_create
from tests.factories import make_organiser
from tests.integration.accounts.people import (
    EMAIL,
    NEW,
    RIGHT,
    app_set_up,
    recovery_codes,
    sign_in,
    signed_in,
)
from tests.one_time_codes import code_now

pytestmark = pytest.mark.django_db
ASKS = "/sign-in/second-factor/"


def give(client: Client, code: str) -> Any:
    return client.post(ASKS, {"code": code})


@pytest.mark.thorough
def test_a_code_is_asked_for_and_signs_in_once(page: Client, organiser: User) -> None:
    key = app_set_up(page)
    client = Client()
    asked = client.post(
        "/sign-in/",
        {"login": EMAIL, "password": RIGHT, "next": "/credentials/"},
    )
    assert asked["Location"] == ASKS
    assert client.get("/account/").status_code == 302
    assert signed_in(client) is None
    wrong = f"{(int(code_now(key)) + 1) % 1_000_000:06d}"
    assert give(client, wrong).status_code == 200
    code = code_now(key)
    assert give(client, code)["Location"] == "/credentials/"
    assert signed_in(client) == organiser.pk
    again = Client()
    sign_in(again)
    assert "already used" in give(again, code).content.decode()
    assert signed_in(again) is None


@pytest.mark.parametrize("first_use", ["activation", "sign-in", "confirmation"])
def test_code_is_accepted_once_by_any_form_as_long_as_it_is_valid(
    page: Client,
    organiser: User,
    first_use: str,
) -> None:
    shown = page.get("/account/second-factors/app/").content.decode()
    key = shown.partition('id="totp-key" dir="ltr">')[2].partition("<")[0]
    code = code_now(key)
    assert page.post("/account/second-factors/app/", {"code": code}).status_code == 302
    if first_use != "activation":
        cache.clear()
    if first_use == "sign-in":
        first = Client()
        sign_in(first)
        give(first, code)
        assert signed_in(first) == organiser.pk
    elif first_use == "confirmation":
        assert page.post("/account/again/code/", {"code": code}).status_code == 302
    # django-allauth's own mark of a used code ends before the code does.
    cache.delete(f"allauth.mfa.totp.used?user={organiser.pk}&code={code}")
    again = Client()
    sign_in(again)
    assert "already used" in give(again, code).content.decode()
    assert signed_in(again) is None


@pytest.mark.parametrize(
    ("zero", "space"),
    [("0", "\u00a0"), ("\u0660", "\u200b"), ("\u06f0", "-"), ("\uff10", "\u3000")],
)
def test_code_is_accepted_in_any_digits_and_with_any_space(
    page: Client,
    organiser: User,
    zero: str,
    space: str,
) -> None:
    code = code_now(app_set_up(page))
    digits = "".join(chr(ord(zero) + int(digit)) for digit in code)
    client = Client()
    sign_in(client)
    give(client, f"{digits[:3]}{space}{digits[3:]}")
    assert signed_in(client) == organiser.pk


def test_codes_cannot_be_guessed(page: Client) -> None:
    key = app_set_up(page)
    client = Client()
    sign_in(client)
    for number in range(5):
        give(client, f"{number:06d}")
    refused = give(client, code_now(key))
    assert "Location" not in refused
    assert signed_in(client) is None


@pytest.mark.thorough
def test_recovery_codes_work_once(page: Client) -> None:
    app_set_up(page)
    codes = recovery_codes(page)
    assert len(set(codes)) == 10
    client = Client()
    sign_in(client)
    assert give(client, codes[0])["Location"] == "/"
    other = Client()
    sign_in(other)
    assert "Location" not in give(other, codes[0])
    page.post("/account/second-factors/codes/new/")
    assert "Location" not in give(other, codes[1])
    assert give(other, recovery_codes(page)[0])["Location"] == "/"


def test_the_database_does_not_tell_keys(page: Client, settings: Settings) -> None:
    key = app_set_up(page)
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert key not in stored
    assert not [code for code in recovery_codes(page) if code in stored]
    settings.SECRET_KEY = "another"
    client = Client()
    sign_in(client)
    assert give(client, code_now(key)).status_code == 200
    assert signed_in(client) is None


@pytest.mark.parametrize("way", ["invitation", "organiser_link"])
def test_a_link_does_not_stand_in_for_it(
    page: Client,
    organiser: User,
    campaign: Campaign,
    way: str,
) -> None:
    key = app_set_up(page)
    client = Client()
    if way == "invitation":
        _link, token = invitation_create(
            campaign=campaign,
            user=organiser,
            role=InvitationRole.ORGANISER,
        )
        asked = client.post(f"/i/{token}/")
    else:
        organiser.refresh_from_db()
        entered = {"name": "Olga", "email": EMAIL, "password": NEW}
        asked = client.post(
            f"/i/{account_link_create(user=organiser)}/account/",
            entered,
        )
    assert asked["Location"] == ASKS
    assert signed_in(client) is None
    leads_to = f"/campaigns/{campaign.slug}/" if way == "invitation" else "/"
    assert give(client, code_now(key))["Location"] == leads_to


def test_removing_the_second_factor_removes_recovery_codes(page: Client) -> None:
    app_set_up(page)
    assert page.get("/account/second-factors/app/remove/").status_code == 200
    assert Authenticator.objects.exists()
    page.post("/account/second-factors/app/remove/")
    assert not Authenticator.objects.exists()
    assert sign_in(Client())["Location"] == "/"


def test_passkey_of_another_user_cannot_be_removed(
    page: Client,
    campaign: Campaign,
) -> None:
    other = make_organiser(campaign, "other@example.org")
    passkey = Authenticator.objects.create(
        user=other,
        type="webauthn",
        data={"name": "x"},
    )
    assert (
        page.post(f"/account/second-factors/passkeys/{passkey.pk}/").status_code == 404
    )
    assert Authenticator.objects.filter(pk=passkey.pk).exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "credential",
    ["", "{}", "[]", "null", "7", '{"response": {"userHandle": 7}}', "not json"],
)
@pytest.mark.parametrize(
    "address",
    ["/sign-in/passkey/", "/account/second-factors/passkeys/new/"],
)
def test_nonsense_instead_of_a_passkey_is_refused(
    page: Client,
    address: str,
    credential: str,
) -> None:
    client = page if address.startswith("/account") else Client()
    client.get(address, headers={"accept": "application/json"})
    answer = client.post(address, {"credential": credential})
    assert answer.status_code in {200, 302}
    assert not Authenticator.objects.exists()
    if client is not page:
        assert signed_in(client) is None


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("remove_second_factors", *arguments, stdout=out)
    return out.getvalue()


def test_command_resets_a_lost_second_factor(page: Client, organiser: User) -> None:
    assert "no second factor" in said(EMAIL)
    app_set_up(page)
    assert "No changes made" in said(EMAIL)
    assert Authenticator.objects.count() == 2
    assert "Browsers signed out: 1." in said(EMAIL, "--yes")
    assert not Authenticator.objects.exists()
    assert not Session.objects.filter(user=organiser).exists()
    assert sign_in(Client())["Location"] == "/"
    with pytest.raises(CommandError, match="No user"):
        said("nobody@example.org")


class TestDemanded:
    """An installation demands one of whoever organises."""

    @pytest.fixture(autouse=True)
    def demanded(self, settings: Settings) -> None:
        settings.SECOND_FACTOR_DEMANDED = True

    def test_they_set_one_up_before_anything_else(
        self,
        page: Client,
        campaign: Campaign,
    ) -> None:
        for address in (
            f"/campaigns/{campaign.slug}/",
            "/",
            "/credentials/",
            "/campaigns/",
        ):
            assert page.get(address)["Location"] == "/account/second-factors/"
        refused = page.get("/api/v1/campaigns/")
        assert refused.status_code == 403
        assert "two-factor authentication" in refused.json()["detail"]
        assert (
            "requires two-factor authentication"
            in page.get("/account/second-factors/").content.decode()
        )
        app_set_up(page)
        assert page.get(f"/campaigns/{campaign.slug}/").status_code == 200
        assert page.get("/api/v1/campaigns/").status_code == 200

    def test_they_can_sign_out_and_programs_go_on(
        self,
        page: Client,
        organiser: User,
    ) -> None:
        _token, text = token_create(user=organiser)
        api = Client(headers={"Authorization": f"Token {text}"})
        assert api.get("/api/v1/campaigns/").status_code == 200
        assert page.post("/sign-out/")["Location"] == "/sign-in/"

    def test_the_last_one_stays(self, page: Client, organiser: User) -> None:
        app_set_up(page)
        refused = page.get("/account/second-factors/app/remove/").content.decode()
        assert "Add another factor" in refused
        page.post("/account/second-factors/app/remove/")
        assert Authenticator.objects.filter(type="totp").exists()
        Authenticator.objects.filter(type="totp").delete()
        passkey = Authenticator.objects.create(
            user=organiser,
            type="webauthn",
            data={"name": "Key"},
        )
        address = f"/account/second-factors/passkeys/{passkey.pk}/"
        assert page.post(address)["Location"] == "/account/second-factors/"
        assert Authenticator.objects.filter(pk=passkey.pk).exists()
        Authenticator.objects.create(
            user=organiser,
            type="webauthn",
            data={"name": "Other"},
        )
        page.post(address)
        assert not Authenticator.objects.filter(pk=passkey.pk).exists()
