"""What a published result says beside its ranking: what went in, who entered, who was left out and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Max, Min

from annotation.models import Judgment, QualityAction, QualityActionKind
from campaign.models import Instructions, System
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
    """Return what the judgments of a ranking say by themselves. One query."""
    judgments = Judgment.objects.of(run.test_set_id).current(watermark=run.watermark).counted()
    found = judgments.exclude(judge__pseudonym__in=judges_not_counted(run.parameters)).aggregate(
        first=Min("submitted_at"),
        last=Max("submitted_at"),
        segments=Count("block__segment", distinct=True),
        documents=Count("block__segment__document", distinct=True),
    )
    return JudgedFacts(
        first_day=_day(found["first"]),
        last_day=_day(found["last"]),
        segments=found["segments"],
        documents=found["documents"],
    )


def _day(moment: datetime | None) -> date | None:
    # The connection's times are UTC.
    return None if moment is None else moment.date()


def left_out_judges(run: RankingRun) -> list[LeftOutJudge]:
    """Return the judges whom a ranking leaves out for their quality, by pseudonym. Four queries at most."""
    names = judges_left_out(run)[run.test_set_id]
    blocks, actions = _blocks_of(run, names), _exclusions(run, names)
    return [
        LeftOutJudge(judge=name, blocks=blocks.get(name, 0), action=actions.get(name))
        for name in names
    ]


def _blocks_of(run: RankingRun, names: Sequence[str]) -> Mapping[str, int]:
    if not names:
        return {}
    judgments = Judgment.objects.of(run.test_set_id).current(watermark=run.watermark).counted()
    counted = judgments.filter(judge__pseudonym__in=names).values("judge__pseudonym")
    found: Any = counted.annotate(count=Count("pk")).values_list("judge__pseudonym", "count")
    return dict(found.order_by())


def _exclusions(run: RankingRun, names: Sequence[str]) -> dict[str, QualityAction]:
    if not names:
        return {}
    actions = QualityAction.objects.in_force().filter(
        action=QualityActionKind.EXCLUDE,
        judge__campaign__test_sets=run.test_set_id,
        judge__pseudonym__in=names,
    )
    # The first one counts: it left the judge out.
    found = actions.select_related("judge", "rule").order_by("-pk")
    return {action.judge.pseudonym: action for action in found}


def systems_entered(*, test_set_id: int) -> list[System]:
    """Return all systems of a test set by name, references and withdrawn ones too."""
    return list(System.objects.filter(test_set=test_set_id).order_by("name"))


def instructions_version(*, campaign_id: int, until: datetime) -> int | None:
    """Return the newest version of a campaign's instructions at a moment; None if there was none."""
    written = Instructions.objects.filter(campaign=campaign_id, created_at__lte=until)
    newest: int | None = written.aggregate(newest=Max("version"))["newest"]
    return newest
