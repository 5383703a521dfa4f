"""Complete the OpenAPI description with what all operations have in common: headers, errors, closed bodies."""

from collections.abc import Iterator, Set
from typing import Any, Final

from campaign.api.described import Description
from campaign.api.requests import MOST_VALUES
from config.api.errors import CONTENT_TYPE

_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": (
        "Unique key, such as a UUID. A request repeated with the same key within 24 hours changes nothing "
        "and returns the same response."
    ),
    "schema": {
        "type": "string",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[!-~]+$",
    },
}
_ETAG: Final = {
    "description": "Version of the response. Send it as `If-None-Match` to get 304 while nothing has changed.",
    "schema": {"type": "string"},
}
_MATCH: Final = {
    "name": "If-Match",
    "in": "header",
    "description": (
        "`ETag` from a GET of this URL. If the resource has changed since, the request changes nothing and "
        "returns 412."
    ),
    "schema": {"type": "string", "minLength": 1, "pattern": "^[!-~ ]+$"},
}
_JSON: Final = "application/json"
#: Requests of the judging page must be answered quickly, so all of this is skipped.
JUDGING: Final = "/judging/"
_PROBLEM = {
    "type": "object",
    "description": (
        "Problem details (RFC 9457). `errors` lists the invalid parts by name; other members give more detail."
    ),
    "properties": {
        "type": {
            "type": "string",
            "description": "`about:blank`, or a machine-readable problem type.",
        },
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "Human-readable description."},
        "instance": {"type": "string", "description": "URL of the request."},
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
        "known": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Valid names, if a parameter or field is unknown.",
        },
    },
    "required": ["type", "title", "status", "detail", "instance"],
}
_RETRY_AFTER = {
    "description": "Seconds to wait before retrying.",
    "schema": {"type": "integer"},
}
_DESCRIPTIONS = {
    "400": "Invalid input, such as control characters in the URL.",
    "401": "No valid token or session.",
    "403": "Not permitted for this user.",
    "404": "Not found, or not accessible to you.",
    "409": "Not possible in the current state, or a request with this Idempotency-Key is still in progress.",
    "412": "Changed since the `ETag` in `If-Match`.",
    "413": f"The body is too large, or its JSON has more than {MOST_VALUES:,} values.",
    "422": "This Idempotency-Key was used for a different request.",
    "429": "Too many requests.",
    "503": "The database is unavailable, or a file or large body waited for others. Retry after `Retry-After` seconds.",
}
_REFERENCE = {"$ref": "#/components/schemas/Problem"}
#: Parts of a schema that restrict texts.
_RESTRICTIONS = frozenset({"format", "enum", "pattern"})


def api_describe(
    result: Description,
    generator: object,
    request: object,
    public: object,
) -> Description:
    """Complete the description with closed bodies, and with the headers and errors of each operation."""
    del generator, request, public
    parts = result.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    closed: set[str] = set()
    for address, method, operation in operations_of(result):
        for body in operation.get("requestBody", {}).get("content", {}).values():
            _close(body.get("schema", {}), schemas, closed)
        if JUDGING not in address and method == "get":
            _reading_describe(operation)
        if JUDGING not in address and method == "post":
            operation.setdefault("parameters", []).append(_KEY)
        if _takes_match(address, method, result):
            operation.setdefault("parameters", []).append(_MATCH)
    schemas["Problem"] = _PROBLEM
    parts["responses"] = {
        f"Problem{status}": _problem(status) for status in _DESCRIPTIONS
    }
    _unions_describe(result, schemas, closed)
    for address, method, operation in operations_of(result):
        _control_characters_exclude(operation)
        for status, response in operation["responses"].items():
            if status >= "400":
                _problem_describe(status, response)
        has_version = _takes_match(address, method, result)
        for status in _errors(address, method, operation, has_version=has_version):
            problem = {"$ref": f"#/components/responses/Problem{status}"}
            operation["responses"].setdefault(status, problem)
    return result


def _takes_match(address: str, method: str, document: Description) -> bool:
    """Return whether `If-Match` is compared with the GET response of the address."""
    is_change = method in ("put", "patch", "delete") and JUDGING not in address
    return is_change and "get" in document["paths"][address]


def operations_of(
    document: Description,
) -> Iterator[tuple[str, str, Description]]:
    """Yield address, method and description of each operation."""
    for address, operations in document["paths"].items():
        for method, operation in operations.items():
            yield address, method, operation


