"""Sign-in of an authenticated user, with their second factor if they have one."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_login
from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.account.models import Login
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from campaign.accounts.second_factors import has_factor
from campaign.models import User

View = Callable[..., HttpResponseBase]


def enter(request: HttpRequest, user: User, *, to: str) -> HttpResponse:
    """Sign this user in and redirect to a page; first to the one that asks for their second factor, if they have one.

    Judges without an account, who have no e-mail address, have none.
    """
    if user.email and has_factor(user):
        answer: HttpResponse = perform_login(request, Login(user=user, redirect_url=to))
        return answer
    login(request, user)
    return redirect(to)


def for_accounts(view: View) -> View:
    """Require an account: redirect visitors to the sign-in page, answer 404 to judges, and forbid caching."""

    @login_required
    @never_cache
    @wraps(view)
    def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not cast("User", request.user).email:
            raise Http404
        return view(request, *args, **kwargs)

    return opened


def asked_again(view: View) -> View:
    """Require the password or a factor again first, unless given recently.

    Unlike allauth's own decorator, it does not store the request in the session, where new passwords would be kept.
    Users with neither a password nor a factor are not asked.
    """

    @wraps(view)
    def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if is_reauthentication_required(request, app="allauth.mfa"):
            way = get_adapter(request).get_reauthentication_methods(request.user)[0]
            return redirect(f"{way['url']}?{urlencode({'next': request.get_full_path()})}")
        return view(request, *args, **kwargs)

    return opened


def base_url(request: HttpRequest) -> str:
    """Return the base URL without a trailing slash: `PUBLIC_ADDRESS`, or that of the request."""
    given: str = settings.PUBLIC_ADDRESS or request.build_absolute_uri("/")
    return given.rstrip("/")
