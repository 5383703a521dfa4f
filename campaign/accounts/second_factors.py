"""Settings of allauth's second factors: QR codes by segno, and secrets encrypted with a key kept outside the
database.
"""

import io
from base64 import b32encode, urlsafe_b64encode
from collections.abc import Callable
from secrets import token_bytes
from typing import Any, Final

import segno
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from campaign.models import Membership, User

#: Factors that sign in beside a password; recovery codes replace one of these.
FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # untyped
    """Secrets encrypted with a key of `SECRET_KEY`, and words of our own."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _("Wrong code or passkey, or already used. Try again."),
        "cannot_delete_authenticator": _(
            "This server requires two-factor authentication. Add another factor before you remove this one."
        ),
    }

    def build_totp_svg(self, url: str) -> str:
        """Return the QR code of an address as SVG, dark on light in every colour scheme."""
        drawn = io.BytesIO()
        segno.make(url, error="m").save(drawn, kind="svg", scale=5, border=4, light="#fff")
        return drawn.getvalue().decode()

    def encrypt(self, text: str) -> str:
        """Return a secret as it is stored."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return a stored secret, or a random one if it was stored under another `SECRET_KEY`."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return b32encode(token_bytes(20)).decode()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Return True if this factor may be removed: not if it is the last one and the account must have one."""
        if authenticator.type == Authenticator.Type.RECOVERY_CODES:
            return True
        others = Authenticator.objects.filter(user=authenticator.user_id, type__in=FACTORS)
        return others.exclude(pk=authenticator.pk).exists() or not factor_is_demanded(
            authenticator.user
        )

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return for whom passkeys are: this host, by our name."""
        entity: dict[str, str] = super().get_public_key_credential_rp_entity()
        return {**entity, "name": settings.MFA_TOTP_ISSUER}

    def get_public_key_credential_user_entity(self, user: User) -> dict[str, Any]:
        """Return who a passkey is for, by the name its owner chooses it by."""
        entity: dict[str, Any] = super().get_public_key_credential_user_entity(user)
        return {**entity, "display_name": user.name}


def has_factor(user: User) -> bool:
    """Return whether a password or a link alone does not sign this user in."""
    return bool(Authenticator.objects.filter(user=user.pk, type__in=FACTORS).exists())


def factor_is_demanded(user: User) -> bool:
    """Return whether this user must have a second factor: staff, and members of campaigns."""
    if not settings.SECOND_FACTOR_DEMANDED:
        return False
    return user.is_staff or Membership.objects.filter(user=user.pk).exists()


def _cipher() -> Fernet:
    key = salted_hmac("campaign.accounts.second_factors", "", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(key))


#: Pages open to an account that still lacks its required factor: its own settings, and signing out.
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
#: Judging needs no account, so these paths are exempt for all users.
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
