"""A session is read together with its user, and ends as Django's own do."""

from typing import Any

import pytest
from django.conf import settings
from django.contrib import auth
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.test import Client, RequestFactory
from pytest_django import DjangoAssertNumQueries

from campaign.accounts.sessions import SessionStore, session_user
from campaign.models import Session, User

pytestmark = pytest.mark.django_db
PROFILE = "/api/v1/campaigns/"
BACKEND = "campaign.accounts.backends.UserBackend"


@pytest.fixture
def user() -> User:
    return User.objects.create_user(name="Olga", email="olga@example.org", password="a long one")


@pytest.fixture
def signed_in(client: Client, user: User) -> Client:
    client.force_login(user)
    return client


def key_of(client: Client) -> str:
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def request_with(key: str | None) -> HttpRequest:
    request = RequestFactory().get("/")
    request.session = SessionStore(key)
    return request


def test_who_asks_is_read_with_the_session(
    signed_in: Client, user: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    request = request_with(key_of(signed_in))
    with django_assert_num_queries(1):
        found = session_user(request)
    assert isinstance(found, User)
    assert vars(found) | {"_state": None} == vars(User.objects.get()) | {"_state": None}
    assert found == auth.get_user(request) == user


def test_a_session_without_a_user_is_nobodys(client: Client) -> None:
    store = SessionStore()
    store["interface_language"] = "de"
    store.save()
    assert Session.objects.get().user is None
    request = request_with(store.session_key)
    assert isinstance(session_user(request), AnonymousUser)
    assert request.session["interface_language"] == "de"
    assert isinstance(session_user(request_with(None)), AnonymousUser)
    assert isinstance(session_user(request_with("never-seen-before")), AnonymousUser)


def test_the_signed_data_says_whose_it_is_not_the_column(signed_in: Client, user: User) -> None:
    other = User.objects.create_user(name="Otto")
    # Or the hash of the password in the session would tell them apart as well.
    User.objects.update(password=user.password)
    Session.objects.update(user=other)
    assert session_user(request_with(key_of(signed_in))) == user
    Session.objects.update(user=None)
    assert session_user(request_with(key_of(signed_in))) == user
    Session.objects.update(user=user, session_data="forged")
    assert isinstance(session_user(request_with(key_of(signed_in))), AnonymousUser)


@pytest.mark.parametrize("ended", ["password", "inactive", "backend", "no hash", "signed out"])
def test_a_session_ends_where_django_ends_it(signed_in: Client, user: User, ended: str) -> None:
    key = key_of(signed_in)
    store = SessionStore(key)
    if ended == "password":
        user.set_password("another one")
        user.save()
    elif ended == "inactive":
        User.objects.update(is_active=False)
    elif ended == "backend":
        store[auth.BACKEND_SESSION_KEY] = "elsewhere.Backend"
        store.save()
    elif ended == "no hash":
        del store[auth.HASH_SESSION_KEY]
        store.save()
    else:
        signed_in.post("/sign-out/")
    assert isinstance(session_user(request_with(key)), AnonymousUser)
    assert signed_in.get(PROFILE).status_code == 401


def test_a_session_signed_by_the_secret_key_before_this_one_goes_on(
    signed_in: Client, user: User, settings: Any
) -> None:
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "the new one"
    before = key_of(signed_in)
    request = request_with(before)
    assert session_user(request) == user
    request.session.save()
    # As Django has it: under a new key, with a hash by the new secret.
    assert request.session.session_key != before
    settings.SECRET_KEY_FALLBACKS = []
    assert session_user(request_with(request.session.session_key)) == user


def test_signing_in_changes_the_key_and_notes_the_user(client: Client, user: User) -> None:
    store = SessionStore()
    store["interface_language"] = "de"
    store.save()
    request = request_with(store.session_key)
    assert isinstance(session_user(request), AnonymousUser)
    auth.login(request, user, backend=BACKEND)
    request.session.save()
    [row] = Session.objects.all()
    assert row.session_key != store.session_key
    assert row.user == user
    assert row.get_decoded()["interface_language"] == "de"


def test_another_user_in_the_same_browser_takes_nothing_over(signed_in: Client, user: User) -> None:
    other = User.objects.create_user(name="Otto")
    request = request_with(key_of(signed_in))
    request.session["of"] = "Olga"
    auth.login(request, other, backend=BACKEND)
    request.session.save()
    assert session_user(request) == other
    [row] = Session.objects.all()
    assert (row.user, "of" in row.get_decoded()) == (other, False)
    auth.logout(request)
    assert isinstance(session_user(request), AnonymousUser)
    assert not Session.objects.exists()
