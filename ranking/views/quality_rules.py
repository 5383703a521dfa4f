"""Pages of quality rules: list, change, switch off, apply."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import QualityAction, QualityActionKind, QualityRule
from annotation.models.judge_measures import DEFINITIONS, threshold_as_text
from annotation.services.quality import (
    QualityRefusedError,
    RuleTerms,
    quality_rule_switch_off,
    quality_rule_undo,
    suggested_terms,
)
from campaign.models import Campaign
from campaign.texts.counted import counted
from campaign.texts.joining import labelled, sentence_list, with_full_stop
from campaign.views.access import organised_campaign, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, refusals_as_messages
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.quality_rules import RuleForm
from ranking.pages.summary import (
    confirmation_in_words,
    effects_in_words,
    effects_now_in_words,
    names_in_a_row,
)
from ranking.selectors.quality_rules import (
    RuleEffects,
    pending_effects,
    quality_rules,
    rule_effects,
    rules_as_if_new,
)
from ranking.services.quality_rules import (
    ConfirmationNeededError,
    rule_release,
    rule_replace,
    rules_preview,
    rules_put_in_force,
)


@form_view
def rules_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the rules of a campaign, current and former; POST adds one.

    The first POST previews the effects; the second puts the rule in force.
    """
    campaign = organised_campaign(request, slug)
    form = RuleForm(request.POST or None, campaign=campaign)
    if request.method != "POST" or not form.is_valid():
        return _rules(request, campaign, form)
    terms = [form.terms]
    confirmation = _Confirmation(
        title=_("Add rule"),
        preview=partial(rules_preview, campaign=campaign, terms=terms),
        act=partial(_put_in_force, campaign, terms),
        message=_("Saved."),
        fields=form.written,
    )
    return _confirm_and_apply(request, campaign, confirmation)


def _put_in_force(
    campaign: Campaign,
    terms: Sequence[RuleTerms],
    **confirmed: Any,
) -> RuleEffects:
    return rules_put_in_force(campaign=campaign, terms=terms, **confirmed).effects


def _rules(request: HttpRequest, campaign: Campaign, form: RuleForm) -> HttpResponse:
    pending = {}
    for effects in pending_effects(campaign=campaign):
        pending[effects.acts[0].rule.pk] = effects_in_words(effects)
    rules = list(quality_rules(campaign=campaign))
    now = {}
    for rule, effects in rules_as_if_new(rules, campaign=campaign):
        now[rule.pk] = effects_now_in_words(effects)
    in_force = []
    former = []
    for rule in rules:
        text = rule_in_words(rule)
        row = (rule, text, pending.get(rule.pk, ()), now.get(rule.pk, ""))
        if rule.switched_off_at is None:
            in_force.append(row)
        else:
            former.append(row)
    context = {
        "campaign": campaign,
        "section": "rules",
        "form": form,
        "measures": [(measure.label, text) for measure, text in DEFINITIONS.items()],
        "in_force": in_force,
        "before": former,
    }
    status = 400 if form.is_bound else 200
    return render(request, "quality/rules.html", context, status=status)


