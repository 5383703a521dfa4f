"""What the generated OpenAPI description lacks: the errors every operation may answer with."""

from http import HTTPStatus
from typing import Any

from config.api.described_contract import JUDGING
from config.api.problems import CONTENT_TYPE

_PROBLEM = {
    "type": "object",
    "description": (
        "What went wrong (RFC 9457). `errors` has the parts that were refused, by name; further members say more."
    ),
    "properties": {
        "type": {
            "type": "string",
            "description": "`about:blank`, or a type that programs may tell apart.",
        },
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "What went wrong, in words for people."},
        "instance": {"type": "string", "description": "The address that was asked."},
        "errors": {"type": "object", "additionalProperties": {}},
        "known": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Of unknown parameters and fields: the names there are.",
        },
    },
    "required": ["type", "title", "status", "detail", "instance"],
}
_RETRY_AFTER = {"description": "In how many seconds to try again.", "schema": {"type": "integer"}}
_DESCRIPTIONS = {
    "400": "Something that was sent cannot be used; control characters in an address, for example.",
    "401": "No valid token, and not signed in.",
    "403": "Signed in, but not allowed to.",
    "404": "There is no such thing, or it is none of yours.",
    "409": "The state of things does not allow it; or a request with this Idempotency-Key is being answered.",
    "422": "Another request came with this Idempotency-Key.",
    "429": "Too many requests.",
    "503": "The database does not answer. Try again after `Retry-After` seconds.",
}
_REFERENCE = {"$ref": "#/components/schemas/Problem"}


def errors_describe(
    result: dict[str, Any], generator: object, request: object, public: object
) -> dict[str, Any]:
    """Add the error responses that follow from an operation's address and input."""
    del generator, request, public
    parts = result.setdefault("components", {})
    parts.setdefault("schemas", {})["Problem"] = _PROBLEM
    parts["responses"] = {f"Problem{status}": _problem(status) for status in _DESCRIPTIONS}
    _anything_describe(result)
    for address, operations in result["paths"].items():
        for method, operation in operations.items():
            _control_characters_exclude(operation)
            for status, response in operation["responses"].items():
                if status >= "400":
                    _problem_describe(status, response)
            for status in _errors(address, method, operation):
                told = {"$ref": f"#/components/responses/Problem{status}"}
                operation["responses"].setdefault(status, told)
    return result


def _anything_describe(described: Any) -> None:
    """Describe what may be anything, or null, as anything: `oneOf` would take null for both, and refuse it."""
    if isinstance(described, list):
        for each in described:
            _anything_describe(each)
    elif isinstance(described, dict):
        if {} in (choices := described.get("oneOf", ())) and {"type": "null"} in choices:
            del described["oneOf"]
        for each in described.values():
            _anything_describe(each)


def _problem(status: str) -> dict[str, Any]:
    problem: dict[str, Any] = {"description": _DESCRIPTIONS[status]}
    _problem_describe(status, problem)
    problem["content"][CONTENT_TYPE]["examples"] = {"Example": {"value": _example(status)}}
    return problem


def _example(status: str) -> dict[str, Any]:
    return {
        "type": "about:blank",
        "title": HTTPStatus(int(status)).phrase,
        "status": int(status),
        "detail": _DESCRIPTIONS[status],
        "instance": "/api/v1/campaigns/wmt26/",
    }


def _problem_describe(status: str, response: dict[str, Any]) -> None:
    """Describe that an error is a problem, with what its view adds."""
    more = response.get("content", {}).get("application/json")
    body: dict[str, Any] = {"schema": _REFERENCE}
    if more is not None:
        body = {"schema": {"allOf": [_REFERENCE, more["schema"]]}}
    response["content"] = {CONTENT_TYPE: body}
    if status in ("429", "503"):
        response.setdefault("headers", {})["Retry-After"] = _RETRY_AFTER


def _control_characters_exclude(operation: dict[str, Any]) -> None:
    """Describe that no text in an address may hold a control character."""
    for parameter in operation.get("parameters", ()):
        described = parameter["schema"]
        if described.get("type") == "string" and not {"format", "enum", "pattern"} & set(described):
            described["pattern"] = r"^[^\u0000-\u001f\u007f]*$"


def _errors(address: str, method: str, operation: dict[str, Any]) -> list[str]:
    # Anything may be asked with a parameter that there is not.
    errors = ["400", "401", "429", "503"]
    judging = JUDGING in address
    # Members read all of their campaign; analysts change nothing.
    if judging or method != "get":
        errors.append("403")
    if "{" in address or any(each["name"] == "cursor" for each in operation.get("parameters", ())):
        errors.append("404")
    if method != "get" and not judging:
        errors.append("409")
    if method == "post" and not judging:
        errors.append("422")
    return errors
