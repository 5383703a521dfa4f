"""Forms for one-time codes of authenticator apps, each of which is accepted once.

django-allauth remembers a code for 30 seconds, but with `MFA_TOTP_TOLERANCE` it is valid for longer, and it does not
remember the code that activates an app.
"""

import unicodedata

from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django.core.cache import cache

from campaign.models import User


class _AcceptedOnce:
    """Refuses a code that the user has given before, also in another form."""

    user: User
    cleaned_data: dict[str, str]

    def clean_code(self) -> str:
        """Return the code. Raises `ValidationError` if it is wrong or has been used."""
        self.cleaned_data["code"] = _plain(self.cleaned_data["code"])
        code: str = super().clean_code()  # type: ignore[misc]  # of the form
        _code_use(self.user, code)
        return code


class CodeForm(_AcceptedOnce, AuthenticateForm):  # type: ignore[misc]  # untyped
    """Asks for a code to sign in."""


class CodeAgainForm(_AcceptedOnce, ReauthenticateForm):  # type: ignore[misc]
    """Asks for a code before a change of the account."""


class AppActivationForm(_AcceptedOnce, ActivateTOTPForm):  # type: ignore[misc]
    """Asks for the first code of an app."""


def _plain(code: str) -> str:
    """Return a code in ASCII digits without spaces, however an app or a keyboard wrote it: `١٢٣ ４５６`."""
    visible = [character for character in code if character.isalnum()]
    return "".join(
        str(unicodedata.decimal(character, character)) for character in visible
    )


def _code_use(user: User, code: str) -> None:
    """Remember a code for as long as it is valid. Raises `ValidationError` if it has been used."""
    periods = 2 * app_settings.TOTP_TOLERANCE + 1
    key = f"one-time code of {user.pk}: {code}"
    if not cache.add(key, "", timeout=periods * app_settings.TOTP_PERIOD):
        raise get_adapter().validation_error("incorrect_code")
