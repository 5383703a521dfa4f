"""Validation of requests: keys of bodies, query parameters, numbers, JSON."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import IO, Any, ClassVar, Final, NamedTuple, TypeAlias

from rest_framework import parsers, serializers
from rest_framework.exceptions import (
    APIException,
    ParseError,
    UnsupportedMediaType,
    ValidationError,
)
from rest_framework.fields import Field
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from campaign.formats.json_text import RepeatedKeyError, decode_json
from campaign.texts.booleans import boolean_of
from campaign.texts.nearest import with_nearest

AnyField: TypeAlias = Field[Any, Any, Any, Any]


def boolean_parameter(request: Request, name: str) -> bool:
    """Return the boolean value of a query parameter, false if it is missing; raise 400 if it is invalid."""
    text = request.query_params.get(name, "false")
    value = boolean_of(text)
    if value is None:
        raise ValidationError({name: [f"“{text}” is not one of: true, 1, false, 0."]})
    return value


def content_validated(
    serializer: type[Serializer[Any]],
    content: Any,
    path: str = "",
) -> Any:
    """Return the validated content of a request; raises the serializer's ValidationError.

    Unknown keys are refused; `path` is the position of the content in the request, with a dot at the end.
    """
    sent = serializer(data=content)
    unknown_keys_refuse(sent, content, path)
    sent.is_valid(raise_exception=True)
    return sent.validated_data


class UnknownKey(NamedTuple):
    """A key that a serializer does not take: its path, and the valid names there."""

    path: str
    name: str
    valid_names: list[str]

    @property
    def message(self) -> str:
        """Error message, with the closest known key if there is one."""
        return with_nearest(
            f"Unknown field “{self.name}”.",
            self.name,
            self.valid_names,
        )


def unknown_keys_refuse(serializer: AnyField, content: Any, path: str = "") -> None:
    """Refuse body keys that the serializer does not take, including those of nested objects."""
    unknown = list(_unknown(serializer, content, path))
    if unknown:
        valid_names = unknown[0].valid_names
        raise ProblemError(
            "unknown-field",
            _unknown_words([key.path for key in unknown], valid_names),
            status=400,
            errors={key.path: [key.message] for key in unknown},
            known=valid_names,
        )


def unknown_parameters_refuse(request: Request, names: frozenset[str]) -> None:
    """Refuse query parameters with other names."""
    unknown = sorted(set(request.query_params) - names)
    if unknown:
        valid_names = sorted(names)
        raise ProblemError(
            "unknown-parameter",
            _unknown_words(unknown, valid_names),
            status=400,
            errors={name: ["Unknown parameter."] for name in unknown},
            known=valid_names,
        )


def repeated_parameters_refuse(request: Request) -> None:
    """Refuse a parameter that is given twice: only one of its values would count."""
    errors = {}
    for name, values in request.query_params.lists():
        if len(values) > 1:
            errors[name] = ["Send this parameter once."]
    if errors:
        raise ValidationError(errors)


def _unknown_words(unknown: list[str], valid_names: list[str]) -> str:
    """Return a message with the unknown names of a request, and those known there."""
    names = ", ".join(unknown)
    if not valid_names:
        return f"Unknown: {names}. This endpoint takes no parameters."
    return f"Unknown: {names}. Valid names: {', '.join(valid_names)}."


def _unknown(field: AnyField, content: Any, path: str) -> Iterator[UnknownKey]:
    child = getattr(field, "child", None)
    if isinstance(field, Serializer) and isinstance(content, Mapping):
        fields_by_name = {
            name: child_field
            for name, child_field in field.fields.items()
            if not child_field.read_only
        }
        for name, value in content.items():
            if name in fields_by_name:
                yield from _unknown(fields_by_name[name], value, f"{path}{name}.")
            else:
                yield UnknownKey(f"{path}{name}", str(name), sorted(fields_by_name))
    elif child is not None and isinstance(content, list | Mapping):
        inside = content.items() if isinstance(content, Mapping) else enumerate(content)
        for name, value in inside:
            yield from _unknown(child, value, f"{path}{name}.")


class NumberField(serializers.FloatField):
    """A finite number; REST framework's own field accepts true as 1, and “nan” despite all limits."""

    def to_internal_value(self, data: Any) -> float:
        """Refuse values that are not JSON numbers, even if Python can convert them."""
        number = super().to_internal_value(data)
        if isinstance(data, bool) or not math.isfinite(number):
            self.fail("invalid")
        return float(number)


#: Each value of a list costs the checks of its field, so a list of a million would keep the server busy for a minute.
MOST_VALUES: Final = 50_000


class TooManyValuesError(APIException):
    """The JSON of a request has too many values."""

    status_code = 413
    default_detail = (
        f"The JSON has more than {MOST_VALUES:,} values. Send fewer at once."
    )


class StrictJSONParser(JSONParser):
    """Parser that refuses JSON which Python accepts but the database cannot store."""

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the parsed body.

        Raises ParseError if it is nested too deeply, has a lone surrogate or a key twice in one object,
        UnsupportedMediaType if it is compressed, and TooManyValuesError if it has more than `MOST_VALUES` values.
        """
        del media_type
        context = dict(parser_context or {})
        if "request" in context:
            _compression_refuse(context["request"])
        encoding: str = parsers.get_encoding(context)  # type: ignore[attr-defined]  # not in the stubs
        if encoding.lower() == "utf-8":
            # Windows PowerShell and .NET begin a file with a byte order mark.
            encoding = "utf-8-sig"
        try:
            data = decode_json(stream.read().decode(encoding))
            _too_many_refuse(data)
            json.dumps(data, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except UnicodeEncodeError as error:
            raise ParseError("Invalid JSON: lone surrogate.") from error
        except RepeatedKeyError as error:
            if error.line is None:
                position = ""
            else:
                position = f"line {error.line}: "
            raise ParseError(
                f"Invalid JSON: {position}{error}. Remove one of the two.",
            ) from error
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        return data


def _compression_refuse(request: Request) -> None:
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise UnsupportedMediaType(
            encoding,
            "Compressed bodies are not supported. Send the JSON without Content-Encoding.",
        )


def _too_many_refuse(data: Any) -> None:
    count = 0
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            count += len(value)
            if count > MOST_VALUES:
                raise TooManyValuesError
            waiting += value


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
    if isinstance(sent, Mapping):
        return bytes(sent.get("content", b""))
    return b""


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
    problem = f"{PREFIX}{name}"
    TITLES[problem]
    return problem
