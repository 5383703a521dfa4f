"""A session has a column for its user, copied from its signed data."""

import pytest
from django.conf import settings
from django.contrib import auth
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.test import Client, RequestFactory

from campaign.accounts.sessions import SessionStore
from campaign.models import Session, User

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def user() -> User:
    return User.objects.create_user(
        name="Olga",
        email="olga@example.org",
        password="a long one",
    )


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


def test_session_without_user_belongs_to_no_one(client: Client) -> None:
    store = SessionStore()
    store["interface_language"] = "de"
    store.save()
    assert Session.objects.get().user is None
    request = request_with(store.session_key)
    assert isinstance(auth.get_user(request), AnonymousUser)
    assert request.session["interface_language"] == "de"
    assert isinstance(auth.get_user(request_with(None)), AnonymousUser)
    assert isinstance(auth.get_user(request_with("never-seen-before")), AnonymousUser)


def test_the_signed_data_says_whose_it_is_not_the_column(
    signed_in: Client,
    user: User,
) -> None:
    other = User.objects.create_user(name="Otto")
    # Or the hash of the password in the session would tell them apart as well.
    User.objects.update(password=user.password)
    Session.objects.update(user=other)
    assert auth.get_user(request_with(key_of(signed_in))) == user
    Session.objects.update(user=None)
    assert auth.get_user(request_with(key_of(signed_in))) == user
    Session.objects.update(user=user, session_data="forged")
    assert isinstance(auth.get_user(request_with(key_of(signed_in))), AnonymousUser)


def test_signing_in_changes_the_key_and_notes_the_user(
    client: Client,
    user: User,
) -> None:
    store = SessionStore()
    store["interface_language"] = "de"
    store.save()
    request = request_with(store.session_key)
    assert isinstance(auth.get_user(request), AnonymousUser)
    auth.login(request, user, backend=BACKEND)
    request.session.save()
    [row] = Session.objects.all()
    assert row.session_key != store.session_key
    assert row.user == user
    assert row.get_decoded()["interface_language"] == "de"


def test_another_user_in_the_same_browser_takes_nothing_over(
    signed_in: Client,
    user: User,
) -> None:
    other = User.objects.create_user(name="Otto")
    request = request_with(key_of(signed_in))
    request.session["of"] = "Olga"
    auth.login(request, other, backend=BACKEND)
    request.session.save()
    assert auth.get_user(request) == other
    [row] = Session.objects.all()
    assert (row.user, "of" in row.get_decoded()) == (other, False)
    auth.logout(request)
    assert isinstance(auth.get_user(request), AnonymousUser)
    assert not Session.objects.exists()
