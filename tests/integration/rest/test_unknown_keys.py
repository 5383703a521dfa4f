"""A key of a body that is not described is refused, by every operation and in every object inside."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from campaign.api.requests import problem_type
from config.api.description import operations_of
from tests.permissions.world import World

pytestmark = pytest.mark.django_db

WRONG: Final = "no_such_key"
#: Bodies that have no keys: bytes, and a file that is refused by its own schema.
WITHOUT_KEYS: Final = {"uploads_send_part", "campaign_file_apply"}
#: What is counted of every request, also of those that are refused.
COUNTED: Final = ("campaign_requestcount", "django_session", "SAVEPOINT")


def writing(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, method, operation in operations_of(schema)
        if method != "get" and operation["operationId"] not in WITHOUT_KEYS
    ]


def resolved(schema: dict[str, Any], described: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in described or len(described.get("allOf", ())) == 1:
        described = described["allOf"][0] if "allOf" in described else described
        if "$ref" in described:
            name = described["$ref"].rpartition("/")[2]
            described = schema["components"]["schemas"][name]
    return described


def misspelt(
    schema: dict[str, Any],
    described: dict[str, Any],
) -> Iterator[tuple[str, Any]]:
    """Yield a content for each object of a body, with a wrong key in it, and the key's place."""
    described = resolved(schema, described)
    if described.get("type") == "array":
        for place, content in misspelt(schema, described["items"]):
            yield f"0.{place}", [content]
    if "properties" in described:
        yield WRONG, {WRONG: 1}
    for name, inside in described.get("properties", {}).items():
        for place, content in misspelt(schema, inside):
            yield f"{name}.{place}", {name: content}
    others = described.get("additionalProperties")
    if isinstance(others, dict):
        for place, content in misspelt(schema, others):
            yield f"any.{place}", {"any": content}


def refused(
    world: World,
    path: str,
    method: str,
    body: Any,
    **how: Any,
) -> tuple[Any, list[str]]:
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
    ids = world.named_parts() | {
        name: str(world.task.pk) for name in ("client_id", "batch")
    }
    ids["client_id"] = ids["batch"] = "5f1c9d6e-8f0a-4b43-9d0a-3b7a1f4e2c11"
    return path.format_map(ids)


def test_every_operation_refuses_a_misspelt_key(
    schema: dict[str, Any],
    world: World,
) -> None:
    wrong = []
    asked = writing(schema)
    assert len(asked) > 90
    for path, method, operation in asked:
        contents = operation.get("requestBody", {}).get("content", {})
        kind = "json" if not contents or "application/json" in contents else "multipart"
        answer, changed = refused(world, path, method, {WRONG: "1"}, format=kind)
        told = answer.json()
        if (
            answer.status_code != 400
            or told["type"] != problem_type("unknown-field")
            or list(told["errors"]) != [WRONG]
            or changed
        ):
            wrong.append((operation["operationId"], answer.status_code, told, changed))
    assert wrong == []


def test_every_object_inside_a_body_refuses_a_misspelt_key(
    schema: dict[str, Any],
    world: World,
) -> None:
    wrong, places = [], set()
    for path, method, operation in writing(schema):
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            continue
        for place, body in misspelt(schema, content["application/json"]["schema"]):
            answer, changed = refused(world, path, method, body)
            told = answer.json()
            places.add(place)
            if answer.status_code != 400 or list(told["errors"]) != [place] or changed:
                wrong.append(
                    (
                        operation["operationId"],
                        place,
                        answer.status_code,
                        told,
                        changed,
                    ),
                )
    assert wrong == []
    assert "roles.any.no_such_key" in places


def test_an_operation_without_a_body_refuses_a_key_however_it_is_sent(
    world: World,
) -> None:
    path = f"/api/v1/tasks/{world.task.pk}/rankings/keep/"
    for how in (
        {"format": "json"},
        {"format": "multipart"},
        {"content_type": "application/x-www-form-urlencoded"},
    ):
        sent: Any = "wait=1" if "content_type" in how else {"wait": "1"}
        answer, changed = refused(world, path, "post", sent, **how)
        told = answer.json()
        assert (answer.status_code, list(told["errors"]), told["known"]) == (
            400,
            ["wait"],
            [],
        )
        assert changed == []


def test_the_closest_known_key_is_named(world: World) -> None:
    path = f"/api/v1/tasks/{world.task.pk}/rankings/"
    answer, _changed = refused(world, path, "post", {"optoins": {}})
    assert "“options”" in answer.json()["errors"]["optoins"][0]
    answer, _changed = refused(world, path, "post", {"method": "bradley_terry"})
    assert (answer.status_code, answer.json()["known"]) == (
        400,
        ["options", "watermark"],
    )


@pytest.mark.parametrize(
    ("path", "method", "body"),
    [
        ("tasks/{task_id}/rankings/", "post", {"options": {"metod": "x"}}),
        (
            "tasks/{task_id}/analyses/",
            "post",
            {"kind": "agreement", "options": {"metod": "x"}},
        ),
        ("campaigns/{slug}/tables/clusters/", "post", {"options": {"metod": "x"}}),
        ("tasks/{task_id}/", "patch", {"rules": {"metod": True}}),
    ],
)
def test_options_and_rules_refuse_a_misspelt_name(
    world: World,
    path: str,
    method: str,
    body: dict[str, Any],
) -> None:
    answer, changed = refused(world, f"/api/v1/{path}", method, body)
    assert answer.status_code == 400
    said = json.dumps(answer.json()["errors"], ensure_ascii=False)
    assert "metod" in said
    if "options" in body and not path.startswith("tasks/{task_id}/analyses"):
        assert "“method”" in said
    assert changed == []


def test_request_bodies_are_described_as_closed(schema: dict[str, Any]) -> None:
    open_bodies = [
        operation["operationId"]
        for _path, _method, operation in writing(schema)
        for body in operation.get("requestBody", {}).get("content", {}).values()
        if resolved(schema, body["schema"]).get("additionalProperties") is not False
    ]
    assert open_bodies == []


def test_an_answer_names_the_options_as_the_request_does(world: World) -> None:
    path = f"/api/v1/tasks/{world.task.pk}/rankings/"
    answer, _changed = refused(
        world,
        path,
        "post",
        {"options": {"method": "bradley_terry"}},
    )
    assert answer.json()["options"]["method"] == "bradley_terry"
    assert "choice" not in answer.json()


def test_a_table_answers_with_the_name_by_which_it_is_asked_for(world: World) -> None:
    path = world.fill("api/v1/campaigns/<slug:slug>/tables/clusters/")
    answer, _changed = refused(world, path, "post", {"options": {}})
    assert answer.json()["name"] == "clusters"
    assert "kind" not in answer.json()


@pytest.mark.parametrize(
    ("path", "method", "name"),
    [
        ("api/v1/campaigns/<slug:slug>/file/", "get", "people"),
        ("api/v1/campaigns/<slug:slug>/file/", "put", "check"),
        ("api/v1/tasks/<int:task_id>/", "delete", "confirm"),
    ],
)
def test_a_truth_in_an_address_is_read_strictly(
    world: World,
    path: str,
    method: str,
    name: str,
) -> None:
    client: APIClient = world.client("organiser")
    how = {"content_type": "application/yaml"} if method == "put" else {}
    for said in ("yes", "", "2"):
        answer = getattr(client, method)(f"{world.fill(path)}?{name}={said}", **how)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [name])
