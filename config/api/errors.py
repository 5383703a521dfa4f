"""What errors of the API say: `{"detail": words, "errors": {field: [words]}}`; `problems` completes it."""

import sys
from typing import Any, Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views import defaults
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler as rest_exception_handler

from campaign.api.problems import ProblemError, problem_type

# When to try again while the database is away.
RETRY_SECONDS: Final = 5


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return what DRF's handler returns, with the fields of a refused body under `errors`."""
    response = rest_exception_handler(error, context)
    if response is not None and isinstance(error, ValidationError):
        errors = response.data if isinstance(response.data, dict) else {"body": response.data}
        response.data = {
            "type": problem_type("invalid-input"),
            "detail": _("What was sent cannot be used as it is."),
            "errors": errors,
        }
    if response is not None and isinstance(error, ProblemError):
        response.data = error.body
        for name, value in error.headers.items():
            response[name] = value
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Not a request we can read; in the shape of the API's errors where the address is the API's."""
    if request.path_info.startswith("/api/"):
        return JsonResponse(
            {"detail": _("This address or its headers cannot be read.")}, status=400
        )
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """No such page; in the shape of the API's errors where the address is the API's."""
    if request.path_info.startswith("/api/"):
        return JsonResponse({"detail": _("There is nothing at this address.")}, status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Our fault, or the database is away; in the shape of the API's errors where the address is the API's."""
    away = isinstance(sys.exception(), OperationalError | InterfaceError)
    status = 503 if away else 500
    if request.path_info.startswith("/api/"):
        detail = (
            _("The database does not answer at the moment. Please try again shortly.")
            if away
            else _("Something went wrong on our side.")
        )
        response: HttpResponse = JsonResponse({"detail": detail}, status=status)
    else:
        response = defaults.server_error(request)
        response.status_code = status
    if away:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response
