"""Quality rules of a campaign and their effects on judges."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, TypedDict

from django.db.models import Count, Q, QuerySet

from annotation.models import (
    QualityAction,
    QualityActionKind,
    QualityRule,
    RuleDirection,
)
from campaign.models import Campaign, Judge, Task
from ranking.reports.judge_measures import PROBABILITIES, MeasureResult, MeasuresByJudge
from ranking.selectors.judges import (
    MeasuredTask,
    measure_results,
    measured_tasks,
    measures_by_judge,
)


def quality_rules(*, campaign: Campaign) -> QuerySet[QualityRule]:
    """Return the rules of a campaign, newest first, with the number of actions of each.

    `acted` counts all actions, `standing` those in force.
    """
    rules = QualityRule.objects.filter(campaign=campaign).annotate(
        acted=Count("actions"),
        standing=Count("actions", filter=Q(actions__reverted_at=None)),
    )
    related = rules.select_related("task__test_set", "created_by", "switched_off_by")
    return related.order_by("-id")


#: Rules that affect more than one in this many judges need an organiser's confirmation.
ONE_IN: Final = 5
#: Actions after which a judge gets no more work.
STANDS_ASIDE: Final = frozenset({QualityActionKind.PAUSE, QualityActionKind.EXCLUDE})


class RuleEvidence(TypedDict):
    """The terms of a rule, and all measures of a judge at a watermark."""

    watermark: int
    rule: dict[str, str | float]
    measures: dict[str, dict[str, float | None]]


@dataclass(frozen=True, slots=True)
class RuleAct:
    """An action of a rule on a judge, with the measures in a task that caused it."""

    rule: QualityRule
    judge: Judge
    task_id: int
    evidence: RuleEvidence


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
        acts = [act for act in self.acts if act.rule.action == action]
        return sorted({act.judge.called for act in acts})

    @property
    def is_large(self) -> bool:
        """True if more than one in five judges would be affected, so that confirmation is needed."""
        judges = {act.judge.pk for act in self.acts}
        return is_more_than_allowed(len(judges), measured=self.measured)

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
    values = [bound for bound in bounds if bound is not None]
    if rule.direction == RuleDirection.BELOW:
        return max(values) < rule.threshold
    return min(values) > rule.threshold


def rules_in_force(*, campaign_id: int) -> list[QualityRule]:
    """Return the rules of a campaign that are in force, oldest first. One query."""
    rules = QualityRule.objects.filter(
        campaign=campaign_id,
        switched_off_at__isnull=True,
    )
    return list(rules.order_by("pk"))


@dataclass(frozen=True, slots=True)
class _Breach:
    """A rule and the pseudonym of a judge who breaks it in a task."""

    rule: QualityRule
    name: str
    measured: MeasuredTask


def rule_acts(
    rules: Sequence[QualityRule],
    measured: Sequence[MeasuredTask],
) -> list[RuleAct]:
    """Return the actions of these rules, stored or not, given the measures of their campaigns' test sets.

    A rule acts on a judge once, so judges it acted on before are left out. Two queries if
    any rule is broken.
    """
    breaches = []
    for task in measured:
        own_rules = [rule for rule in rules if rule.campaign_id == task.campaign_id]
        for rule, name in _rule_breaches(own_rules, task.task_id, task.measures):
            breaches.append(_Breach(rule, name, task))
    if not breaches:
        return []
    stored = [rule.pk for rule in rules if rule.pk is not None]
    actions = QualityAction.objects.filter(rule__in=stored)
    past_acts = set(actions.values_list("rule", "judge"))
    judges = Judge.objects.select_related("user").filter(
        campaign__in={breach.measured.campaign_id for breach in breaches},
        pseudonym__in={breach.name for breach in breaches},
    )
    judge_by_name = {(judge.campaign_id, judge.pseudonym): judge for judge in judges}
    acts: dict[tuple[int, int], RuleAct] = {}
    for breach in breaches:
        rule = breach.rule
        task = breach.measured
        judge = judge_by_name.get((task.campaign_id, breach.name))
        if judge is not None and (rule.pk, judge.pk) not in past_acts:
            evidence = _evidence(rule, task.measures[breach.name], task.watermark)
            act = RuleAct(rule, judge, task.task_id, evidence)
            acts.setdefault((id(rule), judge.pk), act)
    return list(acts.values())


def _rule_breaches(
    rules: Sequence[QualityRule],
    task_id: int,
    measures: MeasuresByJudge,
) -> list[tuple[QualityRule, str]]:
    breached = []
    for rule in rules:
        if not _applies(rule, task_id):
            continue
        for name, results in measures.items():
            if is_breached(rule, results.get(rule.measure)):
                breached.append((rule, name))
    return breached


def _applies(rule: QualityRule, task_id: int) -> bool:
    """Return whether a rule is about a task: its own, or any if it has none."""
    return rule.task_id in {None, task_id}


def rules_broken(
    *,
    task: Task,
    judges: Collection[int],
) -> dict[str, list[QualityRule]]:
    """Return the rules in force that judges currently break, by pseudonym. Two queries."""
    rules = rules_in_force(campaign_id=task.test_set.campaign_id)
    if not rules:
        return {}
    stored = measures_by_judge(task_id=task.pk, judges=judges)
    measures = {name: measure_results(rows) for name, rows in stored.items()}
    broken = defaultdict(list)
    for rule, name in _rule_breaches(rules, task.pk, measures):
        broken[name].append(rule)
    return broken


def rule_effects(
    rules: Sequence[QualityRule],
    *,
    campaign: Campaign,
    task_id: int | None = None,
) -> RuleEffects:
    """Return the effects of these rules, stored or not, given the stored measures of judges.

    Covers one task, or all tasks of a rule. Three queries.
    """
    measured = []
    for task in measured_tasks(campaigns=[campaign.pk], task_id=task_id):
        if any(_applies(rule, task.task_id) for rule in rules):
            measured.append(task)
    judges: set[str] = set()
    measures: set[str] = set()
    for task in measured:
        judges.update(task.measures)
        measures.update(*task.measures.values())
    needed = dict.fromkeys(rule.measure for rule in rules)
    return RuleEffects(
        acts=tuple(rule_acts(rules, measured)),
        measured=len(judges),
        without_data=tuple(name for name in needed if name not in measures),
    )


def rules_as_if_new(
    rules: Sequence[QualityRule],
    *,
    campaign: Campaign,
) -> list[tuple[QualityRule, RuleEffects]]:
    """Return the effects of each rule in force as if it had not acted yet; see `rule_effects`."""
    in_force = [rule for rule in rules if rule.switched_off_at is None]
    unsaved_rules = [copy(rule) for rule in in_force]
    for unsaved in unsaved_rules:
        unsaved.pk = None
    effects = rule_effects(unsaved_rules, campaign=campaign)
    rows = []
    for rule, unsaved in zip(in_force, unsaved_rules, strict=True):
        acts = tuple(act for act in effects.acts if act.rule is unsaved)
        rows.append((rule, replace(effects, acts=acts)))
    return rows


def pending_acts(
    acts: Iterable[RuleAct],
    *,
    campaign_id: int,
    measured: Collection[str],
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
    stopped_before = _stops_in_force(campaign_id).filter(
        rule__isnull=False,
        judge__pseudonym__in=measured,
    )
    stopped = set(stopped_before.values_list("judge", flat=True))
    stopped.update(act.judge.pk for act in stops)
    if is_more_than_allowed(len(stopped), measured=len(measured)):
        return stops
    return []


def pending_effects(
    *,
    campaign: Campaign,
    task_id: int | None = None,
) -> list[RuleEffects]:
    """Return the effects that wait for an organiser, by rule, oldest first.

    Effects that need no confirmation are carried out when the worker measures.
    """
    in_force = rules_in_force(campaign_id=campaign.pk)
    rules = [rule for rule in in_force if rule.action in STANDS_ASIDE]
    if not rules:
        return []
    effects = rule_effects(rules, campaign=campaign, task_id=task_id)
    acts_by_rule = defaultdict(list)
    for act in _stopping_anew(effects.acts, campaign.pk):
        acts_by_rule[act.rule].append(act)
    pending = []
    for rule in rules:
        if acts := acts_by_rule.get(rule):
            pending.append(RuleEffects(acts=tuple(acts), measured=effects.measured))
    return pending


def rules_waiting(*, campaigns: Sequence[Campaign]) -> Counter[int]:
    """Return the number of rules in `pending_effects`, by campaign.

    At most five queries for any number of campaigns and test sets.
    """
    in_force = QualityRule.objects.filter(
        switched_off_at__isnull=True,
        action__in=STANDS_ASIDE,
    )
    rules = list(in_force.filter(campaign__in=campaigns))
    if not rules:
        return Counter()
    campaign_ids = {rule.campaign_id for rule in rules}
    acts = rule_acts(rules, measured_tasks(campaigns=campaign_ids))
    waiting = {act.rule for act in _stopping_anew(acts, *campaign_ids)}
    return Counter(rule.campaign_id for rule in waiting)


def _stopping_anew(acts: Iterable[RuleAct], *campaign_ids: int) -> list[RuleAct]:
    """Return the pauses and exclusions of judges who are not already paused or excluded."""
    stops = [act for act in acts if act.rule.action in STANDS_ASIDE]
    if not stops:
        return []
    in_force = set(_stops_in_force(*campaign_ids).values_list("judge", "action"))
    new_stops = []
    for act in stops:
        judge = act.judge.pk
        is_excluded = (judge, QualityActionKind.EXCLUDE) in in_force
        if not is_excluded and (judge, act.rule.action) not in in_force:
            new_stops.append(act)
    return new_stops


def _stops_in_force(*campaign_ids: int) -> QuerySet[QualityAction]:
    return QualityAction.objects.in_force().filter(
        judge__campaign__in=campaign_ids,
        action__in=STANDS_ASIDE,
    )


def _evidence(
    rule: QualityRule,
    measures: dict[str, MeasureResult],
    watermark: int,
) -> RuleEvidence:
    """Return all current measures of the judge, and the terms of the rule."""
    return {
        "watermark": watermark,
        "rule": {
            "measure": rule.measure,
            "direction": rule.direction,
            "threshold": rule.threshold,
            "minimum": rule.minimum,
        },
        "measures": {str(measure): row._asdict() for measure, row in measures.items()},
    }
