"""Errors of the API in one shape: `{"detail": words, "errors": {field: [words]}}`."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views import defaults
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler as rest_exception_handler


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return what DRF's handler returns, with the fields of a refused body under `errors`."""
    response = rest_exception_handler(error, context)
    if response is not None and isinstance(error, ValidationError):
        errors = response.data if isinstance(response.data, dict) else {"body": response.data}
        response.data = {"detail": _("What was sent cannot be used as it is."), "errors": errors}
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
    """Our fault; in the shape of the API's errors where the address is the API's."""
    if request.path_info.startswith("/api/"):
        return JsonResponse({"detail": _("Something went wrong on our side.")}, status=500)
    return defaults.server_error(request)
