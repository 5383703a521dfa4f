"""Invitation links: for one person, for a number of new judges, or to results."""

import secrets
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from hashlib import sha256
from typing import Any, Final, TypeAlias

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.db.models.expressions import Combinable
from django.db.models.functions import Lower, Now
from django.utils import timezone
from django.utils.translation import gettext as _

from campaign.database.many_rows import rows_insert
from campaign.models import (
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Mail,
    MailKind,
    User,
)
from campaign.models.invitation import TO_RESULTS, TOKEN_BYTES, InvitationQuerySet
from campaign.texts.addresses import address_key
from campaign.texts.counted import counted
from campaign.texts.languages import language_tags_checked
from campaign.texts.refusals import RefusedError
from campaign.texts.time_zones import year_refusal

#: Maximum number of judges through one shared link.
MOST_JUDGES_OF_A_LINK: Final = 10_000


class InvitationRefusedError(Exception):
    """The link is unknown, expired or revoked; callers do not learn which."""


class LinkRefusedError(RefusedError):
    """A shared link cannot be changed this way; the message says why."""


class InvitationSpentError(InvitationRefusedError):
    """The `invitation` to become a member was already accepted or withdrawn, or has expired."""

    def __init__(self, invitation: Invitation) -> None:
        super().__init__()
        self.invitation = invitation


#: A time, or an expression of one.
Moment: TypeAlias = datetime | Combinable


def link_lifetime(role: str) -> timedelta:
    """Return the default validity of a link; those that sign in members end much sooner."""
    is_long = role in (InvitationRole.JUDGE, *TO_RESULTS)
    if is_long:
        days = settings.JUDGE_LINK_DAYS
    else:
        days = settings.ORGANISER_LINK_DAYS
    return timedelta(days=days)


def last_moment(day: date | None) -> datetime | None:
    """Return the end of the last day of a link; raise ValidationError if it is over, or after the year 2999."""
    if day is None:
        return None
    if day < timezone.localdate():
        raise ValidationError(_("This date is in the past."))
    if refusal := year_refusal(day):
        raise ValidationError(refusal)
    return timezone.make_aware(datetime.combine(day, time.max))


