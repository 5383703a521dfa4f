"""Quality rules: preview, put in force, replace, release, and act on judges."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import QualityRule
from annotation.services.quality import (
    QualityRefusedError,
    RuleTerms,
    quality_rule_add,
    quality_rule_apply,
    quality_rule_change,
    quality_rule_undo,
    rule_terms_check,
)
from campaign.database.many_rows import row_locked
from campaign.models import Campaign, Task, User
from ranking.selectors.quality_rules import RuleAct, RuleEffects, rule_effects


def rule_acts_take(*, acts: Sequence[RuleAct], confirmed_by: User | None = None) -> int:
    """Carry out acts of rules; return the number of new ones.

    The evidence names the organiser who confirmed them, if confirmation was needed.
    """
    confirmation = {}
    if confirmed_by:
        confirmation["confirmed_by"] = confirmed_by.name
    tasks = Task.objects.in_bulk({act.task_id for act in acts})
    new_actions = 0
    for act in acts:
        action = quality_rule_apply(
            rule=act.rule,
            judge=act.judge,
            task=tasks[act.task_id],
            evidence={**act.evidence, **confirmation},
        )
        new_actions += action is not None
    return new_actions


class ConfirmationNeededError(Exception):
    """The rules would affect more than one in five judges; `effects` lists them, and its code confirms."""

    def __init__(self, effects: RuleEffects) -> None:
        super().__init__(
            _("Confirm: these rules would act on more than one in five judges."),
        )
        self.effects = effects


@dataclass(frozen=True, slots=True)
class RulesInForce:
    """Activated rules, and their immediate actions."""

    rules: list[QualityRule]
    effects: RuleEffects


def rules_preview(*, campaign: Campaign, terms: Sequence[RuleTerms]) -> RuleEffects:
    """Return the effects of rules with these terms if they were in force; nothing is stored.

    Raises `QualityRefusedError` for invalid terms.
    """
    for rule_terms in terms:
        rule_terms_check(campaign=campaign, terms=rule_terms)
    rules = []
    for rule_terms in terms:
        rule = QualityRule(campaign=campaign)
        for term in fields(RuleTerms):
            setattr(rule, term.name, getattr(rule_terms, term.name))
        rules.append(rule)
    return rule_effects(rules, campaign=campaign)


@transaction.atomic
def rules_put_in_force(
    *,
    campaign: Campaign,
    terms: Sequence[RuleTerms],
    user: User | None,
    confirmed: str = "",
) -> RulesInForce:
    """Activate rules with these terms, apply them to the current measures, and return rules and actions.

    Locks the campaign. Raises `ConfirmationNeededError`, and changes nothing, if together they
    would act on more than one in five judges, unless `confirmed` is the code of these effects.
    """
    row_locked(campaign)
    rules = []
    for rule_terms in terms:
        rules.append(quality_rule_add(campaign=campaign, terms=rule_terms, user=user))
    effects = rule_effects(rules, campaign=campaign)
    _take(effects, user=user, confirmed=confirmed)
    return RulesInForce(rules=rules, effects=effects)


@transaction.atomic
def rule_replace(
    *,
    rule: QualityRule,
    terms: RuleTerms,
    user: User,
    undo: bool = False,
    confirmed: str = "",
) -> RulesInForce:
    """Replace a rule with another one, which acts immediately on all judges.

    With `undo`, the actions of the old rule are reverted. Otherwise works like `rules_put_in_force`.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=rule.campaign_id)
    changed = quality_rule_change(rule=rule, terms=terms, user=user)
    if undo:
        quality_rule_undo(rule=rule, user=user)
    effects = rule_effects([changed], campaign=rule.campaign)
    _take(effects, user=user, confirmed=confirmed)
    return RulesInForce(rules=[changed], effects=effects)


@transaction.atomic
def rule_release(*, rule: QualityRule, user: User, confirmed: str) -> RuleEffects:
    """Apply a waiting rule to the judges that the organiser was shown.

    Raises `ConfirmationNeededError`, and changes nothing, unless `confirmed` is the code of the
    current effects; `QualityRefusedError` if the rule is not waiting.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=rule.campaign_id)
    effects = RuleEffects(acts=(), measured=0)
    if rule.switched_off_at is None:
        effects = rule_effects([rule], campaign=rule.campaign)
    if not effects.acts:
        raise QualityRefusedError(
            _("This rule has no actions waiting for confirmation."),
        )
    if confirmed != effects.code:
        raise ConfirmationNeededError(effects)
    rule_acts_take(acts=effects.acts, confirmed_by=user)
    return effects


def _take(effects: RuleEffects, *, user: User | None, confirmed: str) -> None:
    if effects.is_large and confirmed != effects.code:
        raise ConfirmationNeededError(effects)
    rule_acts_take(acts=effects.acts, confirmed_by=user if effects.is_large else None)
