"""Warn, pause and exclude judges, and revert these actions; nothing is deleted."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.judge_measures import (
    MAX_MINIMUM,
    JudgeMeasure,
    ThresholdError,
    threshold_check,
)
from annotation.models import (
    JudgmentSequence,
    QualityAction,
    QualityActionKind,
    QualityReversal,
    QualityRule,
    RuleDirection,
)
from annotation.models.quality import STANDING_ACTIONS
from annotation.notification import rankings_enqueue
from annotation.services.judging.notifications import ranking_request
from annotation.services.page_changes import pages_changed
from campaign.models import Campaign, Judge, Task, User

SUGGESTED_RULES = (
    # Adjusted for all judges and all looks, so that the three together warn anybody who reads in
    # at most 0.05 of all campaigns (docs/statistics/quality.md).
    (JudgeMeasure.REFERENCE_IGNORED, RuleDirection.BELOW, 0.03, 10),
    (JudgeMeasure.DAMAGE_IGNORED, RuleDirection.BELOW, 0.01, 5),
    (JudgeMeasure.TYPED_IN_ORDER, RuleDirection.BELOW, 0.01, 5),
    (JudgeMeasure.ONE_LABEL, RuleDirection.ABOVE, 0.5, 20),
    (JudgeMeasure.SECONDS, RuleDirection.BELOW, 5.0, 30),
)


class QualityRefusedError(Exception):
    """The rule or action cannot be changed as requested; `field` names the term at fault, if any."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTerms:
    """When a rule acts and what it does; see `QualityRule`."""

    measure: str
    direction: str
    threshold: float
    minimum: int
    action: str
    task: Task | None = None


def rule_terms_check(*, campaign: Campaign, terms: RuleTerms) -> None:
    """Raise `QualityRefusedError` if no rule of this campaign can have these terms."""
    if terms.task is not None and terms.task.test_set.campaign_id != campaign.pk:
        raise QualityRefusedError(_("The test set belongs to another campaign."), field="task")
    if not 1 <= terms.minimum <= MAX_MINIMUM:
        raise QualityRefusedError(
            _("The evidence asked for is from 1 to %(most)s.")
            % {"most": number_format(MAX_MINIMUM)},
            field="minimum",
        )
    try:
        threshold_check(terms.measure, terms.threshold)
    except ThresholdError as error:
        raise QualityRefusedError(str(error), field="threshold") from error


@transaction.atomic
def quality_rule_add(*, campaign: Campaign, terms: RuleTerms, user: User | None) -> QualityRule:
    """Create and return a rule of a campaign or test set; it covers all judgments so far."""
    return _rule_create(campaign, terms, user, replaces=None)


@transaction.atomic
def quality_rule_change(*, rule: QualityRule, terms: RuleTerms, user: User) -> QualityRule:
    """Switch a rule off and return its replacement, which may act on the same judges again."""
    quality_rule_switch_off(rule=rule, user=user)
    return _rule_create(rule.campaign, terms, user, replaces=rule)


@transaction.atomic
def quality_rule_switch_off(*, rule: QualityRule, user: User, undo: bool = False) -> QualityRule:
    """Switch a rule off and return it; its actions stay in force unless `undo` reverts them."""
    row = QualityRule.objects.select_for_update().get(pk=rule.pk)
    if row.switched_off_at is not None:
        raise QualityRefusedError(_("The rule is already switched off."))
    QualityRule.objects.filter(pk=row.pk).update(switched_off_at=Now(), switched_off_by=user)
    row.refresh_from_db(fields=["switched_off_at", "switched_off_by"])
    _pages_changed(row.campaign_id)
    if undo:
        quality_rule_undo(rule=row, user=user)
    return row


@transaction.atomic
def quality_rule_undo(*, rule: QualityRule, user: User, note: str = "") -> int:
    """Revert all that a rule did and is still in force; return the number of actions reverted.

    The actions stay in the history, and the rule does not act on these judges again.
    """
    # Waits for an action that the rule is taking just now.
    QualityRule.objects.select_for_update().get(pk=rule.pk)
    actions = list(QualityAction.objects.in_force().filter(rule=rule).order_by("pk"))
    for action in actions:
        quality_action_revert(action=action, user=user, note=note)
    return len(actions)


def suggested_terms(*, campaign: Campaign) -> list[RuleTerms]:
    """Return the terms of the suggested rules, except on measures that have a rule in force."""
    in_force = campaign.quality_rules.filter(switched_off_at__isnull=True)
    existing = set(in_force.values_list("measure", flat=True))
    return [
        RuleTerms(
            measure=measure,
            direction=direction,
            threshold=threshold,
            minimum=minimum,
            action=QualityActionKind.WARN,
        )
        for measure, direction, threshold, minimum in SUGGESTED_RULES
        if measure not in existing
    ]


