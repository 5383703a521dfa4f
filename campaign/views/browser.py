"""The random id by which a browser is told from another, and what is said of its device.

It serves two ends: who opens a link for anybody twice is the same judge, and organisers notice a
link that was passed on. The id is in a cookie of ours alone; the database has a keyed hash of it,
another one in each campaign. No address of the network is kept, nor the browser's own words.
"""

import re
import secrets
import time
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from campaign.models import Campaign, Invitation, Judge
from campaign.services import sighting_note

COOKIE: Final = "quintet_browser"
# The longest that browsers keep one.
_SECONDS_KEPT: Final = 400 * 24 * 3600
# Often enough that two who work at once are seen between one another within ten minutes.
SECONDS_BETWEEN: Final = 240
_VALUE: Final = re.compile(r"([\w-]{22})\.(\d{1,12})")

# The first that matches. A program is a preview, a scanner of links or a script: nobody reads there.
_DEVICES: Final = (
    (r"bot\b|bot/|crawl|spider|preview|scan|curl|wget|python|http-client|headless", "program"),
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
    """A browser's id, and when it was last noted at work (seconds since 1970; 0: not yet)."""

    id: str
    noted: int = 0

    def known_as(self, campaign: Campaign | int) -> bytes:
        """The 32 bytes that stand for it in this campaign, and in no other."""
        campaign_id = campaign if isinstance(campaign, int) else campaign.pk
        salt = f"campaign.browser.{campaign_id}"
        return salted_hmac(salt, self.id, algorithm="sha256").digest()


def browser_of(request: HttpRequest) -> Browser | None:
    """The browser that asks; None where it brought no id."""
    match = _VALUE.fullmatch(request.COOKIES.get(COOKIE, ""))
    return Browser(match[1], int(match[2])) if match else None


def browser_new() -> Browser:
    return Browser(secrets.token_urlsafe(16))


def browser_remember(response: HttpResponse, browser: Browser, *, noted: int = 0) -> None:
    """Have the browser bring its id from now on."""
    response.set_cookie(
        COOKIE,
        f"{browser.id}.{noted}",
        max_age=_SECONDS_KEPT,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def device_of(request: HttpRequest) -> str:
    """A word or two for the kind of device, by what the browser says of itself."""
    said = request.headers.get("User-Agent", "").lower()
    return next((device for pattern, device in _DEVICES if re.search(pattern, said)), "")


def opening_note(
    request: HttpRequest, response: HttpResponse, *, judge: Judge, invitation: Invitation
) -> None:
    """Keep that this browser opened a link of the judge's; programs aside."""
    browser = browser_of(request) or browser_new()
    device = device_of(request)
    if device != "program":
        sighting_note(
            judge=judge,
            browser=browser.known_as(judge.campaign_id),
            device=device,
            opened=invitation,
        )
    browser_remember(response, browser)


def work_note(request: HttpRequest, response: HttpResponse, *, judge: Judge) -> None:
    """Keep that this browser is at work, every few minutes; in between it costs a look at a cookie.

    A client without the cookie is no browser that came by a link: a script with a token.
    """
    browser = browser_of(request)
    now = int(time.time())
    if browser is None or 0 <= now - browser.noted < SECONDS_BETWEEN:
        return
    sighting_note(
        judge=judge, browser=browser.known_as(judge.campaign_id), device=device_of(request)
    )
    browser_remember(response, browser, noted=now)
