"""Reads of people's access: their links, tokens and signed-in browsers, each with its expiry."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now

from campaign.models import (
    CHANGING_ROLES,
    ApiToken,
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Membership,
    Session,
    User,
)
from campaign.models.api_token import USE_NOTED_EVERY, token_digest
from campaign.models.invitation import InvitationQuerySet

_JUDGE = InvitationRole.JUDGE
_SHOWN_AFTER_WITHDRAWAL = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Access:
    """Access that would end with a person's participation.

    Tokens and sessions stay if the person also takes part elsewhere.
    """

    links: int
    browsers: int
    tokens: int


def tokens_valid(*, users: QuerySet[User] | None = None) -> QuerySet[ApiToken]:
    """Return the valid tokens of these users, or of all users, newest first. One query."""
    tokens = ApiToken.objects.filter(expiry__gt=Now())
    if users is not None:
        tokens = tokens.filter(user__in=users)
    return tokens.select_related("user", "campaign").order_by("-created_at", "-pk")


def token_named(text: str) -> ApiToken | None:
    """Return the valid token with this text, with its user; None if there is none. One query.

    Its `is_use_due` says whether an hour has passed since its last use was noted.
    """
    working = ApiToken.objects.filter(digest=token_digest(text), expiry__gt=Now())
    an_hour_ago = Now() - USE_NOTED_EVERY
    is_due = Q(last_used_at=None) | Q(last_used_at__lt=an_hour_ago)
    return working.annotate(is_use_due=is_due).select_related("user").first()


def sessions_open(*, users: QuerySet[User] | None = None) -> QuerySet[Session]:
    """Return the sessions of signed-in browsers, of these users or of all, by latest end. One query."""
    rows = Session.objects.filter(user__isnull=False, expire_date__gt=Now())
    if users is not None:
        rows = rows.filter(user__in=users)
    return rows.select_related("user").order_by("-expire_date")


def links_valid(*, campaign: Campaign | None = None) -> InvitationQuerySet:
    """Return the valid links of this campaign, or of all campaigns, by earliest end. One query."""
    links = Invitation.objects.valid()
    if campaign is not None:
        links = links.filter(campaign=campaign)
    return links.select_related("user", "campaign", "created_by").order_by("expires_at", "id")


def links_withdrawn(*, campaign: Campaign) -> QuerySet[Invitation]:
    """Return the links withdrawn in the last 30 days that would work again, the latest first. One query.

    Excludes invitations to become a member, which are reissued instead.
    """
    links = Invitation.objects.but_to_become_member().filter(
        campaign=campaign, revoked_at__gt=Now() - _SHOWN_AFTER_WITHDRAWAL, expires_at__gt=Now()
    )
    return links.select_related("user", "created_by").order_by("-revoked_at", "-id")


def members_access(*, campaign: Campaign) -> QuerySet[Membership]:
    """Return the memberships of a campaign, oldest first, with numbers of credentials.

    These are the signed-in `browsers`, the valid API `tokens`, and the valid `links` to the campaign. One query.
    """
    links = Q(
        user__invitations__in=Invitation.objects.valid()
        .filter(campaign=campaign)
        .exclude(role=_JUDGE)
    )
    return (
        Membership.objects.filter(campaign=campaign)
        .select_related("user", "campaign")
        .annotate(
            browsers=_number("user__sessions", user__sessions__expire_date__gt=Now()),
            tokens=_number("user__api_tokens", user__api_tokens__expiry__gt=Now()),
            links=Count("user__invitations", filter=links, distinct=True),
        )
        .order_by("id")
    )


def _number(of: str, **condition: Any) -> Count:
    return Count(of, filter=Q(**condition), distinct=True)


def takes_part_elsewhere(*, user_id: int, campaign_id: int) -> bool:
    """Return whether the user is a judge or member of another campaign. Two queries at most."""
    parts: tuple[type[Judge] | type[Membership], ...] = (Judge, Membership)
    return any(
        part.objects.filter(user=user_id).exclude(campaign=campaign_id).exists() for part in parts
    )


def link_may_be_made(*, user: User, campaign: Campaign) -> bool:
    """Return whether the campaign's organisers may make a link that signs this user in.

    It must not give access to anything else, such as another campaign or the rights of an administrator.
    """
    if user.is_staff:
        return False
    return not takes_part_elsewhere(user_id=user.pk, campaign_id=campaign.pk)


def judge_access(*, judge: Judge) -> Access:
    """Return the access that would end if the judge were withdrawn."""
    return _access(judge.user_id, judge.campaign_id, is_judge=True)


def member_access(*, membership: Membership) -> Access:
    """Return the access that would end if the member were removed."""
    return _access(membership.user_id, membership.campaign_id, is_judge=False)


def _access(user_id: int | None, campaign_id: int, *, is_judge: bool) -> Access:
    if user_id is None:  # a judge of a file
        return Access(0, 0, 0)
    links = Invitation.objects.valid().filter(campaign=campaign_id, user=user_id)
    links = links.filter(role=_JUDGE) if is_judge else links.exclude(role=_JUDGE)
    tokens = tokens_valid().filter(user=user_id)
    sessions = Session.objects.filter(user=user_id, expire_date__gt=Now())
    is_more = takes_part_elsewhere(user_id=user_id, campaign_id=campaign_id) or (
        is_judge and Membership.objects.filter(user=user_id).exists()
    )
    if is_more:
        tokens, sessions = tokens.none(), sessions.none()
    return Access(links=links.count(), browsers=sessions.count(), tokens=tokens.count())


#: Reserved domain without real addresses (RFC 2606), used by the demo's organiser.
_NOBODYS = ".invalid"


def organisers_of_quintet() -> QuerySet[User]:
    """Return the active users who organise a campaign or may create one, oldest first, except the demo's."""
    organises = Q(is_staff=True) | Q(memberships__role__in=CHANGING_ROLES)
    people = User.objects.filter(organises, is_active=True, email__isnull=False)
    return people.exclude(email__iendswith=_NOBODYS).distinct().order_by("id")


def account_is_its_own(user: User) -> bool:
    """Return whether this user may have a password: one who runs Quintet or is a member of a campaign."""
    return user.is_staff or user.memberships.exists()


def account_of_address(address: str) -> User | None:
    """Return the active user whose account has this e-mail address and may have a password."""
    user = User.objects.filter(email__iexact=address, is_active=True).first()
    return user if user is not None and account_is_its_own(user) else None


def may_make_campaigns(user: User) -> bool:
    """Return whether this user may create campaigns: one who runs Quintet or organises a campaign."""
    return user.is_staff or user.memberships.filter(role__in=CHANGING_ROLES).exists()
