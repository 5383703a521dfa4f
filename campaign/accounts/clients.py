"""Address and browser of a request, for limits on wrong passwords.

Wrong passwords from everywhere else count against an account; those from a browser in which the
account signed in before count for that browser alone. So an attacker cannot lock people out of
their own browsers, however long they try.
"""

import hmac
import ipaddress
from hashlib import sha256
from secrets import token_urlsafe

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core import signing
from django.db.models.functions import Now
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from campaign.models import SignInCount

_IPV6_PREFIX = 64  # usually one household or one server
UNKNOWN = "unknown"


def client_address(request: HttpRequest) -> str:
    """Return the client's address; of IPv6 the network, of which one client has all addresses.

    Each proxy appends the address it was asked from to `X-Forwarded-For`, so the last `PROXIES` entries are by
    our own proxies and whatever stands before them may be forged.
    """
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    proxies: int = settings.PROXIES
    told = hops[-proxies] if 0 < proxies <= len(hops) else ""
    for candidate in (told, request.META.get("REMOTE_ADDR", "")):
        try:
            address = ipaddress.ip_address(candidate.strip())
        except ValueError:
            continue
        if address.version == 6:
            return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False).network_address)
        return str(address)
    return UNKNOWN


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


class SmallArgon2Hasher(Argon2PasswordHasher):
    """Argon2id with 19 MiB and one thread, which leaves memory and processors to judges."""

    time_cost = 2
    memory_cost = 19_456
    parallelism = 1


def cache_key(key: str, key_prefix: str, version: int) -> str:
    """Return a keyed hash of a cache's key, which has addresses and e-mail addresses in it."""
    whole = f"{key_prefix}:{version}:{key}".encode()
    return hmac.digest(settings.SECRET_KEY.encode(), whole, "sha256").hex()


def sign_in_counts_forget() -> int:
    """Delete counts that are over; return how many."""
    deleted, _ = SignInCount.objects.filter(expires__lt=Now()).delete()
    return deleted
