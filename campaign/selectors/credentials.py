"""Links, invitations, tokens and sessions of members and judges."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
    Value,
    When,
    Window,
    prefetch_related_objects,
)
from django.db.models.functions import Coalesce, Lag, Lead, Least, Now, NullIf
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.models import (
    CHANGING_ROLES,
    Acceptance,
    ApiToken,
    BrowserVisit,
    Campaign,
    CampaignState,
    Invitation,
    InvitationRole,
    Judge,
    MachineJudge,
    Mail,
    MailState,
    Membership,
    Session,
    Task,
    User,
)
from campaign.models.invitation import InvitationQuerySet
from campaign.models.user import USE_NOTED_EVERY, token_digest
from campaign.texts.addresses import address_key

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


def machine_named(text: str) -> MachineJudge | None:
    """Return the machine judge with this valid token; None if there is none. One query."""
    return machines_valid().filter(token_digest=token_digest(text)).first()


def machines_valid(*, campaign: Campaign | None = None) -> QuerySet[MachineJudge]:
    """Return the machine judges with a valid token, of a campaign or of all, by name. One query.

    The token ends with the right of its maker to create it. Archived campaigns, and those in the bin, take no answers.
    """
    makers = Membership.objects.filter(
        campaign=OuterRef("campaign"),
        user=OuterRef("created_by"),
        user__is_active=True,
        role__in=CHANGING_ROLES,
    )
    machines = MachineJudge.objects.filter(~Q(token_digest=""), Exists(makers))
    machines = machines.exclude(
        campaign__state__in=[CampaignState.ARCHIVED, CampaignState.BIN],
    )
    if campaign is not None:
        machines = machines.filter(campaign=campaign)
    return machines.select_related("campaign", "created_by").order_by(
        "name",
        "version",
        "pk",
    )


def members_machines(*, campaign: Campaign, user: User) -> QuerySet[MachineJudge]:
    """Return the machine judges of a campaign whose valid token this user created."""
    return machines_valid(campaign=campaign).filter(created_by=user)


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
    return links.select_related("user", "campaign", "created_by").order_by(
        "expires_at",
        "id",
    )


def links_withdrawn(*, campaign: Campaign) -> QuerySet[Invitation]:
    """Return the links withdrawn in the last 30 days that would work again, the latest first. One query.

    Excludes invitations to become a member, which are reissued instead.
    """
    links = Invitation.objects.but_to_become_member().filter(
        campaign=campaign,
        revoked_at__gt=Now() - _SHOWN_AFTER_WITHDRAWAL,
        expires_at__gt=Now(),
    )
    return links.select_related("user", "created_by").order_by("-revoked_at", "-id")


def members_access(*, campaign: Campaign) -> QuerySet[Membership]:
    """Return the memberships of a campaign, oldest first, with numbers of credentials.

    These are the signed-in `browsers`, the valid API `tokens`, and the valid `links` to the campaign. One query.
    """
    links = Q(
        user__invitations__in=Invitation.objects.valid()
        .filter(campaign=campaign)
        .exclude(role=_JUDGE),
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
        part.objects.filter(user=user_id).exclude(campaign=campaign_id).exists()
        for part in parts
    )


def link_may_be_made(*, user: User, campaign: Campaign) -> bool:
    """Return whether the campaign's organisers may make a link that signs this user in.

    It must not give access to anything else, such as another campaign or the rights of an administrator.
    """
    if user.is_staff:
        return False
    return not takes_part_elsewhere(user_id=user.pk, campaign_id=campaign.pk)


def members_links_sent(*, campaign: Campaign, user: User) -> InvitationQuerySet:
    """Return the valid invitations of members, and sign-in links of other members, that this user sent or created."""
    links = Invitation.objects.valid().filter(campaign=campaign, created_by=user)
    return links.exclude(role=_JUDGE).exclude(user=user)


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
    if is_judge:
        links = links.filter(role=_JUDGE)
    else:
        links = links.exclude(role=_JUDGE)
    tokens = tokens_valid().filter(user=user_id)
    sessions = Session.objects.filter(user=user_id, expire_date__gt=Now())
    is_more = takes_part_elsewhere(user_id=user_id, campaign_id=campaign_id) or (
        is_judge and Membership.objects.filter(user=user_id).exists()
    )
    if is_more:
        tokens = tokens.none()
        sessions = sessions.none()
    return Access(links=links.count(), browsers=sessions.count(), tokens=tokens.count())


#: Reserved domain without real addresses (RFC 2606), used by the demo's organiser.
_NOBODYS = ".invalid"


def organisers_with_demos() -> QuerySet[User]:
    """Return the active users who organise a campaign or may create one, oldest first."""
    organises = Q(is_staff=True) | Q(memberships__role__in=CHANGING_ROLES)
    people = User.objects.filter(organises, is_active=True, email__isnull=False)
    return people.distinct().order_by("id")


def organisers_of_quintet() -> QuerySet[User]:
    """Return these users, except the demo's."""
    return organisers_with_demos().exclude(email__iendswith=_NOBODYS)


