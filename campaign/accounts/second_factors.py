"""Adapt allauth's second factors: QR codes by segno, and secrets encrypted with a key outside the database."""

import io
from base64 import b32encode
from collections.abc import Callable
from secrets import token_bytes
from typing import Any, Final

import segno
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from campaign.database.sealing import cipher
from campaign.models import Membership, User

_PURPOSE: Final = "campaign.accounts.second_factors"
#: Second factors besides the password; recovery codes replace one of them.
FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # untyped
    """Encrypts secrets with a key derived from `SECRET_KEY`, and has our own messages."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _("Wrong code or passkey, or already used. Try again."),
        "cannot_delete_authenticator": _(
            "This server requires two-factor authentication. Add another factor before you remove this one.",
        ),
    }

    def build_totp_svg(self, url: str) -> str:
        """Return the QR code of a URL as SVG, dark on light in every colour scheme."""
        drawn = io.BytesIO()
        segno.make(url, error="m").save(
            drawn,
            kind="svg",
            scale=5,
            border=4,
            light="#fff",
        )
        return drawn.getvalue().decode()

    def encrypt(self, text: str) -> str:
        """Return the encrypted secret."""
        return cipher(_PURPOSE).encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the decrypted secret, or a random one if `SECRET_KEY` has changed."""
        try:
            return cipher(_PURPOSE).decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return b32encode(token_bytes(20)).decode()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Return whether this factor may be removed: not if it is the last required one."""
        if authenticator.type == Authenticator.Type.RECOVERY_CODES:
            return True
        others = Authenticator.objects.filter(
            user=authenticator.user_id,
            type__in=FACTORS,
        )
        return others.exclude(pk=authenticator.pk).exists() or not factor_is_demanded(
            authenticator.user,
        )

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the host of passkeys with our name."""
        entity: dict[str, str] = super().get_public_key_credential_rp_entity()
        return {**entity, "name": settings.MFA_TOTP_ISSUER}

    def get_public_key_credential_user_entity(self, user: User) -> dict[str, Any]:
        """Return the user of a passkey with the name shown to them."""
        entity: dict[str, Any] = super().get_public_key_credential_user_entity(user)
        return {**entity, "display_name": user.name}


def has_factor(user: User) -> bool:
    """Return whether this user has a second factor."""
    return bool(Authenticator.objects.filter(user=user.pk, type__in=FACTORS).exists())


def factor_is_demanded(user: User) -> bool:
    """Return whether this user must have a second factor, as staff and members of campaigns may have to."""
    if not settings.SECOND_FACTOR_DEMANDED:
        return False
    return user.is_staff or Membership.objects.filter(user=user.pk).exists()


#: Pages available without a required factor: account settings, and signing out.
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
    },
)
#: Judging needs no account, so these paths are always available.
_JUDGING: Final = ("/judge/", "/api/v1/judging/", "/panel/")


class DemandedFactorMiddleware:
    """Redirects users who must set up a second factor; makes no query unless the server requires one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer the request."""
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Return a refusal, or None to continue. Requests with tokens are not checked."""
        if not settings.SECOND_FACTOR_DEMANDED or _is_open(request):
            return None
        user = request.user
        if (
            not isinstance(user, User)
            or not factor_is_demanded(user)
            or has_factor(user)
        ):
            return None
        if request.path_info.startswith("/api/"):
            message = _(
                "This server requires two-factor authentication. Set it up on your account page first.",
            )
            return JsonResponse({"detail": message}, status=403)
        return redirect("mfa_index")


def _is_open(request: HttpRequest) -> bool:
    match = request.resolver_match
    name = ""
    if match is not None:
        name = match.url_name or ""
    return (
        name in _OPEN
        or name.startswith("mfa_")
        or request.path_info.startswith(_JUDGING)
    )
