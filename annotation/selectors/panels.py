"""Panels and their participations, with the progress of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import (
    Count,
    DurationField,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce, Now

from annotation.models import JudgmentSequence
from annotation.selectors.judges import JudgeStatus, judge_statuses
from annotation.selectors.progress import JudgeWork, judges_with_work
from annotation.selectors.target import blocks_left_out
from campaign.models import (
    Campaign,
    Judge,
    Panel,
    Participation,
    ParticipationState,
    Task,
    User,
)
from campaign.selectors.panel_requests import Entry
from campaign.texts.languages import reads_languages

#: Statuses at Prolific of submissions whose payment was decided.
PAYMENT_DECIDED = ("APPROVED", "PARTIALLY APPROVED", "REJECTED")


@dataclass(frozen=True, slots=True)
class ParticipationRow:
    """A participation, the number of blocks done, and the status of its judge."""

    participation: Participation
    blocks_done: int
    judge_status: JudgeStatus


def participation_of(*, judge: Judge) -> Participation | None:
    """Return the judge's latest participation, or None if no panel sent them."""
    rows = Participation.objects.filter(judge=judge).select_related("panel", "judge")
    return rows.order_by("-started_at", "-pk").first()


def seconds_left(*, judge: Judge) -> int | None:
    """Return the seconds until the judge's participation times out today; otherwise None. No query for judges without panel."""
    if judge.blocks_asked is None:
        return None
    rows = Participation.objects.under_way().filter(judge=judge)
    remaining = ExpressionWrapper(F("due_at") - Now(), output_field=DurationField())
    by_time = rows.order_by("due_at").values_list(remaining, flat=True)
    time_left: timedelta | None = by_time.first()
    # No page stays open for longer than a day.
    if time_left is None or time_left > timedelta(days=1):
        return None
    return max(0, round(time_left.total_seconds()))


def participation_at_address(
    *,
    panel: Panel,
    entry: Entry,
    user: User,
) -> Participation | None:
    """Return the user's participation for the address that a service opened. One query."""
    return (
        panel.participations.filter(
            session_id=entry.session_id,
            judge__external_id=entry.external_id,
            judge__user=user,
        )
        .select_related("panel__campaign", "judge__user")
        .first()
    )


def has_work(*, panel: Panel) -> bool:
    """Return whether a task is open that participants of the panel can read and whose target is not reached. One query."""
    judged = JudgmentSequence.objects.filter(task=OuterRef("pk")).values("judged")
    open_tasks = Task.objects.of(panel.campaign_id).filter(
        test_set__expertise=[],
        closed_at=None,
    )
    counted = Coalesce(Subquery(judged), 0) - blocks_left_out("pk")
    unfinished = Q(blocks_wanted=None) | Q(blocks_wanted__gt=counted)
    pairs = open_tasks.filter(unfinished).language_pairs()
    return any(reads_languages(panel.languages, pair) for pair in pairs)


def panels_counted(*, campaign: Campaign) -> QuerySet[Panel]:
    """Return the panels, latest first, with their numbers of participations in each state as `count_<state>`."""
    counts = {
        f"count_{state}": Count("participations", filter=Q(participations__state=state))
        for state in ParticipationState.values
    }
    panels = Panel.objects.filter(campaign=campaign).select_related("campaign")
    return panels.annotate(**counts).order_by("-pk")


def participations_of(*, panel: Panel) -> QuerySet[Participation]:
    """Return the participations of a panel with their judges, latest first."""
    rows = panel.participations.select_related("judge")
    return rows.order_by("-started_at", "-pk")


def participations_unpaid(*, judge: Judge) -> QuerySet[Participation]:
    """Return the judge's participations that are at work or earned a code, unless the service reported a payment."""
    rows = Participation.objects.filter(judge=judge)
    may_earn = Q(state=ParticipationState.STARTED) | ~Q(code="")
    return rows.filter(may_earn).exclude(service_status__in=PAYMENT_DECIDED)


def participations_described(rows: Iterable[Participation]) -> list[ParticipationRow]:
    """Return participations with their progress. Three queries, plus those of the rows.

    Pages, REST and the CSV for payment take the number of blocks done from here. Answers that
    arrive after the time count for the participation until the judge begins another.
    """
    rows = list(rows)
    counting = []
    for row in rows:
        if row.ended_at is None or _is_late(row):
            counting.append(row)
    judges = [row.judge_id for row in counting]
    blocks_by_judge = _blocks_done(judges)
    latest = _latest(judges)
    statuses = judge_statuses(*{row.judge_id for row in rows})
    described = []
    for row in rows:
        described.append(
            ParticipationRow(
                participation=row,
                blocks_done=_done_in(
                    row,
                    blocks_by_judge.get(row.judge_id, 0),
                    is_latest=row.pk in latest,
                ),
                judge_status=statuses.get(row.judge_id, JudgeStatus.GOOD),
            ),
        )
    return described


def _is_late(row: Participation) -> bool:
    return row.state == ParticipationState.TIMED_OUT


def _done_in(row: Participation, done_by_judge: int, *, is_latest: bool) -> int:
    if row.blocks_done is not None and not (_is_late(row) and is_latest):
        return row.blocks_done
    return max(0, done_by_judge - row.blocks_before)


def _latest(judge_ids: list[int]) -> set[int]:
    """Return the ids of the latest participation of each of these judges. One query."""
    rows = Participation.objects.filter(judge__in=judge_ids)
    latest = rows.order_by("judge", "-started_at", "-pk").distinct("judge")
    return set(latest.values_list("pk", flat=True))


def _blocks_done(judge_ids: list[int]) -> dict[int, int]:
    """Return the number of blocks each of these judges has done. One query."""
    judges = judges_with_work().filter(pk__in=judge_ids)
    return {judge.pk: JudgeWork.of(judge).blocks_done for judge in judges}
