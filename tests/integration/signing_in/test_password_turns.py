"""One password at a time in a process, and an answer at once for everybody else."""

from collections.abc import Iterator
from contextlib import ExitStack
from threading import Barrier, Event, Thread

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password, make_password
from django.test import Client

from campaign.accounts import password_turns
from campaign.accounts.password_turns import PasswordsBusyError, password_turn
from campaign.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def somebody_signs_in() -> Iterator[None]:
    """Hold the turn in another thread."""
    with ExitStack() as others:
        others.enter_context(_in_a_thread())
        yield


@pytest.fixture
def one_more_waits(somebody_signs_in: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep the place of the one who waits, too."""
    assert password_turns._places.acquire(blocking=False)
    yield
    password_turns._places.release()


class _in_a_thread:  # noqa: N801
    def __enter__(self) -> None:
        self.begun, self.done = Barrier(2), Event()
        self.thread = Thread(target=self._hold)
        self.thread.start()
        self.begun.wait(10)

    def __exit__(self, *error: object) -> None:
        self.done.set()
        self.thread.join(10)

    def _hold(self) -> None:
        with password_turn():
            self.begun.wait(10)
            self.done.wait(10)


def test_a_third_is_asked_to_try_again_at_once(
    client: Client,
    one_more_waits: None,
    django_assert_num_queries: pytest.FixtureRequest,
    caplog: pytest.LogCaptureFixture,
) -> None:
    form = {"login": "organiser@example.org", "password": "correct horse battery"}
    with django_assert_num_queries(0):  # type: ignore[operator]
        response = client.post("/sign-in/?next=/campaigns/", form)
    assert (response.status_code, response["Retry-After"]) == (503, "3")
    assert response["Cache-Control"] == "no-store"
    assert b"Try again in 3 seconds" in response.content
    assert b'href=""' in response.content  # this very address, with its next=
    assert b"correct horse" not in response.content
    assert not caplog.records  # or a flood would fill the log


def test_who_waits_waits_no_longer_than_a_moment(
    somebody_signs_in: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(password_turns, "WAIT_SECONDS", 0.01)
    with pytest.raises(PasswordsBusyError), password_turn():
        pass
    assert password_turns._places.acquire(blocking=False)  # the place is given back
    password_turns._places.release()


@pytest.mark.parametrize("encoded", ["argon2", "pbkdf2"])
def test_whatever_checks_a_password_waits_for_its_turn(
    encoded: str, request: pytest.FixtureRequest
) -> None:
    stored = (
        make_password("right")
        if encoded == "argon2"
        else PBKDF2PasswordHasher().encode("right", "salt", 1)
    )
    assert check_password("right", stored)
    request.getfixturevalue("one_more_waits")
    with pytest.raises(PasswordsBusyError):
        check_password("right", stored)
    with pytest.raises(PasswordsBusyError):
        User(name="Olga").set_password("right")


def test_a_turn_is_given_back_after_an_error() -> None:
    with pytest.raises(ValueError, match="broken"), password_turn():
        raise ValueError("broken")
    with password_turn(), password_turn():  # and within a turn there is no second wait
        pass
