"""Warn, pause and exclude judges, one or many at once, and revert these actions; nothing is deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.models import (
    Block,
    Judgment,
    JudgmentSequence,
    QualityAction,
    QualityActionKind,
    QualityRule,
    RuleDirection,
)
from annotation.models.judge_measures import (
    MAX_MINIMUM,
    JudgeMeasure,
    ThresholdError,
    threshold_check,
)
from annotation.models.quality import STANDING_ACTIONS
from annotation.services.answers_taken_back import block_give_back, block_take_back
from annotation.services.notification import rankings_enqueue
from annotation.services.numbers import pages_changed, ranking_request
from campaign.database.many_rows import row_locked
from campaign.models import Campaign, Judge, Task, User
from campaign.texts.refusals import RefusedError

#: Numbers that an action was based on, in JSON: measures by name.
Evidence = Mapping[str, object]
SUGGESTED_RULES = (
    # Adjusted for all judges and all checks, so that the three together warn an attentive judge in
    # at most 0.05 of all campaigns (docs/statistics/quality.md).
    (JudgeMeasure.REFERENCE_IGNORED, RuleDirection.BELOW, 0.03, 10),
    (JudgeMeasure.DAMAGE_IGNORED, RuleDirection.BELOW, 0.01, 5),
    (JudgeMeasure.TYPED_IN_ORDER, RuleDirection.BELOW, 0.01, 5),
    (JudgeMeasure.ONE_LABEL, RuleDirection.ABOVE, 0.5, 20),
    # 900 words per minute is faster than skimming, so a few blocks are enough.
    (JudgeMeasure.PACE, RuleDirection.ABOVE, 15.0, 5),
    (JudgeMeasure.SECONDS, RuleDirection.BELOW, 5.0, 30),
)


class QualityRefusedError(RefusedError):
    """The rule or action cannot be changed as requested; `field` names the term at fault, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTerms:
    """Condition and action of a rule; see `QualityRule`."""

    measure: str
    direction: str
    threshold: float
    minimum: int
    action: str
    task: Task | None = None


def rule_terms_check(*, campaign: Campaign, terms: RuleTerms) -> None:
    """Raise `QualityRefusedError` if no rule of this campaign can have these terms."""
    if terms.task is not None and terms.task.test_set.campaign_id != campaign.pk:
        raise QualityRefusedError(
            "The test set belongs to another campaign.",
            field="task",
        )
    if not 1 <= terms.minimum <= MAX_MINIMUM:
        raise QualityRefusedError(
            f"The minimum evidence must be between 1 and {number_format(MAX_MINIMUM)}.",
            field="minimum",
        )
    try:
        threshold_check(terms.measure, terms.threshold)
    except ThresholdError as error:
        raise QualityRefusedError(str(error), field="threshold") from error


@transaction.atomic
def quality_rule_add(
    *,
    campaign: Campaign,
    terms: RuleTerms,
    user: User | None,
) -> QualityRule:
    """Create and return a rule of a campaign or task; it covers all judgments so far."""
    [rule] = _rules_create(campaign, [terms], user)
    return rule


@transaction.atomic
def quality_rule_change(
    *,
    rule: QualityRule,
    terms: RuleTerms,
    user: User,
) -> QualityRule:
    """Switch a rule off and return its replacement, which may act on the same judges again."""
    quality_rule_switch_off(rule=rule, user=user)
    [replacement] = _rules_create(rule.campaign, [terms], user, replaces=rule)
    return replacement


@transaction.atomic
def quality_rule_switch_off(
    *,
    rule: QualityRule,
    user: User,
    undo: bool = False,
) -> QualityRule:
    """Deactivate a rule and return it; its actions stay in force unless `undo` reverts them."""
    row = QualityRule.objects.select_for_update().get(pk=rule.pk)
    if row.switched_off_at is not None:
        raise QualityRefusedError(_("The rule is already switched off."))
    QualityRule.objects.filter(pk=row.pk).update(
        switched_off_at=Now(),
        switched_off_by=user,
    )
    row.refresh_from_db(fields=["switched_off_at", "switched_off_by"])
    _pages_changed(row.campaign_id)
    if undo:
        quality_rule_undo(rule=row, user=user)
    return row


