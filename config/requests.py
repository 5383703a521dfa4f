"""Middleware for every request and response."""

import logging
import re
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import BadRequest
from django.db.models import Q
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
)
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _

from campaign.models import Campaign, CampaignState
from campaign.pages.content_policy import CONTENT_POLICY, content_policy
from campaign.services.campaigns import rehearsal_words
from config.api.errors import bad_request
from config.logs import secrets_of

logger = logging.getLogger(__name__)

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+){1,9}")
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPED_CONTROL_CHARACTER = re.compile(r"%(?:[01][0-9a-f]|7f)", re.IGNORECASE)
# Addresses that people receive by mail or chat, or copy into a service.
_LINKS = ("/i/", "/panel/", "/results/")
# Control characters but tabs and line breaks are left, and refused.
_LINK_TAIL = re.compile(r"[^A-Za-z0-9_\x00-\x08\x0b\x0c\x0e-\x1f\x7f-]+$")
# Asked without a proxy, as in `SECURE_REDIRECT_EXEMPT`; `/healthz` is answered before.
_DIRECT = frozenset({"/readyz", "/metrics"})
# Browser features that no page uses, disabled so that injected scripts cannot use them either.
_NOT_NEEDED = (
    "accelerometer",
    "autoplay",
    "camera",
    "display-capture",
    "encrypted-media",
    "geolocation",
    "gyroscope",
    "hid",
    "idle-detection",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "screen-wake-lock",
    "serial",
    "usb",
    "xr-spatial-tracking",
)
# Headers that SecurityMiddleware adds to every response.
_OF_PAGES = ("Cross-Origin-Opener-Policy", "Referrer-Policy")
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in _NOT_NEEDED)


def control_characters_refuse(get_response: GetResponse) -> GetResponse:
    """Answer 400 if the address contains a control character, which no valid address does.

    PostgreSQL refuses texts with NUL, and a line break in a header would begin another header.
    """

    def refuse(request: HttpRequest) -> HttpResponseBase:
        if _CONTROL_CHARACTER.search(
            request.path_info,
        ) or _ESCAPED_CONTROL_CHARACTER.search(request.META["QUERY_STRING"]):
            return bad_request(request, BadRequest())
        return get_response(request)

    return refuse


def links_trim(get_response: GetResponse) -> GetResponse:
    """Redirect from a link with what a mail or a chat left at its end, such as a full stop, to the link itself.

    Links of people end in letters, digits, hyphens or underscores.
    """

    def trim(request: HttpRequest) -> HttpResponseBase:
        trimmed = _trim_link_path(request.path_info)
        if trimmed == request.path_info or request.method != "GET":
            return get_response(request)
        query = request.META["QUERY_STRING"]
        address = reverse("home") + trimmed.removeprefix("/")
        return HttpResponseRedirect(f"{address}?{query}" if query else address)

    return trim


def _trim_link_path(path: str) -> str:
    """Return the path of a link without characters at its end that no link has; other paths as they are."""
    if not path.startswith(_LINKS):
        return path
    without = _LINK_TAIL.sub("", path)
    if path in {without, f"{without}/"}:
        return path
    return f"{without}/"


def prefix_demand(get_response: GetResponse) -> GetResponse:
    """Answer 400 if a proxy serves Quintet under a path other than `URL_PREFIX`, and log the first such request.

    Links, redirects, cookies and mails contain `URL_PREFIX`, which is read when Quintet starts. A single page that
    names the setting is better than pages with wrong links. Without `PROXIES`, clients send this header, so it is
    ignored. A proxy that does not overwrite it passes on what clients forge, so it is no error of the server.
    """
    refuse = _logged_once()

    def demand(request: HttpRequest) -> HttpResponseBase:
        prefix = _forwarded_prefix(request)
        if not prefix or prefix == settings.URL_PREFIX or not _PREFIX.fullmatch(prefix):
            return get_response(request)
        return refuse(
            f"The proxy serves Quintet below {prefix}, but URL_PREFIX is {settings.URL_PREFIX or 'not set'}, so links would be wrong. Set URL_PREFIX={prefix} and restart Quintet.",
        )

    return demand


def scheme_demand(get_response: GetResponse) -> GetResponse:
    """Answer 400 if a proxy does not say whether a request came by HTTPS, and log the first such request.

    With `HTTPS=1`, every page would redirect to itself, without end.
    """
    refuse = _logged_once()

    def demand(request: HttpRequest) -> HttpResponseBase:
        if not settings.HTTPS or not settings.PROXIES or request.path_info in _DIRECT:
            return get_response(request)
        if "X-Forwarded-Proto" in request.headers:
            return get_response(request)
        return refuse(
            "HTTPS=1 needs a proxy that sends X-Forwarded-Proto, and this request has no such header. Let the proxy send `X-Forwarded-Proto: https` (docs/operators.md, A proxy).",
        )

    return demand


