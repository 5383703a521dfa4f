"""Signing in with e-mail and password; judges have links instead."""

import logging
from typing import Any, TypedDict

from allauth.account.forms import LoginForm
from allauth.account.views import LoginView
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.openid_connect.views import callback
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.csrf import CSRF_FAILURE_TEMPLATE_NAME
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django.views.generic import FormView
from requests import RequestException

from campaign.accounts.clients import browser_remember, known_browser

TEMPLATE = "registration/sign_in.html"
_ACCOUNT_LIMIT_SECONDS = 300
_ADDRESS_LIMIT_SECONDS = 60
#: Pages with a button that signs in, which redirect the person whose link it is.
_ENTRANCES = ("invitation", "panel-entry")


class SignInView(LoginView):  # type: ignore[misc]  # untyped
    """Sign in with allauth, with words and a status for each refusal."""

    template_name = TEMPLATE

    def form_valid(self, form: LoginForm) -> HttpResponse:
        """Sign in, and remember this browser for the account."""
        response: HttpResponse = super().form_valid(form)
        email = form.cleaned_data["login"]
        if known_browser(self.request, email) is None:
            browser_remember(response=response, email=email)
        return response

    def form_invalid(self, form: LoginForm) -> HttpResponse:
        """Show the form again; 429 if the password was not checked."""
        response: HttpResponse = super().form_invalid(form)
        if form.has_error("__all__", "too_many_login_attempts"):
            response.status_code = 429
            response["Retry-After"] = str(_ACCOUNT_LIMIT_SECONDS)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return the page's context, without sign-up."""
        email = self.request.POST.get("login", "")
        return {
            **FormView.get_context_data(self, **kwargs),
            "email": email,
            **_way_on(self.request),
        }


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Answer a form without a valid CSRF token, or of an unknown origin: Django's `CSRF_FAILURE_VIEW`.

    Signing in invalidates the forms of other tabs. Their forms that sign in lead on, as the user is signed in already.
    """
    # Django's reasons about the headers Origin and Referer.
    is_about_origin = "checking failed" in reason
    is_signed_in = request.user.is_authenticated
    view_name = getattr(request.resolver_match, "view_name", "")
    if view_name in _ENTRANCES and is_signed_in and not is_about_origin:
        return redirect(request.get_full_path())
    if view_name != "sign-in" or not is_signed_in:
        context = {"is_about_origin": is_about_origin}
        return render(request, CSRF_FAILURE_TEMPLATE_NAME, context, status=403)
    to = _way_on(request)["next"]
    is_ours = url_has_allowed_host_and_scheme(
        to,
        allowed_hosts={request.get_host()},
        require_https=request.is_secure(),
    )
    return redirect(to if is_ours else "home")


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Refuse an address that signs in too often; allauth's `handler429`."""
    context = {
        "refusal": _(
            "Too many sign-ins from your IP address. Try again in one minute.",
        ),
        "email": request.POST.get("login", ""),
        **_way_on(request),
    }
    response = render(request, TEMPLATE, context, status=429)
    response["Retry-After"] = str(_ADDRESS_LIMIT_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


class _Redirect(TypedDict):
    """Address to open after signing in: `judging` is the campaign of a judging page, `elsewhere` the provider of accounts."""

    next: str
    judging: str
    elsewhere: str


def _way_on(request: HttpRequest) -> _Redirect:
    """Return the redirect after signing in, and the page's options for it; judges use their links."""
    address = request.POST.get("next") or request.GET.get("next", "")
    judging = reverse("judge", args=["x"]).removesuffix("x/")
    slug = ""
    if address.startswith(judging):
        slug, _slash, _rest = address.removeprefix(judging).partition("/")
    provider = ""
    if settings.OIDC_ISSUER:
        provider = settings.OIDC_NAME
    return {"next": address, "judging": slug, "elsewhere": provider}


logger = logging.getLogger(__name__)


@require_GET
@never_cache
def sign_in_elsewhere(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider, and store the next page in the session; 404 if there is no provider."""
    if not settings.OIDC_ISSUER:
        raise Http404
    if request.user.is_authenticated:
        return redirect("home")
    address = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        address,
        allowed_hosts={request.get_host()},
    )
    provider = get_adapter().get_provider(request, settings.OIDC_ID)
    next_url = None
    if is_ours:
        next_url = address
    try:
        answer: HttpResponse = provider.redirect(
            request,
            process="login",
            next_url=next_url,
        )
    except ImmediateHttpResponse as refusal:
        return refusal.response  # type: ignore[no-any-return]
    except (RequestException, KeyError, ValueError) as error:
        return _unreachable(request, error)
    return answer


@require_GET
@never_cache
def come_back(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Sign in the user returned by the provider, if they have an account; 404 if there is no provider."""
    if not settings.OIDC_ISSUER:
        raise Http404
    try:
        answer: HttpResponse = callback(request, provider_id)
    except (RequestException, KeyError, ValueError) as error:
        return _unreachable(request, error)
    return answer


def _unreachable(request: HttpRequest, error: Exception) -> HttpResponse:
    logger.warning("Invalid response from the identity provider: %s", error)
    page = "socialaccount/authentication_error.html"
    return render(request, page, {"is_unreachable": True}, status=502)
