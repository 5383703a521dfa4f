"""What the generated OpenAPI description lacks: the errors every operation may answer with."""

from typing import Any

_ERROR = {
    "type": "object",
    "description": "What went wrong, in words; `errors` has the parts that were refused, by name.",
    "properties": {
        "detail": {"type": "string"},
        "errors": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
    "required": ["detail"],
}
_DESCRIPTIONS = {
    "400": "Something that was sent cannot be used; control characters in an address, for example.",
    "401": "No valid token, and not signed in.",
    "403": "Signed in, but not allowed to.",
    "404": "There is no such thing, or it is none of yours.",
}
# Of a campaign, for its organisers; refused in words where the state of files or work does not allow it.
_FILES_AND_WORK = ("/uploads/", "/jobs/", "/campaigns/{slug}/judges/", "/judge-groups/")


def errors_describe(
    result: dict[str, Any], generator: object, request: object, public: object
) -> dict[str, Any]:
    """Add the error responses that follow from an operation's address and input."""
    del generator, request, public
    result["components"]["schemas"]["Error"] = _ERROR
    for address, operations in result["paths"].items():
        for method, operation in operations.items():
            _control_characters_exclude(operation)
            for status in _errors(address, method, operation):
                operation["responses"].setdefault(
                    status,
                    {
                        "description": _DESCRIPTIONS[status],
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Error"}}
                        },
                    },
                )
    return result


def _control_characters_exclude(operation: dict[str, Any]) -> None:
    """Describe that no text in an address may hold a control character."""
    for parameter in operation.get("parameters", ()):
        described = parameter["schema"]
        if described.get("type") == "string" and not {"format", "enum", "pattern"} & set(described):
            described["pattern"] = r"^[^\u0000-\u001f\u007f]*$"


def _errors(address: str, method: str, operation: dict[str, Any]) -> list[str]:
    query = {
        parameter["name"]
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    }
    errors = ["401"]
    of_files = any(part in address for part in _FILES_AND_WORK)
    if "requestBody" in operation or query or (of_files and method != "get"):
        errors.append("400")
    # Members read all of their campaign; analysts change nothing.
    if address.startswith("/api/v1/judging/") or method != "get":
        errors.append("403")
    if "{" in address or "cursor" in query:
        errors.append("404")
    return errors