@transaction.atomic
def quality_rule_undo(*, rule: QualityRule, user: User, note: str = "") -> int:
    """Revert all actions of a rule that are in force; return their number.

    The actions stay in the history, and the rule does not act on these judges again.
    """
    # Waits for an action that the rule is currently taking.
    QualityRule.objects.select_for_update().get(pk=rule.pk)
    actions = list(QualityAction.objects.in_force().filter(rule=rule).order_by("pk"))
    for action in actions:
        quality_action_revert(action=action, user=user, note=note)
    return len(actions)


def suggested_terms(*, campaign: Campaign) -> list[RuleTerms]:
    """Return the terms of the suggested rules, except on measures that have a rule in force."""
    in_force = campaign.quality_rules.filter(switched_off_at__isnull=True)
    existing = set(in_force.values_list("measure", flat=True))
    terms = []
    for measure, direction, threshold, minimum in SUGGESTED_RULES:
        if measure not in existing:
            terms.append(
                RuleTerms(
                    measure=measure,
                    direction=direction,
                    threshold=threshold,
                    minimum=minimum,
                    action=QualityActionKind.WARN,
                ),
            )
    return terms


@transaction.atomic
def quality_rules_suggest(
    *,
    campaign: Campaign,
    user: User | None,
) -> list[QualityRule]:
    """Add and return the suggested (warn-only) rules, except on measures that have a rule."""
    rules = suggested_terms(campaign=campaign)
    if not rules:
        return []
    return _rules_create(campaign, rules, user)


def suggested_rules_add(*, campaign: Campaign, **_rest: Any) -> None:
    """Add the suggested rules to a new campaign; they only warn."""
    quality_rules_suggest(campaign=campaign, user=None)


@transaction.atomic
def quality_rule_apply(
    *,
    rule: QualityRule,
    judge: Judge,
    task: Task,
    evidence: Evidence,
) -> QualityAction | None:
    """Take a rule's action on a judge and return it; None if the rule acted before or is switched off."""
    # `no_key`: switching the rule off waits for this, but actions on other judges do not.
    current = (
        QualityRule.objects.select_for_update(no_key=True)
        .filter(pk=rule.pk, switched_off_at__isnull=True)
        .first()
    )
    if current is None or QualityAction.objects.filter(rule=rule, judge=judge).exists():
        return None
    action = QualityAction.objects.create(
        rule=rule,
        judge=judge,
        task=task,
        action=rule.action,
        evidence=evidence,
    )
    _follow_up(action)
    return action


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeDecision:
    """An organiser's decision about judges.

    Attributes
    ----------
    action : str
        A `QualityActionKind`, or `REINSTATE`.
    user : User
    note : str
        For organisers.
    text : str
        The text of a message.
    batch : UUID or None
        Identifies a decision about several judges at once, to undo it; a decision already taken is not repeated.
    """

    action: str
    user: User
    note: str = ""
    text: str = ""
    batch: UUID | None = None


@transaction.atomic
def quality_action_take(
    *,
    judge: Judge,
    task: Task,
    decision: JudgeDecision,
    evidence: Evidence | None = None,
) -> QualityAction:
    """Warn, pause or exclude a judge, ask for new judgments or send a message; return the action."""
    if task.test_set.campaign_id != judge.campaign_id:
        raise QualityRefusedError("The test set belongs to another campaign.")
    action = decision.action
    is_message = action == QualityActionKind.MESSAGE
    text = ""
    if is_message:
        text = decision.text.strip()
    if is_message and not text:
        raise QualityRefusedError(_("Enter a message."), field="text")
    if action not in STANDING_ACTIONS and judge.origin != Judge.Origin.PERSON:
        raise QualityRefusedError(
            _("Imported and simulated judges cannot read messages."),
        )
    Judge.objects.select_for_update().get(pk=judge.pk)
    in_force = QualityAction.objects.in_force().filter(judge=judge, action=action)
    if not is_message and in_force.exists():
        raise QualityRefusedError(
            _("Nothing to do: the judge is already in this state."),
        )
    quality_action = QualityAction.objects.create(
        judge=judge,
        task=task,
        action=action,
        created_by=decision.user,
        note=decision.note,
        text=text,
        evidence=evidence or {},
        batch=decision.batch,
    )
    _follow_up(quality_action)
    return quality_action


