"""What the tests of accounts share: signing in, messages with links, an authenticator app."""

import re
from typing import Any

from django.core import mail
from django.core.cache import cache
from django.test import Client

from campaign.services.mails import mails_send_due
from tests.one_time_codes import code_now

EMAIL = "organiser@example.org"
RIGHT = "correct horse battery"
NEW = "a long way home"


def sign_in(client: Client, password: str = RIGHT, email: str = EMAIL) -> Any:
    return client.post("/sign-in/", {"login": email, "password": password})


def signed_in(client: Client) -> int | None:
    user = client.session.get("_auth_user_id")
    return int(user) if user else None


def link_of_message(number: int = -1) -> str:
    """Send what is due and return the path of the link of a message."""
    mails_send_due()
    found = re.search(r"https?://[^/]+(/i/\S+)", str(mail.outbox[number].body))
    assert found is not None
    return found[1]


def app_set_up(client: Client) -> str:
    """Set up an authenticator app; return its key. The code that activated it can be used again."""
    shown = client.get("/account/second-factors/app/").content.decode()
    found = re.search(r'id="totp-key" dir="ltr">([A-Z2-7]+)<', shown)
    assert found is not None
    answer = client.post("/account/second-factors/app/", {"code": code_now(found[1])})
    assert answer["Location"] == "/account/second-factors/codes/"
    cache.clear()
    return found[1]


def recovery_codes(client: Client) -> list[str]:
    return (
        client.get("/account/second-factors/codes/download/").content.decode().split()
    )