def owners_by_default() -> Sequence[User]:
    """Return who owns a campaign that a command creates without naming a user; empty on a server without accounts.

    They are the organisers of this server, else the first organiser of a campaign, else that of the demo, else the
    account that waits for its first sign-in.
    """
    organisers = organisers_of_quintet()
    staff = list(organisers.filter(is_staff=True))
    if staff:
        return staff
    waiting = User.objects.filter(is_staff=True, is_active=True).order_by("id")
    first = organisers.first() or organisers_with_demos().first() or waiting.first()
    if first is None:
        return []
    return [first]


def account_is_its_own(user: User) -> bool:
    """Return whether this user may have a password: one who runs Quintet or is a member of a campaign."""
    return user.is_staff or user.memberships.exists()


def account_of_address(address: str) -> User | None:
    """Return the active user whose account has this e-mail address and may have a password."""
    user = User.objects.with_address(address)
    if user is None or not user.is_active or not account_is_its_own(user):
        return None
    return user


def address_of_judge(judge: Judge) -> str:
    """Return the address at which a judge is reached now; empty if none is known.

    It is that of their account, the one that organisers entered, or that of the latest message sent to them.
    """
    account = None
    if judge.user is not None:
        account = judge.user.email
    if account or judge.address:
        return account or judge.address
    mails = Mail.objects.filter(judge=judge, state=MailState.SENT, withdrawn_at=None)
    return mails.order_by("-pk").values_list("address", flat=True).first() or ""


def judges_by_address(*, campaign: Campaign) -> dict[str, str]:
    """Return the pseudonyms of judges by their address, and by those of messages in force, as `address_key`. Two queries."""
    mails = Mail.objects.to_judges().filter(
        campaign=campaign,
        withdrawn_at__isnull=True,
    )
    judges = Judge.objects.filter(campaign=campaign).exclude(address="")
    rows = [
        *mails.values_list("address", "judge__pseudonym"),
        *judges.values_list("address", "pseudonym"),
    ]
    return {address_key(address): pseudonym for address, pseudonym in rows}


def judges_by_name(*, campaign: Campaign) -> dict[str, str]:
    """Return the pseudonyms of judges without an address by the name given to them, case-folded. One query."""
    judges = Judge.objects.filter(campaign=campaign, address="", user__isnull=False)
    named = judges.exclude(user__name=F("pseudonym"))
    pseudonyms = {}
    for name, pseudonym in named.values_list("user__name", "pseudonym"):
        pseudonyms[name.casefold()] = pseudonym
    return pseudonyms


def may_make_campaigns(user: User) -> bool:
    """Return whether this user may create campaigns: one who runs Quintet or organises a campaign."""
    return user.is_staff or user.memberships.filter(role__in=CHANGING_ROLES).exists()


#: Two browsers work at the same time if one was seen between two visits of the other that are at
#: most this far apart. A judge who changes devices is seen on the second only afterwards.
_CONCURRENT_WITHIN = timedelta(minutes=10)


def device_in_words(device: str) -> str:
    """Return a kind of device in the reader's language; most have proper names, which are not translated."""
    labels = {
        "Android phone": _("Android phone"),
        "Android tablet": _("Android tablet"),
        "program": _("Program"),
    }
    return str(labels.get(device, device))


