"""Signing in at one's own identity provider, by OpenID Connect."""

import logging

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.openid_connect.views import callback
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from requests import RequestException

logger = logging.getLogger(__name__)


@require_GET
@never_cache
def sign_in_elsewhere(request: HttpRequest) -> HttpResponse:
    """Lead to the provider, and keep in the session where to go on to afterwards; 404 if there is none."""
    if not settings.OIDC_ISSUER:
        raise Http404
    if request.user.is_authenticated:
        return redirect("home")
    wanted = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    provider = get_adapter().get_provider(request, settings.OIDC_ID)
    try:
        answer: HttpResponse = provider.redirect(
            request, process="login", next_url=wanted if is_ours else None
        )
    except ImmediateHttpResponse as refusal:
        return refusal.response  # type: ignore[no-any-return]
    except (RequestException, KeyError, ValueError) as error:
        return _unreachable(request, error)
    return answer


@require_GET
@never_cache
def come_back(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Sign in whom the provider sends back, if they have an account; 404 if there is no provider."""
    if not settings.OIDC_ISSUER:
        raise Http404
    try:
        answer: HttpResponse = callback(request, provider_id)
    except (RequestException, KeyError, ValueError) as error:
        return _unreachable(request, error)
    return answer


def _unreachable(request: HttpRequest, error: Exception) -> HttpResponse:
    logger.warning("The identity provider did not answer as it should: %s", error)
    page = "socialaccount/authentication_error.html"
    return render(request, page, {"is_unreachable": True}, status=502)