@transaction.atomic
def quality_rules_suggest(*, campaign: Campaign, user: User | None) -> list[QualityRule]:
    """Add and return the suggested (warn-only) rules, except on measures that have a rule."""
    return [
        quality_rule_add(campaign=campaign, terms=terms, user=user)
        for terms in suggested_terms(campaign=campaign)
    ]


@transaction.atomic
def quality_rule_apply(
    *, rule: QualityRule, judge: Judge, task: Task, evidence: dict[str, Any]
) -> QualityAction | None:
    """Take a rule's action on a judge and return it; None if it acted before or is switched off."""
    # No key update: switching the rule off waits for this, actions on other judges do not.
    current = (
        QualityRule.objects.select_for_update(no_key=True)
        .filter(pk=rule.pk, switched_off_at__isnull=True)
        .first()
    )
    if current is None or QualityAction.objects.filter(rule=rule, judge=judge).exists():
        return None
    action = QualityAction.objects.create(
        rule=rule, judge=judge, task=task, action=rule.action, evidence=evidence
    )
    _follow_up(action)
    return action


@transaction.atomic
def quality_action_take(
    *,
    judge: Judge,
    task: Task,
    action: str,
    user: User,
    note: str = "",
    text: str = "",
    evidence: dict[str, Any] | None = None,
    batch: UUID | None = None,
) -> QualityAction:
    """Warn, pause or exclude a judge, ask or tell them something, by an organiser's decision; return the action.

    `text` is what they read of a message. `batch` marks what was decided about several judges at once.
    """
    if task.test_set.campaign_id != judge.campaign_id:
        raise QualityRefusedError(_("The test set belongs to another campaign."))
    is_message = action == QualityActionKind.MESSAGE
    if is_message and not text.strip():
        raise QualityRefusedError(_("Write what the judge should read."), field="text")
    if action not in STANDING_ACTIONS and judge.origin != Judge.Origin.PERSON:
        raise QualityRefusedError(_("Nobody reads it: the judge is imported or simulated."))
    Judge.objects.select_for_update().get(pk=judge.pk)
    in_force = QualityAction.objects.in_force().filter(judge=judge, action=action)
    if not is_message and in_force.exists():
        raise QualityRefusedError(_("Nothing to do: the judge is already in this state."))
    taken = QualityAction.objects.create(
        judge=judge,
        task=task,
        action=action,
        created_by=user,
        note=note,
        text=text.strip() if is_message else "",
        evidence=evidence or {},
        batch=batch,
    )
    _follow_up(taken)
    return taken


@transaction.atomic
def quality_action_revert(
    *, action: QualityAction, user: User, note: str = "", batch: UUID | None = None
) -> QualityReversal:
    """Revert an action; it stays in the history, and its rule does not act on this judge again."""
    Judge.objects.select_for_update().get(pk=action.judge_id)
    if QualityReversal.objects.filter(action=action).exists():
        raise QualityRefusedError(_("This action was already reverted."))
    reversal = QualityReversal.objects.create(
        action=action, created_by=user, note=note, batch=batch
    )
    _follow_up(action)
    return reversal


@transaction.atomic
def judge_reinstate(*, judge: Judge, user: User, note: str = "", batch: UUID | None = None) -> int:
    """Revert all that stands against a judge and return the number of actions; messages stay."""
    actions = list(QualityAction.objects.standing().filter(judge=judge).order_by("pk"))
    for action in actions:
        quality_action_revert(action=action, user=user, note=note, batch=batch)
    return len(actions)


def _rule_create(
    campaign: Campaign, terms: RuleTerms, user: User | None, *, replaces: QualityRule | None
) -> QualityRule:
    rule_terms_check(campaign=campaign, terms=terms)
    # Waits for a measurement: either it sees this rule, or the rule is newer than the measurement.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    transaction.on_commit(rankings_enqueue)
    _pages_changed(campaign.pk)
    return QualityRule.objects.create(
        campaign=campaign,
        task=terms.task,
        measure=terms.measure,
        direction=terms.direction,
        threshold=terms.threshold,
        minimum=terms.minimum,
        action=terms.action,
        replaces=replaces,
        created_by=user,
    )


def _follow_up(action: QualityAction) -> None:
    """Have pages of the campaign look anew; request all of its rankings if the action excludes a judge: each changes."""
    _pages_changed(action.judge.campaign_id)
    if action.action != QualityActionKind.EXCLUDE:
        return
    judged = JudgmentSequence.objects.filter(
        task__test_set__campaign=action.judge.campaign_id, last_number__gt=0
    )
    for task_id in judged.values_list("task_id", flat=True):
        ranking_request(task_id=task_id)


def _pages_changed(campaign_id: int) -> None:
    pages_changed(Task.objects.of(campaign_id).values_list("pk", flat=True))