class StandingOfLink(TextChoices):
    """Status of a shared link: the first that applies."""

    WITHDRAWN = "withdrawn", pgettext_lazy("link", "Withdrawn")
    ENDED = "ended", _("Expired")
    USED_UP = "used_up", _("Used up")
    USABLE = "usable", _("Valid")


class StandingOfInvited(TextChoices):
    """Status of an invited person: the first that applies."""

    WITHDRAWN = "withdrawn", pgettext_lazy("judge", "Withdrawn")
    DECLINED = "declined", pgettext_lazy("judge", "Declined")
    PRESENT = "present", _("Opened")
    NOT_SENT = "not_sent", pgettext_lazy("mail", "Not sent")  # or unknown
    EXPECTED = "expected", _("Not opened yet")


_NOT_SENT: Final = (MailState.FAILED, MailState.UNCONFIRMED)


def campaign_languages(campaign: Campaign) -> list[str]:
    """Return the languages of the campaign's test sets, as spelled there. One query."""
    return sorted(Task.objects.of(campaign).languages())


def links_for_anybody(*, campaign: Campaign) -> QuerySet[Invitation]:
    """Return the campaign's links for new judges, newest first. One query per page.

    `standing` is a `StandingOfLink`, by the database's clock.
    """
    return (
        Invitation.objects.filter(campaign=campaign)
        .for_anybody()
        .select_related("created_by")
        .annotate(
            standing=Case(
                When(revoked_at__isnull=False, then=Value(StandingOfLink.WITHDRAWN)),
                When(expires_at__lte=Now(), then=Value(StandingOfLink.ENDED)),
                When(arrived__gte=F("cap"), then=Value(StandingOfLink.USED_UP)),
                default=Value(StandingOfLink.USABLE),
                output_field=CharField(),
            ),
        )
        .order_by("-id")
    )


def results_link(*, slug: str, token: str) -> Invitation | None:
    """Return the valid link to the results of a campaign with this token; None if there is none. One query.

    A campaign in the bin shows nothing.
    """
    links = Invitation.objects.valid().to_results().filter(campaign__slug=slug)
    links = links.exclude(campaign__state=CampaignState.BIN).select_related("campaign")
    return links.filter(token_hash=sha256(token.encode()).digest()).first()


def member_invitations(*, campaign: Campaign) -> QuerySet[Mail]:
    """Return the invitations to become a member that wait for an answer, the newest first. One query.

    Each has `has_expired`: it can no longer be accepted.
    """
    waiting = Mail.objects.to_members().filter(campaign=campaign)
    return (
        waiting.select_related("campaign", "invitation", "user", "created_by")
        .annotate(
            has_expired=Case(
                When(invitation__expires_at__lte=Now(), then=True),
                default=False,
            ),
        )
        .order_by("-id")
    )


def own_link_of(*, judge: Judge) -> Invitation | None:
    """Return the valid link that the judge made for their other devices. One query."""
    return (
        Invitation.objects.valid()
        .filter(
            campaign=judge.campaign_id,
            user=judge.user_id,
            created_by=judge.user_id,
        )
        .order_by("-id")
        .first()
    )


