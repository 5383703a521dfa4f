"""Language of the pages: the user's choice takes precedence over the browser's preference.

The choice follows a user to their other devices: it is stored with the user and copied into the
session at sign-in, so that pages need no query for it.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from campaign.models import User

SESSION_KEY = "interface_language"


def is_offered(language: str) -> bool:
    return language in dict(settings.LANGUAGES)


class InterfaceLanguageMiddleware:
    """Language of a request: the choice in the session first; then Django's order: the cookie, then
    `Accept-Language`.

    Django's `LocaleMiddleware` without languages in addresses, of which there are none.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        translation.activate(_chosen(request) or translation.get_language_from_request(request))
        request.LANGUAGE_CODE = translation.get_language()
        response = self._get_response(request)
        patch_vary_headers(response, ["Accept-Language"])
        response.headers.setdefault("Content-Language", translation.get_language())
        return response


def _chosen(request: HttpRequest) -> str | None:
    """Return the language that the session says; None if it says none that is offered."""
    try:
        chosen: str = request.session.get(SESSION_KEY, "")
    except DatabaseError:
        # A missing database is for the page to report; some pages work without one.
        return None
    return chosen if is_offered(chosen) else None


def language_into_session(*, request: HttpRequest, user: User, **_rest: Any) -> None:
    """Set the language of a user who signs in; a receiver of `user_logged_in`."""
    if user.language:
        request.session[SESSION_KEY] = user.language
