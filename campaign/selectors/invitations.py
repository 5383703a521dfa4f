"""Invited judges, their links, and links that were passed on."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import (
    Case,
    Exists,
    F,
    Max,
    Min,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    When,
    Window,
)
from django.db.models.functions import Lag, Lead, Now
from django.utils.translation import gettext_lazy as _

from campaign.models import (
    BrowserVisit,
    Campaign,
    Invitation,
    InvitationMail,
    InvitationRole,
    Judge,
    TestSet,
)

#: Two browsers work at the same time if one was seen between two visits of the other that are at
#: most this far apart. A judge who changes devices is seen on the second only afterwards.
_CONCURRENT_WITHIN = timedelta(minutes=10)


# Other devices go by their proper names.
_DEVICES = {
    "Android phone": _("Android phone"),
    "Android tablet": _("Android tablet"),
    "program": _("a program"),
}


@dataclass(slots=True)
class InvitedJudge:
    """A judge who is a person, as the organisers' page of invitations shows them."""

    judge: Judge
    mail: InvitationMail | None
    joined_by: Invitation | None
    #: The latest version of the instructions they accepted.
    accepted: int | None = None
    opened_at: datetime | None = None
    #: When the last of their own links ends; None if none works.
    link_ends: datetime | None = None
    devices: dict[bytes, str] = field(default_factory=dict)
    concurrent_at: datetime | None = None
    #: Whether a link would open for them again if the latest withdrawal were undone.
    had_link: bool = False

    @property
    def browsers(self) -> int:
        return len(self.devices)

    @property
    def is_withdrawn(self) -> bool:
        """Whether nothing lets them in until they are let in again."""
        return self.judge.withdrawn_at is not None

    @property
    def kinds(self) -> list[str]:
        """Return the kinds of device they used, each once."""
        return sorted({str(_DEVICES.get(kind, kind)) for kind in self.devices.values() if kind})


def campaign_languages(campaign: Campaign) -> list[str]:
    """Return the languages of the campaign's test sets, as these spell them. One query."""
    pairs = TestSet.objects.filter(campaign=campaign).values_list(
        "source_language", "target_language"
    )
    return sorted({tag for pair in pairs for tag in pair})


def links_for_anybody(*, campaign: Campaign) -> QuerySet[Invitation]:
    """Return the campaign's links for new judges, the newest first. One query."""
    return (
        Invitation.objects.filter(campaign=campaign)
        .for_anybody()
        .select_related("created_by")
        .order_by("-id")
    )


def member_invitations(*, campaign: Campaign) -> QuerySet[InvitationMail]:
    """Return the invitations to become a member that wait for an answer, the newest first. One query.

    Each has `has_expired`: nobody can accept it any more.
    """
    waiting = InvitationMail.objects.to_members().filter(campaign=campaign)
    return (
        waiting.select_related("campaign", "invitation", "user", "created_by")
        .annotate(
            has_expired=Case(When(invitation__expires_at__lte=Now(), then=True), default=False)
        )
        .order_by("-id")
    )


def own_link_of(*, judge: Judge) -> Invitation | None:
    """Return the valid link that the judge made for their other devices. One query."""
    return (
        Invitation.objects.valid()
        .filter(campaign=judge.campaign_id, user=judge.user_id, created_by=judge.user_id)
        .order_by("-id")
        .first()
    )


def people_invited(*, campaign: Campaign) -> list[InvitedJudge]:
    """Return the campaign's judges who are people, the newest first. Four queries."""
    own_links = Invitation.objects.valid().filter(
        campaign=OuterRef("campaign"), user=OuterRef("user"), role=InvitationRole.JUDGE
    )
    mails = InvitationMail.objects.filter(withdrawn_at__isnull=True).order_by("-id")
    revoked = Invitation.objects.filter(
        campaign=campaign,
        user=OuterRef("user"),
        role=InvitationRole.JUDGE,
        revoked_at__isnull=False,
    )
    withdrawn = InvitationMail.objects.filter(judge=OuterRef("pk"), withdrawn_at__isnull=False)
    judges = (
        Judge.objects.filter(campaign=campaign, origin=Judge.Origin.PERSON)
        .select_related("user", "link_redemption__invitation")
        .prefetch_related(Prefetch("mails", mails, to_attr="mails_in_force"))
        .annotate(
            accepted=Max("acceptances__instructions__version"),
            had_link=Exists(revoked) | Exists(withdrawn),
            link_ends=Subquery(own_links.order_by("-expires_at").values("expires_at")[:1]),
        )
        .order_by("-id")
    )
    rows = {judge.pk: _row(judge) for judge in judges}
    browsers = (
        BrowserVisit.objects.filter(judge__campaign=campaign)
        .values_list("judge", "browser")
        .annotate(device=Max("device"), opened_at=Min("seen_at", filter=Q(at_work=False)))
    )
    for judge_id, browser, device, opened_at in browsers:
        row = rows[judge_id]
        if browser is not None:
            row.devices[bytes(browser)] = device
        row.opened_at = min(filter(None, (row.opened_at, opened_at)), default=None)
    for judge_id, seen_at in concurrent_browser_visits(campaign=campaign):
        rows[judge_id].concurrent_at = seen_at
    return list(rows.values())


def _row(judge: Judge) -> InvitedJudge:
    redemption = getattr(judge, "link_redemption", None)
    mails: list[InvitationMail] = judge.mails_in_force  # type: ignore[attr-defined]
    return InvitedJudge(
        judge=judge,
        mail=mails[0] if mails else None,
        joined_by=redemption.invitation if redemption else None,
        accepted=judge.accepted,  # type: ignore[attr-defined]
        link_ends=judge.link_ends,  # type: ignore[attr-defined]
        opened_at=redemption.redeemed_at if redemption else None,
        had_link=judge.had_link,  # type: ignore[attr-defined]
    )


def concurrent_browser_visits(*, campaign: Campaign) -> list[tuple[int, datetime]]:
    """Return judge and time of each visit between two visits of another browser. One query.

    They are in order of time: the last one of a judge is the latest.
    """
    found = (
        BrowserVisit.objects.filter(judge__campaign=campaign, at_work=True)
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
    return list(found.values_list("judge_id", "seen_at"))


def _neighbour(of: Lag | Lead) -> Window:
    """Return a window over the visits of the same judge, before or after this one."""
    return Window(of, partition_by=F("judge"), order_by=[F("seen_at").asc(), F("id").asc()])