def _close(described: Any, parts: Description, names: set[str]) -> None:
    if isinstance(described, list):
        for part in described:
            _close(part, parts, names)
    if not isinstance(described, dict):
        return
    name = str(described.get("$ref", "")).rpartition("/")[2]
    if name and name not in names:
        names.add(name)
        _close(parts[name], parts, names)
    if described.get("minLength") == 1 and _RESTRICTIONS.isdisjoint(described):
        # White space around a text is taken off, and nothing may be left.
        described["pattern"] = r"[^\s\u001c-\u001f\u0085]"
    if "properties" in described:
        described.setdefault("additionalProperties", False)
        _close(list(described["properties"].values()), parts, names)
    for key in ("items", "additionalProperties", "allOf", "anyOf", "oneOf"):
        _close(described.get(key), parts, names)


def _reading_describe(operation: Description) -> None:
    answer = operation["responses"].get("200")
    if answer is None:
        return
    answer.setdefault("headers", {})["ETag"] = _ETAG
    operation["responses"]["304"] = {
        "description": "Not changed since the response with this `ETag`.",
    }


def _unions_describe(described: Any, parts: Description, sent: Set[str]) -> None:
    """Correct every `oneOf` that a value may match not exactly once, so that generated clients read it.

    `sent` names the schemas of requests.
    """
    if isinstance(described, list):
        for part in described:
            _unions_describe(part, parts, sent)
    elif isinstance(described, dict):
        if isinstance(described.get("oneOf"), list):
            _union_describe(described, parts, sent)
        for part in described.values():
            _unions_describe(part, parts, sent)


def _union_describe(described: Description, parts: Description, sent: Set[str]) -> None:
    choices = described["oneOf"]
    if {} in choices and {"type": "null"} in choices:
        # Any value includes null, which would match twice.
        del described["oneOf"]
        return
    for choice in choices:
        if "default" in choice:
            # It may belong to the other choice: an empty text beside a pattern.
            described["default"] = choice.pop("default")
    if "discriminator" in described:
        _named_choices_describe(described, parts, sent)
    elif all("$ref" in choice for choice in choices):
        # A value may be in two lists of choices.
        described["anyOf"] = described.pop("oneOf")


def _named_choices_describe(
    described: Description,
    parts: Description,
    sent: Set[str],
) -> None:
    """Require the name of each choice in responses; requests may omit it, and then match several choices."""
    name = described["discriminator"]["propertyName"]
    for choice in described["oneOf"]:
        part = choice["$ref"].rpartition("/")[2]
        if part in sent:
            described["anyOf"] = described["oneOf"]
        else:
            parts[part]["required"] = [name, *parts[part].get("required", ())]
    if "anyOf" in described:
        del described["oneOf"]


def _problem(status: str) -> Description:
    problem: Description = {"description": _DESCRIPTIONS[status]}
    _problem_describe(status, problem)
    return problem


def _problem_describe(status: str, response: Description) -> None:
    """Describe an error as a problem document, with the additions of its view."""
    more = response.get("content", {}).get("application/json")
    body: Description = {"schema": _REFERENCE}
    if more is not None:
        body = {"schema": {"allOf": [_REFERENCE, more["schema"]]}}
    response["content"] = {CONTENT_TYPE: body}
    if status in ("429", "503"):
        response.setdefault("headers", {})["Retry-After"] = _RETRY_AFTER


def _control_characters_exclude(operation: Description) -> None:
    """Describe that texts in addresses must not contain control characters."""
    for parameter in operation.get("parameters", ()):
        described = parameter["schema"]
        is_text = described.get("type") == "string"
        if is_text and _RESTRICTIONS.isdisjoint(described):
            described["pattern"] = r"^[^\u0000-\u001f\u007f]*$"


def _errors(
    address: str,
    method: str,
    operation: Description,
    *,
    has_version: bool,
) -> list[str]:
    # Unknown parameters may be sent with any operation.
    errors = ["400", "401", "429", "503"]
    judging = JUDGING in address
    # Members may read everything in their campaign; analysts may not change it.
    if judging or method != "get":
        errors.append("403")
    parameters = [parameter["name"] for parameter in operation.get("parameters", ())]
    if "{" in address or "cursor" in parameters:
        errors.append("404")
    if method != "get" and not judging:
        errors.append("409")
    if "requestBody" in operation:
        errors.append("413")
    if method == "post" and not judging:
        errors.append("422")
    if has_version:
        errors.append("412")
    return errors
