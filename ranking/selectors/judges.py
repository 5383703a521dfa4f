"""Judges of a task: work, latest measures and actions."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, NamedTuple, TypedDict

from django.db.models import (
    Case,
    Count,
    F,
    FilteredRelation,
    FloatField,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from annotation.export.five_way import systems_shown
from annotation.models import (
    BlockControl,
    JudgeTally,
    Judgment,
    QualityAction,
    QualityActionKind,
    QualityRule,
)
from annotation.models.judge_measures import JudgeMeasure
from annotation.models.quality import QualityActionQuerySet
from annotation.protocols.answer_kinds import ScoresOneOutput, answer_kind_of
from annotation.selectors.judges import JudgeStatus, judge_statuses, status_from_actions
from campaign.models import Judge, Task
from ranking.core.judges.tallies import ScoredCheck, ScoredOutput
from ranking.models import JudgeMeasures, LatestRanking, RankingRun
from ranking.reports.judge_measures import MeasureResult, MeasuresByJudge

# Significance level of the test for low agreement, over all judges and all measurements.
LOW_AGREEMENT_LEVEL = 0.05


def judges_present(task_id: int) -> QuerySet[JudgeTally]:
    """Return the tallies of judges of a task with a judgment or a skip in force."""
    present = Q(judged__gt=0) | Q(skipped__gt=0)
    return JudgeTally.objects.filter(present, task=task_id)


def judges_by_pseudonym(
    campaign_id: int,
    names: Collection[str],
) -> tuple[list[Judge], list[str]]:
    """Return the judges of a campaign with these pseudonyms, and the pseudonyms without a judge. One query."""
    # The database cannot store null characters.
    storable = {name for name in names if "\0" not in name}
    rows = Judge.objects.filter(campaign=campaign_id, pseudonym__in=storable)
    judges = list(rows.select_related("user"))
    unknown = set(names).difference(judge.pseudonym for judge in judges)
    return judges, sorted(unknown)


#: Statuses from good to bad; a judge's `gravity` is an index into them.
GRAVITIES = list(JudgeStatus)


def has_low_agreement(disagrees: float | None) -> bool:
    """Return whether a judge with this p-value has low agreement with the others."""
    return disagrees is not None and disagrees < LOW_AGREEMENT_LEVEL


def has_flag(row: Any) -> bool:
    """Return whether a row of `judges_listed` has a quality action in force, or low agreement."""
    return row.gravity > 0 or has_low_agreement(row.disagrees)


#: A judge with a quality action in force, or with low agreement.
FLAGGED = Q(gravity__gt=0) | Q(disagrees__lt=LOW_AGREEMENT_LEVEL)
#: All others: no problem found, or nothing measured.
UNFLAGGED = Q(gravity=0) & (Q(disagrees=None) | Q(disagrees__gte=LOW_AGREEMENT_LEVEL))


def judges_listed(*, task: Task) -> QuerySet[Any, Any]:
    """Return the tallies of judges as of the latest measurement, flagged ones first, then by name.

    Each has `standing`, the number of skips that were not withdrawn; the judge's `pseudonym`, `given_name`, `origin` and `note`;
    `seconds` per block; `kappa` with its interval; `disagrees`, the p-value of the test for low agreement; and
    `gravity`, the index of the status in `GRAVITIES`. Two queries, including that of the list.
    """
    measured = FilteredRelation(
        "judge__measures",
        condition=Q(judge__measures__task=task.pk),
    )
    rows: QuerySet[Any, Any] = judges_present(task.pk).annotate(
        measured=measured,
        pseudonym=F("judge__pseudonym"),
        given_name=F("judge__user__name"),
        origin=F("judge__origin"),
        note=F("judge__note"),
        standing=F("skipped"),
        seconds=_measure_expression("measured__measures", JudgeMeasure.SECONDS),
        kappa=_measure_expression("measured__measures", JudgeMeasure.INTER),
        kappa_low=_measure_expression("measured__measures", JudgeMeasure.INTER, "low"),
        kappa_high=_measure_expression(
            "measured__measures",
            JudgeMeasure.INTER,
            "high",
        ),
        disagrees=_measure_expression("measured__measures", JudgeMeasure.DISAGREES),
        gravity=_gravity(task),
    )
    low_agreement = Case(
        When(disagrees__lt=LOW_AGREEMENT_LEVEL, then=F("disagrees")),
        output_field=FloatField(),
    )
    return rows.order_by("-gravity", low_agreement.asc(nulls_last=True), "pseudonym")


def _measure_expression(measures: str, measure: str, number: str = "value") -> Cast:
    return Cast(KeyTextTransform(number, KeyTransform(measure, measures)), FloatField())


def _gravity(task: Task) -> Case:
    """Return an expression for the status of each judge. One query, for the few judges with actions."""
    actions = QualityAction.objects.standing().filter(
        judge__campaign=task.test_set.campaign_id,
    )
    actions_by_judge = defaultdict(list)
    for judge_id, action in actions.values_list("judge", "action"):
        actions_by_judge[judge_id].append(action)
    gravities = []
    for judge_id, of_judge in actions_by_judge.items():
        gravity = GRAVITIES.index(status_from_actions(of_judge))
        gravities.append(When(judge=judge_id, then=Value(gravity)))
    return Case(*gravities, default=Value(0), output_field=IntegerField())


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """The latest measures of a test set's judges, computed from the judgments 1…watermark."""

    campaign_id: int
    task_id: int
    watermark: int
    measures: MeasuresByJudge = field(default_factory=dict)


