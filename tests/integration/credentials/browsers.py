"""Browsers and programs that come in by a link or a token."""

import re
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.test import Client

from campaign.models import Judge, User
from campaign.services.api_tokens import token_create
from campaign.services.judges import judge_link_create

OWN = "/credentials/"
PEOPLE = "/campaigns/museum/people/"
LISTED = "/api/v1/campaigns/"
LEND = "/api/v1/judging/assignments/"


def words(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def by_token(user: User) -> Client:
    _token, text = token_create(user=user)
    return Client(headers={"Authorization": f"Token {text}"})


def by_link(judge: Judge) -> tuple[Client, str]:
    """A browser that pressed the button of a link of this judge, and the link."""
    _link, token = judge_link_create(judge=judge)
    browser = Client(
        headers={"user-agent": "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0"},
    )
    assert browser.post(f"/i/{token}/").status_code == 302
    return browser, f"/i/{token}/"


def asks(client: Client) -> int:
    body = {"campaign": "museum"}
    status: int = client.post(LEND, body, content_type="application/json").status_code
    return status


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()
