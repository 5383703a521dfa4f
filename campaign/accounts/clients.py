"""Address and browser of a request, for limits on wrong passwords.

Wrong passwords in a browser that the account has used before count for that browser only; all others count
together for the account. So an attacker cannot lock users out of their own browsers.
"""

import hmac
from hashlib import sha256
from secrets import token_urlsafe

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core import signing
from django.db.models.functions import Now
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from campaign.models import SignInCount
from campaign.texts import client_addresses
from campaign.texts.addresses import address_key


def client_address(request: HttpRequest) -> str:
    """Return the address of the client; for IPv6, its network, since one client has many addresses."""
    return client_addresses.client_address(
        request.headers.get("X-Forwarded-For", ""),
        request.META.get("REMOTE_ADDR", ""),
        proxies=settings.PROXIES,
    )


COOKIE = "quintet_known"
_SALT = "campaign.known_browsers"
_AGE_SECONDS = 60 * 60 * 24 * 400


def known_browser(request: HttpRequest, email: str) -> str | None:
    """Return the ID of the browser if this account has signed in from it; otherwise None."""
    try:
        account, number = signing.loads(
            request.COOKIES.get(COOKIE, ""),
            salt=_SALT,
            max_age=_AGE_SECONDS,
        )
    except (signing.BadSignature, ValueError, TypeError):
        return None
    if account == _account(email):
        return str(number)
    return None


def browser_remember(*, response: HttpResponseBase, email: str) -> None:
    """Set the cookie that identifies this browser for the account."""
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
    return sha256(address_key(email).encode()).hexdigest()[:32]


class SmallArgon2Hasher(Argon2PasswordHasher):
    """Argon2id with 19 MiB and one thread, to limit the load on the server."""

    time_cost = 2
    memory_cost = 19_456
    parallelism = 1


def cache_key(key: str, key_prefix: str, version: int) -> str:
    """Return a keyed hash of a cache key, which may contain IP and e-mail addresses."""
    whole = f"{key_prefix}:{version}:{key}".encode()
    return hmac.digest(settings.SECRET_KEY.encode(), whole, "sha256").hex()


def sign_in_counts_forget() -> int:
    """Delete expired counts; return their number."""
    deleted, _ = SignInCount.objects.filter(expires__lt=Now()).delete()
    return deleted
