"""Who was invited, who came, and whether a link was passed on."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import F, Max, Min, Prefetch, Q, QuerySet, Window
from django.db.models.functions import Lag, Lead
from django.utils.translation import gettext_lazy as _

from campaign.models import Campaign, Invitation, Judge, Mail, Sighting, TestSet

#: Two browsers are at work at once where one was seen between two sightings of the other, and
#: these lie no further apart. A judge who goes on with another device is seen there only afterwards.
AT_ONCE = timedelta(minutes=10)


# The others are names.
_DEVICES = {
    "Android phone": _("Android phone"),
    "Android tablet": _("Android tablet"),
    "program": _("a program"),
}


@dataclass(slots=True)
class InvitedJudge:
    """A judge who is a person, as the organisers' page of invitations shows them."""

    judge: Judge
    mail: Mail | None
    arrived_by: Invitation | None
    #: The latest version of the instructions they accepted.
    accepted: int | None = None
    opened_at: datetime | None = None
    devices: dict[bytes, str] = field(default_factory=dict)
    at_once: datetime | None = None

    @property
    def browsers(self) -> int:
        return len(self.devices)

    @property
    def kinds(self) -> list[str]:
        """What they came with, each kind once."""
        return sorted({str(_DEVICES.get(kind, kind)) for kind in self.devices.values() if kind})


def campaign_languages(campaign: Campaign) -> list[str]:
    """Languages of the campaign's test sets, as these spell them. One query."""
    pairs = TestSet.objects.filter(campaign=campaign).values_list(
        "source_language", "target_language"
    )
    return sorted({tag for pair in pairs for tag in pair})


def links_for_anybody(*, campaign: Campaign) -> QuerySet[Invitation]:
    """The campaign's links for new judges, the newest first. One query."""
    return (
        Invitation.objects.filter(campaign=campaign)
        .for_anybody()
        .select_related("created_by")
        .order_by("-id")
    )


def own_link_of(*, judge: Judge) -> Invitation | None:
    """The link the judge made for their other devices, while it holds. One query."""
    return (
        Invitation.objects.holding()
        .filter(campaign=judge.campaign_id, user=judge.user_id, created_by=judge.user_id)
        .order_by("-id")
        .first()
    )


def people_invited(*, campaign: Campaign) -> list[InvitedJudge]:
    """The campaign's judges who are people, the newest first. Four queries, however many."""
    mails = Mail.objects.filter(withdrawn_at__isnull=True).order_by("-id")
    judges = (
        Judge.objects.filter(campaign=campaign, origin=Judge.Origin.PERSON)
        .select_related("arrival__invitation")
        .prefetch_related(Prefetch("mails", mails, to_attr="mails_in_force"))
        .annotate(accepted=Max("acceptances__instructions__version"))
        .order_by("-id")
    )
    rows = {judge.pk: _row(judge) for judge in judges}
    browsers = (
        Sighting.objects.filter(judge__campaign=campaign)
        .values_list("judge", "browser")
        .annotate(device=Max("device"), opened_at=Min("seen_at", filter=Q(at_work=False)))
    )
    for judge_id, browser, device, opened_at in browsers:
        row = rows[judge_id]
        if browser is not None:
            row.devices[bytes(browser)] = device
        row.opened_at = min(filter(None, (row.opened_at, opened_at)), default=None)
    for judge_id, seen_at in sightings_at_once(campaign=campaign):
        rows[judge_id].at_once = seen_at
    return list(rows.values())


def _row(judge: Judge) -> InvitedJudge:
    arrival = getattr(judge, "arrival", None)
    mails: list[Mail] = judge.mails_in_force  # type: ignore[attr-defined]
    return InvitedJudge(
        judge=judge,
        mail=mails[0] if mails else None,
        arrived_by=arrival.invitation if arrival else None,
        accepted=judge.accepted,  # type: ignore[attr-defined]
        opened_at=arrival.arrived_at if arrival else None,
    )


def sightings_at_once(*, campaign: Campaign) -> list[tuple[int, datetime]]:
    """Judge and time wherever a browser was at work between two moments of another. One query.

    In order of time, so that the last one of a judge is the latest.
    """
    found = (
        Sighting.objects.filter(judge__campaign=campaign, at_work=True)
        .annotate(
            before=_neighbour(Lag("browser")),
            after=_neighbour(Lead("browser")),
            began=_neighbour(Lag("seen_at")),
            ended=_neighbour(Lead("seen_at")),
        )
        .filter(before=F("after"), ended__lte=F("began") + AT_ONCE)
        .exclude(before=F("browser"))
        .order_by("seen_at", "id")
    )
    return list(found.values_list("judge_id", "seen_at"))


def _neighbour(of: Lag | Lead) -> Window:
    """Of the sighting of the same judge before this one, or after it."""
    return Window(of, partition_by=F("judge"), order_by=[F("seen_at").asc(), F("id").asc()])
