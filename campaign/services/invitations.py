"""Links that open a campaign's door to one person."""

import secrets
from datetime import datetime
from hashlib import sha256

from django.utils import timezone

from campaign.models import Campaign, Invitation, User

TOKEN_BYTES = 16  # 128 bits


class InvitationRefusedError(Exception):
    """The link is unknown, expired or revoked; which of these is nobody's business."""


def invitation_create(
    *, campaign: Campaign, user: User, role: Invitation.Role, expires_at: datetime | None = None
) -> tuple[Invitation, str]:
    """A new link for this user; its token is in the returned string and nowhere else."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        campaign=campaign,
        user=user,
        role=role,
        token_hash=_hash(token),
        expires_at=expires_at,
    )
    return invitation, token


def invitation_open(*, token: str) -> Invitation:
    """The invitation behind a token, if it still holds. Raises `InvitationRefusedError`."""
    invitation = (
        Invitation.objects.select_related("user", "campaign")
        .filter(token_hash=_hash(token), revoked_at__isnull=True, user__is_active=True)
        .first()
    )
    if invitation is None:
        raise InvitationRefusedError
    if invitation.expires_at is not None and invitation.expires_at <= timezone.now():
        raise InvitationRefusedError
    return invitation


def invitation_revoke(*, invitation: Invitation) -> None:
    """From now on the link opens nothing; sessions it opened stay."""
    invitation.revoked_at = timezone.now()
    invitation.save(update_fields=["revoked_at"])


def _hash(token: str) -> bytes:
    # 128 random bits need no salt and no slow hash: there is nothing to guess.
    return sha256(token.encode()).digest()
