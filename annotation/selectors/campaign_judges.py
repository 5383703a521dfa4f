"""The judges of a campaign as a list to filter and sort: who they are, what they may judge, where they stand."""

from enum import StrEnum

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Case,
    CharField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest, NullIf

from annotation.models import JudgeTally, QualityAction, QualityActionKind
from campaign.models import (
    BrowserVisit,
    Campaign,
    ConflictOfInterest,
    GroupMember,
    InvitationMail,
    Judge,
)


class StandingOfJudge(StrEnum):
    """Where a judge stands; the first that holds."""

    WITHDRAWN = "withdrawn"
    DECLINED = "declined"
    EXCLUDED = "excluded"
    PAUSED = "paused"
    EXPECTED = "expected"  # added or invited, and not seen yet
    PRESENT = "present"


def campaign_judges(*, campaign: Campaign) -> QuerySet[Judge]:
    """Return the judges of a campaign, each with what organisers are shown. One query a page.

    `reached_at` is an address, `came_by` the note of the link they joined by, `seen_at` when they were seen last or
    judged, `standing` a `StandingOfJudge`, `group_names` and `conflict_names` are lists.
    """
    judge = OuterRef("pk")
    mails = InvitationMail.objects.filter(judge=judge).order_by("-id")
    visits = BrowserVisit.objects.filter(judge=judge).order_by("-seen_at")
    tallies = JudgeTally.objects.filter(judge=judge).order_by("-last_at")
    groups = GroupMember.objects.filter(judge=judge).order_by("group__name")
    conflicts = ConflictOfInterest.objects.filter(judge=judge).order_by("system__name")
    return (
        Judge.objects.filter(campaign=campaign)
        .select_related("user")
        .annotate(
            reached_at=Coalesce(
                NullIf("address", Value("")),
                Subquery(mails.values("address")[:1]),
                Value(""),
                output_field=CharField(),
            ),
            came_by=Coalesce(F("link_redemption__invitation__note"), Value("")),
            panel=F("panel_member__service"),
            seen_at=Greatest(
                Subquery(visits.values("seen_at")[:1]), Subquery(tallies.values("last_at")[:1])
            ),
            group_names=ArraySubquery(groups.values("group__name")),
            conflict_names=ArraySubquery(conflicts.values("system__name").distinct()),
        )
        .annotate(standing=_standing(judge))
        .order_by("pseudonym")
    )


def _standing(judge: OuterRef) -> Case:
    actions = QualityAction.objects.in_force().filter(judge=judge)
    is_excluded = Exists(actions.filter(action=QualityActionKind.EXCLUDE))
    is_paused = Exists(actions.filter(action=QualityActionKind.PAUSE))
    return Case(
        When(withdrawn_at__isnull=False, then=Value(StandingOfJudge.WITHDRAWN)),
        When(declined_at__isnull=False, then=Value(StandingOfJudge.DECLINED)),
        When(is_excluded, then=Value(StandingOfJudge.EXCLUDED)),
        When(is_paused, then=Value(StandingOfJudge.PAUSED)),
        When(Q(seen_at__isnull=True, origin="person"), then=Value(StandingOfJudge.EXPECTED)),
        default=Value(StandingOfJudge.PRESENT),
        output_field=CharField(),
    )