def _logged_once() -> Callable[[str], HttpResponse]:
    """Return a function that answers 400 with a message for the operator, and logs the first one."""
    is_logged = False

    def refuse(message: str) -> HttpResponse:
        nonlocal is_logged
        if not is_logged:
            logger.warning(message)
            is_logged = True
        response = HttpResponse(
            f"{message}\n",
            content_type="text/plain; charset=utf-8",
            status=400,
        )
        add_never_cache_headers(response)
        return response

    return refuse


def _forwarded_prefix(request: HttpRequest) -> str:
    """Return the path that the proxies say they serve Quintet under, without final slashes."""
    if not settings.PROXIES:
        return ""
    sent = request.headers.get("X-Forwarded-Prefix", "")
    return sent.replace(" ", "").replace(",", "").rstrip("/")


def headers_add(get_response: GetResponse) -> GetResponse:
    """Keep the API's responses out of caches and streams out of proxy buffers, and disable browser features that no
    page needs.

    Static files are sent without headers that only matter for pages. On forty files, they would make up a fifth of
    what the first visit of a judge loads.
    """

    policy = content_policy()

    def add(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.path_info.startswith("/static/"):
            for header in _OF_PAGES:
                response.headers.pop(header, None)
        else:
            response.headers["Permissions-Policy"] = PERMISSIONS_POLICY
            # With DEBUG, these are pages of Django with inline styles.
            if not (settings.DEBUG and response.status_code in {404, 500}):
                response.headers.setdefault(CONTENT_POLICY, policy)
            if response.streaming:
                # nginx passes streams on immediately, without writing them to disk
                # (docs/decisions/0118-streams-pass-the-proxy.md).
                response.headers.setdefault("X-Accel-Buffering", "no")
        if request.path_info.startswith("/api/"):
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return add


# Other sites only see the origin, and only over HTTPS. With "no-referrer", browsers would send forms
# with `Origin: null`, which the CSRF check refuses.
REFERRER_POLICY = "strict-origin"


def secret_addresses(get_response: GetResponse) -> GetResponse:
    """Return a middleware that keeps addresses with secrets out of `Referer` and caches."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if secrets_of(request.path):
            response["Referrer-Policy"] = REFERRER_POLICY
            add_never_cache_headers(response)
        return response

    return middleware


_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
#: Addresses that change the state itself, or create another campaign.
_ALLOWED: Final = frozenset(
    {
        "campaign-transition",
        "api-campaign-transition",
        "campaign-clone",
        "api-campaign-clone",
    },
)
#: Addresses that change nothing, even by POST.
_STORING_NOTHING: Final = frozenset(
    {
        "preview-assignments",
        "preview-judgment",
        "preview-skip",
        "preview-problem-report",
        "design-preview",
        "design-forecast",
        "api-design-preview",
        "api-design-forecast",
    },
)


class ArchivedCampaignMiddleware:
    """Answer 409 to requests that may change an archived campaign or a rehearsal."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        _view: object,
        _arguments: object,
        named: dict[str, Any],
    ) -> HttpResponse | None:
        """Check before the view, with one query; reading pages and judging need none."""
        campaign = _campaign_changed(request, named)
        if campaign is None:
            refusal = None
        else:
            refusal = _refusal(request, campaign)
        if refusal is None:
            return None
        if request.path_info.startswith("/api/"):
            return JsonResponse({"detail": refusal}, status=409)
        return HttpResponse(refusal, status=409, content_type="text/plain")


def _refusal(request: HttpRequest, campaign: Q) -> str | None:
    campaign_state = (
        Campaign.objects.filter(campaign).values_list("state", "rehearsal_of").first()
    )
    if campaign_state is None:
        return None
    state, rehearsal_of = campaign_state
    if rehearsal_of is not None:
        return rehearsal_words()
    match = request.resolver_match
    if state != CampaignState.ARCHIVED or (
        match is not None and match.url_name in _ALLOWED
    ):
        return None
    return _(
        "This campaign is archived and cannot be changed. Restore it from the archive first.",
    )


def _campaign_changed(request: HttpRequest, named: dict[str, Any]) -> Q | None:
    match = request.resolver_match
    if request.method in _READING or (
        match is not None and match.url_name in _STORING_NOTHING
    ):
        return None
    if "slug" in named:
        return Q(slug=named["slug"])
    if "task_id" in named:
        return Q(test_sets__tasks=named["task_id"])
    return None
