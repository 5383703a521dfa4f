"""Refuse what changes an archived campaign, or a rehearsal; reading them goes on, and what ends that state."""

from typing import Any, Final

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.translation import gettext as _

from campaign.models import Campaign, CampaignState
from campaign.services.rehearsals import rehearsal_words
from config.requests import GetResponse

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
#: Addresses that change the state itself, or make another campaign.
_ALLOWED: Final = frozenset(
    {"campaign-transition", "api-campaign-transition", "campaign-clone", "api-campaign-clone"}
)
#: Where an organiser only looks, whatever the method.
_STORING_NOTHING: Final = frozenset(
    {
        *("judge-preview-tour", "preview-assignments", "preview-judgment", "preview-skip"),
        *("preview-problem-report", "design-preview", "design-forecast"),
        *("api-design-preview", "api-design-forecast"),
    }
)


class ArchivedCampaignMiddleware:
    """Answers 409 where an address names an archived campaign or a rehearsal, and the request may change it."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, _view: object, _arguments: object, named: dict[str, Any]
    ) -> HttpResponse | None:
        """Ask before the view does; one query, and none to read a page or to judge."""
        campaign = _campaign_changed(request, named)
        words = None if campaign is None else _refusal(request, campaign)
        if words is None:
            return None
        if request.path_info.startswith("/api/"):
            return JsonResponse({"detail": words}, status=409)
        return HttpResponse(words, status=409, content_type="text/plain")


def _refusal(request: HttpRequest, campaign: Q) -> str | None:
    found = Campaign.objects.filter(campaign).values_list("state", "rehearsal_of").first()
    if found is None:
        return None
    state, rehearsal_of = found
    if rehearsal_of is not None:
        return rehearsal_words()
    match = request.resolver_match
    if state != CampaignState.ARCHIVED or (match is not None and match.url_name in _ALLOWED):
        return None
    return _("This campaign is archived and cannot be changed. Take it out of the archive first.")


def _campaign_changed(request: HttpRequest, named: dict[str, Any]) -> Q | None:
    match = request.resolver_match
    if request.method in _SAFE or (match is not None and match.url_name in _STORING_NOTHING):
        return None
    if "slug" in named:
        return Q(slug=named["slug"])
    if "task_id" in named:
        return Q(test_sets__tasks=named["task_id"])
    return None