@transaction.atomic
def answer_take_back(
    *,
    judgment: Judgment,
    number: int,
    task: Task,
    user: User,
    note: str = "",
) -> QualityAction:
    """Let one answer of a judge no longer count in results, progress and exports; return the action, which can be reverted.

    Another block is planned in its place. `number` is that of the judgment. Raises `AnswerKeptError`.
    """
    Judge.objects.select_for_update().get(pk=judgment.judge_id)
    block_take_back(judgment=judgment, task=task)
    action = QualityAction.objects.create(
        judge=judgment.judge,
        task=task,
        action=QualityActionKind.RETRACT,
        created_by=user,
        note=note,
        evidence={"judgment": number, "block": judgment.block_id},
    )
    _follow_up(action)
    return action


@transaction.atomic
def quality_action_revert(
    *,
    action: QualityAction,
    user: User,
    note: str = "",
    batch: UUID | None = None,
) -> None:
    """Revert an action; it stays in the history, and its rule does not act on this judge again."""
    Judge.objects.select_for_update().get(pk=action.judge_id)
    standing = QualityAction.objects.filter(pk=action.pk, reverted_at=None)
    if not standing.update(
        reverted_at=Now(),
        reverted_by=user,
        revert_note=note,
        revert_batch=batch,
    ):
        raise QualityRefusedError(_("This action was already reverted."))
    if action.action == QualityActionKind.RETRACT:
        block = Block.objects.get(pk=action.evidence["block"])
        block_give_back(block=block, task=action.task)
    _follow_up(action)


@transaction.atomic
def judge_reinstate(
    *,
    judge: Judge,
    user: User,
    note: str = "",
    batch: UUID | None = None,
) -> int:
    """Revert all actions in force against a judge and return their number; messages stay."""
    actions = list(QualityAction.objects.standing().filter(judge=judge).order_by("pk"))
    for action in actions:
        quality_action_revert(action=action, user=user, note=note, batch=batch)
    return len(actions)


def _rules_create(
    campaign: Campaign,
    rules: Sequence[RuleTerms],
    user: User | None,
    *,
    replaces: QualityRule | None = None,
) -> list[QualityRule]:
    for terms in rules:
        rule_terms_check(campaign=campaign, terms=terms)
    # Waits for a measurement: either it sees these rules, or they are newer than the measurement.
    row_locked(campaign)
    transaction.on_commit(rankings_enqueue)
    _pages_changed(campaign.pk)
    return QualityRule.objects.bulk_create(
        QualityRule(
            campaign=campaign,
            **{field.name: getattr(terms, field.name) for field in fields(terms)},
            replaces=replaces,
            created_by=user,
        )
        for terms in rules
    )


def _follow_up(action: QualityAction) -> None:
    """Invalidate the campaign's pages; if the action excludes a judge, request all of its rankings."""
    _pages_changed(action.judge.campaign_id)
    if action.action != QualityActionKind.EXCLUDE:
        return
    judged = JudgmentSequence.objects.filter(
        task__test_set__campaign=action.judge.campaign_id,
        last_number__gt=0,
    )
    for task_id in judged.values_list("task_id", flat=True):
        ranking_request(task_id=task_id)


def _pages_changed(campaign_id: int) -> None:
    pages_changed(Task.objects.of(campaign_id).values_list("pk", flat=True))


#: Decision that reverts all actions in force against a judge.
REINSTATE: Final = "reinstate"
#: Maximum number of characters in a message to a judge, and in an organiser's note.
MESSAGE_LENGTH: Final = 2000
NOTE_LENGTH: Final = 1000