@form_view
def rule_page(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Change the terms of a rule: another rule replaces it, after a preview of its effects."""
    campaign = organised_campaign(request, slug)
    rule = _rule(campaign, rule_id, switched_off_at__isnull=True)
    initial = {
        "action": rule.action,
        "measure": rule.measure,
        "direction": rule.direction,
        "minimum": rule.minimum,
        "task": rule.task,
        "threshold": threshold_as_text(rule.measure, rule.threshold),
    }
    form = RuleForm(request.POST or None, campaign=campaign, initial=initial)
    if request.method != "POST" or not form.is_valid():
        return _rule_form(request, campaign, rule, form)
    terms = form.terms
    undo = request.POST.get("undo") == "yes"

    def replace(**confirmed: Any) -> RuleEffects:
        return rule_replace(rule=rule, terms=terms, undo=undo, **confirmed).effects

    confirmation = _Confirmation(
        title=_("Change rule"),
        preview=partial(rules_preview, campaign=campaign, terms=[terms]),
        act=replace,
        message=_("Saved."),
        fields=form.written,
        answers=_undo_answers(rule, _("Change rule")),
    )
    return _confirm_and_apply(request, campaign, confirmation)


def _rule_form(
    request: HttpRequest,
    campaign: Campaign,
    rule: QualityRule,
    form: RuleForm,
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "section": "rules",
        "form": form,
        "rule": rule,
        "words": rule_in_words(rule),
    }
    status = 400 if form.is_bound else 200
    return render(request, "quality/rule.html", context, status=status)


@form_view
def rule_switch_off(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Ask whether to undo the rule's actions as well, then switch the rule off."""
    campaign = organised_campaign(request, slug)
    rule = _rule(campaign, rule_id)
    if not is_answered(request):
        return ask(
            request,
            _switch_off_question(rule),
            campaign=campaign,
            section="rules",
        )
    undo = request.POST.get("undo") == "yes"
    with refusals_as_messages(request):
        quality_rule_switch_off(rule=rule, user=user_of(request), undo=undo)
        message = _("Rule switched off. Its earlier actions stay in force.")
        if undo:
            message = _("Rule switched off and its actions undone.")
        messages.success(request, message)
    return redirect("quality-rules", slug)


def _switch_off_question(rule: QualityRule) -> Question:
    return Question(
        title=_("Switch off rule"),
        facts=[
            with_full_stop(rule_in_words(rule)),
            _("The rule takes no further action."),
            *_actions_in_force(rule),
        ],
        after=_("You can undo kept actions later under “Former rules”."),
        answers=_undo_answers(rule, _("Switch off rule")),
        cancel=reverse("quality-rules", args=[rule.campaign.slug]),
    )


@action_view
def rule_undo(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Undo all actions of a rule."""
    campaign = organised_campaign(request, slug)
    count = quality_rule_undo(rule=_rule(campaign, rule_id), user=user_of(request))
    messages.success(
        request,
        counted("%(count)d action undone.", "%(count)d actions undone.", count),
    )
    return redirect("quality-rules", slug)


@form_view
def rule_act(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Show the judges affected by a waiting rule; POST applies it."""
    campaign = organised_campaign(request, slug)
    rule = _rule(campaign, rule_id)
    confirmation = _Confirmation(
        title=_("Rule needs your confirmation"),
        preview=partial(rule_effects, [rule], campaign=campaign),
        act=partial(rule_release, rule=rule),
        message=_("Saved."),
        answers=[Answer(_("Apply rule"))],
        facts=[with_full_stop(rule_in_words(rule))],
    )
    return _confirm_and_apply(request, campaign, confirmation)


@action_view
def rules_suggest(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the combined effects of the suggested rules; POST adds them."""
    campaign = organised_campaign(request, slug)
    terms = suggested_terms(campaign=campaign)
    confirmation = _Confirmation(
        title=_("Add suggested rules"),
        preview=partial(rules_preview, campaign=campaign, terms=terms),
        act=partial(_put_in_force, campaign, terms),
        message=_("Suggested rules added. They only warn."),
    )
    return _confirm_and_apply(request, campaign, confirmation)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Confirmation:
    """A change of rules that is carried out once its effects are confirmed.

    `act` is called with the user and the code of the confirmed effects; `message` reports success. The question has
    the hidden `fields`, the `answers` (a button with the title by default), and the effects after `facts`.
    """

    title: str
    preview: Callable[[], RuleEffects]
    act: Callable[..., RuleEffects]
    message: str
    fields: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[Answer] = ()
    facts: Sequence[str] = ()

    def question(
        self,
        effects: RuleEffects,
        campaign: Campaign,
        error: str = "",
    ) -> Question:
        sure = ""
        if effects.is_large:
            sure = confirmation_in_words(effects)
        return Question(
            title=self.title,
            fields=self.fields,
            answers=self.answers or [Answer(self.title)],
            facts=[*self.facts, *effects_in_words(effects)],
            after=_("You can undo this later."),
            sure=sure,
            confirmed=effects.code,
            error=error,
            cancel=reverse("quality-rules", args=[campaign.slug]),
        )


def _confirm_and_apply(
    request: HttpRequest,
    campaign: Campaign,
    confirmation: _Confirmation,
) -> HttpResponse:
    """Show the effects of rules with a form that confirms exactly these; once confirmed, carry them out.

    A checkbox is required if more than one in five judges are affected.
    """
    if not is_answered(request):
        question = confirmation.question(confirmation.preview(), campaign)
        return ask(request, question, campaign=campaign, section="rules")
    code = request.POST.get("confirmed", "")
    try:
        effects = confirmation.act(user=user_of(request), confirmed=code)
    except ConfirmationNeededError as error:
        question = confirmation.question(error.effects, campaign, str(error))
        return ask(request, question, campaign=campaign, section="rules")
    except QualityRefusedError as error:
        messages.error(request, str(error))
    else:
        outcome = sentence_list([confirmation.message, _effects_message(effects)])
        messages.success(request, outcome)
    return redirect("quality-rules", campaign.slug)


def _undo_answers(rule: QualityRule, label: str) -> list[Answer]:
    """Return one button, or two if actions of the rule can be undone as well."""
    count = QualityAction.objects.in_force().filter(rule=rule).count()
    if not count:
        return [Answer(label)]
    undo = ngettext(
        "%(act)s and undo its %(count)d action",
        "%(act)s and undo its %(count)d actions",
        count,
    )
    keep = ngettext(
        "%(act)s and keep its %(count)d action",
        "%(act)s and keep its %(count)d actions",
        count,
    )
    values = {"act": label, "count": count}
    return [Answer(keep % values, "undo", "no"), Answer(undo % values, "undo", "yes")]


def _actions_in_force(rule: QualityRule) -> list[str]:
    actions = (
        QualityAction.objects.in_force().filter(rule=rule).select_related("judge__user")
    )
    names = sorted(action.judge.called for action in actions)
    if not names:
        return [_("None of its actions are in force.")]
    return [labelled(QualityActionKind(rule.action).label, names_in_a_row(names))]


def _effects_message(effects: RuleEffects) -> str:
    """Return "Applied to Ada and Ben." or "No judges affected."."""
    names = sorted({act.judge.called for act in effects.acts})
    if not names:
        return _("No judges affected.")
    return _("Applied to %(names)s.") % {"names": names_in_a_row(names)}


def _rule(campaign: Campaign, rule_id: int, **more: Any) -> QualityRule:
    return get_object_or_404(QualityRule, pk=rule_id, campaign=campaign, **more)
