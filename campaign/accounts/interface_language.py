"""The language of the pages: what somebody chose goes before what their browser asks for.

Whoever is signed in takes their choice to their other devices: it is kept with the user and
copied into the session when they sign in, so that no page asks the database for it.
"""

from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

from campaign.models import User

SESSION_KEY = "interface_language"


def is_offered(language: str) -> bool:
    return language in dict(settings.LANGUAGES)


class InterfaceLanguageMiddleware(LocaleMiddleware):
    """Django's own, after the choice in the session: then the cookie, then `Accept-Language`."""

    def process_request(self, request: HttpRequest) -> None:
        try:
            chosen = request.session.get(SESSION_KEY, "")
        except DatabaseError:
            # Whether the database is there is for the page to say; some do without.
            chosen = ""
        if not is_offered(chosen):
            super().process_request(request)
            return
        translation.activate(chosen)
        request.LANGUAGE_CODE = chosen


def language_into_session(*, request: HttpRequest, user: User, **_rest: Any) -> None:
    """Set the language of a user who signs in; a receiver of `user_logged_in`."""
    if user.language:
        request.session[SESSION_KEY] = user.language
