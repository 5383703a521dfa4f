"""An example for each request and answer that the description has none for, made of what it says of them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from config.api.described_contract import operations_of

_DEEPEST: Final = 8
#: Values by the name of a field or parameter, where they suit what is described.
VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "slug": ("wmt26",),
    "campaign": ("wmt26",),
    "name": ("news-2026", "clusters"),
    "title": ("News 2026",),
    "email": ("rosa@example.org",),
    "address": ("rosa@example.org",),
    "judge": ("ada",),
    "judges": (["ada"],),
    "pseudonym": ("ada",),
    "system": ("online-a",),
    "systems": (["online-a", "rules"],),
    "better": ("online-a",),
    "worse": ("rules",),
    "candidates": ([["online-a", "online-b"], ["rules"], ["_ref"]],),
    "labels": ([2, None, 1], [2, 1, 3]),
    "document": ("visit",),
    "source_language": ("en",),
    "target_language": ("de",),
    "languages": (["en-de"],),
    "lang": ("de",),
    "source": ("The museum opens at ten.",),
    "text": ("Das Museum öffnet um zehn.",),
    "comment": ("The second one leaves a word out.",),
    "note": ("Asked by mail.",),
    "reason": ("Few judges.",),
    "detail": ("There is no such campaign, or you are not a member of it.",),
    "segment": (12,),
    "number": (17,),
    "score": (0.613,),
    "confidence": (0.95,),
    "duration_ms": (41250,),
    "active_ms": (38900,),
    "count": (5,),
    "seed": ("271828182845904523536028747135266249775",),
    "ending": ("csv",),
    "link": ("https://quintet.example.org/i/…/",),
    "url": ("https://quintet.example.org/api/v1/campaigns/wmt26/",),
}
_FORMATS: Final[dict[str, str]] = {
    "date-time": "2026-11-20T08:15:30Z",
    "date": "2026-11-20",
    "time": "08:15:30",
    "uuid": "0d0c7f0e-5a51-4c1b-9d5e-2f6a3a6f1b11",
    "email": "rosa@example.org",
    "uri": "https://quintet.example.org/api/v1/campaigns/wmt26/",
    "binary": "The museum opens at ten.\n",
    "regex": "^a",
    "duration": "P1D",
    "decimal": "12.50",
}
_TYPES: Final = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}


def examples_add(
    result: dict[str, Any], generator: object, request: object, public: object
) -> dict[str, Any]:
    """Add an example wherever a body is described, unless a view gives its own."""
    del generator, request, public
    parts = result.get("components", {}).get("schemas", {})
    for _address, _method, operation in operations_of(result):
        for described in _bodies(operation, "requestBody"):
            _example_add(described, parts, "readOnly")
        for answer in operation["responses"].values():
            for described in _bodies({"answer": answer}, "answer"):
                _example_add(described, parts, "writeOnly")
    return result


def _bodies(holder: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return list(holder.get(name, {}).get("content", {}).values())


def _example_add(described: dict[str, Any], parts: Mapping[str, Any], left_out: str) -> None:
    if "schema" in described and not {"example", "examples"} & set(described):
        value = _Example(parts, left_out).of(described["schema"], "")
        described["examples"] = {"Example": {"value": value}}


class _Example:
    """Makes values of what is described; of a body without the fields that only the other direction has."""

    def __init__(self, parts: Mapping[str, Any], left_out: str) -> None:
        self._parts, self._left_out = parts, left_out

    def of(self, described: Mapping[str, Any], name: str, depth: int = 0) -> Any:
        described = self._one(described)
        for value in (*described.get("examples", ()), *VALUES.get(name, ())):
            if _suits(described, value):
                return value
        for keyword in ("const", "default"):
            if described.get(keyword) is not None:
                return described[keyword]
        if "enum" in described:
            return described["enum"][0]
        return self._of_type(described, name, depth)

    def _of_type(self, described: Mapping[str, Any], name: str, depth: int) -> Any:
        kind = _kind(described)
        if kind == "object":
            return self._object(described, depth)
        if kind == "array":
            # What holds itself ends somewhere.
            wanted = max(described.get("minItems", 0), 1 if depth < _DEEPEST else 0)
            return [self.of(described.get("items", {}), name.removesuffix("s"), depth + 1)] * wanted
        if kind in ("integer", "number"):
            return _number(described)
        if kind == "boolean":
            return True
        return _text(described) if kind == "string" else {}

    def _object(self, described: Mapping[str, Any], depth: int) -> dict[str, Any]:
        made = {
            name: self.of(each, name, depth + 1)
            for name, each in described.get("properties", {}).items()
            if not self._one(each).get(self._left_out)
            and (depth < _DEEPEST or name in described.get("required", ()))
        }
        more = described.get("additionalProperties")
        if not made and isinstance(more, Mapping) and more:
            return {"name": self.of(more, "", depth + 1)}
        return made

    def _one(self, described: Mapping[str, Any]) -> dict[str, Any]:
        """Return one description in place of references and choices."""
        found = dict(described)
        if "$ref" in found:
            told = self._parts[found.pop("$ref").rpartition("/")[2]]
            found = {**self._one(told), **found}
        for keyword in ("oneOf", "anyOf"):
            if keyword in found:
                first = next(each for each in found.pop(keyword) if each.get("type") != "null")
                found = {**self._one(first), **found}
        for each in found.pop("allOf", ()):
            found = _merged(found, self._one(each))
        return found


def _merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    merged = {**other, **one}
    merged["properties"] = {**other.get("properties", {}), **one.get("properties", {})}
    merged["required"] = [*one.get("required", ()), *other.get("required", ())]
    if not merged["properties"]:
        del merged["properties"]
    return merged


def _kind(described: Mapping[str, Any]) -> str | None:
    kind = described.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    if kind is None and "properties" in described:
        return "object"
    return kind


def _suits(described: Mapping[str, Any], value: Any) -> bool:
    kind = _kind(described)
    if kind is None or not isinstance(value, _TYPES[kind]):  # type: ignore[arg-type]
        return False
    if "enum" in described:
        return value in described["enum"]
    if isinstance(value, str):
        return _suits_text(described, value)
    if isinstance(value, list):
        return _suits_list(described, value)
    if isinstance(value, int | float):
        return bool(described.get("minimum", value) <= value <= described.get("maximum", value))
    return True


def _suits_text(described: Mapping[str, Any], value: str) -> bool:
    return (
        "format" not in described
        and len(value) <= described.get("maxLength", len(value))
        and re.search(described.get("pattern", ""), value) is not None
    )


def _suits_list(described: Mapping[str, Any], value: list[Any]) -> bool:
    rows = described.get("items", {})
    return all(
        (each is None and "null" in (rows.get("type") or ())) or _suits(rows, each)
        for each in value
    )


def _number(described: Mapping[str, Any]) -> Any:
    value: Any = 1 if _kind(described) == "integer" else 0.5
    low = described.get("minimum", described.get("exclusiveMinimum", value))
    high = described.get("maximum", described.get("exclusiveMaximum", value))
    return min(max(value, low), high)


def _text(described: Mapping[str, Any]) -> str:
    text = _FORMATS.get(described.get("format", ""), "A text")
    least = described.get("minLength", 0)
    return str(text + "x" * (least - len(text)))[: described.get("maxLength")]
