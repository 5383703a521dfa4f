"""How people sign in."""

from typing import Any

from axes.backends import AxesStandaloneBackend
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.http import HttpRequest

from campaign.accounts.clients import client_address, known_browser
from campaign.models import User

__all__ = ["UserBackend", "account_named", "client_address", "client_unnamed", "is_never_locked"]


class SmallArgon2Hasher(Argon2PasswordHasher):
    """Argon2id with 19 MiB and one thread, which leaves memory and processors to judges."""

    time_cost = 2
    memory_cost = 19_456
    parallelism = 1


class UserBackend(AxesStandaloneBackend, ModelBackend):  # type: ignore[misc]  # untyped
    """Django's own, after asking django-axes whether this account is locked for this address.

    Sessions that are open name this class.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **credentials: Any,
    ) -> User | None:
        """Return the user with this name and password; None if there is none.

        Raises:
            PermissionDenied: locked; nothing was hashed.
        """
        AxesStandaloneBackend.authenticate(self, request, username, password, **credentials)
        found: Any = ModelBackend.authenticate(self, request, username, password, **credentials)
        return found if isinstance(found, User) else None


def account_named(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """Return the account that django-axes counts for."""
    named = credentials or {}
    asked = named.get("email") or named.get("username") or request.POST.get("login")
    return str(asked or "").strip().lower()


def is_never_locked(request: HttpRequest, credentials: dict[str, Any] | None) -> bool:
    """Return whether the account knows this browser; allauth's limits hold for it all the same."""
    return known_browser(request, account_named(request, credentials)) is not None


def client_unnamed(*_details: object) -> str:
    """Return what the log says of whom axes counts: neither address nor account, nor the link they opened."""
    return "a client"
