"""A key of a body that is not described is refused, by every operation and in every object inside."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker
from rest_framework.test import APIClient

from campaign.api.problems import problem_type
from config.api.described_contract import operations_of
from tests.permissions.world import World, make_world
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

WRONG: Final = "no_such_key"
#: Bodies that have no keys: bytes, and a file that is refused by its own schema.
WITHOUT_KEYS: Final = {"uploads_send_part", "campaign_file_apply"}
#: What is counted of every request, also of those that are refused.
COUNTED: Final = ("campaign_requestcount", "django_session", "SAVEPOINT")


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with shared_rows(django_db_blocker, make_world) as made:
        yield made


def writing(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, method, operation in operations_of(schema)
        if method != "get" and operation["operationId"] not in WITHOUT_KEYS
    ]


def refused(world: World, path: str, method: str, body: Any, **how: Any) -> tuple[Any, list[str]]:
    client: APIClient = world.client("judge" if "/judging/" in path else "organiser")
    address = world.fill(path.lstrip("/")) if "<" in path else _filled(world, path)
    how = how or {"format": "json"}
    with CaptureQueriesContext(
        connection,
    ) as asked:
        answer = getattr(client, method)(address, body, **how)
    changed = [
        each["sql"]
        for each in asked.captured_queries
        if each["sql"].startswith(("INSERT", "UPDATE", "DELETE"))
        and not any(name in each["sql"] for name in COUNTED)
    ]
    return answer, changed


def _filled(world: World, path: str) -> str:
    ids = world.named_parts() | {name: str(world.task.pk) for name in ("client_id", "batch")}
    ids["client_id"] = ids["batch"] = "5f1c9d6e-8f0a-4b43-9d0a-3b7a1f4e2c11"
    return path.format_map(ids)


def example(schema: dict[str, Any], operation: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    contents = operation.get("requestBody", {}).get("content", {})
    if not contents:
        return "json", {}
    kind, body = next(iter(contents.items()))
    if kind != "application/json":
        return "multipart", {}
    value = next(iter(body["examples"].values()))["value"]
    return "json", dict(value)


def test_every_operation_refuses_a_misspelt_key(schema: dict[str, Any], world: World) -> None:
    wrong = []
    asked = writing(schema)
    assert len(asked) > 90
    for path, method, operation in asked:
        kind, body = example(schema, operation)
        answer, changed = refused(world, path, method, {**body, WRONG: "1"}, format=kind)
        told = answer.json()
        if (
            answer.status_code != 400
            or told["type"] != problem_type("unknown-field")
            or list(told["errors"]) != [WRONG]
            or not set(body) <= set(told["known"])
            or changed
        ):
            wrong.append((operation["operationId"], answer.status_code, told, changed))
    assert wrong == []


def test_an_operation_without_a_body_refuses_a_key_however_it_is_sent(world: World) -> None:
    path = f"/api/v1/tasks/{world.task.pk}/rankings/keep/"
    for how in (
        {"format": "json"},
        {"format": "multipart"},
        {"content_type": "application/x-www-form-urlencoded"},
    ):
        sent: Any = "wait=1" if "content_type" in how else {"wait": "1"}
        answer, changed = refused(world, path, "post", sent, **how)
        told = answer.json()
        assert (answer.status_code, list(told["errors"]), told["known"]) == (400, ["wait"], [])
        assert changed == []


@pytest.mark.parametrize(
    ("path", "method", "name"),
    [
        ("api/v1/campaigns/<slug:slug>/file/", "get", "people"),
        ("api/v1/campaigns/<slug:slug>/file/", "put", "check"),
        ("api/v1/tasks/<int:task_id>/", "delete", "confirm"),
    ],
)
def test_a_truth_in_an_address_is_read_strictly(
    world: World, path: str, method: str, name: str
) -> None:
    client: APIClient = world.client("organiser")
    how = {"content_type": "application/yaml"} if method == "put" else {}
    for said in ("yes", "", "2"):
        answer = getattr(client, method)(f"{world.fill(path)}?{name}={said}", **how)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [name])
