"""A link has a button, which alone signs in."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from campaign.models import Judge, Session, User
from campaign.services.people import judge_link_create
from tests.integration.credentials.browsers import words

pytestmark = pytest.mark.django_db


def test_only_the_button_signs_in_and_it_needs_this_page(judge: Judge) -> None:
    _link, token = judge_link_create(judge=judge)
    strict = Client(enforce_csrf_checks=True)
    refusals: list[Callable[..., Any]] = [strict.head, strict.options, strict.post, strict.put]
    assert [ask(f"/i/{token}/").status_code for ask in refusals] == [405, 405, 403, 403]
    page = strict.get(f"/i/{token}/")
    assert page.status_code == 200
    assert re.search(r"autofocus>Begin judging as judge01</button>", page.content.decode())
    assert not Session.objects.exists()
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.content.decode())
    assert found is not None
    sent = {"csrfmiddlewaretoken": found[1]}
    assert strict.post(f"/i/{token}/", sent)["Location"] == "/judge/museum/"
    assert strict.get(f"/i/{token}/")["Location"] == "/judge/museum/"


def test_the_link_of_somebody_else_says_so_before_it_signs_in(
    page: Client, organiser: User, judge: Judge
) -> None:
    _link, token = judge_link_create(judge=judge)
    assert "You are signed in as Olga." in words(page.get(f"/i/{token}/"))
    assert int(page.session["_auth_user_id"]) == organiser.pk
