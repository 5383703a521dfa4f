"""Judges of a task: work, latest measures, quality rules and actions, and groups."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

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
    RuleDirection,
)
from annotation.models.judge_measures import JudgeMeasure
from annotation.models.quality import QualityActionQuerySet
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.judges import JudgeStatus, judge_statuses, status_from_actions
from campaign.models import Campaign, Judge, Task
from ranking.core.judges.tallies import ScoredCheck, ScoredOutput
from ranking.models import JudgeMeasures, LatestRanking, RankingRun
from ranking.reports.judge_measures import PROBABILITIES, MeasureResult, MeasuresByJudge

# Significance level of the test for low agreement, over all judges and all measurements.
LOW_AGREEMENT_LEVEL = 0.05


def judges_present(task_id: int) -> QuerySet[JudgeTally]:
    """Return the tallies of judges of a task with a judgment or a skip in force."""
    present = Q(judged__gt=0) | Q(skipped__gt=0)
    return JudgeTally.objects.filter(present, task=task_id)


def judges_by_pseudonym(campaign_id: int, names: Collection[str]) -> tuple[list[Judge], list[str]]:
    """Return the judges of a campaign with these pseudonyms, and the pseudonyms without a judge. One query."""
    # The database cannot store null characters.
    asked = {name for name in names if "\0" not in name}
    judges = Judge.objects.filter(campaign=campaign_id, pseudonym__in=asked)
    found = list(judges.select_related("user"))
    return found, sorted(set(names) - {judge.pseudonym for judge in found})


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
    measured = FilteredRelation("judge__measures", condition=Q(judge__measures__task=task.pk))
    rows: QuerySet[Any, Any] = judges_present(task.pk).annotate(
        measured=measured,
        pseudonym=F("judge__pseudonym"),
        given_name=F("judge__user__name"),
        origin=F("judge__origin"),
        note=F("judge__note"),
        standing=F("skipped"),
        seconds=_measured("measured__measures", JudgeMeasure.SECONDS),
        kappa=_measured("measured__measures", JudgeMeasure.INTER),
        kappa_low=_measured("measured__measures", JudgeMeasure.INTER, "low"),
        kappa_high=_measured("measured__measures", JudgeMeasure.INTER, "high"),
        disagrees=_measured("measured__measures", JudgeMeasure.DISAGREES),
        gravity=_gravity(task),
    )
    low_agreement = Case(
        When(disagrees__lt=LOW_AGREEMENT_LEVEL, then=F("disagrees")),
        output_field=FloatField(),
    )
    return rows.order_by("-gravity", low_agreement.asc(nulls_last=True), "pseudonym")


def _measured(measures: str, measure: str, number: str = "value") -> Cast:
    return Cast(KeyTextTransform(number, KeyTransform(measure, measures)), FloatField())


def _gravity(task: Task) -> Case:
    """Return an expression for the status of each judge. One query, for the few judges with actions."""
    actions = QualityAction.objects.standing().filter(judge__campaign=task.test_set.campaign_id)
    found = defaultdict(list)
    for judge_id, action in actions.values_list("judge", "action"):
        found[judge_id].append(action)
    return Case(
        *(
            When(judge=judge_id, then=Value(GRAVITIES.index(status_from_actions(of_judge))))
            for judge_id, of_judge in found.items()
        ),
        default=Value(0),
        output_field=IntegerField(),
    )


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """The latest measures of a test set's judges, computed from the judgments 1…watermark."""

    campaign_id: int
    task_id: int
    watermark: int
    measures: MeasuresByJudge = field(default_factory=dict)


def measures_by_judge(
    *, task_id: int, judges: Collection[int] | None = None
) -> dict[str, dict[str, Any]]:
    """Return the stored measures of all or these judges of a test set, by pseudonym. One query."""
    rows = JudgeMeasures.objects.filter(task=task_id)
    if judges is not None:
        rows = rows.filter(judge__in=judges)
    return dict(rows.values_list("judge__pseudonym", "measures"))


def measures_of(*, judge: Judge, task: Task) -> dict[str, Any]:
    """Return the latest measures of a judge in a test set."""
    rows = JudgeMeasures.objects.filter(task=task, judge=judge)
    return rows.values_list("measures", flat=True).first() or {}