class RecordedMeasure(TypedDict):
    """A `MeasureResult` as stored."""

    value: float
    evidence: int
    low: float | None
    high: float | None
    p_value: float | None


#: Stored measures of a judge by name.
RecordedMeasures = dict[str, RecordedMeasure]


def measures_by_judge(
    *,
    task_id: int,
    judges: Collection[int] | None = None,
) -> dict[str, RecordedMeasures]:
    """Return the stored measures of all or these judges of a test set, by pseudonym. One query."""
    rows = JudgeMeasures.objects.filter(task=task_id)
    if judges is not None:
        rows = rows.filter(judge__in=judges)
    return dict(rows.values_list("judge__pseudonym", "measures"))


def measures_of(*, judge: Judge, task: Task) -> RecordedMeasures:
    """Return the latest measures of a judge in a test set."""
    rows = JudgeMeasures.objects.filter(task=task, judge=judge)
    return rows.values_list("measures", flat=True).first() or {}


def lacks_measure(*, task_id: int, measure: JudgeMeasure) -> bool:
    """Return whether judges of a test set are measured, but none by this measure. One query."""
    measured = JudgeMeasures.objects.filter(task=task_id).exclude(measures={})
    by_measure = Count("pk", filter=Q(measures__has_key=measure))
    counts = measured.aggregate(judges=Count("pk"), by_measure=by_measure)
    return bool(counts["judges"]) and not counts["by_measure"]


def measured_tasks(
    *,
    campaigns: Collection[int],
    task_id: int | None = None,
) -> list[MeasuredTask]:
    """Return the test sets of campaigns in which judges were measured, or one of them. One query."""
    rows = JudgeMeasures.objects.filter(task__test_set__campaign__in=campaigns)
    if task_id is not None:
        rows = rows.filter(task=task_id)
    columns: Any = rows.order_by("task").values(
        "task",
        "measures",
        campaign=F("task__test_set__campaign"),
        watermark=F("task__ranking_upkeep__measured_watermark"),
        name=F("judge__pseudonym"),
    )
    tasks: dict[int, MeasuredTask] = {}
    for row in columns:
        task = row["task"]
        if task not in tasks:
            tasks[task] = MeasuredTask(row["campaign"], task, row["watermark"])
        tasks[task].measures[row["name"]] = measure_results(row["measures"])
    return list(tasks.values())