def invitation_create(
    *,
    campaign: Campaign,
    role: InvitationRole,
    expires_at: Moment | None = None,
    **described: Any,
) -> tuple[Invitation, str]:
    """Create a link for a `user`, or for new judges; return it with its token, which is stored nowhere.

    Without `expires_at` it ends as the settings say; `described` are its other fields.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        campaign=campaign,
        role=role,
        token_hash=_hash(token),
        expires_at=expires_at or Now() + link_lifetime(role),
        **described,
    )
    invitation.refresh_from_db(fields=["expires_at", "created_at"])
    return invitation, token


def invitations_create(
    *,
    campaign: Campaign,
    user_ids: Sequence[int],
    created_by: User | None = None,
) -> tuple[list[str], datetime]:
    """Create links for up to thousands of judges; return their tokens in order, and when the links expire."""
    tokens = [secrets.token_urlsafe(TOKEN_BYTES) for _user in user_ids]
    ends = Now() + link_lifetime(InvitationRole.JUDGE)
    here = Campaign.objects.filter(pk=campaign.pk).annotate(ends=ends)
    expires_at: datetime = here.values_list("ends", flat=True).get()
    if created_by is None:
        created_by_id = None
    else:
        created_by_id = created_by.pk
    rows_insert(
        Invitation,
        [
            {"user_id": user_id, "token_hash": _hash(token)}
            for user_id, token in zip(user_ids, tokens, strict=True)
        ],
        campaign_id=campaign.pk,
        role=InvitationRole.JUDGE,
        expires_at=expires_at,
        created_by_id=created_by_id,
    )
    return tokens, expires_at


@transaction.atomic
def invitation_create_for_anybody(
    *,
    campaign: Campaign,
    cap: int,
    languages: Sequence[str] = (),
    **described: Any,
) -> tuple[Invitation, str]:
    """Create a link for up to `cap` new judges; return it with its token.

    They read `languages` (all of the campaign's if none are given), or choose some of them when
    they join. Raises `LanguageTagError`.
    """
    invitation, _token = invitation_create(
        campaign=campaign,
        role=InvitationRole.JUDGE,
        cap=cap,
        languages=language_tags_checked(languages),
        **described,
    )
    return invitation, _shared_token_set(invitation)


@transaction.atomic
def results_link_create(
    *,
    campaign: Campaign,
    is_anonymous: bool,
    **described: Any,
) -> tuple[Invitation, str]:
    """Create a link to the results of a campaign, and return it with its token.

    Anybody who has it reads them without signing in; if it `is_anonymous`, without the names of systems.
    """
    if is_anonymous:
        role = InvitationRole.RESULTS_ANONYMOUS
    else:
        role = InvitationRole.RESULTS
    invitation, _token = invitation_create(campaign=campaign, role=role, **described)
    return invitation, _shared_token_set(invitation)


def _shared_token_set(invitation: Invitation) -> str:
    """Replace the token of a shared link by the one that can be derived, and return it."""
    token = invitation.shared_token
    invitation.token_hash = _hash(token)
    invitation.save(update_fields=["token_hash"])
    return token


@transaction.atomic
def invitation_change(
    *,
    invitation: Invitation,
    cap: int,
    expires_at: datetime,
    languages: Sequence[str],
    asks_languages: bool,
) -> Invitation:
    """Change the audience of a shared link, and return it; its address stays, and judges who joined stay.

    Locks the link, on which new judges are counted. Raises `LinkRefusedError` if more judges have joined than `cap`,
    and `LanguageTagError`.
    """
    row = Invitation.objects.for_anybody().select_for_update().get(pk=invitation.pk)
    if cap < row.arrived:
        raise LinkRefusedError(
            counted(
                "%(count)d judge has joined with this link. Enter at least this number.",
                "%(count)d judges have joined with this link. Enter at least this number.",
                row.arrived,
            ),
        )
    row.cap = cap
    row.expires_at = expires_at
    row.asks_languages = asks_languages
    row.languages = language_tags_checked(languages)
    row.save(update_fields=["cap", "expires_at", "asks_languages", "languages"])
    return row


def invitation_open(*, token: str) -> Invitation:
    """Return the valid invitation of a token. Raises `InvitationRefusedError`, and `InvitationSpentError`.

    An invitation without a user is for new judges: see `judge_join`. One that `makes_member` is accepted by
    `member_invitation_accept`. Links to results are opened elsewhere (`results_link`).
    """
    withdrawn = Judge.objects.filter(
        user=OuterRef("user"),
        campaign=OuterRef("campaign"),
        withdrawn_at__isnull=False,
    )
    invitation = (
        Invitation.objects.valid()
        .select_related("user", "campaign", "mail")
        .filter(token_hash=_hash(token))
        .exclude(role__in=TO_RESULTS)
        .exclude(user__is_active=False)
        .exclude(Exists(withdrawn))
        .first()
    )
    if invitation is not None:
        return invitation
    members = Invitation.objects.to_become_member().select_related("user", "campaign")
    spent = members.filter(token_hash=_hash(token)).first()
    raise InvitationRefusedError if spent is None else InvitationSpentError(spent)


def invitation_of(*, token: str, user: User) -> Invitation | None:
    """Return this user's link with this token, also one that has ended."""
    links = Invitation.objects.but_to_become_member().filter(user=user)
    return links.select_related("campaign").filter(token_hash=_hash(token)).first()


@transaction.atomic
def invitation_revoke(*, invitation: Invitation) -> None:
    """Revoke a link; sessions that it opened continue. Changes nothing for a revoked one.

    An invitation to become a member is not sent any more, either.
    """
    Invitation.objects.filter(pk=invitation.pk, revoked_at__isnull=True).update(
        revoked_at=Now(),
    )
    Mail.objects.to_members().filter(invitation=invitation).update(withdrawn_at=Now())
    invitation.refresh_from_db(fields=["revoked_at"])


def invitation_renew(*, invitation: Invitation) -> str:
    """Replace the token of a link that was not sent yet, and return the new one."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation.token_hash = _hash(token)
    invitation.save(update_fields=["token_hash"])
    return token


def invitation_restore(*, invitation: Invitation) -> None:
    """Undo the revocation of a link: its address works again until it expires."""
    invitation.revoked_at = None
    invitation.save(update_fields=["revoked_at"])


def own_link_create(*, judge: Judge) -> str:
    """Create a link for a judge's other device, revoke the earlier one, and return the token.

    Raises `ValueError` for a judge who is not a person.
    """
    if judge.user is None:
        raise ValueError(judge.pseudonym)
    with transaction.atomic():
        own_link_revoke(judge=judge)
        _invitation, token = invitation_create(
            campaign=judge.campaign,
            user=judge.user,
            role=InvitationRole.JUDGE,
            created_by=judge.user,
        )
    return token


@transaction.atomic
def own_link_revoke(*, judge: Judge) -> int:
    """Revoke the links that the judge created, also by e-mail; return the number of links revoked."""
    Mail.objects.filter(
        judge=judge,
        created_by=judge.user_id,
        withdrawn_at__isnull=True,
    ).update(withdrawn_at=Now())
    links = _links_of(judge).filter(created_by=judge.user_id, revoked_at__isnull=True)
    return links.update(revoked_at=Now())


@transaction.atomic
def judge_links_revoke(*, judge: Judge) -> datetime:
    """Revoke all links of this judge, and stop messages with one that are not sent yet.

    Returns the time recorded for both, which identifies them later.
    """
    now: datetime = (
        Judge.objects.annotate(now=Now()).values_list("now", flat=True).get(pk=judge.pk)
    )
    Mail.objects.filter(judge=judge, withdrawn_at__isnull=True).update(withdrawn_at=now)
    _links_of(judge).filter(revoked_at__isnull=True).update(revoked_at=now)
    return now


@transaction.atomic
def judge_links_restore(*, judge: Judge) -> int:
    """Undo the latest `judge_links_revoke`; return the number of links and messages it brings back.

    Links revoked before stay so. Nothing changes if the judge got another link or message since; a
    message whose address was invited again stays withdrawn.
    """
    links = _links_of(judge)
    mails = Mail.objects.filter(judge=judge)
    if links.valid().exists() or mails.filter(withdrawn_at__isnull=True).exists():
        return 0
    revoked = links.aggregate(latest=Max("revoked_at"))["latest"]
    withdrawn = mails.aggregate(latest=Max("withdrawn_at"))["latest"]
    latest = max(filter(None, (revoked, withdrawn)), default=None)
    if latest:
        return judge_links_restore_of(judge=judge, revoked_at=latest)
    return 0


def judge_links_restore_of(*, judge: Judge, revoked_at: datetime) -> int:
    """Bring back the links and messages of a judge that were withdrawn at this moment."""
    mails = Mail.objects.to_judges().filter(campaign=judge.campaign_id)
    addresses_in_use = list(
        mails.filter(withdrawn_at__isnull=True).values_list(
            Lower("address"),
            flat=True,
        ),
    )
    stopped = mails.filter(judge=judge, withdrawn_at=revoked_at).annotate(
        lower_address=Lower("address"),
    )
    elsewhere = _mailed_elsewhere(judge)
    stopped = stopped.exclude(lower_address__in=addresses_in_use).exclude(
        pk__in=elsewhere,
    )
    links = _links_of(judge).filter(revoked_at=revoked_at).exclude(mail__in=elsewhere)
    return stopped.update(withdrawn_at=None) + links.update(revoked_at=None)


def _mailed_elsewhere(judge: Judge) -> list[int]:
    """Return the organisers' messages that went to another address than the judge's current one."""
    sent = (
        Mail.objects.to_judges().filter(judge=judge).exclude(created_by=judge.user_id)
    )
    current = address_key(judge.address)
    rows = sent.values_list("pk", "address")
    return [pk for pk, address in rows if address_key(address) != current]


def _links_of(judge: Judge) -> InvitationQuerySet:
    return Invitation.objects.filter(
        campaign=judge.campaign_id,
        user=judge.user_id,
        role=InvitationRole.JUDGE,
    )


def member_links_revoke(*, campaign: Campaign, user: User) -> int:
    """Revoke the links of a member, and an invitation to become one; return their number."""
    Mail.objects.filter(
        kind=MailKind.MEMBER,
        campaign=campaign,
        user=user,
        withdrawn_at__isnull=True,
    ).update(withdrawn_at=Now())
    links = Invitation.objects.filter(
        campaign=campaign,
        user=user,
        revoked_at__isnull=True,
    )
    return links.exclude(role=InvitationRole.JUDGE).update(revoked_at=Now())


def links_revoke(*, links: InvitationQuerySet) -> int:
    """Revoke these links, and stop messages with one that are not sent yet; return the number of links."""
    ids = list(links.values_list("pk", flat=True))
    Mail.objects.filter(invitation__in=ids, withdrawn_at__isnull=True).update(
        withdrawn_at=Now(),
    )
    return Invitation.objects.filter(pk__in=ids).update(revoked_at=Now())


def member_links_become(
    *,
    campaign: Campaign,
    user: User,
    role: InvitationRole,
) -> None:
    """Set the role of a member's links to their current role."""
    links = Invitation.objects.filter(campaign=campaign, user=user)
    links.exclude(role=InvitationRole.JUDGE).exclude(role=role).update(role=role)


def _hash(token: str) -> bytes:
    # 128 random bits cannot be guessed, so they need neither a salt nor a slow hash.
    return sha256(token.encode()).digest()
