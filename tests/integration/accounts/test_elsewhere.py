"""Signing in by OpenID Connect, at a provider that answers over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.test import Client
from pytest_django.fixtures import Settings

from campaign.models import Campaign, MembershipRole, User
from campaign.services.members import member_add_by_email
from tests.integration.accounts.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider
from tests.integration.accounts.people import (
    EMAIL,
    RIGHT,
    app_set_up,
    sign_in,
    signed_in,
)
from tests.one_time_codes import code_now

pytestmark = pytest.mark.django_db
BACK = "/sign-in/elsewhere/back/"
OLGA = {
    "sub": "1234",
    "email": "Organiser@Example.org",
    "email_verified": True,
    "name": "Olga",
}


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    provider = Provider(userinfo=dict(OLGA))
    provider.start()
    settings.OIDC_ISSUER = provider.issuer
    settings.OIDC_NAME = "the university"
    app = {
        "provider_id": "oidc",
        "name": "the university",
        "client_id": CLIENT_ID,
        "secret": CLIENT_SECRET,
        "settings": {"server_url": provider.issuer},
    }
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True},
    }
    yield provider
    provider.stop()


def come(client: Client, provider: Provider, going_to: str = "") -> Any:
    """Sign in there and come back; return our answer."""
    sent = client.get("/sign-in/elsewhere/", {"next": going_to} if going_to else {})
    assert sent["Location"].startswith(f"{provider.issuer}/authorize?")
    return client.get(f"{BACK}?{provider.approve(sent['Location'])}")


def test_account_with_the_verified_address_signs_in(
    client: Client,
    organiser: User,
    provider: Provider,
) -> None:
    assert come(client, provider, "/credentials/")["Location"] == "/credentials/"
    assert signed_in(client) == organiser.pk
    organiser.refresh_from_db()
    assert (organiser.email, organiser.name) == (EMAIL, "Olga")
    assert organiser.check_password(RIGHT)
    assert not SocialToken.objects.exists()


@pytest.mark.thorough
def test_from_then_on_the_providers_name_for_them_counts(
    organiser: User,
    provider: Provider,
) -> None:
    come(Client(), provider)
    provider.userinfo = {"sub": "1234"}
    client = Client()
    come(client, provider)
    assert signed_in(client) == organiser.pk
    # Their address may become somebody else's over there; here it is still theirs.
    User.objects.filter(pk=organiser.pk).update(email="olga@example.org")
    provider.userinfo = {**OLGA, "sub": "999"}
    other = Client()
    assert come(other, provider).status_code == 403
    assert signed_in(other) is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "said",
    [
        {"sub": "1", "email": "stranger@example.org", "email_verified": True},
        {"sub": "1", "email": EMAIL, "email_verified": False},
        {"sub": "1", "email": EMAIL, "email_verified": "false"},
        {"sub": "1", "email": EMAIL},
        {"sub": "1"},
    ],
)
def test_unknown_addresses_can_neither_sign_in_nor_sign_up(
    client: Client,
    organiser: User,
    provider: Provider,
    said: dict[str, Any],
) -> None:
    provider.userinfo = said
    refused = come(client, provider)
    assert refused.status_code == 403
    assert "by invitation" in refused.content.decode()
    assert signed_in(client) is None
    assert User.objects.count() == 1
    assert not SocialAccount.objects.exists()


def test_invited_user_signs_in(
    client: Client,
    campaign: Campaign,
    provider: Provider,
) -> None:
    provider.userinfo = {
        "sub": "7",
        "email": "nina@example.org",
        "email_verified": True,
    }
    assert come(Client(), provider).status_code == 403
    member = member_add_by_email(
        campaign=campaign,
        email="nina@example.org",
        name="Nina",
        role=MembershipRole.ORGANISER,
    )
    come(client, provider)
    assert signed_in(client) == member.user_id
    assert client.get(f"/campaigns/{campaign.slug}/").status_code == 200


def test_deactivated_user_cannot_sign_in(
    client: Client,
    organiser: User,
    provider: Provider,
) -> None:
    come(Client(), provider)
    User.objects.update(is_active=False)
    assert come(client, provider).status_code == 403
    assert signed_in(client) is None


@pytest.mark.thorough
def test_a_second_factor_is_asked_for_all_the_same(
    page: Client,
    organiser: User,
    provider: Provider,
) -> None:
    key = app_set_up(page)
    client = Client()
    assert come(client, provider)["Location"] == "/sign-in/second-factor/"
    assert signed_in(client) is None
    client.post("/sign-in/second-factor/", {"code": code_now(key)})
    assert signed_in(client) == organiser.pk


def test_an_answer_is_for_the_browser_that_asked_and_for_once(
    client: Client,
    organiser: User,
    provider: Provider,
) -> None:
    sent = client.get("/sign-in/elsewhere/")
    back = f"{BACK}?{provider.approve(sent['Location'])}"
    stranger = Client()
    assert stranger.get(back).status_code == 401
    assert signed_in(stranger) is None
    client.get(back)
    assert signed_in(client) == organiser.pk
    client.post("/sign-out/")
    assert client.get(back).status_code == 401
    assert client.get(BACK).status_code == 401


def test_redirects_stay_on_the_host(
    client: Client,
    organiser: User,
    provider: Provider,
) -> None:
    assert come(client, provider, "https://evil.example.org/")["Location"] == "/"


@pytest.mark.parametrize("part", ["/.well-known", "/token", "/userinfo"])
def test_invalid_answer_of_a_provider_shows_an_error(
    client: Client,
    organiser: User,
    provider: Provider,
    part: str,
) -> None:
    if part != "/.well-known":
        sent = client.get("/sign-in/elsewhere/")["Location"]
        provider.broken = part
        answer = client.get(f"{BACK}?{provider.approve(sent)}")
    else:
        provider.broken = part
        answer = client.get("/sign-in/elsewhere/")
    assert answer.status_code in {401, 502}
    assert "Sign-in failed" in answer.content.decode()
    assert signed_in(client) is None
    assert sign_in(client).status_code == 302


def test_unreachable_provider_shows_an_error(
    client: Client,
    settings: Settings,
    provider: Provider,
) -> None:
    sent = client.get("/sign-in/elsewhere/")["Location"]
    back = f"{BACK}?{provider.approve(sent)}"
    away = {"server_url": "http://127.0.0.1:9"}
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"] = away
    assert client.get("/sign-in/elsewhere/").status_code == 502
    assert client.get(back).status_code == 502
