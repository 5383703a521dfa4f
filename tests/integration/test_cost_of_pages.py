"""What pages and addresses of the API cost with fifty times as many judgments: as many queries, as few rows.

Each address of the project as each role, in a test set of 600 blocks and in one of thousands. PostgreSQL counts what
a request reads of each table and index, exactly, so that a scan of what grows is seen whatever it is called.
"""

from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from annotation.selectors import words_to_read
from campaign.models import Session
from campaign.models.user import session_key_digest
from tests.filled_world import Cost, FilledWorld, costs, filled_world
from tests.filling import Filling
from tests.permissions.addresses import ADDRESSES
from tests.roles import owner_cursor

pytestmark = [
    pytest.mark.usefixtures("no_dead_rows", "as_owner", "db"),
    pytest.mark.thorough,
]

FEW = 600
JUDGES = 12
GROWING = {
    *(
        "annotation_hit",
        "annotation_block",
        "annotation_assignment",
        "annotation_exposure",
    ),
    *("annotation_judgment", "annotation_judgmentnumber", "annotation_skip"),
    *("annotation_problemreport", "annotation_uncountedanswer"),
}
# A page has a hundred rows; each may be looked up in an index of three levels.
ROWS, BLOCKS = 400, 700

_SYSTEM = "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/"
# What grows all the same, by role and address, and why. docs/scale.md has them too.
_WITHDRAWAL = {
    *(
        "annotation_block",
        "annotation_hit",
        "annotation_judgment",
        "annotation_judgmentnumber",
    ),
}
KNOWN = {
    ("judge", "judge/<slug:slug>/test-sets/"): {
        # Up to the number of segments, then no more.
        "annotation_exposure",
    },
    # What withdrawing a system would do now is counted: everything that shows it.
    ("organiser", f"{_SYSTEM}withdraw/"): _WITHDRAWAL,
    ("analyst", f"{_SYSTEM}withdraw/"): _WITHDRAWAL,
}
_EXPORTS = {"annotation_skip", "annotation_block", "annotation_hit"}
# What may grow, by address.
COUNTED = {
    "campaigns/<slug:slug>/tasks/<int:task_id>/skips/": {"annotation_skip"},
    # They count skips, and look for the block with most systems.
    "campaigns/<slug:slug>/tasks/<int:task_id>/exports/": _EXPORTS,
    "api/v1/tasks/<int:task_id>/exports/kinds/": _EXPORTS,
    # The preview has tests of each pair's own comparisons, which need all judgments.
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/": GROWING,
}
# Files of everything there is. What is kept about a judge is read in portions: each four queries.
FILES = ("judge/<slug:slug>/data.zip", "api/v1/judging/data/")
# What these write, and read for it: tests/integration/annotation/test_lending_cost.py and test_statements.py.
WRITES = ("<uuid:client_id>", "judging/assignments/")


# Small tables PostgreSQL reads whole, because that is faster; how it reads large ones is the question.
AS_FOR_LARGE_TABLES = [
    f"SET LOCAL enable_{each} = off"
    for each in ("seqscan", "bitmapscan", "hashjoin", "mergejoin")
]


@pytest.fixture
def no_dead_rows(django_db_setup: None) -> None:
    """Without what earlier tests rolled back: scans pass it, and plans depend on how much there is."""
    with owner_cursor() as cursor:
        cursor.execute("VACUUM")


def world_of(blocks: int, *, planned: list[str], further: int = 0) -> FilledWorld:
    filling = Filling(blocks=blocks, judges=JUDGES + further)
    world = filled_world(f"blocks-{blocks}", filling, further=further)
    with connection.cursor() as cursor:
        for statement in ["ANALYZE", *planned]:
            cursor.execute(statement)
    return world


class Visitors:
    """One of each role, who signed in to a world; whatever they open, they have opened nothing before."""

    def __init__(self, world: FilledWorld) -> None:
        self._world = world
        self._cookies, self._sessions = {}, {}
        for role, user in world.users.items():
            client = APIClient()
            client.force_login(user)
            self._cookies[role] = client.cookies.output(header="", sep=";")
            digest = session_key_digest(client.session.session_key or "")
            self._sessions[role] = Session.objects.get(pk=digest)

    def status(self, role: str, route: str) -> int:
        """Open the page; return the status of the answer."""
        return self._opened(self._visitor(role), route)

    def answer(self, role: str, route: str) -> tuple[int, Cost]:
        """Open the page; return the status of the answer, and what it cost."""
        visitor = self._visitor(role)
        with costs() as cost:
            status = self._opened(visitor, route)
        return status, cost

    def _visitor(self, role: str) -> APIClient:
        self._sessions[role].save()
        client = APIClient()
        client.cookies.load(self._cookies[role])
        return client

    def _opened(self, client: Any, route: str) -> int:
        asked = {"campaign": self._world.campaign.slug} if "judging" in route else {}
        response = client.get(self._world.address(route), asked)
        _body = b"".join(response) if response.streaming else response.content
        return int(response.status_code)


@pytest.mark.parametrize(
    ("many", "planned"),
    [
        (6_000, AS_FOR_LARGE_TABLES),
        pytest.param(
            30_000,
            [],
            marks=pytest.mark.thorough,
            id="as PostgreSQL plans by itself",
        ),
    ],
)
def test_pages_cost_the_same_with_few_judgments_and_with_many(
    many: int,
    planned: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The page of a design reads so many of the latest judgments: here fewer than there are few.
    monkeypatch.setattr(words_to_read, "MOST_MEASURED", FEW // 2)
    world = world_of(FEW, planned=planned)
    routes = [
        route
        for route in ADDRESSES
        if not any(part in route for part in (*FILES, *WRITES))
    ]
    # Organisers and analysts read by the same code: every other page is one's, unless all of them are asked for.
    others = {0: "analyst", 1: "organiser"} if planned else {}
    places = [
        (role, route)
        for number, route in enumerate(routes)
        for role in world.users
        if role != others.get(number % 2)
    ]
    visitors = Visitors(world)
    # The first request also prepares statements.
    shown = [place for place in places if visitors.status(*place) == 200]
    assert len(shown) > 70
    few = {place: visitors.answer(*place) for place in shown}
    # With a judge more, too, and two of whatever else is listed.
    visitors = Visitors(world_of(many, planned=planned, further=1))
    found = {place: visitors.answer(*place) for place in shown}
    assert {place for place in shown if found[place][0] != 200} == set()
    queries = {
        place: (few[place][1].queries, found[place][1].queries) for place in shown
    }
    assert {place: each for place, each in queries.items() if each[0] != each[1]} == {}
    read_more = {place: grown(few[place][1], found[place][1]) for place in shown}
    grows = {
        place: rest
        for place, tables in read_more.items()
        if (rest := tables - COUNTED.get(place[1], set()))
    }
    assert grows == {place: tables for place, tables in KNOWN.items() if place in shown}


def grown(few: Cost, many: Cost) -> set[str]:
    """Name the tables of which the second request read more than the first, beyond a page's rows."""
    tables = {
        table
        for (table, name), rows in many.rows.items()
        if rows > max(2 * few.rows.get((table, name), 0), ROWS)
    } | {
        table
        for (table, name), blocks in many.blocks.items()
        if blocks > max(2 * few.blocks.get((table, name), 0), BLOCKS)
    }
    return tables & GROWING
