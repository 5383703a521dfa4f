"""What every address of the API keeps, whatever view stands there: from the registry of addresses."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from campaign.api.described import described_operations
from campaign.api.requests import problem_type
from tests.permissions.world import World
from tests.rest_operations import Address, addresses
from tests.some_now import some_now

pytestmark = pytest.mark.django_db

METHODS = ("get", "post", "put", "patch", "delete")


def described(address: Address) -> dict[str, frozenset[str] | None]:
    return {
        method.lower(): operation.parameters
        for method, operation in described_operations(
            address.route,
            address.view,
        ).items()
    }


def ask(
    world: World,
    address: Address,
    method: str,
    query: str = "",
    **headers: str,
) -> Any:
    client: APIClient = world.client("judge" if address.is_judging else "organiser")
    return whole(
        client.generic(
            method.upper(),
            world.fill(address.route) + query,
            "",
            "application/json",
            headers=headers,
        ),
    )


def whole(answer: Any) -> Any:
    """Read what is streamed: a cursor that is left open outlives the test's transaction, and another test fails."""
    if answer.streaming:
        b"".join(answer)
    return answer


def readable(world: World) -> list[Address]:
    """Return the addresses of JSON that answer an organiser with 200."""
    return [
        address
        for address in addresses()
        if not address.is_judging
        and "get" in described(address)
        and (answer := ask(world, address, "get")).status_code == 200
        and answer.headers["Content-Type"] == "application/json"
        and not answer.streaming
    ]


@pytest.mark.thorough
def test_a_parameter_that_is_not_described_is_refused_with_those_that_are(
    world: World,
) -> None:
    wrong = []
    for address in addresses():
        assert described(address), address.route
        for method, parameters in described(address).items():
            answer = ask(world, address, method, "?no_such_parameter=1")
            said = answer.json()
            if parameters is None:
                # Options of any name, which the view looks at.
                assert answer.status_code == 400, address.route
                assert "no_such_parameter" in said["errors"]
            elif (answer.status_code, said.get("type"), said.get("known")) != (
                400,
                problem_type("unknown-parameter"),
                sorted(parameters),
            ):
                wrong.append((address.route, method, answer.status_code, said))
    assert wrong == []


#: Not in pages: what the judging page reads whole, of one judge, and the same as organisers see it.
BARE = {
    "api/v1/judging/erasure/",
    "api/v1/judging/problem-reports/",
}


@pytest.mark.thorough
def test_every_list_comes_in_pages(world: World) -> None:
    bare, paged = set(), 0
    for address in addresses():
        if "get" not in described(address):
            continue
        answer = ask(
            world,
            address,
            "get",
            *(["?campaign=mine"] if address.is_judging else []),
        )
        if (
            answer.status_code != 200
            or answer.headers["Content-Type"] != "application/json"
        ):
            continue
        data = answer.json()
        if isinstance(data, list):
            bare.add(address.route)
        elif "results" in data:
            assert {"next", "previous"} <= set(data), address.route
            known = described(address)["get"] or frozenset()
            assert {"cursor", "page_size"} <= known, address.route
            paged += 1
    assert bare == BARE
    assert paged > 30


@pytest.mark.thorough
def test_pages_of_one_row_hold_every_row_once(world: World) -> None:
    """Forwards and back again, of every list: also of those that are computed."""
    several = 0
    for address in addresses():
        if "cursor" not in (described(address).get("get") or ()):
            continue
        whole = ask(world, address, "get").json()
        several += len(whole["results"]) > 1
        assert ask(world, address, "get", "?cursor=nonsense").status_code == 404, (
            address.route
        )
        found: list[Any] = []
        back, query = "", "?page_size=1"
        while query:
            page = ask(world, address, "get", query).json()
            found += page["results"]
            back, query = (
                page["previous"] or "",
                page["next"] and "?" + page["next"].partition("?")[2],
            )
        assert list(map(named, found)) == list(map(named, whole["results"])), (
            address.route
        )
        if len(found) > 1:
            before = ask(world, address, "get", "?" + back.partition("?")[2]).json()
            assert list(map(named, before["results"])) == [named(found[-2])], (
                address.route
            )
    assert several >= 10


def named(row: dict[str, Any]) -> Any:
    """Return what tells a row from others: some figures count seconds."""
    return next(
        (
            row[name]
            for name in ("id", "number", "slug", "name", "pseudonym")
            if name in row
        ),
        row,
    )


@pytest.mark.thorough
def test_responses_have_an_etag_and_unchanged_ones_are_not_resent(world: World) -> None:
    for address in readable(world):
        first = ask(world, address, "get")
        again = ask(world, address, "get", **{"If-None-Match": first.headers["ETag"]})
        # What counts the seconds that went by is another answer by then.
        if again.status_code == 304:
            assert again.content == b""
            assert again.headers["ETag"] == first.headers["ETag"]
        else:
            assert again.headers["ETag"] != first.headers["ETag"], address.route
    unchanged = ask(
        world,
        *(next(each for each in addresses() if each.route.endswith("systems/")), "get"),
    )
    assert unchanged.headers["ETag"]


@pytest.mark.thorough
@pytest.mark.parametrize("role", some_now(["visitor", "judge", "analyst", "organiser"]))
def test_every_error_is_a_problem_and_no_cache_keeps_an_answer(
    world: World,
    role: str,
) -> None:
    client = world.client(role)
    errors = set()
    for address in addresses():
        for method in (*METHODS, "options", "head"):
            answer = whole(
                client.generic(
                    method.upper(),
                    world.fill(address.route),
                    "[",
                    "application/json",
                ),
            )
            assert "Cache-Control" in answer.headers, address.route
            if answer.status_code < 400 or method == "head":
                continue
            errors.add(answer.status_code)
            assert answer.headers["Content-Type"] == "application/problem+json", (
                address.route
            )
            said = answer.json()
            assert said["status"] == answer.status_code
            assert (
                said["instance"] == world.fill(address.route)
                or "client_id" in address.route
                or "batch" in address.route
            )
            assert {"type", "title", "detail"} <= set(said)
    assert errors >= (
        {401} if role == "visitor" else {400, 405} if role == "organiser" else {405}
    )


def test_every_boolean_parameter_takes_the_documented_spellings(
    schema: dict[str, Any],
    world: World,
) -> None:
    """“True” is what Python's str() makes of a boolean."""
    client = world.client("organiser")
    answers: dict[str, dict[str, tuple[int, bytes]]] = {}
    for path, operations in schema["paths"].items():
        for parameter in operations.get("get", {}).get("parameters", ()):
            if parameter["in"] == "query" and parameter["schema"]["type"] == "boolean":
                name = parameter["name"]
                address = path.format_map(world.named_parts())
                answers[f"{path}?{name}"] = {
                    text: _answer_of(client.get(address, {name: text}))
                    for text in ("true", "True", "1", "false", "FALSE", "0", "x")
                }
    assert len(answers) > 5
    for asked, answer in answers.items():
        statuses = {text: status for text, (status, _content) in answer.items()}
        assert statuses == {**dict.fromkeys(statuses, 200), "x": 400}, asked
        assert answer["true"] == answer["True"] == answer["1"], asked
        assert answer["false"] == answer["FALSE"] == answer["0"], asked


def _answer_of(answer: Any) -> tuple[int, bytes]:
    return answer.status_code, answer.getvalue()