def lacks_measure(*, task_id: int, measure: JudgeMeasure) -> bool:
    """Return whether judges of a test set are measured, but none by this measure. One query."""
    rows = JudgeMeasures.objects.filter(task=task_id)
    found = rows.exclude(measures={}).aggregate(
        judges=Count("pk"), so_measured=Count("pk", filter=Q(measures__has_key=measure))
    )
    return bool(found["judges"]) and not found["so_measured"]


def measured_tasks(*, campaigns: Collection[int], task_id: int | None = None) -> list[MeasuredTask]:
    """Return the test sets of campaigns in which judges were measured, or one of them. One query."""
    rows = JudgeMeasures.objects.filter(task__test_set__campaign__in=campaigns).order_by("task")
    if task_id is not None:
        rows = rows.filter(task=task_id)
    found: dict[int, MeasuredTask] = {}
    columns = ("task__test_set__campaign", "task", "watermark", "judge__pseudonym", "measures")
    for campaign, of, watermark, name, measures in rows.annotate(
        watermark=F("task__ranking_upkeep__measured_watermark")
    ).values_list(*columns):
        measured = found.setdefault(of, MeasuredTask(campaign, of, watermark))
        measured.measures[name] = _results(measures)
    return list(found.values())


def _results(measures: dict[str, Any]) -> dict[str, MeasureResult]:
    return {JudgeMeasure(measure): MeasureResult(**row) for measure, row in measures.items()}


def values_by_measure(*, task_id: int) -> dict[str, list[float]]:
    """Return the values of each measure over the judges of a test set, unordered. One query."""
    values = (_measured("measures", measure) for measure in JudgeMeasure.values)
    columns = zip(*JudgeMeasures.objects.filter(task=task_id).values_list(*values), strict=True)
    return {
        measure: [value for value in column if value is not None]
        for measure, column in zip(JudgeMeasure.values, columns, strict=False)
    }


#: For judges missing from the latest ranking, or without a ranking.
_NO_KAPPA: Final = {
    **dict.fromkeys(("kappa", "low", "high", "reason", "no_interval")),
    "agreeing": 0,
    "comparable": 0,
}


def quality_due() -> list[RankingRun]:
    """Return the latest rankings whose judges were not measured since, or not by the current rules. One query."""
    newest_rule = (
        QualityRule.objects.filter(
            campaign=OuterRef("task__test_set__campaign"), switched_off_at__isnull=True
        )
        .order_by("-created_at")
        .values("created_at")
    )
    rows = LatestRanking.objects.filter(
        Q(task__ranking_upkeep__measured_at=None)
        | Q(task__ranking_upkeep__measured_watermark__lt=F("watermark"))
        | Q(task__ranking_upkeep__measured_at__lt=Subquery(newest_rule[:1]))
    )
    return [latest.as_run() for latest in rows.order_by("pk")]


def quality_rules(*, campaign: Campaign) -> QuerySet[QualityRule]:
    """Return the rules of a campaign, newest first, with the number of actions of each.

    `acted` counts all actions, `standing` those in force.
    """
    return (
        QualityRule.objects.filter(campaign=campaign)
        .select_related("task__test_set", "created_by", "switched_off_by")
        .annotate(
            acted=Count("actions"),
            standing=Count("actions", filter=Q(actions__reverted_at=None)),
        )
        .order_by("-id")
    )


def quality_actions(*, task: Task) -> QualityActionQuerySet:
    """Return the quality actions of a campaign, newest first, with the users who reverted them."""
    return _actions(task.test_set.campaign_id).order_by("-id")


def _actions(campaign_id: int) -> QualityActionQuerySet:
    actions = QualityAction.objects.filter(judge__campaign=campaign_id)
    return actions.select_related("judge__user", "rule", "created_by", "task", "reverted_by")


