"""What `contract` does for every address, as the description has it: parameters, headers and answers."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

#: The fields that `?fields=` may name. No parameter of the description, since what is described of the answer would
#: not hold with it: a typed client could not read what it asked for.
NAMES: Final = "x-fields"
_FIELDS_WORDS: Final = (
    "`?fields=` with names out of `x-fields`, by commas, leaves all other fields out."
)
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": (
        "A text of your own, such as a UUID. Sent again with the same key within 24 hours, the request "
        "changes nothing and is answered as before."
    ),
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
_ETAG: Final = {
    "description": "Changes with the answer; with it as `If-None-Match` the answer is 304 while nothing changed.",
    "schema": {"type": "string"},
}
_JSON: Final = "application/json"
#: What the judging page asks is answered in the time of one block: nothing of this is done there.
JUDGING: Final = "/judging/"


def contract_describe(
    result: dict[str, Any], generator: object, request: object, public: object
) -> dict[str, Any]:
    """Add to each operation what the contract adds to its view."""
    del generator, request, public
    parts = result.get("components", {}).get("schemas", {})
    for address, operations in result["paths"].items():
        if JUDGING in address:
            continue
        for method, operation in operations.items():
            if method == "get":
                _reading_describe(operation, parts)
            if method == "post":
                operation.setdefault("parameters", []).append(_KEY)
    return result


def _reading_describe(operation: dict[str, Any], parts: Mapping[str, Any]) -> None:
    answer = operation["responses"].get("200")
    if answer is None:
        return
    answer.setdefault("headers", {})["ETag"] = _ETAG
    operation["responses"]["304"] = {"description": "As it was when this `ETag` was given."}
    described = answer.get("content", {}).get(_JSON, {}).get("schema")
    names = sorted(_names(described, parts)) if described else []
    if names:
        operation[NAMES] = names
        operation["description"] = "\n\n".join(
            filter(None, [operation.get("description"), _FIELDS_WORDS])
        )


def _names(described: Mapping[str, Any], parts: Mapping[str, Any]) -> set[str]:
    """Return the fields of an answer; of a list those of its rows."""
    found = dict(_resolved(described, parts))
    rows = found.get("properties", {}).get("results")
    if rows is not None and "next" in found["properties"]:
        found = dict(_resolved(rows, parts))
    if found.get("type") == "array":
        found = dict(_resolved(found["items"], parts))
    return set(found.get("properties", {}))


def _resolved(described: Mapping[str, Any], parts: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in described:
        described = parts[described["$ref"].rpartition("/")[2]]
    return described


def operations_of(document: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield address, method and description of each operation."""
    for address, operations in document["paths"].items():
        for method, operation in operations.items():
            yield address, method, operation
