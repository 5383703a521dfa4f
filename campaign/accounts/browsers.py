"""The cookie that identifies a browser by a random id, and the kind of its device.

It serves two purposes: opening a shared link twice gives the same judge, and organisers notice
a link that was passed on. The id is stored in our cookie only; the database stores a keyed hash of
it, which differs between campaigns. Neither network addresses nor user agents are stored.
"""

import re
import secrets
import time
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from campaign.accounts.interface_language import SESSION_KEY
from campaign.models import Campaign, Invitation, Judge, User
from campaign.models.user import DEVICE, SIGNED_IN_AT
from campaign.services.browser_visits import browser_visit_record
from campaign.services.judges import user_language_set

COOKIE: Final = "quintet_browser"
# Browsers keep no cookie longer.
_SECONDS_KEPT: Final = 400 * 24 * 3600
# Often enough to notice two browsers that are active within the same ten minutes.
SECONDS_BETWEEN: Final = 240
_VALUE: Final = re.compile(r"([\w-]{22})\.(\d{1,12})")

# The first that matches counts. A program is a link preview, a scanner or a script, not a reader.
_DEVICES: Final = (
    (
        r"bot\b|bot/|crawl|spider|preview|scan|curl|wget|python|http-client|headless",
        "program",
    ),
    (r"iphone|ipod", "iPhone"),
    (r"ipad", "iPad"),
    (r"android.*mobile", "Android phone"),
    (r"android", "Android tablet"),
    (r"cros", "Chromebook"),
    (r"windows", "Windows"),
    (r"macintosh|mac os", "Mac"),
    (r"linux|x11", "Linux"),
)


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser's id, and when its work was last recorded (seconds since 1970; 0 for never)."""

    id: str
    recorded_at: int = 0

    def hash_for(self, campaign: Campaign | int) -> bytes:
        """Return the 32 bytes that identify it in this campaign, and in no other."""
        if isinstance(campaign, int):
            campaign_id = campaign
        else:
            campaign_id = campaign.pk
        salt = f"campaign.browser.{campaign_id}"
        return salted_hmac(salt, self.id, algorithm="sha256").digest()


def browser_of(request: HttpRequest) -> Browser | None:
    """Return the browser that sent the request; None if it has no id."""
    match = _VALUE.fullmatch(request.COOKIES.get(COOKIE, ""))
    if match:
        return Browser(match[1], int(match[2]))
    return None


def browser_new() -> Browser:
    return Browser(secrets.token_urlsafe(16))


def browser_remember(
    response: HttpResponse,
    browser: Browser,
    *,
    recorded_at: int = 0,
) -> None:
    """Set the cookie with the browser's id."""
    response.set_cookie(
        COOKIE,
        f"{browser.id}.{recorded_at}",
        max_age=_SECONDS_KEPT,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def device_of(request: HttpRequest) -> str:
    """Return the kind of device in a word or two, from the user agent; "" if unknown."""
    agent = request.headers.get("User-Agent", "").lower()
    return next(
        (device for pattern, device in _DEVICES if re.search(pattern, agent)),
        "",
    )


def session_describe(*, request: HttpRequest, user: User, **_rest: Any) -> None:
    """Record the start and device of a session in it. Receiver of `user_logged_in`."""
    now = User.objects.annotate(now=Now()).values_list("now", flat=True).get(pk=user.pk)
    request.session[SIGNED_IN_AT] = now.isoformat()
    request.session[DEVICE] = device_of(request)


def language_into_session(*, request: HttpRequest, user: User, **_rest: Any) -> None:
    """Copy a user's language into the session at sign-in; store that of the page if the user has none.

    Receiver of `user_logged_in`.
    """
    # Only requests of browsers have one.
    of_page = getattr(request, "LANGUAGE_CODE", "")
    if not user.language and of_page:
        user_language_set(user=user, language=of_page)
    if user.language:
        request.session[SESSION_KEY] = user.language


def link_opening_record(
    request: HttpRequest,
    response: HttpResponse,
    *,
    judge: Judge,
    invitation: Invitation,
) -> None:
    """Record that this browser opened one of the judge's links, unless it is a program."""
    browser = browser_of(request) or browser_new()
    device = device_of(request)
    if device != "program":
        browser_visit_record(
            judge=judge,
            browser=browser.hash_for(judge.campaign_id),
            device=device,
            opened=invitation,
        )
    browser_remember(response, browser)


def activity_record(
    request: HttpRequest,
    response: HttpResponse,
    *,
    judge: Judge,
) -> None:
    """Record every few minutes that this browser is at work; in between, only read its cookie.

    A client without the cookie did not come by a link: it is a script with a token.
    """
    browser = browser_of(request)
    now = int(time.time())
    if browser is None or 0 <= now - browser.recorded_at < SECONDS_BETWEEN:
        return
    browser_visit_record(
        judge=judge,
        browser=browser.hash_for(judge.campaign_id),
        device=device_of(request),
    )
    browser_remember(response, browser, recorded_at=now)
