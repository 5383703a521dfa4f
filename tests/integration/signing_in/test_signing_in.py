"""Signing in with a password: who gets in, where to, and what stops those who guess."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from campaign.accounts.clients import COOKIE
from campaign.models import SignInCount, User
from campaign.tasks import clean_up
from tests.factories import make_campaign, make_organiser

pytestmark = pytest.mark.django_db

RIGHT = "correct horse battery"
EMAIL = "organiser@example.org"


@pytest.fixture(autouse=True)
def organiser() -> User:
    return make_organiser(make_campaign())


def sign_in(
    client: Client,
    password: str = RIGHT,
    email: str = EMAIL,
    **extra: str,
) -> Any:
    return client.post(
        "/sign-in/",
        {"login": email, "password": password},
        headers=extra,
    )


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_right_password_signs_in_and_opens_the_requested_page(
    client: Client,
) -> None:
    form = {
        "login": "ORGANISER@Example.org",
        "password": RIGHT,
        "next": "/campaigns/museum/",
    }
    response = client.post("/sign-in/", form)
    assert (response.status_code, response["Location"]) == (302, "/campaigns/museum/")
    assert is_signed_in(client)


def test_form_sent_after_the_end_of_the_session_is_said_not_to_be_saved(
    client: Client,
) -> None:
    """wagtail/wagtail 2199, anchor-cms 643, devilry-django 594: the entries were gone without a word."""
    form = {"language": "en", "text": "Read both texts."}
    shown = client.post("/campaigns/museum/instructions/", form, follow=True)
    assert shown.redirect_chain[-1][0].startswith("/sign-in/")
    assert "nothing was saved" in shown.content.decode()
    # Said once, and only about a form.
    shown = client.get("/campaigns/museum/instructions/", follow=True)
    assert "nothing was saved" not in shown.content.decode()


def test_redirects_stay_on_the_host(client: Client, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "other.example.org"]
    for elsewhere in (
        "https://evil.example.org/",
        "//evil.example.org",
        "http://other.example.org/",
    ):
        form = {"login": EMAIL, "password": RIGHT, "next": elsewhere}
        assert Client().post("/sign-in/", form)["Location"] == "/"


def test_wrong_password_shows_an_error(client: Client) -> None:
    response = sign_in(client, "wrong")
    assert response.status_code == 200
    assert b"Wrong e-mail address or password" in response.content
    assert not is_signed_in(client)


@pytest.mark.thorough
def test_the_right_password_is_refused_after_two_hundred_wrong_ones(
    client: Client,
) -> None:
    """From two hundred addresses; the sixth try is not even looked at."""
    for number in range(200):
        wrong = sign_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), f"wrong {number}")
        assert wrong.status_code == (200 if number < 5 else 429)
    response = sign_in(client)
    assert (response.status_code, response["Retry-After"]) == (429, "300")
    assert b"Too many wrong passwords" in response.content
    assert not is_signed_in(client)


@pytest.mark.thorough
def test_a_browser_of_their_own_stays_open_to_who_is_attacked(client: Client) -> None:
    sign_in(client)
    client.post("/sign-out/")
    for number in range(30):
        sign_in(Client(), f"wrong {number}")  # also from the same address
    assert sign_in(Client()).status_code == 429
    assert sign_in(client).status_code == 302
    assert is_signed_in(client)


def test_a_known_browser_cannot_guess_for_ever_either(client: Client) -> None:
    sign_in(client)
    client.post("/sign-out/")
    statuses = [sign_in(client, "wrong").status_code for _ in range(6)]
    assert statuses == [200] * 5 + [429]


def test_the_cookie_of_one_account_opens_nothing_of_another(client: Client) -> None:
    User.objects.create_user(name="Otto", email="otto@example.org", password=RIGHT)
    sign_in(client, email="otto@example.org")
    client.post("/sign-out/")
    for _ in range(5):
        sign_in(Client(REMOTE_ADDR="192.0.2.1"), "wrong")
    assert sign_in(client).status_code == 429


def test_a_forged_cookie_counts_for_nothing(client: Client) -> None:
    for _ in range(5):
        sign_in(Client(REMOTE_ADDR="192.0.2.1"), "wrong")
    client.cookies[COOKIE] = "WyJhIiwiYiJd:1vM:forged"
    assert sign_in(client).status_code == 429


@pytest.mark.thorough
def test_an_address_that_guesses_many_accounts_is_refused() -> None:
    guesses = [
        sign_in(Client(), "wrong", f"somebody{number}@example.org").status_code
        for number in range(12)
    ]
    assert guesses == [200] * 10 + [429] * 2


@pytest.mark.thorough
def test_limits_count_the_client_and_not_the_proxy(settings: Settings) -> None:
    settings.PROXIES = 1

    def guess(number: int, forwarded: str) -> Any:
        mail = f"somebody{number}@example.org"
        return sign_in(
            Client(),
            "wrong",
            mail,
            **{"X-Forwarded-For": forwarded},
        ).status_code

    # What stands before the proxy's own entry may be forged and changes nothing.
    one = [guess(number, f"203.0.113.{number}, 192.0.2.1") for number in range(11)]
    assert one == [200] * 10 + [429]
    assert guess(99, "192.0.2.2") == 200


def test_passwords_are_hashed_by_argon2id(organiser: User) -> None:
    assert organiser.password.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")


def test_counts_of_sign_ins_hold_no_names_and_expire() -> None:
    sign_in(Client(REMOTE_ADDR="192.0.2.77"), "wrong")
    kept = list(SignInCount.objects.values_list("cache_key", flat=True))
    assert kept
    assert all(len(key) == 64 and set(key) <= set("0123456789abcdef") for key in kept)
    cache.set("lasting", "x", 4000)
    SignInCount.objects.filter(cache_key__in=kept).update(expires=timezone.now())
    clean_up()
    assert SignInCount.objects.count() == 1
