"""Send organisers to set up a second factor first, where the installation demands one."""

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from campaign.accounts.second_factors import factor_is_demanded, has_factor
from campaign.models import User

#: What an account without its factor may open: itself, and the way out.
_OPEN: Final = frozenset(
    {
        "account",
        "account_reauthenticate",
        "invitation",
        "language",
        "organiser-account",
        "password-reset",
        "sign-in",
        "sign-out",
    }
)
#: Judging needs no account, whoever does it.
_JUDGING: Final = ("/judge/", "/api/v1/judging/", "/panel/")


class DemandedFactorMiddleware:
    """Redirect users who must set up a second factor; no query unless the installation demands one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Return a refusal, or None to go on. Programs come with tokens, which signed-in people made."""
        if not settings.SECOND_FACTOR_DEMANDED or _is_open(request):
            return None
        user = request.user
        if not isinstance(user, User) or not factor_is_demanded(user) or has_factor(user):
            return None
        if request.path_info.startswith("/api/"):
            words = _(
                "This server requires two-factor authentication. Set it up on your account page first."
            )
            return JsonResponse({"detail": words}, status=403)
        return redirect("mfa_index")


def _is_open(request: HttpRequest) -> bool:
    match = request.resolver_match
    name = (match.url_name if match else None) or ""
    return name in _OPEN or name.startswith("mfa_") or request.path_info.startswith(_JUDGING)