def judges_quality(
    *, task: Task, run: RankingRun | None, tallies: Sequence[Any]
) -> list[dict[str, Any]]:
    """Return judges with their agreement in the run, status and latest measures, in the order of `tallies`."""
    judges = [tally.judge_id for tally in tallies]
    statuses = judge_statuses(*judges)
    measures = measures_by_judge(task_id=task.pk, judges=judges)
    rows = [] if run is None else run.result["agreement"]["judges"]
    agreement = {row["judge"]: row for row in rows}
    return [
        {
            "pseudonym": tally.pseudonym,
            "origin": tally.origin,
            "judged": tally.judged,
            "skipped": tally.standing,
            "agreement": {**_NO_KAPPA, **agreement.get(tally.pseudonym, {})},
            "status": statuses.get(tally.judge_id, JudgeStatus.GOOD),
            "measures": measures.get(tally.pseudonym, {}),
        }
        for tally in tallies
    ]


def actions_in_force(*, task: Task, judges: list[int]) -> dict[int, list[QualityAction]]:
    """Return the actions in force against these judges of a task's campaign, newest first. At most one query."""
    actions = QualityAction.objects.standing().filter(
        judge__in=judges, judge__campaign=task.test_set.campaign_id
    )
    found = defaultdict(list)
    for action in actions.select_related("rule").order_by("-id"):
        found[action.judge_id].append(action)
    return found


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


# Judgment, judge, HIT, position in the HIT, segment, block, and control of the block.
_COLUMNS = (
    "pk",
    "judge__pseudonym",
    "block__hit_id",
    "block__position",
    "block__segment__number",
    "block_id",
    "block__control",
)


def scored_checks(*, task: Task, watermark: int) -> list[ScoredCheck]:
    """Read the checks among the judgments 1…`watermark`, by the primary key of their judgments.

    One query if there are none, five otherwise; HITs without a check are not read.
    """
    kind = answer_kind_of(task)
    if kind.score_of_one is None:
        return []
    judged = Judgment.objects.of(task.pk).current(watermark=watermark)
    checks = judged.filter(block__control=BlockControl.ATTENTION, labels__len=1)
    hits = set(checks.order_by().values_list("block__hit_id", flat=True))
    if not hits:
        return []
    rows = list(judged.filter(block__hit__in=hits).order_by("pk").values_list(*_COLUMNS))
    answers = kind.read([row[0] for row in rows])
    shown = systems_shown({row[5] for row in rows})
    names = dict(task.test_set.systems.values_list("id", "name"))
    others: dict[tuple[str, int], list[tuple[int, ScoredOutput]]] = defaultdict(list)
    found: list[tuple[int, tuple[str, int], int, float]] = []
    for judgment, judge, hit, position, segment, block, control in rows:
        score = kind.score_of_one(answers[judgment])
        if control == BlockControl.ATTENTION:
            found.append((position, (judge, hit), segment, score))
        elif not control:
            systems = tuple(names[id_] for ids in shown[block] for id_ in ids)
            others[judge, hit].append((position, ScoredOutput(systems, score)))
    return [
        ScoredCheck(
            judge=by[0],
            segment=segment,
            score=score,
            others=[
                each for _place, each in sorted(others[by], key=lambda row: abs(row[0] - position))
            ],
        )
        for position, by, segment, score in found
    ]


#: Rules that affect more than one in this many judges need an organiser's confirmation.
ONE_IN: Final = 5
#: Actions after which a judge gets no more work.
STANDS_ASIDE: Final = frozenset({QualityActionKind.PAUSE, QualityActionKind.EXCLUDE})


@dataclass(frozen=True, slots=True)
class RuleAct:
    """An action of a rule on a judge, with the measures in a task that caused it."""

    rule: QualityRule
    judge: Judge
    task_id: int
    evidence: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RuleEffects:
    """Immediate effects of rules on the judges they have not acted on.

    `measured` is the number of judges measured in these test sets. `without_data` are measures
    that the rules need and no judge has.
    """

    acts: tuple[RuleAct, ...]
    measured: int
    without_data: tuple[str, ...] = ()

    def names(self, action: str) -> list[str]:
        """Return the pseudonyms and names of judges who would be warned, paused or excluded, sorted."""
        return sorted({act.judge.called for act in self.acts if act.rule.action == action})

    @property
    def is_large(self) -> bool:
        """True if more than one in five judges would be affected, so that confirmation is needed."""
        return is_more_than_allowed(
            len({act.judge.pk for act in self.acts}), measured=self.measured
        )

    @property
    def code(self) -> str:
        """Short code of the affected judges and actions; it changes with the list to confirm."""
        met = sorted({f"{act.rule.action} {act.judge.pk}" for act in self.acts})
        return sha256("\n".join(met).encode()).hexdigest()[:12]


