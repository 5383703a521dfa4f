"""Pages of quality rules: list, change, switch off, apply."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
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
    quality_rule_switch_off,
    quality_rule_undo,
    suggested_terms,
)
from campaign.models import Campaign, User
from campaign.texts.counted import counted
from campaign.texts.joining import labelled, sentence_list, with_full_stop
from campaign.views.access import organised_campaign, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, refusals_told
from ranking.pages.judge_measures import (
    rule_in_words,
)
from ranking.pages.quality_rules import (
    RuleForm,
)
from ranking.pages.summary import (
    confirmation_in_words,
    effects_in_words,
    effects_now_in_words,
    names_in_a_row,
)
from ranking.selectors.quality_rules import (
    RuleEffects,
    effects_held,
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
    return _confirmed(
        request,
        campaign,
        _("Add rule"),
        preview=lambda: rules_preview(campaign=campaign, terms=[form.terms]),
        act=lambda **how: (
            rules_put_in_force(campaign=campaign, terms=[form.terms], **how).effects
        ),
        said=_("Saved."),
        fields=form.written,
    )


def _rules(request: HttpRequest, campaign: Campaign, form: RuleForm) -> HttpResponse:
    held = {
        effects.acts[0].rule.pk: effects for effects in effects_held(campaign=campaign)
    }
    found = list(quality_rules(campaign=campaign))
    now = {
        rule.pk: effects_now_in_words(effects)
        for rule, effects in rules_as_if_new(found, campaign=campaign)
    }
    rules = []
    for rule in found:
        rules.append(
            (
                rule,
                rule_in_words(rule),
                effects_in_words(held[rule.pk]) if rule.pk in held else (),
                now.get(rule.pk, ""),
            )
        )
    context = {
        "campaign": campaign,
        "section": "rules",
        "form": form,
        "measures": [(measure.label, words) for measure, words in DEFINITIONS.items()],
        "in_force": [row for row in rules if row[0].switched_off_at is None],
        "before": [row for row in rules if row[0].switched_off_at is not None],
    }
    status = 400 if form.is_bound else 200
    return render(request, "quality/rules.html", context, status=status)


@form_view
def rule_page(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Change the terms of a rule: another rule replaces it, after a preview of its effects."""
    campaign = organised_campaign(request, slug)
    rule = _rule(campaign, rule_id, switched_off_at__isnull=True)
    initial = {
        name: getattr(rule, name)
        for name in ("action", "measure", "direction", "minimum", "task")
    } | {"threshold": threshold_as_text(rule.measure, rule.threshold)}
    form = RuleForm(request.POST or None, campaign=campaign, initial=initial)
    if request.method != "POST" or not form.is_valid():
        return _rule_form(request, campaign, rule, form)
    undo = request.POST.get("undo") == "yes"
    return _confirmed(
        request,
        campaign,
        _("Change rule"),
        preview=lambda: rules_preview(campaign=campaign, terms=[form.terms]),
        act=lambda **how: (
            rule_replace(rule=rule, terms=form.terms, undo=undo, **how).effects
        ),
        said=_("Saved."),
        fields=form.written,
        answers=_with_or_without_undo(rule, _("Change rule")),
    )


def _rule_form(
    request: HttpRequest, campaign: Campaign, rule: QualityRule, form: RuleForm
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
            request, _switch_off_question(rule), campaign=campaign, section="rules"
        )
    undo = request.POST.get("undo") == "yes"
    with refusals_told(request):
        quality_rule_switch_off(rule=rule, user=_user(request), undo=undo)
        if undo:
            said = _("Rule switched off and its actions undone.")
        else:
            said = _("Rule switched off. Its earlier actions stay in force.")
        messages.success(request, said)
    return redirect("quality-rules", slug)


def _switch_off_question(rule: QualityRule) -> Question:
    return Question(
        title=_("Switch off rule"),
        facts=[
            with_full_stop(rule_in_words(rule)),
            _("The rule takes no further action."),
            *_what_it_did(rule),
        ],
        after=_("You can undo kept actions later under “Former rules”."),
        answers=_with_or_without_undo(rule, _("Switch off rule")),
        cancel=reverse("quality-rules", args=[rule.campaign.slug]),
    )


