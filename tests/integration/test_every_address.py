"""Who may open what: every address of the project, every role, two campaigns.

A new address fails the first test until it stands in `tests/permissions/addresses`.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.test import APIClient

from tests.permissions.addresses import ADDRESSES
from tests.permissions.addresses.answers import ROLES
from tests.permissions.requests import opening, sent_to
from tests.permissions.world import World

pytestmark = pytest.mark.django_db


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from _routes(pattern, route)


def test_every_address_stands_in_the_table() -> None:
    there = set(_routes(get_resolver()))
    missing = [
        f'    "{route}": MEMBERS_PAGE | sends(POST=ORGANISERS),'
        for route in there - set(ADDRESSES)
    ]
    assert not missing, (
        "Say who may in tests/permissions/addresses, one line each; then run the tests of tests/integration/test_permissions.py, "
        "which name who may what, and `.venv/bin/python -m tests.permissions > docs/permissions.md`:\n"
        + "\n".join(sorted(missing))
    )
    assert set(ADDRESSES) - there == set(), (
        "There are no such addresses any more: delete their lines."
    )


# “2:31 AM” and ISO 8601, without a time zone after them.
_CLOCK = re.compile(r"\d:\d\d\s[AP]M(?! UTC| AoE).{0,9}")
_ISO = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?!Z|[+-]\d\d:?\d\d|[\d:.])",
)
# The value of a field has no zone; the page names it beside the field.
_FIELD = re.compile(r'<input type="datetime-local"[^>]*>')


def times_without_zone(body: str) -> list[str]:
    """Return the times of a page or file whose time zone it does not name."""
    text = _FIELD.sub("", body)
    return _CLOCK.findall(text) + _ISO.findall(text)


#: Markup of `tests.permissions.features` that a browser would read as an element.
_RAW_MARKUP = "<qx"


@dataclass(frozen=True)
class Opened:
    """An answer to a role."""

    status: int
    body: str
    is_page: bool


def _open(world: World, client: APIClient, route: str) -> Opened:
    address, sent = world.fill(route), sent_to(world, route)
    if opening(route) == "GET":
        response = client.get(address, sent)
    else:
        response = getattr(client, opening(route).lower())(address, sent, format="json")
    body_bytes = b"".join(response) if response.streaming else response.content
    return Opened(
        status=response.status_code,
        # A bundle is no text.
        body=body_bytes.decode(errors="replace"),
        is_page=response.headers.get("Content-Type", "").startswith("text/html"),
    )


@pytest.mark.parametrize("role", ROLES)
def test_roles_see_what_the_table_allows_and_strangers_nothing(
    world: World,
    role: str,
) -> None:
    client = world.client(role)
    secrets = [
        "SECRET-NEWS",
        "secretron",
        "secret-judge",
        "SECRET-PANEL",
        "SECRET-FILE",
    ]
    secrets += ["SECRET-SNIPPET", "SECRET-STATEMENT", "SECRET-SPEECH", "SECRET-REMARK"]
    secrets += ["SECRET-CRITERION", "SECRET-CATEGORY", "SECRET-PAPERS"]
    secrets += ["secret-colleague"]
    if role == "judge":
        # Their own name, by which they ask the organisers for a link.
        secrets.remove("secret-judge")
    else:
        secrets += ["SECRET-WORDS", "SECRET-BOOKS"]
    found, leaks, unclear, raw = {}, [], [], []
    for route in ADDRESSES:
        opened = _open(world, client, route)
        body = opened.body
        found[route] = opened.status
        if opened.is_page and _RAW_MARKUP in body:
            raw.append(route)
        unclear += [(route, time) for time in times_without_zone(body)]
        if role not in {"organiser", "analyst"}:
            leaks += [(route, secret) for secret in secrets if secret in body]
    assert found == {route: answers[role] for route, answers in ADDRESSES.items()}
    assert leaks == []
    assert unclear == []
    assert raw == []


def test_a_token_opens_what_its_user_may_open_and_no_more(world: World) -> None:
    from campaign.services.api_tokens import token_create

    for role, status in (("analyst", 200), ("other organiser", 404)):
        user = world.users[role]
        assert user is not None
        _token, key = token_create(user=user)
        client = Client(headers={"Authorization": f"Token {key}"})
        latest = client.get(f"/api/v1/tasks/{world.task.pk}/rankings/latest/")
        assert latest.status_code == status


def test_csv_files_of_pages_begin_with_a_byte_order_mark(world: World) -> None:
    """Excel reads other files in the encoding of the machine; programs read the files of REST as they are."""
    files = {
        "campaigns/<slug:slug>/tasks/<int:task_id>/exports/": "?stream=1&kind=judges&file_format=csv",
    }
    for route in ADDRESSES:
        if opening(route) == "GET" and route.endswith((".csv", "ending>")):
            files[route] = ""
    begins = {}
    for route, query in files.items():
        client = world.client("judge" if route.startswith("judge/") else "organiser")
        ending = route.replace("<slug:ending>", "csv").replace("<str:ending>", "csv")
        response = client.get(world.fill(ending) + query)
        if response.headers["Content-Type"].startswith("text/csv"):
            content = b"".join(response) if response.streaming else response.content
            begins[route] = content.startswith(BOM_UTF8)
    assert begins == {route: not route.startswith("api/") for route in begins}
    assert len(begins) > 5
