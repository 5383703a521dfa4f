"""Settings of django-allauth for Quintet: password rules and rate limits, our own messages, no sign-up."""

from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from campaign.accounts.clients import client_address, known_browser
from campaign.models import User

_SAID: Final = {
    "mfa/messages/totp_activated.txt": _("Authenticator app added."),
    "mfa/messages/totp_deactivated.txt": _("Authenticator app removed."),
    "mfa/messages/webauthn_added.txt": _("Passkey added."),
    "mfa/messages/webauthn_removed.txt": _("Passkey removed."),
    "mfa/messages/recovery_codes_generated.txt": _(
        "New recovery codes created. The old ones no longer work."
    ),
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # untyped
    """Limits by account and by address, except for browsers that the account knows."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "too_many_login_attempts": _(
            "Too many wrong passwords. Wait five minutes, use a browser you have signed in with before, or "
            "open your sign-in link."
        ),
        "email_password_mismatch": _("Wrong e-mail address or password."),
        "incorrect_password": _("Wrong password."),
        "rate_limited": _("Too many attempts. Try again in five minutes."),
    }

    def is_open_for_signup(self, _request: HttpRequest) -> bool:
        """Return False: people are invited."""
        return False

    def is_safe_url(self, url: str) -> bool:
        """Return whether to go on to this address after signing in: only to our own host."""
        return url_has_allowed_host_and_scheme(
            url, allowed_hosts={self.request.get_host()}, require_https=self.request.is_secure()
        )

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *_context: Any,
        message: str | None = None,
        **_rest: Any,
    ) -> None:
        """Say what went wrong, and what became of a second factor; people see that they are signed in."""
        if message is not None:
            messages.add_message(request, level, message)
        elif message_template in _SAID:
            messages.success(request, _SAID[message_template])

    def respond_user_inactive(self, request: HttpRequest, _user: User) -> HttpResponse:
        """Return the refusal of an account that was closed."""
        return render(request, "registration/no_account.html", status=403)

    def reauthenticate(self, user: User, password: str) -> bool:
        """Return whether this is the user's password, which counts like one for signing in."""
        found = self.authenticate(self.request, email=user.email, password=password)
        return found is not None and found.pk == user.pk

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the key for limits by address: a browser that the account knows, or the address."""
        browser = known_browser(request, request.POST.get("login", ""))
        return f"browser {browser}" if browser else client_address(request)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # Without the host, of which a server may have several.
        email = str(credentials.get("email", "")).lower()
        return f"{email} {known_browser(request, email) or ''}"


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # untyped
    """No signing up: campaigns are entered by invitation."""

    def is_open_for_signup(self, _request: HttpRequest, _sociallogin: SocialLogin) -> bool:
        """Return False."""
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Link a first-time external sign-in to its existing account.

        From then on the provider's own name for them counts, whatever becomes of the address. Raises
        `ImmediateHttpResponse` with a refusal if there is no account, or it is not active.
        """
        if not sociallogin.is_existing:
            user = _account_of(sociallogin)
            if user is not None:
                sociallogin.connect(request, user)
        if not sociallogin.is_existing or not sociallogin.user.is_active:
            page = render(request, "registration/no_account.html", status=403)
            raise ImmediateHttpResponse(page)


def _account_of(sociallogin: SocialLogin) -> User | None:
    """Return the active user with an address that the provider has verified: `true`, and not a word like it."""
    verified = [
        each.email
        for each in sociallogin.email_addresses
        if each.verified is True or each.verified == "true"
    ]
    for address in verified:
        found = User.objects.filter(email__iexact=address, is_active=True).first()
        if found is not None:
            return found
    return None
