"""Authentication of programs by token, and enforcement of each token's scope.

A token that may only read gets 403 on every method that could change something. A token limited to one
campaign gives access to the addresses of that campaign and gets 404 on those of others. It gives no access to addresses
without a campaign, except those of views with `narrows_to_campaign_of_token`. The token of a machine judge gives
access to views with `serves_machines` only.
"""

from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotFound, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from campaign.models import ApiToken, MachineJudge, TokenScope, User
from campaign.selectors.credentials import machine_named, token_named
from campaign.selectors.tasks import campaign_of_address
from campaign.services.api_tokens import token_use_note

_NOT_HERE: Final = "narrows_to_campaign_of_token"


class ScopedTokenAuthentication(TokenAuthentication):
    """Authentication by `Authorization: Token …` or `Bearer …`, within the token's rights."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """Return the user and the token; None if the request has no token.

        Raises AuthenticationFailed, `PermissionDenied` and `NotFound`.
        """
        scheme = request.headers.get("Authorization", "").partition(" ")[0]
        if scheme.lower() == "bearer":
            # Many clients know only the scheme of RFC 6750.
            self.keyword = scheme
        credentials: tuple[Any, Any] | None = super().authenticate(request)
        if credentials is not None and isinstance(credentials[1], MachineJudge):
            view = (request.parser_context or {}).get("view")
            if not getattr(view, "serves_machines", False):
                raise PermissionDenied(
                    "The token of a machine judge can only be used for judging.",
                )
        elif credentials is not None:
            token: Any = credentials[1]  # as `token_named` found it
            if token.scope != TokenScope.WRITE and request.method not in SAFE_METHODS:
                raise PermissionDenied("This token is read-only.")
            _campaign_check(token, request)
            if token.is_use_due:
                token_use_note(token=token)
        return credentials

    def authenticate_credentials(
        self,
        key: str,
    ) -> tuple[User | None, ApiToken | MachineJudge]:
        """Return the user and the token with this text, or the machine judge and the user who added it.

        One query; two for a machine judge. Raises AuthenticationFailed.
        """
        token = token_named(key)
        machine = None
        if token is None:
            machine = machine_named(key)
        if machine is not None:
            return machine.created_by, machine
        if token is None:
            raise AuthenticationFailed("Invalid token.")
        if not token.user.is_active:
            raise AuthenticationFailed("The user of this token is inactive or deleted.")
        return token.user, token


def token_of(request: Request) -> ApiToken | None:
    """Return the token that authenticates a request; None for a session."""
    if isinstance(request.auth, ApiToken):
        return request.auth
    return None


def machine_of(request: Request) -> MachineJudge | None:
    """Return the machine judge whose token authenticates a request; None for a person."""
    if isinstance(request.auth, MachineJudge):
        return request.auth
    return None


def _campaign_check(token: ApiToken, request: Request) -> None:
    if token.campaign_id is None:
        return
    context: Any = request.parser_context or {}
    named = campaign_of_address(context.get("kwargs", {}))
    leads_beyond = request.method not in SAFE_METHODS and getattr(
        context.get("view"),
        "leads_beyond_campaign",
        False,
    )
    if named == token.campaign_id:
        if leads_beyond:
            raise PermissionDenied(
                "This token is limited to one campaign and cannot create another one.",
            )
        return
    if named is not None:
        raise NotFound(_("Campaign not found, or you are not a member."))
    if leads_beyond or not getattr(context.get("view"), _NOT_HERE, False):
        raise PermissionDenied(
            "This token is limited to one campaign and cannot be used for endpoints that cover all campaigns.",
        )
