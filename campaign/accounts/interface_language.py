"""Choose the language of the pages: the user's choice takes precedence over the browser's preference.

The choice applies on all devices: it is stored with the user and copied into the session at sign-in, so that
pages need no query for it. The language of the page at the first sign-in is stored, too: messages are in it.
"""

from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

SESSION_KEY = "interface_language"


def is_offered(language: str) -> bool:
    return language in dict(settings.LANGUAGES)


class InterfaceLanguageMiddleware:
    """Sets the language of a request: from the session, then as Django does from the cookie and `Accept-Language`.

    It replaces Django's `LocaleMiddleware`, without languages in URLs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        translation.activate(
            _chosen(request) or translation.get_language_from_request(request),
        )
        request.LANGUAGE_CODE = translation.get_language()
        response = self._get_response(request)
        patch_vary_headers(response, ["Accept-Language"])
        response.headers.setdefault("Content-Language", translation.get_language())
        return response


def _chosen(request: HttpRequest) -> str | None:
    """Return the language in the session; None if it is missing or not available."""
    try:
        chosen: str = request.session.get(SESSION_KEY, "")
    except DatabaseError:
        # The page itself reports a missing database; some pages work without one.
        return None
    if is_offered(chosen):
        return chosen
    return None
