"""Request bodies in the description of the API: which keys they have, and that they have no others."""

from collections.abc import Mapping
from typing import Any, Final

from campaign.api.body_keys import EMPTY

#: Types of bodies that have keys.
_KEYED: Final = ("application/json", "multipart/form-data", "application/x-www-form-urlencoded")


def bodies_close(
    result: dict[str, Any], generator: object, request: object, public: object
) -> dict[str, Any]:
    """Describe that objects in request bodies have no keys but those named."""
    del generator, request, public
    parts = result.get("components", {}).get("schemas", {})
    seen: set[str] = set()
    for operations in result["paths"].values():
        for operation in operations.values():
            for body in operation.get("requestBody", {}).get("content", {}).values():
                _close(body.get("schema", {}), parts, seen)
    return result


def _close(described: Any, parts: Mapping[str, Any], seen: set[str]) -> None:
    if isinstance(described, list):
        for each in described:
            _close(each, parts, seen)
    if not isinstance(described, dict):
        return
    name = str(described.get("$ref", "")).rpartition("/")[2]
    if name and name not in seen:
        seen.add(name)
        _close(parts[name], parts, seen)
    if "properties" in described:
        described.setdefault("additionalProperties", False)
        _close(list(described["properties"].values()), parts, seen)
    for key in ("items", "additionalProperties", "allOf", "anyOf", "oneOf"):
        _close(described.get(key), parts, seen)


def body_described(
    operation: Mapping[str, Any], parts: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the description of an operation's body, with all references resolved; None for bytes and files of their own."""
    content = operation.get("requestBody", {}).get("content")
    if content is None:
        return EMPTY
    found = next((content[kind] for kind in _KEYED if kind in content), None)
    return None if found is None else {**found.get("schema", {}), "parts": parts}
