"""Choose the time zone of the pages: the browser's, which a script stores in a cookie; the campaign's for its organisers."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from campaign.texts.time_zones import named_zone, time_zone_names

COOKIE = "quintet_time_zone"
_API = "/api/"


class TimeZoneMiddleware:
    """Sets the time zone of a page; REST keeps that of the server."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(_API):
            return self._get_response(request)
        zone = named_zone(browser_time_zone(request) or settings.TIME_ZONE)
        # Views of a campaign may activate another one.
        with timezone.override(zone):
            return self._get_response(request)


def browser_time_zone(request: HttpRequest) -> str:
    """Return the name of the browser's time zone; an empty string if it is unknown."""
    name = request.COOKIES.get(COOKIE, "")
    if name in time_zone_names():
        return name
    return ""
