"""The OpenAPI description: complete and without warnings."""

import json
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    "answer",
    [
        {"outcome": "edited", "text": "Ein Haus."},
        {"acceptable": True},
        {"answers": [True, None]},
        {"value": 4},
        {"criterion": "fluency", "value": 4},
        {"verdict": "first"},
        {"verdict": "both_fine"},
        {"outputs": [{"score": 80, "spans": []}]},
        {"outputs": [{"coherence": 4, "fluency": 2}]},
        {"top": [True, False]},
    ],
)
def test_first_choice_that_fits_has_all_keys_of_an_answer(
    schema: dict[str, Any],
    answer: dict[str, Any],
) -> None:
    """Generated clients take the first choice that fits, and lose the keys that it does not have."""
    described = Description(schema)
    parts = schema["components"]["schemas"]
    choices = [
        choice["$ref"].rpartition("/")[2] for choice in parts["ProtocolAnswer"]["anyOf"]
    ]
    first = next(name for name in choices if not described.errors(parts[name], answer))
    assert answer.keys() <= parts[first]["properties"].keys()
