"""What holds for every request and answer, whatever view gives it."""

import re
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase

from campaign.pages.content_policy import CONTENT_POLICY, content_policy
from config.api.errors import bad_request

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPED_CONTROL_CHARACTER = re.compile(r"%(?:[01][0-9a-f]|7f)", re.IGNORECASE)
# What pages of Quintet never ask a browser for; whoever gets a script in cannot ask either.
_NOT_NEEDED = (
    *("accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation"),
    *("gyroscope", "hid", "idle-detection", "magnetometer", "microphone", "midi", "payment"),
    *("screen-wake-lock", "serial", "usb", "xr-spatial-tracking"),
)
# What SecurityMiddleware gives whatever comes from us.
_OF_PAGES = ("Cross-Origin-Opener-Policy", "Referrer-Policy")
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in _NOT_NEEDED)


def control_characters_refuse(get_response: GetResponse) -> GetResponse:
    """Answer 400 where the address holds a control character, which no address of ours does.

    PostgreSQL takes no text with a NUL in it, and a line break in a header would be a second header.
    """

    def refuse(request: HttpRequest) -> HttpResponseBase:
        if _CONTROL_CHARACTER.search(request.path_info) or _ESCAPED_CONTROL_CHARACTER.search(
            request.META["QUERY_STRING"]
        ):
            return bad_request(request, BadRequest())
        return get_response(request)

    return refuse


def headers_add(get_response: GetResponse) -> GetResponse:
    """Keep the API's answers out of caches and streams out of a proxy's buffers, and browsers from what no page needs.

    Static files go without what browsers ask the page for that loads them. With each of forty files such
    headers would be a fifth of what a judge's first visit loads.
    """

    policy = content_policy()

    def add(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.path_info.startswith("/static/"):
            for header in _OF_PAGES:
                response.headers.pop(header, None)
        else:
            response.headers["Permissions-Policy"] = PERMISSIONS_POLICY
            # With DEBUG these are pages of Django's, which style themselves.
            if not (settings.DEBUG and response.status_code in {404, 500}):
                response.headers.setdefault(CONTENT_POLICY, policy)
            if response.streaming:
                # nginx passes it on as it comes, and writes none of it to its disk
                # (docs/decisions/0118-streams-pass-the-proxy.md).
                response.headers.setdefault("X-Accel-Buffering", "no")
        if request.path_info.startswith("/api/"):
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return add
