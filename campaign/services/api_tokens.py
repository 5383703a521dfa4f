"""API tokens, and answers kept for repeated requests."""

import secrets
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import ApiToken, Campaign, IdempotentAnswer, TokenScope, User
from campaign.models.user import token_digest
from campaign.texts.refusals import RefusedError

_BYTES: Final = 32
# Length of the prefix that identifies a token in lists and commands.
_NAMED_BY: Final = 15


class CredentialRefusedError(RefusedError):
    """The credential cannot be created or withdrawn; the message says why."""


def token_create(
    *,
    user: User,
    days: int | None = None,
    name: str = "",
    scope: TokenScope = TokenScope.WRITE,
    campaign: Campaign | None = None,
    through: ApiToken | None = None,
) -> tuple[ApiToken, str]:
    """Create an API token; return it with its text, of which only a hash is stored.

    Parameters
    ----------
    user : User
    days : int, optional
        Days until it expires; by default, from the settings.
    name : str
    scope : TokenScope
    campaign : Campaign, optional
        The only campaign it gives access to; the user must be a member or a judge of it.
    through : ApiToken, optional
        The token used to create this one: it cannot create one that outlives it.

    Raises `CredentialRefusedError`.
    """
    now: datetime = User.objects.values_list(Now(), flat=True).get(pk=user.pk)
    expiry = now + timedelta(days=_days_checked(days))
    if through is not None and expiry > through.expiry:
        raise CredentialRefusedError(
            _(
                "A token cannot create a token that expires later. Sign in to create one.",
            ),
        )
    if campaign is not None and not _takes_part(user, campaign):
        raise CredentialRefusedError(_("Campaign not found, or you are not a member."))
    text = secrets.token_hex(_BYTES)
    token = ApiToken.objects.create(
        user=user,
        name=name.strip(),
        scope=scope,
        campaign=campaign,
        digest=token_digest(text),
        token_key=text[:_NAMED_BY],
        expiry=expiry,
    )
    return token, text


def tokens_revoke(*, tokens: QuerySet[ApiToken]) -> int:
    """Delete these tokens; return their number."""
    count, _by_model = tokens.order_by().delete()
    return count


def token_use_note(*, token: ApiToken) -> None:
    """Record that a token is in use now."""
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=Now())


def _days_checked(days: int | None) -> int:
    if days is None:
        days = settings.TOKEN_DAYS
    if days < 1:
        raise CredentialRefusedError("Enter a validity of at least 1 day.")
    most = max(settings.TOKEN_MOST_DAYS, settings.TOKEN_DAYS)
    if days > most:
        raise CredentialRefusedError(f"Enter a validity of at most {most} days.")
    return int(days)


def _takes_part(user: User, campaign: Campaign) -> bool:
    return (
        user.memberships.filter(campaign=campaign).exists()
        or user.judges.filter(campaign=campaign).exists()
    )


#: Time during which a stored response is returned again.
ANSWER_LIFETIME: Final = timedelta(hours=24)


def idempotent_answers_forget() -> int:
    """Delete the responses that are no longer returned; return their number."""
    return IdempotentAnswer.objects.filter(
        created_at__lte=Now() - ANSWER_LIFETIME,
    ).delete()[0]
