"""The first organiser comes by a link that works once; others choose a new password by one."""

from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection
from django.test import Client

from campaign.models import Judge, User
from campaign.selectors.credentials import organisers_of_quintet
from campaign.services.invitations import InvitationRefusedError
from campaign.services.own_account import (
    AccountRefusedError,
    account_link_create,
    account_set,
    first_organiser_link_create,
)
from tests.factories import make_campaign, make_organiser
from tests.integration.credentials.browsers import words

pytestmark = pytest.mark.django_db

HERE = {"base_url": "https://q.example", "language": "en"}
ENTERED = {"name": "Rosa", "email": "Rosa@Example.org", "password": "a long way home"}


def address(token: str) -> str:
    return f"/i/{token}/account/"


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("organiser_link", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue().strip()


def signed_in(client: Client) -> int | None:
    user = client.session.get("_auth_user_id")
    return int(user) if user else None


def test_the_first_organiser_enters_an_account_once_and_signs_in_with_it(
    client: Client,
) -> None:
    earlier, link = said(), said("--address", "https://q.example")
    assert earlier.startswith("http://127.0.0.1:8000/i/")
    assert link.startswith("https://q.example/i/")
    path = link.removeprefix("https://q.example")
    assert "Your account" in words(client.get(path))
    assert signed_in(client) is None
    assert client.post(path, ENTERED)["Location"] == "/"
    rosa = User.objects.get()
    assert (rosa.name, rosa.email, rosa.is_staff) == ("Rosa", "Rosa@example.org", True)
    assert signed_in(client) == rosa.pk
    assert "New campaign" in words(client.get("/", follow=True))
    assert "New campaign" in words(client.get("/campaigns/"))
    for used in (path, earlier.removeprefix("http://127.0.0.1:8000")):
        assert (
            Client().get(used).status_code
            == Client().post(used, ENTERED).status_code
            == 404
        )
    later = Client()
    later.post(
        "/sign-in/",
        {"login": "rosa@example.org", "password": ENTERED["password"]},
    )
    assert signed_in(later) == rosa.pk


def test_opening_the_link_needs_the_page_and_changes_nothing(client: Client) -> None:
    path = address(first_organiser_link_create())
    strict = Client(enforce_csrf_checks=True)
    assert [strict.head(path).status_code, strict.post(path, ENTERED).status_code] == [
        405,
        403,
    ]
    client.get(path)
    assert not organisers_of_quintet().exists()


def test_first_organiser_link_ends_once_an_organiser_exists() -> None:
    token = first_organiser_link_create()
    make_organiser(make_campaign())
    with pytest.raises(InvitationRefusedError):
        account_set(token=token, **ENTERED, **HERE)


def test_an_organiser_who_forgot_their_password_chooses_another(
    client: Client,
    organiser: User,
) -> None:
    path = said("ORGANISER@example.org").removeprefix("http://127.0.0.1:8000")
    assert 'value="organiser@example.org"' in client.get(path).content.decode()
    client.post(path, ENTERED | {"email": "organiser@example.org"})
    organiser.refresh_from_db()
    assert organiser.check_password(ENTERED["password"])
    assert not organiser.is_staff
    assert signed_in(client) == organiser.pk
    assert Client().get(path).status_code == 404


def test_a_link_for_a_new_password_ends_with_the_next_sign_in(organiser: User) -> None:
    path = address(account_link_create(user=organiser))
    sent = {"login": organiser.email or "", "password": "correct horse battery"}
    assert Client().post("/sign-in/", sent).status_code == 302
    assert Client().get(path).status_code == 404


def test_judges_and_those_who_left_get_no_password(
    judge: Judge,
    organiser: User,
) -> None:
    assert judge.user is not None
    with pytest.raises(AccountRefusedError, match="is not a member of any"):
        account_link_create(user=judge.user)
    token = account_link_create(user=organiser)
    organiser.is_active = False
    organiser.save()
    with pytest.raises(AccountRefusedError):
        account_link_create(user=organiser)
    with pytest.raises(InvitationRefusedError):
        account_set(token=token, **ENTERED, **HERE)


@pytest.mark.django_db(transaction=True)
def test_first_organiser_link_works_once_for_two_simultaneous_visitors() -> None:
    token = first_organiser_link_create()

    def enter(name: str) -> Any:
        try:
            return account_set(
                token=token,
                name=name,
                email=f"{name}@example.org",
                password="a long way home",
                **HERE,
            ).name
        except (InvitationRefusedError, ValidationError) as error:
            return type(error)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        came = list(pool.map(enter, ["rosa", "carl"]))
    assert came.count(InvitationRefusedError) == 1
    assert organisers_of_quintet().get().name in came
