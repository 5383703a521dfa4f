"""Tables over the test sets of a campaign: their kinds and answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Count, F, Func, IntegerField, JSONField, Sum
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast, TruncDate

from annotation.models import (
    JudgeTally,
    JudgmentSequence,
    Skip,
    WorkedQuarterHour,
)
from campaign.models import Campaign, Judge, System, Task
from ranking.analyses.across.collected import TOTAL
from ranking.analyses.across.rows import (
    NO_JUDGMENT,
    NOT_RANKED,
    ListedSystem,
    RankedTestSet,
    TableRow,
    TableTestSet,
    live_test_set,
)
from ranking.analyses.kind import AnalysisChoice, AnalysisKind
from ranking.models import Analysis, LatestRanking
from ranking.reports import Report
from ranking.selectors.analyses import Answered, answer_with_data, answered_among
from ranking.selectors.one_system import NamedSystem
from ranking.wording.stopping_rules import RuleState, rule_state


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """State of a table: its newest answer in the current language, if any, and its storage.

    Tables of stored figures are not stored themselves.
    """

    report: Report | None
    asked: Answered = field(default_factory=Answered)


def table_answer(*, campaign: Campaign, choice: AnalysisChoice) -> TableAnswer:
    """Return the newest answer to a question. At most eight queries, none of which grows with judgments."""
    if choice.is_live:
        rows = live_rows(campaign=campaign, kind=choice.kind)
        return TableAnswer(report=choice.kind.tell(rows, choice.options))
    asked = answered_among(
        Analysis.objects.of_campaign(campaign.pk).order_by("-id"),
        choice.digest,
        last=JudgmentSequence.objects.filter(task__test_set__campaign=campaign),
    )
    return TableAnswer(None if asked.shown is None else answer_with_data(asked.shown), asked)


def table_tasks(*, campaign: Campaign) -> list[TableTestSet]:
    """Return the test sets of a campaign in the order in which they came, at their newest numbers. Two queries."""
    systems: dict[int, list[ListedSystem]] = {}
    rows = System.objects.filter(test_set__campaign=campaign).order_by("name")
    for test_set, name, kind, constrained in rows.values_list(
        "test_set", "name", "kind", "constrained"
    ):
        listed = ListedSystem(name=name, kind=kind, constrained=constrained)
        systems.setdefault(test_set, []).append(listed)
    tasks = Task.objects.of(campaign).named().annotate(last=F("judgment_sequence__last_number"))
    found: Any = tasks.order_by("test_set__created_at", "test_set", "pk")
    return [
        TableTestSet(
            pk=task.pk,
            name=task.called,
            source=task.test_set.source_language,
            target=task.test_set.target_language,
            is_closed=task.closed_at is not None,
            systems=tuple(systems.get(task.test_set_id, ())),
            watermark=task.last or 0,
        )
        for task in found
    ]


def blocks_skipped(*, task: Task, without: Sequence[str]) -> int:
    """Return how many blocks other judges skipped and did not rank later. One query."""
    skips = Skip.objects.standing().filter(task=task, block__control="")
    return skips.exclude(judge__pseudonym__in=without).count()


def live_rows(*, campaign: Campaign, kind: AnalysisKind) -> list[TableRow]:
    """Return the rows of a table of stored figures. At most seven queries."""
    tasks = table_tasks(campaign=campaign)
    if kind.name == "collected":
        return _collected(campaign, tasks)
    return _ranked(campaign, tasks)


class _Without(Func):
    """A JSON object without some of its keys; it is decompressed once."""

    template = "%(expressions)s - ARRAY['pairs', 'agreement']"
    output_field = JSONField()


def _ranked(campaign: Campaign, tasks: Sequence[TableTestSet]) -> list[TableRow]:
    rankings = LatestRanking.objects.filter(task__test_set__campaign=campaign).values_list(
        "task", "method", "choice", "watermark", _Without("result"), "rule", "rule_met"
    )
    found: dict[int, tuple[RankedTestSet, int, RuleState | None]] = {
        task: (
            live_test_set(method=method, choice=choice, result=result),
            watermark,
            _rule(rule, met, result),
        )
        for task, method, choice, watermark, result, rule, met in rankings
    }
    rows = []
    for each in tasks:
        if each.pk in found:
            ranking, watermark, rule = found[each.pk]
            rows.append(TableRow(replace(each, watermark=watermark), ranking, rule=rule))
        else:
            why = NOT_RANKED if each.watermark else NO_JUDGMENT
            rows.append(TableRow(replace(each, watermark=0), None, why))
    return rows


def _rule(
    rule: dict[str, Any], met: dict[str, Any] | None, result: dict[str, Any]
) -> RuleState | None:
    """Return how far judging is by the rule that a ranking was made under; None without one."""
    if not rule:
        return None
    return rule_state(rule, found=result["stopping"], met=met, judgments=result["input"]["blocks"])


def _collected(campaign: Campaign, tasks: Sequence[TableTestSet]) -> list[TableRow]:
    of_campaign = {"task__test_set__campaign": campaign}
    sequences = JudgmentSequence.objects.filter(**of_campaign)
    counted = {each["task_id"]: each for each in sequences.values("task_id", *_COUNTED)}
    people = {**of_campaign, "judge__origin": Judge.Origin.PERSON}
    worked = dict(
        WorkedQuarterHour.objects.filter(**people)
        .order_by()
        .values_list("task")
        .annotate(Sum("active_ms"))
    )
    day = TruncDate("start")
    judged = WorkedQuarterHour.objects.filter(**people, judged__gt=0).order_by()
    # A row a test set and day, not a judgment.
    days = list(judged.annotate(day=day).values_list("task", "day").distinct())
    rankings = LatestRanking.objects.filter(**of_campaign)
    agreement = KeyTransform("agreement", "result")
    of_ranking = {
        task: (watermark, given or {}, collapsed)
        for task, watermark, given, collapsed in rankings.values_list(
            *("task", "watermark"),
            KeyTransform("input", "result", output_field=JSONField()),
            Cast(KeyTransform("comparisons", agreement), IntegerField()),
        )
    }
    judges = JudgeTally.objects.filter(**of_campaign, judged__gt=0)
    rows = []
    for each in tasks:
        sums = counted.get(each.pk, dict.fromkeys(_COUNTED, 0))
        watermark, given, collapsed = of_ranking.get(each.pk, (0, {}, None))
        found: dict[str, Any] = {
            "judges": sums["judges"],
            "blocks": sums["judged"],
            "skipped": sums["skipped"],
            "active_ms": worked.get(each.pk, 0),
            "days": sum(task == each.pk for task, _day in days),
            **{name: given.get(name) for name in ("comparisons", "ties", "segments")},
            "collapsed": collapsed,
            "counted_blocks": given.get("blocks"),
            "counted_systems": given.get("systems"),
            "counted_to": watermark,
        }
        rows.append(TableRow(each, found))
    # Judges and days of the campaign, each counted once.
    total = {
        **{
            name: sum(row.found[name] for row in rows)
            for name in ("blocks", "skipped", "active_ms")
        },
        **{name: _summed([row.found[name] for row in rows]) for name in _OF_RANKINGS},
        "judges": judges.aggregate(count=Count("judge", distinct=True))["count"],
        "days": len({each for _task, each in days}),
        "counted_to": 0,
    }
    nobody = TableTestSet(
        pk=TOTAL, name="", source="", target="", is_closed=False, systems=(), watermark=0
    )
    return [*rows, TableRow(nobody, total)]


_COUNTED = ("judges", "judged", "skipped")
#: None before there is a ranking.
_OF_RANKINGS = (
    *("comparisons", "ties", "segments", "collapsed"),
    *("counted_blocks", "counted_systems"),
)


def _summed(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def systems_of_tasks(*, campaign: Campaign) -> dict[int, dict[str, NamedSystem]]:
    """Return the systems of each test set of a campaign by name. One query."""
    found: dict[int, dict[str, NamedSystem]] = {}
    rows = System.objects.filter(test_set__campaign=campaign).order_by()
    for task, name, pk, kind, withdrawn_at in rows.values_list(
        *("test_set__tasks", "name", "pk", "kind", "withdrawn_at")
    ):
        found.setdefault(task, {})[name] = NamedSystem(pk, kind, withdrawn_at is not None)
    return found


def linked_tasks(*, campaign: Campaign) -> list[tuple[int, str]]:
    """Return the test sets of a campaign, for links to their own pages. One query."""
    found = Task.objects.filter(test_set__campaign=campaign).order_by("created_at", "pk")
    return list(found.values_list("pk", "test_set__name"))
