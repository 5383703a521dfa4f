"""Activate quality rules for organisers: first preview their effects, then let them act at once."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import QualityRule
from annotation.services.quality import (
    QualityRefusedError,
    RuleTerms,
    quality_rule_add,
    quality_rule_change,
    quality_rule_undo,
    rule_terms_check,
)
from campaign.models import Campaign, User
from ranking.selectors.rule_effects import RuleEffects, rule_effects
from ranking.services.quality import rule_acts_take


class ConfirmationNeededError(Exception):
    """The rules would meet more than one in five judges; `effects` says whom, and its code confirms."""

    def __init__(self, effects: RuleEffects) -> None:
        super().__init__(_("Confirm: these rules would act on more than one in five judges."))
        self.effects = effects


@dataclass(frozen=True, slots=True)
class RulesInForce:
    """Activated rules, and their immediate actions."""

    rules: list[QualityRule]
    effects: RuleEffects


def rules_preview(*, campaign: Campaign, terms: Sequence[RuleTerms]) -> RuleEffects:
    """Return the effects of rules with these terms if they were in force now; nothing is stored.

    Raises `QualityRefusedError` for terms that no rule can have.
    """
    for each in terms:
        rule_terms_check(campaign=campaign, terms=each)
    names = [term.name for term in fields(RuleTerms)]
    rules = [
        QualityRule(campaign=campaign, **{name: getattr(each, name) for name in names})
        for each in terms
    ]
    return rule_effects(rules, campaign=campaign)


@transaction.atomic
def rules_put_in_force(
    *, campaign: Campaign, terms: Sequence[RuleTerms], user: User | None, confirmed: str = ""
) -> RulesInForce:
    """Activate rules with these terms, let them act on the current measures, and return both.

    Locks the campaign. Raises `ConfirmationNeededError`, and changes nothing, if together they
    would act on more than one in five judges, unless `confirmed` is the code of these effects.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    rules = [quality_rule_add(campaign=campaign, terms=each, user=user) for each in terms]
    effects = rule_effects(rules, campaign=campaign)
    _take(effects, user=user, confirmed=confirmed)
    return RulesInForce(rules=rules, effects=effects)


@transaction.atomic
def rule_replace(
    *, rule: QualityRule, terms: RuleTerms, user: User, undo: bool = False, confirmed: str = ""
) -> RulesInForce:
    """Replace a rule with another and deactivate it; the new rule acts at once on all judges.

    With `undo`, what the other did is reverted. Otherwise as `rules_put_in_force`.
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
    """Let a rule that waits for an organiser act on those whom they were shown.

    Raises `ConfirmationNeededError`, and changes nothing, if these are not the effects whose code
    is `confirmed`; `QualityRefusedError` if nothing waits.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=rule.campaign_id)
    effects = RuleEffects(acts=(), measured=0)
    if rule.switched_off_at is None:
        effects = rule_effects([rule], campaign=rule.campaign)
    if not effects.acts:
        raise QualityRefusedError(_("This rule has no actions waiting for confirmation."))
    if confirmed != effects.code:
        raise ConfirmationNeededError(effects)
    rule_acts_take(acts=effects.acts, confirmed_by=user)
    return effects


def _take(effects: RuleEffects, *, user: User | None, confirmed: str) -> None:
    if effects.is_large and confirmed != effects.code:
        raise ConfirmationNeededError(effects)
    rule_acts_take(acts=effects.acts, confirmed_by=user if effects.is_large else None)
