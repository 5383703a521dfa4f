"""Judges of a campaign: their status, and a list to filter and sort."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
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
from annotation.models.quality import QualityActionQuerySet
from campaign.models import (
    BrowserVisit,
    Campaign,
    ConflictOfInterest,
    GroupMember,
    Judge,
    Mail,
)


class JudgeStatus(StrEnum):
    """Status of a judge, from best to worst; the most severe action in force decides."""

    GOOD = "good"
    WARNED = "warned"
    PAUSED = "paused"
    EXCLUDED = "excluded"

    @property
    def may_judge(self) -> bool:
        return self in {JudgeStatus.GOOD, JudgeStatus.WARNED}


_STATUS_BY_ACTION = {
    QualityActionKind.WARN: JudgeStatus.WARNED,
    QualityActionKind.PAUSE: JudgeStatus.PAUSED,
    QualityActionKind.EXCLUDE: JudgeStatus.EXCLUDED,
}
# Messages are shown this long on the judging page, and on “Your time” until they are withdrawn.
_MESSAGE_SHOWN_FOR = timedelta(days=7)
_SEVERITY = list(JudgeStatus)


def messages_to(judge: Judge) -> QuerySet[QualityAction]:
    """Return organisers' messages to a judge, newest first, without withdrawn ones."""
    actions = QualityAction.objects.in_force().filter(
        judge=judge,
        action=QualityActionKind.MESSAGE,
    )
    return actions.order_by("-id")


def actions_that_stop(judge: OuterRef) -> QuerySet[QualityAction]:
    """Return the actions that stop a judge; there are any exactly if `JudgeStatus.may_judge` is false."""
    stopping = [QualityActionKind.PAUSE, QualityActionKind.EXCLUDE]
    return QualityAction.objects.in_force().filter(judge=judge, action__in=stopping)


def status_from_actions(actions: Iterable[str]) -> JudgeStatus:
    """Return the status of a judge with these actions in force; some actions do not change it."""
    statuses = []
    for action in actions:
        if action in _STATUS_BY_ACTION:
            statuses.append(_STATUS_BY_ACTION[QualityActionKind(action)])
    return max(
        statuses,
        key=_SEVERITY.index,
        default=JudgeStatus.GOOD,
    )


def judge_status(judge: Judge) -> JudgeStatus:
    """Return the status of a judge in their campaign. One query, by an index on the judge."""
    actions = QualityAction.objects.in_force().filter(judge=judge)
    return status_from_actions(actions.values_list("action", flat=True))


@dataclass(frozen=True, slots=True)
class JudgeStanding:
    """Actions in force for a judge who requests work.

    Attributes
    ----------
    status : JudgeStatus
    warned_for : list of str
        The measure of each rule that warned them, newest first; empty for a warning by an organiser.
    is_asked_again : bool
        Whether organisers asked them to judge again.
    messages : list of str
        Organisers' messages to them within a week, newest first.
    """

    status: JudgeStatus
    warned_for: list[str]
    is_asked_again: bool
    messages: list[str]


def judge_standing(judge: Judge, *, now: datetime) -> JudgeStanding:
    """Return the actions in force for a judge. One query, by an index on the judge."""
    in_force = QualityAction.objects.in_force().filter(judge=judge)
    columns = ("action", "text", "created_at", "rule__measure")
    kinds = set()
    warned_for = []
    messages = []
    for action in in_force.select_related("rule").only(*columns).order_by("-pk"):
        kinds.add(action.action)
        if action.action == QualityActionKind.WARN:
            warned_for.append(action.rule.measure if action.rule else "")
        is_recent = action.created_at > now - _MESSAGE_SHOWN_FOR
        if action.action == QualityActionKind.MESSAGE and is_recent:
            messages.append(action.text)
    return JudgeStanding(
        status=status_from_actions(kinds),
        warned_for=warned_for,
        is_asked_again=QualityActionKind.AGAIN in kinds,
        messages=messages,
    )


def people_taking_part() -> QuerySet[Judge]:
    """Return the judges who are persons and have neither declined nor been withdrawn."""
    return Judge.objects.filter(
        origin=Judge.Origin.PERSON,
        withdrawn_at=None,
        declined_at=None,
    )


def judge_statuses(*judge_ids: int) -> dict[int, JudgeStatus]:
    """Return the status of each judge; judges in good standing are left out. One query."""
    statuses: dict[int, JudgeStatus] = {}
    actions = QualityAction.objects.standing().filter(judge__in=judge_ids)
    for judge_id, action in actions.values_list("judge_id", "action"):
        status = _STATUS_BY_ACTION[QualityActionKind(action)]
        statuses[judge_id] = max(
            statuses.get(judge_id, JudgeStatus.GOOD),
            status,
            key=_SEVERITY.index,
        )
    return statuses


def excluded_judges(*, campaign_id: int) -> list[str]:
    """Return the pseudonyms of judges excluded from rankings, sorted. One query."""
    excluded = exclusions().filter(judge__campaign=campaign_id)
    return sorted(set(excluded.values_list("judge__pseudonym", flat=True)))


def exclusions() -> QualityActionQuerySet:
    """Return the actions that exclude judges from rankings."""
    return QualityAction.objects.in_force().filter(action=QualityActionKind.EXCLUDE)


def excluded_judges_by_campaign() -> dict[int, list[str]]:
    """Return `excluded_judges` by campaign id, for all campaigns that have any. One query."""
    names_by_campaign: dict[int, list[str]] = {}
    rows = exclusions().values_list("judge__campaign_id", "judge__pseudonym")
    for campaign_id, pseudonym in sorted(set(rows)):
        names_by_campaign.setdefault(campaign_id, []).append(pseudonym)
    return names_by_campaign


class StandingOfJudge(StrEnum):
    """Status of a judge on organisers' pages; the first that applies."""

    WITHDRAWN = "withdrawn"
    DECLINED = "declined"
    EXCLUDED = "excluded"
    PAUSED = "paused"
    EXPECTED = "expected"  # added or invited, but not seen yet
    PRESENT = "present"


def campaign_judges(*, campaign: Campaign) -> QuerySet[Judge]:
    """Return the judges of a campaign with the data organisers see. One query per page.

    `reached_at` is an address, `came_by` the note of the link by which they joined, `seen_at` the
    time they were last seen or judged, and `standing` a `StandingOfJudge`; `group_names` and
    `conflict_names` are lists.
    """
    judge = OuterRef("pk")
    mails = Mail.objects.filter(judge=judge, withdrawn_at=None).order_by("-id")
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
            came_by=Coalesce(F("joined_by__note"), Value("")),
            seen_at=Greatest(
                Subquery(visits.values("seen_at")[:1]),
                Subquery(tallies.values("last_at")[:1]),
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
        When(
            Q(seen_at__isnull=True, origin="person"),
            then=Value(StandingOfJudge.EXPECTED),
        ),
        default=Value(StandingOfJudge.PRESENT),
        output_field=CharField(),
    )