def is_more_than_allowed(count: int, *, measured: int) -> bool:
    """Return whether this is more than one in five of the measured judges."""
    return count * ONE_IN > measured


def is_breached(rule: QualityRule, result: MeasureResult | None) -> bool:
    """Return whether a result breaks a rule: with enough evidence, and with its whole interval.

    A probability has no interval; its value is compared.
    """
    if result is None or result.evidence < rule.minimum:
        return False
    bounds = [result.value, result.low, result.high]
    if rule.measure not in PROBABILITIES and None in bounds:
        return False
    known = [bound for bound in bounds if bound is not None]
    if rule.direction == RuleDirection.BELOW:
        return max(known) < rule.threshold
    return min(known) > rule.threshold


def rules_in_force(*, campaign_id: int) -> list[QualityRule]:
    """Return the rules of a campaign that are in force, oldest first. One query."""
    rules = QualityRule.objects.filter(campaign=campaign_id, switched_off_at__isnull=True)
    return list(rules.order_by("pk"))


def rule_acts(rules: Sequence[QualityRule], measured: Sequence[MeasuredTask]) -> list[RuleAct]:
    """Return the actions of these rules, stored or not, given the measures of their campaigns' test sets.

    A rule acts on a judge once, so judges it acted on before are left out. Two queries if
    any rule is broken.
    """
    breached = [
        (rule, name, found)
        for found in measured
        for rule, name in _breached(
            [rule for rule in rules if rule.campaign_id == found.campaign_id],
            found.task_id,
            found.measures,
        )
    ]
    if not breached:
        return []
    stored = [rule.pk for rule in rules if rule.pk is not None]
    done = set(QualityAction.objects.filter(rule__in=stored).values_list("rule", "judge"))
    judges = Judge.objects.select_related("user").filter(
        campaign__in={found.campaign_id for *_rule, found in breached},
        pseudonym__in={name for _rule, name, _found in breached},
    )
    by_name = {(judge.campaign_id, judge.pseudonym): judge for judge in judges}
    acts: dict[tuple[int, int], RuleAct] = {}
    for rule, name, found in breached:
        judge = by_name.get((found.campaign_id, name))
        if judge is not None and (rule.pk, judge.pk) not in done:
            evidence = _evidence(rule, found.measures[name], found.watermark)
            act = RuleAct(rule, judge, found.task_id, evidence)
            acts.setdefault((id(rule), judge.pk), act)
    return list(acts.values())


def _breached(
    rules: Sequence[QualityRule], task_id: int, measures: MeasuresByJudge
) -> list[tuple[QualityRule, str]]:
    return [
        (rule, name)
        for rule in rules
        if rule.task_id in {None, task_id}
        for name, rows in measures.items()
        if is_breached(rule, rows.get(rule.measure))
    ]


def rules_broken(*, task: Task, judges: Collection[int]) -> dict[str, list[QualityRule]]:
    """Return the rules in force that judges currently break, by pseudonym. Two queries."""
    rules = rules_in_force(campaign_id=task.test_set.campaign_id)
    if not rules:
        return {}
    stored = measures_by_judge(task_id=task.pk, judges=judges)
    measures = {name: _results(rows) for name, rows in stored.items()}
    found = defaultdict(list)
    for rule, name in _breached(rules, task.pk, measures):
        found[name].append(rule)
    return found


def rule_effects(
    rules: Sequence[QualityRule], *, campaign: Campaign, task_id: int | None = None
) -> RuleEffects:
    """Return the effects of these rules, stored or not, given the stored measures of judges.

    Covers one task, or all tasks of a rule. Three queries.
    """
    measured = [
        found
        for found in measured_tasks(campaigns=[campaign.pk], task_id=task_id)
        if any(rule.task_id in {None, found.task_id} for rule in rules)
    ]
    known = {name for found in measured for rows in found.measures.values() for name in rows}
    return RuleEffects(
        acts=tuple(rule_acts(rules, measured)),
        measured=len({name for found in measured for name in found.measures}),
        without_data=tuple(dict.fromkeys(r.measure for r in rules if r.measure not in known)),
    )


