"""The OpenAPI description: complete and without warnings."""

import json
from typing import Any

from tests.described_answers import Description
from tests.rest_operations import STABLE, description, operations


def test_description_is_valid_openapi() -> None:
    description(validate=True)


def test_operations_keep_their_names(schema: dict[str, Any]) -> None:
    """Clients are generated with them. `python -m tests.rest_operations` prints what the file should hold."""
    told = operations(schema)
    assert told == STABLE.read_text(encoding="utf-8")
    names = [line.partition(" ")[0] for line in told.splitlines()]
    assert len(set(names)) == len(names)


def test_nothing_a_judge_is_sent_names_a_system(schema: dict[str, Any]) -> None:
    sent = [path for path in schema["paths"] if "/judging/" in path]
    assert len(sent) == 12
    parts = schema["components"]["schemas"]
    seen: set[str] = set()
    waiting = [json.dumps(schema["paths"][path]) for path in sent]
    while waiting:
        text = waiting.pop()
        for name in parts:
            if f'"#/components/schemas/{name}"' in text and name not in seen:
                seen.add(name)
                waiting.append(json.dumps(parts[name]))
                assert not {"system", "systems", "number"} & set(
                    parts[name].get("properties", {}),
                )
    assert "Assignment" in seen
    assert "System" not in seen


def test_every_post_takes_an_idempotency_key(schema: dict[str, Any]) -> None:
    """But those of judging, where the browser names each judgment itself."""
    without = {
        path
        for path, methods in schema["paths"].items()
        if "post" in methods
        and "Idempotency-Key"
        not in {each["name"] for each in methods["post"].get("parameters", [])}
    }
    assert {path for path in without if "/judging/" not in path} == set()


def test_schemas_have_no_keyword_of_openapi_3_0(schema: dict[str, Any]) -> None:
    """Generators of 3.1 ignore `nullable`, and their clients refuse null."""
    outdated = [
        part for part in Description(schema).schemas() if part.get("nullable") is True
    ]
    assert outdated == []


def test_default_values_are_valid(schema: dict[str, Any]) -> None:
    """A generated client sends them, and some generators refuse the whole description."""
    described = Description(schema)
    parts = schema["components"]["schemas"].values()
    invalid = {
        name: errors
        for part in parts
        for name, field in part.get("properties", {}).items()
        if "default" in field and (errors := described.errors(field, field["default"]))
    }
    assert invalid == {}


def test_every_union_of_objects_has_a_discriminator(schema: dict[str, Any]) -> None:
    """Generated clients take the first choice that fits, and lose the fields that it does not have."""
    described = Description(schema)
    without = []
    for part in described.schemas():
        choices = [*part.get("oneOf", ()), *part.get("anyOf", ())]
        objects = [choice for choice in choices if described.is_object(choice)]
        if len(objects) > 1 and "discriminator" not in part:
            without.append(choices)
    assert without == []
