"""What a published result says beside its ranking: what went in, who entered, who was left out and why."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import (
    Count,
    F,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce

from annotation.models import JudgeTally, Judgment, QualityAction, QualityActionKind
from campaign.models import Instructions, System, Task
from ranking.models import RankingRun
from ranking.selectors.left_out import judges_left_out, judges_not_counted


@dataclass(frozen=True, slots=True)
class JudgedFacts:
    """The judgments that count in a ranking: their first and last day (UTC), segments and documents."""

    first_day: date | None
    last_day: date | None
    segments: int
    documents: int


@dataclass(frozen=True, slots=True)
class LeftOutJudge:
    """A judge whose judgments do not count.

    Attributes
    ----------
    judge : str
        The pseudonym.
    blocks : int
        They judged up to the watermark.
    action : QualityAction or None
        Why, with its rule; None where no exclusion is in force any more.
    """

    judge: str
    blocks: int
    action: QualityAction | None


def judged_facts(run: RankingRun) -> JudgedFacts:
    """Return what the judgments of a ranking say by themselves. One query.

    Segments and documents were counted as it was ranked (`ranking.core.live`), from the same judgments. Days are
    those of each judge's first and last judgment, which an index has in order: neither grows with judgments.
    """
    first, last = _days(run.task_id, run.watermark, judges_not_counted(run.parameters)).first() or (
        None,
        None,
    )
    counted = run.result["input"]
    return JudgedFacts(
        first_day=_day(first),
        last_day=_day(last),
        segments=counted["segments"],
        # A single document is no unit to account for, so the ranking does not say it.
        documents=counted.get("documents", min(1, counted["segments"])),
    )


def _days(task_id: int, watermark: int, without: Collection[str]) -> QuerySet[Task, Any]:
    """Return when the first and the last judgment that counts was made.

    No judgment of a judge is before the first one in their tally, nor after the last. So where the judge who began first
    has a judgment that counts, only those who began before that one need be looked at; and so with the last.
    """
    judgments = Judgment.objects.filter(task=OuterRef("task"), judge=OuterRef("judge"))
    own: Any = judgments.current(watermark=watermark).counted().values("submitted_at")
    tallies = JudgeTally.objects.filter(
        ~Q(judge__pseudonym__in=without), task=task_id, first_number__lte=watermark
    )
    first = Subquery(
        own.filter(submitted_at__gte=OuterRef("first_at")).order_by("submitted_at")[:1]
    )
    last = Subquery(own.filter(submitted_at__lte=OuterRef("last_at")).order_by("-submitted_at")[:1])
    begun_first = tallies.order_by("first_at").values(at=first)[:1]
    seen_last = tallies.order_by("-last_at").values(at=last)[:1]
    before = tallies.filter(first_at__lte=Coalesce(Subquery(begun_first), "last_at"))
    after = tallies.filter(last_at__gte=Coalesce(Subquery(seen_last), "first_at"))
    return Task.objects.filter(pk=task_id).values_list(
        Subquery(before.values(at=first).order_by(F("at").asc(nulls_last=True))[:1]),
        Subquery(after.values(at=last).order_by(F("at").desc(nulls_last=True))[:1]),
    )


def _day(moment: datetime | None) -> date | None:
    # The connection's times are UTC.
    return None if moment is None else moment.date()


def left_out_judges(run: RankingRun) -> list[LeftOutJudge]:
    """Return the judges whom a ranking leaves out for their quality, by pseudonym. Four queries at most."""
    names = judges_left_out(run)[run.task_id]
    blocks, actions = _blocks_of(run, names), _exclusions(run, names)
    return [
        LeftOutJudge(judge=name, blocks=blocks.get(name, 0), action=actions.get(name))
        for name in names
    ]


def _blocks_of(run: RankingRun, names: Sequence[str]) -> Mapping[str, int]:
    if not names:
        return {}
    judgments = Judgment.objects.of(run.task_id).current(watermark=run.watermark).counted()
    counted = judgments.filter(judge__pseudonym__in=names).values("judge__pseudonym")
    found: Any = counted.annotate(count=Count("pk")).values_list("judge__pseudonym", "count")
    return dict(found.order_by())


def _exclusions(run: RankingRun, names: Sequence[str]) -> dict[str, QualityAction]:
    if not names:
        return {}
    actions = QualityAction.objects.in_force().filter(
        action=QualityActionKind.EXCLUDE,
        judge__campaign__test_sets__tasks=run.task_id,
        judge__pseudonym__in=names,
    )
    # The first one counts: it left the judge out.
    found = actions.select_related("judge", "rule").order_by("-pk")
    return {action.judge.pseudonym: action for action in found}


def systems_entered(*, task_id: int) -> list[System]:
    """Return all systems of a test set by name, references and withdrawn ones too."""
    return list(System.objects.filter(test_set__tasks=task_id).order_by("name"))


def instructions_version(*, campaign_id: int, until: datetime) -> int | None:
    """Return the newest version of a campaign's instructions at a moment; None if there was none."""
    written = Instructions.objects.filter(campaign=campaign_id, created_at__lte=until)
    newest: int | None = written.aggregate(newest=Max("version"))["newest"]
    return newest