def rules_as_if_new(
    rules: Sequence[QualityRule], *, campaign: Campaign
) -> list[tuple[QualityRule, RuleEffects]]:
    """Return the effects of each rule in force as if it had not acted yet; see `rule_effects`."""
    in_force = [rule for rule in rules if rule.switched_off_at is None]
    copies = [copy(rule) for rule in in_force]
    for each in copies:
        each.pk = None
    effects = rule_effects(copies, campaign=campaign)
    return [
        (rule, replace(effects, acts=tuple(act for act in effects.acts if act.rule is each)))
        for rule, each in zip(in_force, copies, strict=True)
    ]


def acts_held(
    acts: Iterable[RuleAct], *, campaign_id: int, measured: Collection[str]
) -> list[RuleAct]:
    """Return the acts that wait for an organiser.

    These are new pauses and exclusions, if rules would then have stopped more than one in five
    of the measured judges. Judges stopped by rules before are counted, so that rules cannot empty a
    campaign one by one. Warnings never wait. Two queries if a judge is
    to be stopped.
    """
    stops = _stopping_anew(acts, campaign_id)
    if not stops:
        return []
    before = _stops_in_force(campaign_id).filter(rule__isnull=False, judge__pseudonym__in=measured)
    out = set(before.values_list("judge", flat=True)) | {act.judge.pk for act in stops}
    return stops if is_more_than_allowed(len(out), measured=len(measured)) else []


def effects_held(*, campaign: Campaign, task_id: int | None = None) -> list[RuleEffects]:
    """Return the effects that wait for an organiser, by rule, oldest first.

    Effects that need no confirmation are carried out when the worker measures.
    """
    rules = [
        rule for rule in rules_in_force(campaign_id=campaign.pk) if rule.action in STANDS_ASIDE
    ]
    if not rules:
        return []
    effects = rule_effects(rules, campaign=campaign, task_id=task_id)
    held = _stopping_anew(effects.acts, campaign.pk)
    return [
        RuleEffects(acts=tuple(acts), measured=effects.measured)
        for rule in rules
        if (acts := [act for act in held if act.rule is rule])
    ]


def rules_waiting(*, campaigns: Sequence[Campaign]) -> Counter[int]:
    """Return the number of rules in `effects_held`, by campaign.

    At most five queries for any number of campaigns and test sets.
    """
    in_force = QualityRule.objects.filter(switched_off_at__isnull=True, action__in=STANDS_ASIDE)
    rules = list(in_force.filter(campaign__in=campaigns))
    of = {rule.campaign_id for rule in rules}
    acts = rule_acts(rules, measured_tasks(campaigns=of)) if rules else []
    return Counter(rule.campaign_id for rule in {act.rule for act in _stopping_anew(acts, *of)})


def _stopping_anew(acts: Iterable[RuleAct], *campaign_ids: int) -> list[RuleAct]:
    """Return the pauses and exclusions of judges who are not already paused or excluded."""
    stops = [act for act in acts if act.rule.action in STANDS_ASIDE]
    if not stops:
        return []
    in_force = set(_stops_in_force(*campaign_ids).values_list("judge", "action"))
    return [
        act
        for act in stops
        if not in_force
        & {(act.judge.pk, QualityActionKind.EXCLUDE), (act.judge.pk, act.rule.action)}
    ]


def _stops_in_force(*campaign_ids: int) -> QuerySet[QualityAction]:
    return QualityAction.objects.in_force().filter(
        judge__campaign__in=campaign_ids, action__in=STANDS_ASIDE
    )


def _evidence(
    rule: QualityRule, measures: dict[str, MeasureResult], watermark: int
) -> dict[str, Any]:
    """Return all current measures of the judge, and the terms of the rule."""
    return {
        "watermark": watermark,
        "rule": {
            name: getattr(rule, name) for name in ("measure", "direction", "threshold", "minimum")
        },
        "measures": {str(measure): row._asdict() for measure, row in measures.items()},
    }
