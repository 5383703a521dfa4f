"""Find the session of somebody whose campaign moved here: their browser has it under another cell's cookie."""

from itertools import islice
from typing import Any, Final, cast

from django.conf import settings
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponseBase

from campaign.models import Session
from config.cells import is_session_cookie
from config.requests import GetResponse

# Of one browser; a client that sends more is looked up no further.
_COOKIES: Final = 10


def moved_sessions_find(get_response: GetResponse) -> GetResponse:
    """Take the session of another cell's cookie where it is stored here, and give it this cell's cookie.

    One query for browsers that have a cookie of another cell and none of this one.
    """

    def find(request: HttpRequest) -> HttpResponseBase:
        own = settings.SESSION_COOKIE_NAME
        if own in request.COOKIES:
            return get_response(request)
        keys = (value for name, value in request.COOKIES.items() if is_session_cookie(name))
        others = list(islice(keys, _COOKIES))
        if not others:
            return get_response(request)
        valid = Session.objects.filter(session_key__in=others, expire_date__gt=Now())
        found = valid.order_by("-expire_date").first()
        if found is None:
            return get_response(request)
        request.COOKIES[own] = found.session_key
        response = get_response(request)
        if own not in response.cookies:
            response.set_cookie(
                own,
                found.session_key,
                expires=found.expire_date,
                path=settings.SESSION_COOKIE_PATH,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=settings.SESSION_COOKIE_HTTPONLY,
                samesite=cast("Any", settings.SESSION_COOKIE_SAMESITE),
            )
        return response

    return find