def measure_results(measures: RecordedMeasures) -> dict[str, MeasureResult]:
    results: dict[str, MeasureResult] = {}
    for measure, row in measures.items():
        results[JudgeMeasure(measure)] = MeasureResult(**row)
    return results


def values_by_measure(*, task_id: int) -> dict[str, list[float]]:
    """Return the values of each measure over the judges of a test set, unordered. One query."""
    expressions = {
        name: _measure_expression("measures", name) for name in JudgeMeasure.values
    }
    measures: Any = JudgeMeasures.objects.filter(task=task_id).values(**expressions)
    rows = list(measures)
    if not rows:
        return {}
    values = {}
    for name in JudgeMeasure.values:
        values[name] = [row[name] for row in rows if row[name] is not None]
    return values


class JudgeKappa(TypedDict):
    """Agreement of a judge with the others in a ranking."""

    kappa: float | None
    low: float | None
    high: float | None
    reason: str | None
    no_interval: str | None
    agreeing: int
    comparable: int


#: For judges missing from the latest ranking, or without a ranking.
_NO_KAPPA: Final[JudgeKappa] = {
    "kappa": None,
    "low": None,
    "high": None,
    "reason": None,
    "no_interval": None,
    "agreeing": 0,
    "comparable": 0,
}


class JudgeQuality(TypedDict):
    """A judge with work, agreement in the latest ranking, status and latest measures."""

    pseudonym: str
    origin: str
    judged: int
    skipped: int
    agreement: JudgeKappa
    status: JudgeStatus
    measures: RecordedMeasures


def quality_due() -> list[RankingRun]:
    """Return the latest rankings whose judges were not measured since, or not by the current rules. One query."""
    rules = QualityRule.objects.filter(
        campaign=OuterRef("task__test_set__campaign"),
        switched_off_at__isnull=True,
    )
    newest_rule = rules.order_by("-created_at").values("created_at")[:1]
    rows = LatestRanking.objects.filter(
        Q(task__ranking_upkeep__measured_at=None)
        | Q(task__ranking_upkeep__measured_watermark__lt=F("watermark"))
        | Q(task__ranking_upkeep__measured_at__lt=Subquery(newest_rule)),
    )
    return [latest.as_run() for latest in rows.order_by("pk")]


def quality_actions(*, task: Task) -> QualityActionQuerySet:
    """Return the quality actions of a campaign, newest first, with the users who reverted them."""
    return _actions(task.test_set.campaign_id).order_by("-id")


def _actions(campaign_id: int) -> QualityActionQuerySet:
    actions = QualityAction.objects.filter(judge__campaign=campaign_id)
    return actions.select_related(
        "judge__user",
        "rule",
        "created_by",
        "task",
        "reverted_by",
    )


def judges_quality(
    *,
    task: Task,
    run: RankingRun | None,
    tallies: Sequence[Any],
) -> list[JudgeQuality]:
    """Return judges with their agreement in the run, status and latest measures, in the order of `tallies`."""
    judge_ids = [tally.judge_id for tally in tallies]
    statuses = judge_statuses(*judge_ids)
    measures = measures_by_judge(task_id=task.pk, judges=judge_ids)
    agreement: dict[str, JudgeKappa] = {}
    if run is not None:
        for row in run.result["agreement"]["judges"]:
            agreement[row["judge"]] = row
    judges = []
    for tally in tallies:
        name = tally.pseudonym
        judge = JudgeQuality(
            pseudonym=name,
            origin=tally.origin,
            judged=tally.judged,
            skipped=tally.standing,
            agreement={**_NO_KAPPA, **agreement.get(name, _NO_KAPPA)},
            status=statuses.get(tally.judge_id, JudgeStatus.GOOD),
            measures=measures.get(name, {}),
        )
        judges.append(judge)
    return judges