def people_invited(*, campaign: Campaign) -> QuerySet[Judge]:
    """Return the campaign's judges who are people, newest first. One query per page.

    `reached_at` is their address or the note of the link they joined by, `opened_at` when a link
    was first opened, `link_ends` when the last of their own links ends (None if none is valid), and `standing` a
    `StandingOfInvited`. `invited_judges` reads the other data that is shown.
    """
    judge = OuterRef("pk")
    own_links = Invitation.objects.valid().filter(
        campaign=OuterRef("campaign"),
        user=OuterRef("user"),
        role=InvitationRole.JUDGE,
    )
    revoked = Invitation.objects.filter(
        campaign=campaign,
        user=OuterRef("user"),
        role=InvitationRole.JUDGE,
        revoked_at__isnull=False,
    )
    all_mails = Mail.objects.filter(judge=judge)
    mails = all_mails.filter(withdrawn_at__isnull=True).order_by("-id")
    acceptances = Acceptance.objects.filter(judge=judge).order_by(
        "-instructions__version",
    )
    openings = BrowserVisit.objects.filter(judge=judge, at_work=False).order_by(
        "seen_at",
    )
    return (
        Judge.objects.filter(campaign=campaign, origin=Judge.Origin.PERSON)
        .select_related("user", "joined_by")
        .alias(mail_state=Subquery(mails.values("state")[:1]))
        .annotate(
            reached_at=Coalesce(
                NullIf("address", Value("")),
                Subquery(mails.values("address")[:1]),
                NullIf("joined_by__note", Value("")),
                output_field=CharField(),
            ),
            sent_at=Subquery(mails.values("sent_at")[:1]),
            opened_at=Least(
                Case(When(joined_by__isnull=False, then=F("created_at"))),
                Subquery(openings.values("seen_at")[:1]),
            ),
            accepted=Subquery(acceptances.values("instructions__version")[:1]),
            had_link=Exists(revoked)
            | Exists(all_mails.filter(withdrawn_at__isnull=False)),
            link_ends=Subquery(
                own_links.order_by("-expires_at").values("expires_at")[:1],
            ),
        )
        .annotate(
            standing=Case(
                When(
                    withdrawn_at__isnull=False,
                    then=Value(StandingOfInvited.WITHDRAWN),
                ),
                When(declined_at__isnull=False, then=Value(StandingOfInvited.DECLINED)),
                When(opened_at__isnull=False, then=Value(StandingOfInvited.PRESENT)),
                When(mail_state__in=_NOT_SENT, then=Value(StandingOfInvited.NOT_SENT)),
                default=Value(StandingOfInvited.EXPECTED),
                output_field=CharField(),
            ),
        )
        .order_by("-id")
    )


def invited_judges(*, judges: Sequence[Any]) -> Sequence[Any]:
    """Return judges from `people_invited` with the other data that the page shows. Three queries.

    `mail` is their message in force, `browsers` the number of browsers they used, `kinds` the kinds of device,
    and `concurrent_at` when two browsers worked at the same time.
    """
    mails = Mail.objects.filter(withdrawn_at__isnull=True).order_by("-id")
    prefetch_related_objects(judges, Prefetch("mails", mails, to_attr="mails_in_force"))
    devices: dict[int, list[str]] = {judge.pk: [] for judge in judges}
    used = (
        BrowserVisit.objects.filter(judge__in=devices, browser__isnull=False)
        .values("judge", "browser")
        .annotate(device=Max("device"))
    )
    for judge_id, device in used.values_list("judge", "device"):
        devices[judge_id].append(device_in_words(device))
    concurrent = dict(concurrent_browser_visits(judges=list(devices)))
    for judge in judges:
        judge.mail = next(iter(judge.mails_in_force), None)
        judge.browsers = len(devices[judge.pk])
        judge.kinds = sorted(filter(None, set(devices[judge.pk])))
        judge.concurrent_at = concurrent.get(judge.pk)
    return judges


def concurrent_browser_visits(*, judges: Sequence[int]) -> list[tuple[int, datetime]]:
    """Return the judge and time of each visit between two visits of another browser. One query.

    The rows are in order of time, so the last one of a judge is the latest.
    """
    visits = (
        BrowserVisit.objects.filter(judge__in=judges, at_work=True)
        .annotate(
            before=_neighbour(Lag("browser")),
            after=_neighbour(Lead("browser")),
            began=_neighbour(Lag("seen_at")),
            ended=_neighbour(Lead("seen_at")),
        )
        .filter(before=F("after"), ended__lte=F("began") + _CONCURRENT_WITHIN)
        .exclude(before=F("browser"))
        .order_by("seen_at", "id")
    )
    return list(visits.values_list("judge_id", "seen_at"))


def _neighbour(of: Lag | Lead) -> Window:
    """Return a window over the visits of the same judge, before or after this one."""
    return Window(
        of,
        partition_by=F("judge"),
        order_by=[F("seen_at").asc(), F("id").asc()],
    )
