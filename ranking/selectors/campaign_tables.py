"""Tables over the test sets of a campaign: their kinds and answers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Count, F, Sum
from django.db.models.functions import TruncDate

from annotation.models import (
    JudgeTally,
    JudgmentSequence,
    Skip,
    WorkedQuarterHour,
)
from campaign.models import Campaign, Judge, System, Task
from ranking.analyses.across.agreement import TOTAL
from ranking.analyses.across.rows import (
    NO_JUDGMENT,
    NOT_RANKED,
    ListedSystem,
    TableRow,
    TableTestSet,
    live_test_set,
)
from ranking.analyses.kind import AnalysisChoice, AnalysisKind
from ranking.models import Analysis, LatestRanking
from ranking.reports import Report
from ranking.selectors.analyses import Answered, answer_with_data, answered_among
from ranking.selectors.dashboards import rule_of_ranking


def table_answer(*, campaign: Campaign, choice: AnalysisChoice) -> tuple[Report | None, Answered]:
    """Return a table in the current language, if there is one, and the state of stored answers.

    Tables computed from stored figures are not stored themselves. At most eight queries, whose cost does not grow with
    judgments.
    """
    if choice.is_live:
        rows = live_rows(campaign=campaign, kind=choice.kind)
        return choice.kind.tell(rows, choice.options), Answered()
    asked = answered_among(
        Analysis.objects.of_campaign(campaign.pk).order_by("-id"),
        choice.digest,
        last=JudgmentSequence.objects.filter(task__test_set__campaign=campaign),
    )
    return None if asked.shown is None else answer_with_data(asked.shown), asked


def table_tasks(*, campaign: Campaign) -> list[TableTestSet]:
    """Return the test sets of a campaign in order of creation, at their latest watermarks. Two queries."""
    systems = defaultdict(list)
    for row in System.objects.filter(test_set__campaign=campaign).order_by("name"):
        listed = ListedSystem(name=row.name, kind=row.kind, constrained=row.constrained)
        systems[row.test_set_id].append(listed)
    tasks = Task.objects.of(campaign).named().annotate(last=F("judgment_sequence__last_number"))
    found: Any = tasks.order_by("test_set__created_at", "test_set", "pk")
    return [
        TableTestSet(
            pk=task.pk,
            name=task.called,
            source=task.test_set.source_language,
            target=task.test_set.target_language,
            is_closed=task.closed_at is not None,
            systems=tuple(systems[task.test_set_id]),
            watermark=task.last or 0,
        )
        for task in found
    ]


def blocks_skipped(*, task: Task, without: Sequence[str]) -> int:
    """Return the number of blocks that judges, except these, skipped and did not rank later. One query."""
    skips = Skip.objects.standing().filter(task=task, block__control="")
    return skips.exclude(judge__pseudonym__in=without).count()


def live_rows(*, campaign: Campaign, kind: AnalysisKind) -> list[TableRow]:
    """Return the rows of a table of stored figures. At most seven queries."""
    tasks = table_tasks(campaign=campaign)
    if kind.name == "collected":
        return _collected(campaign, tasks)
    return _ranked(campaign, tasks)


def _ranked(campaign: Campaign, tasks: Sequence[TableTestSet]) -> list[TableRow]:
    """Return a row for each task with its latest ranking, or the reason for having none."""
    latest = LatestRanking.objects.filter(task__test_set__campaign=campaign).in_bulk()
    rows = []
    for each in tasks:
        ranking = latest.get(each.pk)
        if ranking is None:
            why = NOT_RANKED if each.watermark else NO_JUDGMENT
            rows.append(TableRow(replace(each, watermark=0), None, why))
        else:
            shown = replace(each, watermark=ranking.watermark)
            rows.append(TableRow(shown, live_test_set(ranking), rule=rule_of_ranking(ranking)))
    return rows


def _collected(campaign: Campaign, tasks: Sequence[TableTestSet]) -> list[TableRow]:
    of_campaign = {"task__test_set__campaign": campaign}
    sequences = JudgmentSequence.objects.filter(**of_campaign)
    counted = {each["task_id"]: each for each in sequences.values("task_id", *_COUNTED)}
    people = {**of_campaign, "judge__origin": Judge.Origin.PERSON}
    quarters = WorkedQuarterHour.objects.filter(**people).order_by()
    worked = dict(quarters.values_list("task").annotate(Sum("active_ms")))
    judged = quarters.filter(judged__gt=0).annotate(day=TruncDate("start"))
    # One row per test set and day, not per judgment.
    days = list(judged.values_list("task", "day").distinct())
    rankings = LatestRanking.objects.filter(**of_campaign).in_bulk()
    judges = JudgeTally.objects.filter(**of_campaign, judged__gt=0)
    rows = []
    for each in tasks:
        sums = counted.get(each.pk, dict.fromkeys(_COUNTED, 0))
        ranking = rankings.get(each.pk)
        given = {} if ranking is None else ranking.result["input"]
        found: dict[str, Any] = {
            "judges": sums["judges"],
            "blocks": sums["judged"],
            "skipped": sums["skipped"],
            "active_ms": worked.get(each.pk, 0),
            "days": sum(task == each.pk for task, _day in days),
            **{name: given.get(name) for name in ("comparisons", "ties", "segments")},
            "collapsed": None if ranking is None else ranking.result["agreement"]["comparisons"],
            "counted_blocks": given.get("blocks"),
            "counted_systems": given.get("systems"),
            "counted_to": 0 if ranking is None else ranking.watermark,
        }
        rows.append(TableRow(each, found))
    # Count each judge and day of the campaign once.
    total = {
        **{name: _summed(row.found[name] for row in rows) or 0 for name in _OF_TASKS},
        **{name: _summed(row.found[name] for row in rows) for name in _OF_RANKINGS},
        "judges": judges.aggregate(count=Count("judge", distinct=True))["count"],
        "days": len({each for _task, each in days}),
        "counted_to": 0,
    }
    nobody = TableTestSet(
        pk=TOTAL, name="", source="", target="", is_closed=False, systems=(), watermark=0
    )
    return [*rows, TableRow(nobody, total)]


_COUNTED = ("judges", "judged", "skipped")
_OF_TASKS = ("blocks", "skipped", "active_ms")
#: Figures of the latest ranking; None before there is one.
_OF_RANKINGS = (
    *("comparisons", "ties", "segments", "collapsed"),
    *("counted_blocks", "counted_systems"),
)


def _summed(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def systems_of_tasks(*, campaign: Campaign) -> dict[int, dict[str, System]]:
    """Return the systems of each test set of a campaign by name. One query."""
    rows: Any = System.objects.filter(test_set__campaign=campaign)
    found: dict[int, dict[str, System]] = defaultdict(dict)
    for system in rows.annotate(task=F("test_set__tasks")).order_by():
        found[system.task][system.name] = system
    return found


def linked_tasks(*, campaign: Campaign) -> list[tuple[int, str]]:
    """Return the test sets of a campaign, for links to their own pages. One query."""
    found = Task.objects.filter(test_set__campaign=campaign).order_by("created_at", "pk")
    return list(found.values_list("pk", "test_set__name"))
