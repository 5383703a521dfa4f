"""Return errors of the API as problem documents (RFC 9457), from views, middleware and Django."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import (
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import Error, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views import defaults
from psycopg2.errors import ReadOnlySqlTransaction
from rest_framework.exceptions import (
    APIException,
    NotAuthenticated,
    Throttled,
    ValidationError,
)
from rest_framework.response import Response
from rest_framework.views import exception_handler as rest_exception_handler

from campaign.api.requests import TITLES, ProblemError, problem_type
from campaign.texts.refusals import RefusedError

# Seconds until a retry while the database is unavailable.
RETRY_SECONDS: Final = 5
CONTENT_TYPE: Final = "application/problem+json"
#: Refusal without a session, and with an Authorization header of another scheme.
_NOT_SIGNED_IN: Final = "Not signed in. Send your token as “Authorization: Token …”."
#: Keys of errors that concern no single field.
_OF_NO_FIELD: Final = ("detail", "non_field_errors")
#: Default of `detail`; the body has the effects that the client confirms.
_CONFIRM: Final = (
    "Nothing was changed. Repeat the request with a confirmation to carry it out."
)
#: Type of problems described by their status only.
OF_THE_STATUS: Final = "about:blank"


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response of the DRF handler, with refused body fields under `errors`."""
    if isinstance(error, RefusedError):
        refused: APIException = ValidationError({error.field or "detail": [str(error)]})
        if error.status != HTTPStatus.BAD_REQUEST:
            refused = APIException(str(error))
            refused.status_code = error.status
        error = refused
    response = rest_exception_handler(error, context)
    if response is not None and isinstance(error, ValidationError):
        response.data = _invalid_input(response.data)
    if response is not None and isinstance(error, NotAuthenticated):
        response.data = {"detail": _NOT_SIGNED_IN}
    if response is not None and isinstance(error, Throttled):
        response.data = {"type": problem_type("too-many-requests"), **response.data}
    if response is not None and isinstance(error, ProblemError):
        response.data = error.body
        for name, value in error.headers.items():
            response[name] = value
    return response


def _invalid_input(refused: dict[str, Any] | list[Any]) -> dict[str, Any]:
    """Return the problem of refused fields; what concerns no field is said by `detail`, too."""
    if isinstance(refused, dict):
        errors = refused
    else:
        errors = {"body": refused}
    lists: dict[str, list[Any]] = {}
    for path, message in _messages(errors):
        lists.setdefault(path, []).append(message)
    about_all = []
    for field in _OF_NO_FIELD:
        for message in lists.get(field, ()):
            about_all.append(message)
    detail = " ".join(map(str, about_all)) or "Invalid request."
    return {"type": problem_type("invalid-input"), "detail": detail, "errors": lists}


def _messages(refused: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each message with the path of its value, such as `questions.0.name`."""
    if isinstance(refused, Mapping):
        for name, inner in refused.items():
            if not path:
                yield from _messages(inner, str(name))
            elif name in _OF_NO_FIELD:
                yield from _messages(inner, path)
            else:
                yield from _messages(inner, f"{path}.{name}")
    elif isinstance(refused, list):
        for number, inner in enumerate(refused):
            is_message = not isinstance(inner, Mapping | list)
            yield from _messages(inner, path if is_message else f"{path}.{number}")
    else:
        yield path, refused


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response to an invalid request, as a problem document for addresses of the API."""
    if isinstance(exception, _TOO_LARGE):
        return _too_large(request, exception)
    if request.path_info.startswith("/api/"):
        return JsonResponse({"detail": "Malformed URL or headers."}, status=400)
    return defaults.bad_request(request, exception)


_TOO_LARGE: Final = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)


def _too_large(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response to a request with too many bytes, fields or files."""
    if request.path_info.startswith("/api/"):
        detail = f"The body is larger than {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes. Send less at once, or files as multipart/form-data."
        if isinstance(exception, TooManyFieldsSent):
            detail = f"The form has more than {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS:,} fields. Send fewer."
        if isinstance(exception, TooManyFilesSent):
            detail = f"The form has more than {settings.DATA_UPLOAD_MAX_NUMBER_FILES:,} files. Send an archive."
        return JsonResponse({"detail": detail}, status=413)
    response = defaults.bad_request(request, exception, template_name="413.html")
    response.status_code = 413
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the response for an unknown address, as a problem document for addresses of the API."""
    if request.path_info.startswith("/api/"):
        return JsonResponse({"detail": "Page not found."}, status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the response after an error or without the database, as a problem document for addresses of the API."""
    away = _is_database_unavailable(sys.exception())
    status = 503 if away else 500
    if request.path_info.startswith("/api/"):
        if away:
            detail = "The database is unavailable. Try again shortly."
        else:
            detail = "Internal server error."
        response: HttpResponse = JsonResponse({"detail": detail}, status=status)
    else:
        response = defaults.server_error(request)
        response.status_code = status
    if away:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _is_database_unavailable(error: BaseException | None) -> bool:
    """Return whether the database cannot be reached, or is read-only: providers make it so when its disk is full, and a
    server that was replaced by another stays so.
    """
    read_only = isinstance(error, Error) and isinstance(
        error.__cause__,
        ReadOnlySqlTransaction,
    )
    return read_only or isinstance(error, OperationalError | InterfaceError)


def problems_describe(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Turn errors of the API into problem documents with the same content."""

    def describe(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code >= 400 and request.path_info.startswith("/api/"):
            problem_make(request, response)
        return response

    return describe


def problem_make(request: HttpRequest, response: HttpResponseBase) -> None:
    """Complete the body of an error in place."""
    if not isinstance(response, HttpResponse) or response.has_header(
        "Content-Encoding",
    ):
        return
    members = _members_of(response)
    status = response.status_code
    kind = members.get("type", OF_THE_STATUS)
    title = TITLES.get(kind) or response.reason_phrase
    if status == HTTPStatus.CONFLICT:
        usual = _CONFIRM
    else:
        usual = str(title)
    problem = {
        "type": kind,
        "title": str(title),
        "status": status,
        "detail": members.get("detail", usual),
        "instance": request.path,
        **{name: value for name, value in members.items() if name not in _MEMBERS},
    }
    response.content = json.dumps(problem, ensure_ascii=False).encode()
    response.headers["Content-Type"] = CONTENT_TYPE
    if response.has_header("Content-Length"):
        response.headers["Content-Length"] = str(len(response.content))


_MEMBERS: Final = frozenset({"type", "title", "status", "detail", "instance"})


def _members_of(response: HttpResponse) -> dict[str, Any]:
    if "json" not in response.headers.get("Content-Type", ""):
        return {}
    try:
        body = json.loads(response.content)
    except ValueError:
        return {}
    if isinstance(body, dict):
        return body
    return {"errors": {"body": body}}
