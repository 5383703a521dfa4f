"""Refuse what changes a campaign while it is being moved to another cell, and afterwards.

What judges write the database refuses by itself (`campaign.models.move`); they ask for nothing here.
"""

from typing import Any, Final

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from campaign.models import CampaignMove
from config.api.errors import RETRY_SECONDS, moving_words
from config.requests import GetResponse

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_PANELS: Final = frozenset({"panel-entry", "panel-events"})


class MovingCampaignMiddleware:
    """Answers 503 where an address names a campaign that moves, and the request may change it."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, _view: object, _arguments: object, named: dict[str, Any]
    ) -> HttpResponse | None:
        """Ask before the view does; one query, and none to read a page or to judge."""
        campaign = _campaign_changed(request, named)
        if campaign is None or not CampaignMove.objects.filter(campaign).exists():
            return None
        if request.path_info.startswith("/api/"):
            response: HttpResponse = JsonResponse({"detail": moving_words()}, status=503)
        else:
            response = HttpResponse(moving_words(), status=503, content_type="text/plain")
        response["Retry-After"] = str(RETRY_SECONDS)
        return response


def _campaign_changed(request: HttpRequest, named: dict[str, Any]) -> Q | None:
    """Return which campaign the request may change, None if none."""
    if request.method in _SAFE:
        return None
    if "slug" in named:
        return Q(campaign__slug=named["slug"])
    if "task_id" in named:
        return Q(campaign__test_sets__tasks=named["task_id"])
    match = request.resolver_match
    if match is not None and match.url_name in _PANELS:
        # Once it has moved nobody knows the address here (404), and a router asks the next cell.
        key = named["token"]
        panel = Q(campaign__panels__key=key) | Q(campaign__panels__events_key=key)
        return panel & Q(moved_at__isnull=True)
    return None