@dataclass(frozen=True, slots=True)
class Decided:
    """Result of a decision.

    Attributes
    ----------
    batch : UUID
        Identifies the decision, to undo it.
    judges : list of Judge
        Judges for whom something changed.
    refused : list of (Judge, str)
        The others, each with the reason.
    """

    batch: UUID
    judges: list[Judge]
    refused: list[tuple[Judge, str]]


@transaction.atomic
def judges_decide(
    *,
    judges: Sequence[Judge],
    task: Task,
    decision: JudgeDecision,
    evidence: Mapping[int, Evidence],
) -> Decided:
    """Take an action on each of these judges, or reinstate them.

    Judges for whom there is nothing to do stay unchanged, and are returned with the reason.
    `evidence` is keyed by judge id. The batch of a decision makes the call idempotent: if it was
    taken already, its result is returned. Locks judges in the order of their ids, and with
    a batch the campaign before them.
    """
    batch = decision.batch
    if batch is not None:
        Campaign.objects.select_for_update(no_key=True).get(
            pk=task.test_set.campaign_id,
        )
        if before := _decided_before(task.test_set.campaign_id, batch):
            return Decided(batch, before, [])
    batch = batch or uuid4()
    decision = replace(decision, batch=batch)
    changed_judges = []
    refused = []
    for judge in sorted(judges, key=attrgetter("pk")):
        try:
            if decision.action == REINSTATE:
                reverted = judge_reinstate(
                    judge=judge,
                    user=decision.user,
                    note=decision.note,
                    batch=batch,
                )
                if not reverted:
                    raise QualityRefusedError(
                        _("Nothing to do: the judge is in good standing."),
                    )
            else:
                quality_action_take(
                    judge=judge,
                    task=task,
                    decision=decision,
                    evidence=evidence.get(judge.pk),
                )
        except QualityRefusedError as error:
            refused.append((judge, str(error)))
        else:
            changed_judges.append(judge)
    return Decided(batch, changed_judges, refused)


def _decided_before(campaign_id: int, batch: UUID) -> list[Judge]:
    """Return the judges for whom a decision changed something, in the order of their ids."""
    of_campaign = Judge.objects.filter(campaign=campaign_id)
    changed = QualityAction.objects.filter(Q(batch=batch) | Q(revert_batch=batch))
    return list(of_campaign.filter(pk__in=changed.values("judge")).order_by("pk"))


@transaction.atomic
def judges_decision_undo(*, campaign: Campaign, batch: UUID, user: User) -> list[Judge]:
    """Undo a decision and return the judges for whom something changed; the history keeps both.

    Its actions are reverted, and the actions it reverted are restored.
    """
    actions = QualityAction.objects.in_force().filter(
        batch=batch,
        judge__campaign=campaign,
    )
    changed: dict[int, Judge] = {}
    for action in actions.select_related("judge").order_by("judge", "pk"):
        quality_action_revert(action=action, user=user)
        changed[action.judge_id] = action.judge
    reverted = QualityAction.objects.filter(
        revert_batch=batch,
        judge__campaign=campaign,
    )
    rows = reverted.select_related("judge", "task", "rule")
    for before in rows.order_by("judge", "reverted_at", "pk"):
        again = {"action": before.pk, "rule": before.rule_id}
        note = before.note
        if not note and before.rule:
            note = str(before.rule)
        if QualityAction.objects.filter(
            judge=before.judge_id,
            evidence__again_after__action=before.pk,
        ).exists():
            continue
        try:
            quality_action_take(
                judge=before.judge,
                task=before.task,
                decision=JudgeDecision(action=before.action, user=user, note=note),
                evidence={**before.evidence, "again_after": again},
            )
        except QualityRefusedError:
            continue
        changed[before.judge_id] = before.judge
    if not changed:
        raise QualityRefusedError(_("Nothing to undo."))
    return list(changed.values())
