"""Browsers in which somebody has signed in before, by a signed cookie.

Wrong passwords from everywhere else count against an account; those from a browser that the account knows
count for that browser alone. So nobody can lock people out of a browser of their own, however long they try.
"""

from hashlib import sha256
from secrets import token_urlsafe

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

COOKIE = "quintet_known"
_SALT = "campaign.known_browsers"
_AGE_SECONDS = 60 * 60 * 24 * 400


def known_browser(request: HttpRequest, email: str) -> str | None:
    """Return the number of the browser if this account has signed in from it, None otherwise."""
    try:
        account, number = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_AGE_SECONDS
        )
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return str(number) if account == _account(email) else None


def browser_remember(*, response: HttpResponseBase, email: str) -> None:
    """Set the cookie by which the account knows this browser."""
    response.set_cookie(
        COOKIE,
        signing.dumps([_account(email), token_urlsafe(16)], salt=_SALT),
        max_age=_AGE_SECONDS,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _account(email: str) -> str:
    return sha256(email.strip().lower().encode()).hexdigest()[:32]
