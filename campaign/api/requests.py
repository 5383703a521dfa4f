"""Validation of requests: keys of bodies, numbers, JSON, booleans in addresses."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import IO, Any, ClassVar, Final, NamedTuple

from rest_framework import serializers
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.fields import Field
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from campaign.texts.nearest import with_nearest


def truth_asked(request: Request, name: str) -> bool:
    """Return the boolean value of a query parameter, false if it is missing; raise 400 if it is invalid."""
    said = request.query_params.get(name, "false")
    truths = {"true": True, "1": True, "false": False, "0": False}
    if said.lower() not in truths:
        raise ValidationError({name: [f"“{said}” is not one of: {', '.join(truths)}."]})
    return truths[said.lower()]


def content_validated(serializer: type[Serializer[Any]], content: Any, place: str = "") -> Any:
    """Return the validated content of a request; raises the serializer's ValidationError.

    Unknown keys are refused; `place` is the position of the content in the request, with a dot at the end.
    """
    sent = serializer(data=content)
    unknown_keys_refuse(_keys(sent), content, place)
    sent.is_valid(raise_exception=True)
    return sent.validated_data


def _keys(field: Field[Any, Any, Any, Any]) -> dict[str, Any]:
    """Return the keys of a field's content in the form of an API description."""
    if isinstance(field, Serializer):
        inside = {name: _keys(each) for name, each in field.fields.items()}
        return {"properties": inside, "additionalProperties": False}
    child = getattr(field, "child", None)
    return {} if child is None else {"items": _keys(child)}


#: The schema for operations without a body.
EMPTY: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}


class UnknownKey(NamedTuple):
    """A key that is missing from the description: its place, and the known keys there."""

    place: str
    name: str
    known: list[str]

    @property
    def words(self) -> str:
        """Error message, with the closest known key if there is one."""
        return with_nearest(f"Unknown field “{self.name}”.", self.name, self.known)


def unknown_keys_refuse(described: Mapping[str, Any], content: Any, place: str = "") -> None:
    """Refuse body keys that are missing from the description, including those of nested objects."""
    unknown = list(_unknown(described, described.get("parts", {}), content, place))
    if unknown:
        known = unknown[0].known
        raise ProblemError(
            "unknown-field",
            unknown_words([each.place for each in unknown], known),
            status=400,
            errors={each.place: [each.words] for each in unknown},
            known=known,
        )


def unknown_words(unknown: list[str], known: list[str]) -> str:
    """Return a message with the unknown names of a request, and those known there."""
    names = ", ".join(unknown)
    if not known:
        return f"Unknown: {names}. This endpoint takes no parameters."
    return f"Unknown: {names}. Valid names: {', '.join(known)}."


def _unknown(
    described: Mapping[str, Any], parts: Mapping[str, Any], content: Any, place: str
) -> Iterator[UnknownKey]:
    if "$ref" in described:
        yield from _unknown(parts[described["$ref"].rpartition("/")[2]], parts, content, place)
    for each in described.get("allOf", ()):
        yield from _unknown(each, parts, content, place)
    choices = [*described.get("oneOf", ()), *described.get("anyOf", ())]
    if choices:
        # The choice with the fewest unknown keys is the one that is meant.
        found = [
            list(_unknown(each, parts, content, place))
            for each in choices
            if _may_be(each, parts, content)
        ]
        yield from min(found, key=len, default=[])
    if isinstance(content, list):
        for number, each in enumerate(content):
            yield from _unknown(described.get("items", {}), parts, each, f"{place}{number}.")
    elif isinstance(content, Mapping):
        yield from _unknown_inside(described, parts, content, place)


def _unknown_inside(
    described: Mapping[str, Any], parts: Mapping[str, Any], content: Mapping[Any, Any], place: str
) -> Iterator[UnknownKey]:
    named = described.get("properties", {})
    others = described.get("additionalProperties", True)
    for name, value in content.items():
        if name in named:
            yield from _unknown(named[name], parts, value, f"{place}{name}.")
        elif others is False:
            yield UnknownKey(f"{place}{name}", str(name), sorted(named))
        elif isinstance(others, Mapping):
            yield from _unknown(others, parts, value, f"{place}{name}.")


def _may_be(described: Mapping[str, Any], parts: Mapping[str, Any], content: Any) -> bool:
    """Return whether a description can match this content: objects and lists need a description of that type."""
    while "$ref" in described:
        described = parts[described["$ref"].rpartition("/")[2]]
    kind = described.get("type")
    kinds = {kind} if isinstance(kind, str) else set(kind or ())
    if isinstance(content, dict):
        return not kinds or "object" in kinds
    return not isinstance(content, list) or not kinds or "array" in kinds


class NumberField(serializers.FloatField):
    """A finite number; REST framework's own field accepts true as 1, and “nan” despite all limits."""

    def to_internal_value(self, data: Any) -> float:
        """Refuse values that are not JSON numbers, even if Python can convert them."""
        number = super().to_internal_value(data)
        if isinstance(data, bool) or not math.isfinite(number):
            self.fail("invalid")
        return float(number)


class StrictJSONParser(JSONParser):
    """Parser that refuses JSON which Python accepts but the database cannot store."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        """Return the parsed body; raise ParseError if it is nested too deeply or contains a lone surrogate."""
        try:
            data = super().parse(*args, **kwargs)
            json.dumps(data, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError("Invalid JSON: lone surrogate.") from error
        return data


class BodyParser(BaseParser):
    """Passes on a body unchanged, up to one byte more than allowed; `body_of` returns it."""

    most_bytes: ClassVar[int]

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Mapping[str, bytes]:
        del media_type, parser_context
        return {"content": stream.read(self.most_bytes + 1)}


def body_of(request: Request) -> bytes:
    """Return the body that a `BodyParser` passed on."""
    sent = request.data
    return bytes(sent.get("content", b"")) if isinstance(sent, Mapping) else b""


PREFIX: Final = "urn:quintet:problem:"
#: Problem types that programs can distinguish, with their titles; docs/rest.md lists them.
TITLES: Final[dict[str, str]] = {
    f"{PREFIX}invalid-input": "Invalid input",
    f"{PREFIX}unknown-parameter": "Unknown parameter",
    f"{PREFIX}unknown-field": "Unknown field",
    f"{PREFIX}idempotency-key-invalid": "Invalid Idempotency-Key",
    f"{PREFIX}idempotency-key-in-use": "Idempotency-Key in use",
    f"{PREFIX}idempotency-key-reused": "Idempotency-Key used for another request",
    f"{PREFIX}changed-meanwhile": "Conflicting change",
    f"{PREFIX}too-many-requests": "Too many requests",
}


class ProblemError(APIException):
    """An error with a type from `TITLES`; views raise it like any other exception of REST."""

    def __init__(
        self,
        name: str,
        detail: str,
        *,
        status: int,
        errors: Mapping[str, list[str]] | None = None,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        self.status_code = status
        super().__init__(detail)
        self.headers = dict(headers or {})
        self.body = {"type": problem_type(name), "detail": detail, **members}
        if errors is not None:
            self.body["errors"] = dict(errors)


def problem_type(name: str) -> str:
    """Return the type of a problem by its name; KeyError if there is none of this name."""
    found = f"{PREFIX}{name}"
    TITLES[found]
    return found
