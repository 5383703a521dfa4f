"""Adapt django-allauth: rate limits for passwords, our own messages, no sign-up."""

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
from campaign.texts.addresses import address_key

_MESSAGES: Final = {
    "mfa/messages/totp_activated.txt": _("Authenticator app added."),
    "mfa/messages/totp_deactivated.txt": _("Authenticator app removed."),
    "mfa/messages/webauthn_added.txt": _("Passkey added."),
    "mfa/messages/webauthn_removed.txt": _("Passkey removed."),
    "mfa/messages/recovery_codes_generated.txt": _(
        "New recovery codes created. The old ones no longer work.",
    ),
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # untyped
    """Limits attempts by account and by address, except in browsers that the account has used before."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "too_many_login_attempts": _(
            "Too many wrong passwords. Wait five minutes, use a browser you have signed in with before, or "
            "open your sign-in link.",
        ),
        "email_password_mismatch": _("Wrong e-mail address or password."),
        "incorrect_password": _("Wrong password."),
        "rate_limited": _("Too many attempts. Try again in five minutes."),
    }

    def is_open_for_signup(self, _request: HttpRequest) -> bool:
        """Return False: users are invited."""
        return False

    def is_safe_url(self, url: str) -> bool:
        """Return whether users may be redirected to this URL after signing in: only on this host."""
        return url_has_allowed_host_and_scheme(
            url,
            allowed_hosts={self.request.get_host()},
            require_https=self.request.is_secure(),
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
        """Show errors and changes of second factors, but no other messages of allauth."""
        if message is not None:
            messages.add_message(request, level, message)
        elif message_template in _MESSAGES:
            messages.success(request, _MESSAGES[message_template])

    def respond_user_inactive(self, request: HttpRequest, _user: User) -> HttpResponse:
        """Return the page for deactivated accounts."""
        return render(request, "registration/no_account.html", status=403)

    def reauthenticate(self, user: User, password: str) -> bool:
        """Return whether the password is correct; attempts count as for signing in."""
        authenticated = self.authenticate(
            self.request,
            email=user.email,
            password=password,
        )
        return authenticated is not None and authenticated.pk == user.pk

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the key for limits by address: a browser known to the account, or the address."""
        browser = known_browser(request, request.POST.get("login", ""))
        if browser:
            return f"browser {browser}"
        return client_address(request)

    def _get_login_attempts_cache_key(
        self,
        request: HttpRequest,
        **credentials: Any,
    ) -> str:
        # Without the host name: a server may have several.
        email = address_key(str(credentials.get("email", "")))
        return f"{email} {known_browser(request, email) or ''}"


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # untyped
    """External sign-in without sign-up: users are invited."""

    def is_open_for_signup(
        self,
        _request: HttpRequest,
        _sociallogin: SocialLogin,
    ) -> bool:
        """Return False."""
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Link the first external sign-in of a user to their existing account.

        From then on the provider's ID identifies the user, even if the e-mail address changes. Raises
        `ImmediateHttpResponse` with a refusal if there is no active account.
        """
        if not sociallogin.is_existing:
            user = _account_of(sociallogin)
            if user is not None:
                sociallogin.connect(request, user)
        if not sociallogin.is_existing or not sociallogin.user.is_active:
            page = render(request, "registration/no_account.html", status=403)
            raise ImmediateHttpResponse(page)


def _account_of(sociallogin: SocialLogin) -> User | None:
    """Return the active user with an address that the provider has verified."""
    verified = [
        email_address.email
        for email_address in sociallogin.email_addresses
        if email_address.verified is True or email_address.verified == "true"
    ]
    for address in verified:
        user = User.objects.with_address(address)
        if user is not None and user.is_active:
            return user
    return None
