"""No request crashes a page or the API, whatever it carries: every address, each method, several roles."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django import forms
from rest_framework.test import APIClient

from tests.permissions.addresses import ADDRESSES
from tests.permissions.table import REST, audiences
from tests.permissions.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

CURSORS = [
    b64encode(text.encode()).decode()
    for text in (
        "p=2026-02-30",
        "p=\0",
        "p=" + "9" * 60,
        "o=" + "9" * 60,
        "r=x&o=-1",
        "p=infinity",
    )
]
"""Cursors that decode, and point at nothing."""
TEXTS = (
    "a\0b",
    "\r\nSet-Cookie: a=b",
    "\x1b[31m\x7f",
    "%00",
    "9" * 400,
    "-1",
    "1e999",
    "2026-02-30",
    "x" * 5_000,
    *CURSORS,
)
NUMBERS = ("0", "2147483648", "9223372036854775808", "9" * 60)
"""Numbers that no row has, some of them beyond 32 and 64 bits."""
NAMES = (
    *(
        "campaign",
        "cursor",
        "page_size",
        "until",
        "version",
        "format",
        "language",
        "seen",
        "before",
    ),
    # Of tables and their filters.
    *(
        "sort",
        "page",
        "from",
        "name",
        "flagged",
        "judge",
        "system",
        "segment",
        "document",
        "ties",
    ),
    *("min_seconds", "max_seconds", "comment", "reported"),
    *("next", "status", "lang", "participant", "PROLIFIC_PID", "SESSION_ID"),
)
"""What the views look for in an address."""
CLOSES_THE_SESSION = "sign-out/"
WRITING = ("POST", "PUT", "PATCH")
DEEP = {
    "arrays": "[" * 50_000 + "]" * 50_000,
    "objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "an array never closed": "[" * 50_000,
    "a field": '{"labels":' + "[" * 900 + "]" * 900 + "}",
    "surrogates": '{"campaign":"\\ud800","comment":"\\udfff","reason":"\\ud800","kind":"\\ud800"}',
    "no object": "17",
    "no text": "\xff\xfe",
}
"""JSON that nests deeper than Python's parser goes, or is none."""


Chosen = Callable[[Sequence[str], int], Sequence[str]]


def addresses_with_hostile_parts(
    world: World,
    route: str,
    number: int,
    chosen: Chosen,
) -> Iterator[str]:
    """Yield the route's address with each of its parts replaced by what no row has."""
    for begins, values in (("<int:", NUMBERS), (("<str:", "<slug:"), TEXTS[:5])):
        if not any(part.startswith(begins) for part in route.split("/")):
            continue
        for value in chosen(values, number):
            yield "/" + "/".join(
                quote(value, safe="")
                if part.startswith(begins)
                else world.fill(part)[1:]
                for part in route.split("/")
            )


def crash(client: APIClient, method: str, address: str, **sent: Any) -> list[str]:
    """Return the request in words if the server had no answer to it, else nothing."""
    response = client.generic(method, address, **sent)
    return [f"{response.status_code} {method} {address[:150]}"] * (
        response.status_code >= 500
    )


def form_fields(form: type[forms.BaseForm] = forms.BaseForm) -> set[str]:
    """Return the names of the fields of every form there is."""
    names = set(getattr(form, "base_fields", ()))
    return names.union(*(form_fields(each) for each in form.__subclasses__()))


class Senders:
    """Who sends what to which address: by `make test` those who may do something there, one of all there is.

    Others are refused before a view looks at anything; by `make test-thorough` each role sends everything all the same.
    """

    def __init__(self, world: World, *, everything: bool) -> None:
        self._everything = everything
        self._clients = {
            role: world.client(role) for role in ("visitor", "judge", "organiser")
        }
        for client in self._clients.values():
            client.raise_request_exception = False

    def of(self, route: str) -> list[APIClient]:
        """Return the clients that ask this address; an organiser where none of them may do anything."""
        if self._everything:
            return list(self._clients.values())
        over_rest = route.startswith(REST)
        admitted = [
            client
            for role, client in self._clients.items()
            if role != "visitor"
            and any(
                who.has(role, over_rest=over_rest) for who in audiences(route).values()
            )
        ]
        return admitted or [self._clients["organiser"]]

    def chosen(self, values: Sequence[str], number: int) -> Sequence[str]:
        """Choose what an address is sent; the next one is sent others."""
        if self._everything:
            return values
        return [values[number % len(values)]]

    def writing(self, route: str) -> Sequence[str]:
        """Return the methods by which an address is sent something; POST where it takes nothing."""
        if self._everything:
            return WRITING
        return [method for method in WRITING if method in audiences(route)] or ["POST"]


@pytest.fixture(params=(pytest.param("all", marks=pytest.mark.thorough), "some"))
def senders(request: pytest.FixtureRequest, world: World) -> Senders:
    return Senders(world, everything=request.param == "all")


def test_no_part_of_an_address_crashes(world: World, senders: Senders) -> None:
    crashes = [
        found
        for number, route in enumerate(ADDRESSES)
        for address in addresses_with_hostile_parts(
            world,
            route,
            number,
            senders.chosen,
        )
        for client in senders.of(route)
        for found in crash(client, "GET", address)
    ]
    assert crashes == []


def test_no_query_crashes(world: World, senders: Senders) -> None:
    crashes = [
        found
        for number, route in enumerate(ADDRESSES)
        for text in senders.chosen(TEXTS, number)
        for client in senders.of(route)
        for found in crash(
            client,
            "GET",
            f"{world.fill(route)}?{urlencode(dict.fromkeys(NAMES, text))}",
        )
    ]
    assert crashes == []


def test_no_form_crashes(world: World, senders: Senders) -> None:
    names = sorted({*form_fields(), *NAMES})
    assert "password" in names
    crashes = [
        found
        for number, route in enumerate(ADDRESSES)
        if route != CLOSES_THE_SESSION
        for text in senders.chosen(TEXTS[:8], number)
        for client in senders.of(route)
        for found in crash(
            client,
            "POST",
            world.fill(route),
            data=urlencode(dict.fromkeys(names, text)),
            content_type="application/x-www-form-urlencoded",
        )
    ]
    assert crashes == []


def test_no_json_crashes(world: World, senders: Senders) -> None:
    crashes = [
        found
        for number, route in enumerate(ADDRESSES)
        if route != CLOSES_THE_SESSION
        for method in senders.writing(route)
        for kind in senders.chosen(tuple(DEEP), number)
        for client in senders.of(route)
        for found in crash(
            client,
            method,
            world.fill(route),
            data=DEEP[kind],
            content_type="application/json",
        )
    ]
    assert crashes == []
