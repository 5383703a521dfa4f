"""What Quintet asks of django-allauth: passwords and limits, no signing up."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from campaign.accounts.addresses import client_address
from campaign.accounts.known_browsers import known_browser


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # untyped
    """Limits by account and by address, except for browsers that the account knows."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "too_many_login_attempts": _(
            "Too many wrong passwords. Try again in five minutes, or use a browser in which you signed in "
            "before, or open your sign-in link, which needs no password."
        ),
        "email_password_mismatch": _("E-mail and password do not match. Try again."),
    }

    def is_open_for_signup(self, _request: HttpRequest) -> bool:
        """Return False: people are invited."""
        return False

    def is_safe_url(self, url: str) -> bool:
        """Return whether to go on to this address after signing in: only to our own host."""
        return url_has_allowed_host_and_scheme(
            url, allowed_hosts={self.request.get_host()}, require_https=self.request.is_secure()
        )

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing on the next page: people see that they are signed in."""

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return what limits by address count: a browser that the account knows, or the address."""
        browser = known_browser(request, request.POST.get("login", ""))
        return f"browser {browser}" if browser else client_address(request)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # Without the host, of which a server may have several.
        email = str(credentials.get("email", "")).lower()
        return f"{email} {known_browser(request, email) or ''}"
