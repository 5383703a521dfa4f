"""Sign-in links and sessions: creating and ending them, along with tokens."""

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.models import (
    ApiToken,
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Membership,
    Session,
    User,
)
from campaign.selectors.credentials import link_may_be_made, takes_part_elsewhere
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitations import (
    Moment,
    invitation_create,
    judge_links_restore_of,
    judge_links_revoke,
)


def session_end(*, session: Session) -> None:
    """Sign a browser out."""
    session.delete()


def sessions_end(*, user: User, but: str | None = None) -> int:
    """Sign a user out everywhere, except in the session with this key; return the number of sessions."""
    ended, _each = Session.objects.filter(user=user).exclude(session_key=but).delete()
    return ended


@transaction.atomic
def judge_withdraw(*, judge: Judge) -> None:
    """End all access of this judge: links, unsent messages, sessions and tokens.

    Their judgments stay. They cannot judge in this campaign until `judge_readmit`. A user who
    also takes part elsewhere stays signed in there. Changes nothing for a withdrawn judge.
    """
    judge.refresh_from_db(from_queryset=Judge.objects.select_for_update(no_key=True))
    if judge.withdrawn_at is not None:
        return
    judge.withdrawn_at = judge_links_revoke(judge=judge)
    judge.save(update_fields=["withdrawn_at"])
    user = judge.user
    if user is None or _is_needed(user, judge):
        return
    sessions_end(user=user)
    ApiToken.objects.filter(user=user).delete()
    user.is_active = False
    user.save(update_fields=["is_active"])


def _is_needed(user: User, judge: Judge) -> bool:
    """Return whether the user has another role than that of this judge."""
    return Membership.objects.filter(user=user).exists() or takes_part_elsewhere(
        user_id=user.pk, campaign_id=judge.campaign_id
    )


@transaction.atomic
def judge_readmit(*, judge: Judge) -> int:
    """Undo `judge_withdraw`; return the number of links and messages that work again.

    Links that were revoked before stay so, and browsers and tokens stay signed out. Changes nothing for a
    judge who is not withdrawn, or who was erased.
    """
    judge.refresh_from_db(from_queryset=Judge.objects.select_for_update(no_key=True))
    if judge.withdrawn_at is None or judge.erasure_requests.filter(carried_out_at__isnull=False):
        return 0
    count = judge_links_restore_of(judge=judge, revoked_at=judge.withdrawn_at)
    judge.withdrawn_at = None
    judge.save(update_fields=["withdrawn_at"])
    if judge.user is not None:
        judge.user.is_active = True
        judge.user.save(update_fields=["is_active"])
    return count


def judge_link_create(
    *, judge: Judge, by: User | None = None, expires_at: Moment | None = None
) -> tuple[Invitation, str]:
    """Create a further link for a judge; return it with its token.

    Raises `CredentialRefusedError` for a withdrawn judge, for one who is not a person, and if the link
    would give access beyond the campaign of `by` (None for a command).
    """
    if judge.user is None:
        raise CredentialRefusedError(
            _("“%(pseudonym)s” is not a person and cannot judge.") % {"pseudonym": judge.pseudonym}
        )
    if judge.withdrawn_at is not None:
        raise CredentialRefusedError(
            _("“%(pseudonym)s” is withdrawn. Readmit them before you create a link.")
            % {"pseudonym": judge.pseudonym}
        )
    if by is not None:
        link_check(judge.user, judge.campaign)
    return invitation_create(
        campaign=judge.campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
        expires_at=expires_at,
        created_by=by,
    )


@transaction.atomic
def judge_link_replace(*, judge: Judge, by: User) -> tuple[Invitation, str]:
    """Create a link for a judge who lost theirs, and end all their other links; return it with its token.

    They stay signed in where they are. Raises `CredentialRefusedError` like `judge_link_create`; no link is
    ended then.
    """
    judge_links_revoke(judge=judge)
    return judge_link_create(judge=judge, by=by)


def link_check(user: User, campaign: Campaign) -> None:
    """Raise `CredentialRefusedError` if a link made in this campaign would give access beyond it."""
    if not link_may_be_made(user=user, campaign=campaign):
        raise CredentialRefusedError(
            _(
                "%(name)s has an account outside this campaign and signs in with it. A link would give "
                "access to that account too."
            )
            % {"name": user.name}
        )