@action_view
def rule_undo(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Undo all actions of a rule."""
    campaign = organised_campaign(request, slug)
    count = quality_rule_undo(rule=_rule(campaign, rule_id), user=_user(request))
    messages.success(
        request, counted("%(count)d action undone.", "%(count)d actions undone.", count)
    )
    return redirect("quality-rules", slug)


@form_view
def rule_act(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Show the judges affected by a waiting rule; POST applies it."""
    campaign = organised_campaign(request, slug)
    rule = _rule(campaign, rule_id)
    return _confirmed(
        request,
        campaign,
        _("Rule needs your confirmation"),
        preview=lambda: rule_effects([rule], campaign=campaign),
        act=lambda **how: rule_release(rule=rule, **how),
        said=_("Saved."),
        answers=[Answer(_("Apply rule"))],
        words=[with_full_stop(rule_in_words(rule))],
    )


@action_view
def rules_suggest(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the combined effects of the suggested rules; POST adds them."""
    campaign = organised_campaign(request, slug)
    terms = suggested_terms(campaign=campaign)
    return _confirmed(
        request,
        campaign,
        _("Add suggested rules"),
        preview=lambda: rules_preview(campaign=campaign, terms=terms),
        act=lambda **how: (
            rules_put_in_force(campaign=campaign, terms=terms, **how).effects
        ),
        said=_("Suggested rules added. They only warn."),
    )


def _confirmed(
    request: HttpRequest,
    campaign: Campaign,
    title: str,
    *,
    preview: Callable[[], RuleEffects],
    act: Callable[..., RuleEffects],
    said: str,
    fields: Mapping[str, str] = MappingProxyType({}),
    answers: Sequence[Answer] = (),
    words: Sequence[str] = (),
) -> HttpResponse:
    """Show the effects of rules with a form that confirms exactly these; once confirmed, carry them out.

    A checkbox is required if more than one in five judges are affected.
    """

    def question(effects: RuleEffects, error: str = "") -> HttpResponse:
        asked = Question(
            title=title,
            fields=fields,
            answers=answers or [Answer(title)],
            facts=[*words, *effects_in_words(effects)],
            after=_("You can undo this later."),
            sure=confirmation_in_words(effects) if effects.is_large else "",
            confirmed=effects.code,
            error=error,
            cancel=reverse("quality-rules", args=[campaign.slug]),
        )
        return ask(request, asked, campaign=campaign, section="rules")

    if not is_answered(request):
        return question(preview())
    try:
        effects = act(user=_user(request), confirmed=request.POST.get("confirmed", ""))
    except ConfirmationNeededError as error:
        return question(error.effects, str(error))
    except QualityRefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, sentence_list([said, _acted(effects)]))
    return redirect("quality-rules", campaign.slug)


def _with_or_without_undo(rule: QualityRule, words: str) -> list[Answer]:
    """Return one button, or two if actions of the rule can be undone as well."""
    count = QualityAction.objects.in_force().filter(rule=rule).count()
    if not count:
        return [Answer(words)]
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
    said = {"act": words, "count": count}
    return [Answer(keep % said, "undo", "no"), Answer(undo % said, "undo", "yes")]


def _what_it_did(rule: QualityRule) -> list[str]:
    actions = (
        QualityAction.objects.in_force().filter(rule=rule).select_related("judge__user")
    )
    names = sorted(action.judge.called for action in actions)
    if not names:
        return [_("None of its actions are in force.")]
    return [labelled(QualityActionKind(rule.action).label, names_in_a_row(names))]


def _acted(effects: RuleEffects) -> str:
    """Return "Applied to Ada and Ben." or "No judges affected."."""
    names = sorted({act.judge.called for act in effects.acts})
    if not names:
        return _("No judges affected.")
    return _("Applied to %(names)s.") % {"names": names_in_a_row(names)}


def _rule(campaign: Campaign, rule_id: int, **more: Any) -> QualityRule:
    return get_object_or_404(QualityRule, pk=rule_id, campaign=campaign, **more)


def _user(request: HttpRequest) -> User:
    return user_of(request)