def actions_in_force(
    *,
    task: Task,
    judges: list[int],
) -> dict[int, list[QualityAction]]:
    """Return the actions in force against these judges of a task's campaign, newest first. At most one query."""
    actions = QualityAction.objects.standing().filter(
        judge__in=judges,
        judge__campaign=task.test_set.campaign_id,
    )
    actions_by_judge = defaultdict(list)
    for action in actions.select_related("rule").order_by("-id"):
        actions_by_judge[action.judge_id].append(action)
    return actions_by_judge


class _ScoredRow(TypedDict):
    """A judgment of one output, with its place in the HIT, and the control of its block."""

    pk: int
    block_id: int
    judge_name: str
    hit: int
    position: int
    segment: int
    control: str


class _ScoredInHit(NamedTuple):
    position: int
    output: ScoredOutput


def exclusions_in_force(*, task: Task) -> QuerySet[QualityAction]:
    """Return the latest exclusion in force of each judge of a test set, by pseudonym, with the fields of `quality_actions`."""
    latest = QualityAction.objects.in_force().filter(
        judge__campaign=task.test_set.campaign_id,
        action=QualityActionKind.EXCLUDE,
        judge__in=judges_present(task.pk).values("judge"),
    )
    latest = latest.order_by("judge", "-id").distinct("judge")
    actions = _actions(task.test_set.campaign_id).filter(pk__in=latest.values("pk"))
    return actions.order_by("judge__pseudonym")


def scored_checks(*, task: Task, watermark: int) -> list[ScoredCheck]:
    """Read the checks among the judgments 1…`watermark`, by the primary key of their judgments.

    One query if there are none, five otherwise; HITs without a check are not read.
    """
    kind = answer_kind_of(task)
    if not isinstance(kind, ScoresOneOutput):
        return []
    judged = Judgment.objects.of(task.pk).current(watermark=watermark)
    checks = judged.filter(block__control=BlockControl.ATTENTION, labels__len=1)
    hits = set(checks.order_by().values_list("block__hit_id", flat=True))
    if not hits:
        return []
    rows = _scored_rows(judged.filter(block__hit__in=hits))
    answers = kind.read([row["pk"] for row in rows])
    systems_by_block = systems_shown({row["block_id"] for row in rows})
    names = dict(task.test_set.systems.values_list("id", "name"))
    outputs: dict[tuple[str, int], list[_ScoredInHit]] = defaultdict(list)
    for row in rows:
        if row["control"]:
            continue
        ids = chain.from_iterable(systems_by_block[row["block_id"]])
        systems = tuple(names[id_] for id_ in ids)
        output = ScoredOutput(systems, kind.score_of_one(answers[row["pk"]]))
        scored = _ScoredInHit(row["position"], output)
        outputs[row["judge_name"], row["hit"]].append(scored)
    scored_checks = []
    for row in rows:
        if row["control"] != BlockControl.ATTENTION:
            continue
        in_hit = outputs[row["judge_name"], row["hit"]]
        check = ScoredCheck(
            judge=row["judge_name"],
            segment=row["segment"],
            score=kind.score_of_one(answers[row["pk"]]),
            others=_nearest_first(in_hit, row["position"]),
        )
        scored_checks.append(check)
    return scored_checks


def _scored_rows(judgments: QuerySet[Judgment]) -> list[_ScoredRow]:
    rows: Any = judgments.order_by("pk").values(
        "pk",
        "block_id",
        judge_name=F("judge__pseudonym"),
        hit=F("block__hit_id"),
        position=F("block__position"),
        segment=F("block__segment__number"),
        control=F("block__control"),
    )
    return list(rows)


def _nearest_first(
    outputs: Sequence[_ScoredInHit],
    position: int,
) -> list[ScoredOutput]:
    """Return the outputs of a HIT by their distance from a position."""

    def distance(scored: _ScoredInHit) -> int:
        return abs(scored.position - position)

    return [scored.output for scored in sorted(outputs, key=distance)]
