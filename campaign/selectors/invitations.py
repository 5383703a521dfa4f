"""Invited judges, their links, and links that were passed on."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import (
    Case,
    CharField,
    Exists,
    F,
    Max,
    OuterRef,
    Prefetch,
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

from campaign.models import (
    Acceptance,
    BrowserVisit,
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Mail,
    MailState,
    Task,
)

#: Two browsers work at the same time if one was seen between two visits of the other that are at
#: most this far apart. A judge who changes devices is seen on the second only afterwards.
_CONCURRENT_WITHIN = timedelta(minutes=10)


# Other devices have proper names, which are not translated.
_DEVICES = {
    "Android phone": _("Android phone"),
    "Android tablet": _("Android tablet"),
    "program": _("Program"),
}


class StandingOfLink(TextChoices):
    """Status of a shared link: the first that applies."""

    WITHDRAWN = "withdrawn", _("Withdrawn")
    ENDED = "ended", _("Ended")
    USED_UP = "used_up", _("Used up")
    USABLE = "usable", _("Usable")


class StandingOfInvited(TextChoices):
    """Status of an invited person: the first that applies."""

    WITHDRAWN = "withdrawn", _("Withdrawn")
    DECLINED = "declined", _("Declined")
    PRESENT = "present", _("Opened")
    NOT_SENT = "not_sent", _("Not sent")  # or unknown
    EXPECTED = "expected", _("Not opened yet")


_NOT_SENT: Final = (MailState.FAILED, MailState.UNCONFIRMED)


def campaign_languages(campaign: Campaign) -> list[str]:
    """Return the languages of the campaign's test sets, as spelled there. One query."""
    pairs = Task.objects.of(campaign).language_pairs()
    return sorted({tag for pair in pairs for tag in pair})


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
            )
        )
        .order_by("-id")
    )


def member_invitations(*, campaign: Campaign) -> QuerySet[Mail]:
    """Return the invitations to become a member that wait for an answer, the newest first. One query.

    Each has `has_expired`: it can no longer be accepted.
    """
    waiting = Mail.objects.to_members().filter(campaign=campaign)
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


def people_invited(*, campaign: Campaign) -> QuerySet[Judge]:
    """Return the campaign's judges who are people, newest first. One query per page.

    `reached_at` is the address of their invitation or the note of the link they joined by, `opened_at` when a link
    was first opened, `link_ends` when the last of their own links ends (None if none is valid), and `standing` a
    `StandingOfInvited`. `invited_judges` reads the other data that is shown.
    """
    judge = OuterRef("pk")
    own_links = Invitation.objects.valid().filter(
        campaign=OuterRef("campaign"), user=OuterRef("user"), role=InvitationRole.JUDGE
    )
    revoked = Invitation.objects.filter(
        campaign=campaign,
        user=OuterRef("user"),
        role=InvitationRole.JUDGE,
        revoked_at__isnull=False,
    )
    all_mails = Mail.objects.filter(judge=judge)
    mails = all_mails.filter(withdrawn_at__isnull=True).order_by("-id")
    acceptances = Acceptance.objects.filter(judge=judge).order_by("-instructions__version")
    openings = BrowserVisit.objects.filter(judge=judge, at_work=False).order_by("seen_at")
    return (
        Judge.objects.filter(campaign=campaign, origin=Judge.Origin.PERSON)
        .select_related("user", "joined_by")
        .alias(mail_state=Subquery(mails.values("state")[:1]))
        .annotate(
            reached_at=Coalesce(
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
            had_link=Exists(revoked) | Exists(all_mails.filter(withdrawn_at__isnull=False)),
            link_ends=Subquery(own_links.order_by("-expires_at").values("expires_at")[:1]),
        )
        .annotate(
            standing=Case(
                When(withdrawn_at__isnull=False, then=Value(StandingOfInvited.WITHDRAWN)),
                When(declined_at__isnull=False, then=Value(StandingOfInvited.DECLINED)),
                When(opened_at__isnull=False, then=Value(StandingOfInvited.PRESENT)),
                When(mail_state__in=_NOT_SENT, then=Value(StandingOfInvited.NOT_SENT)),
                default=Value(StandingOfInvited.EXPECTED),
                output_field=CharField(),
            )
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
        devices[judge_id].append(str(_DEVICES.get(device, device)))
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
    found = (
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
    return list(found.values_list("judge_id", "seen_at"))


def _neighbour(of: Lag | Lead) -> Window:
    """Return a window over the visits of the same judge, before or after this one."""
    return Window(of, partition_by=F("judge"), order_by=[F("seen_at").asc(), F("id").asc()])
