"""Errors of the API that have a type of their own; `config.api.errors` writes them as RFC 9457 says."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import APIException

PREFIX: Final = "urn:quintet:problem:"
#: Types of problems that a program may want to tell apart, with their titles; docs/rest.md lists them.
TITLES: Final[dict[str, Promise]] = {
    f"{PREFIX}invalid-input": _("Invalid input"),
    f"{PREFIX}unknown-parameter": _("Unknown parameter"),
    f"{PREFIX}unknown-field": _("Unknown field"),
    f"{PREFIX}idempotency-key-invalid": _("Invalid Idempotency-Key"),
    f"{PREFIX}idempotency-key-in-use": _("Idempotency-Key in use"),
    f"{PREFIX}idempotency-key-reused": _("Idempotency-Key used for another request"),
    f"{PREFIX}changed-meanwhile": _("Conflicting change"),
    f"{PREFIX}too-many-requests": _("Too many requests"),
}


class ProblemError(APIException):
    """An error of a type that stands in `TITLES`; views raise it as any other exception of REST."""

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
