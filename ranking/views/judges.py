"""Judges of a task and one judge, groups of judges, decisions about judges, and quality rules."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.export.work_time import clock_time
from annotation.models import QualityAction, QualityActionKind, QualityRule
from annotation.models.judge_measures import DEFINITIONS, JudgeMeasure, threshold_as_text
from annotation.pages.judge_tables import judge_details
from annotation.selectors.judges import JudgeStatus, campaign_judges, judge_status
from annotation.selectors.training import training_rounds
from annotation.selectors.work_time import hours_worked, work_time
from annotation.services.quality import (
    Decided,
    QualityRefusedError,
    judges_decision_undo,
    quality_action_revert,
    quality_rule_switch_off,
    quality_rule_undo,
    suggested_terms,
)
from campaign.models import Campaign, Judge, Task, User
from campaign.pages.desk import rights
from campaign.texts.counted import counted
from campaign.texts.joining import labelled, sentence_list, with_full_stop
from campaign.views.access import of_task, organised_campaign, organised_task, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, page_view, refusals_told
from ranking.models import Analysis, RankingUpkeep
from ranking.pages.acting import (
    action_line,
    action_lines,
    button_of,
    deciding_in_words,
    judged_by,
    refused_in_words,
)
from ranking.pages.analysis_form import asked_in_words
from ranking.pages.formats import bar_plot
from ranking.pages.forms import (
    DECISIONS,
    ActionForm,
    JudgesActionForm,
    NoteForm,
    RuleForm,
)
from ranking.pages.judge_measures import (
    JudgeFilter,
    JudgeTable,
    drawn_measures,
    reference_missing_in_words,
    rule_in_words,
)
from ranking.pages.page_plots import plot_links
from ranking.pages.summary import (
    confirmation_in_words,
    effects_in_words,
    effects_now_in_words,
    names_in_a_row,
)
from ranking.selectors.judges import (
    STANDS_ASIDE,
    RuleEffects,
    actions_in_force,
    effects_held,
    exclusions_in_force,
    has_flag,
    has_low_agreement,
    judges_listed,
    lacks_measure,
    measures_of,
    quality_actions,
    quality_rules,
    rule_effects,
    rules_as_if_new,
    values_by_measure,
)
from ranking.services.quality import (
    ConfirmationNeededError,
    decision_take,
    rule_release,
    rule_replace,
    rules_preview,
    rules_put_in_force,
)
from ranking.views.results import Sections

# Number of days shown, the latest ones; the time sheet has all.
DAYS_SHOWN = 14


@page_view
def judge_page(request: HttpRequest, slug: str, task_id: int, judge_id: int) -> HttpResponse:
    """Show a judge of the campaign with their work in a test set."""
    task = organised_task(request, slug, task_id)
    campaign = task.test_set.campaign
    judge: Judge = get_object_or_404(campaign_judges(campaign=campaign), pk=judge_id)
    judge.campaign = campaign
    rows = judges_listed(task=task).filter(judge=judge)
    tally = rows.first()
    own = measures_of(judge=judge, task=task)
    values = values_by_measure(task_id=task.pk)
    status = judge_status(judge)
    measures = drawn_measures(own, values)
    context = {
        **of_task(task, "judges"),
        **judge_details(judge),
        "status": status,
        "is_flagged": status != JudgeStatus.GOOD,
        "row": tally,
        "has_low_agreement": tally is not None and has_low_agreement(tally.disagrees),
        "measures": measures,
        "are_drawn": any(each["strip"] for each in measures),
        "plot_links": plot_links("judge-plot", task.test_set.campaign.slug, task.pk, judge.pk),
        "no_reference": reference_missing_in_words(task)
        if own and not values.get(JudgeMeasure.REFERENCE)
        else "",
        "report": RankingUpkeep.objects.filter(task=task, measured_at__isnull=False).first(),
        "training": training_rounds(task_id=task.pk, judges=[judge.pk]).get(judge.pk, []),
        "actions": action_lines(quality_actions(task=task).filter(judge=judge), task=task),
        **_worked(judge),
    }
    return render(request, "organiser/judge.html", context)


def _worked(judge: Judge) -> dict[str, Any]:
    worked, sentences = work_time(judge), hours_worked(judge)
    days = sorted(worked.days.items(), reverse=True)
    return {
        "days": [(day, each, clock_time(each.active_seconds)) for day, each in days[:DAYS_SHOWN]],
        "more_days": len(days) > DAYS_SHOWN,
        "total": worked.total,
        "total_time": clock_time(worked.total.active_seconds),
        "hours": bar_plot([(hour, sentences.get(hour, 0)) for hour in range(24)], filled=0.8),
        "time_zone": settings.TIME_ZONE,
    }


@page_view
def judges_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show a table of judges, those with problems first.

    Query parameters: `sort` and `page`, as for all tables, and the filters of `JudgeFilter`.
    """
    task = organised_task(request, slug, task_id)
    asked = JudgeFilter.of(request, judges_listed(task=task))
    sections = Sections(request, task)
    table = JudgeTable(asked.found, task=task)
    table.of(request)
    if rights(request)["may_change"]:
        table.chosen_by = "decide"
    flagged = [row.record.judge_id for row in table.page if row.record.gravity]
    table.actions = actions_in_force(task=task, judges=flagged)
    lacks_reference = lacks_measure(task_id=task.pk, measure=JudgeMeasure.REFERENCE)
    is_drawn = any(row.record.kappa is not None for row in table.page)
    has_flags = any(has_flag(row.record) for row in table.page)
    context = {
        **of_task(task, "judges"),
        "filter": asked,
        "table": table,
        "plot_links": plot_links(
            "test-set-plot",
            task.test_set.campaign.slug,
            task.pk,
            names=["agreement"],
            query=request.GET.urlencode(),
        )
        if is_drawn
        else None,
        "no_reference": reference_missing_in_words(task) if lacks_reference else "",
        "is_led_by_flags": has_flags and not request.GET.get("sort"),
        "left_out": [action_line(action) for action in exclusions_in_force(task=task)],
        "report": RankingUpkeep.objects.filter(task=task, measured_at__isnull=False).first(),
        "sections": sections.of("judges"),
        "contents": [("quality", _("Quality"))],
    }
    return render(
        request, "organiser/judges.html", context, status=max(asked.status, sections.status)
    )


@action_view
def judge_act(request: HttpRequest, slug: str, task_id: int, judge_id: int) -> HttpResponse:
    """Carry out a decision about a judge from their page; pausing and excluding need confirmation."""
    task = organised_task(request, slug, task_id)
    judge = get_object_or_404(Judge, pk=judge_id, campaign=task.test_set.campaign_id)
    form = ActionForm(request.POST)
    back = _address_of(task, judge.pk)
    if not form.is_valid():
        return _wrong(request, form, task, back=back, judge=judge)
    if form.cleaned_data["action"] in STANDS_ASIDE and not is_answered(request):
        question = _question(form, [judge], task, cancel=back)
        return ask(request, question, campaign=task.test_set.campaign, task=task, section="judges")
    _decide(request, form, [judge], task)
    return redirect(back)


@action_view
def judges_act(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the effects of a decision about judges; the second POST carries it out for all of them."""
    task = organised_task(request, slug, task_id)
    form = JudgesActionForm(request.POST, task=task)
    if not form.is_valid():
        return _wrong(request, form, task, back=_back(form, task))
    if not is_answered(request):
        question = _question(form, form.judges, task, cancel=_back(form, task), is_of_many=True)
        return ask(request, question, campaign=task.test_set.campaign, task=task, section="judges")
    decided = _decide(request, form, form.judges, task, analysis=form.cleaned_data["analysis"])
    if not decided.judges:
        return redirect(_back(form, task))
    return redirect("judges-acted", slug, task.pk, decided.batch)


@page_view
def judges_acted(request: HttpRequest, slug: str, task_id: int, batch: UUID) -> HttpResponse:
    """Show the outcome of a decision, with an undo button."""
    task = organised_task(request, slug, task_id)
    found = quality_actions(task=task).order_by("judge__pseudonym")
    actions, reversals = list(found.filter(batch=batch)), list(found.filter(revert_batch=batch))
    context = {
        **of_task(task, "judges"),
        "batch": batch,
        "lines": action_lines(actions, task=task),
        "reversals": reversals,
        "may_undo": bool(reversals) or any(action.reverted_at is None for action in actions),
    }
    status = 200 if actions or reversals else 404
    return render(request, "quality/acted.html", context, status=status)


@action_view
def judges_act_undo(request: HttpRequest, slug: str, task_id: int, batch: UUID) -> HttpResponse:
    """Undo a decision for all its judges."""
    task = organised_task(request, slug, task_id)
    with refusals_told(request):
        judges = judges_decision_undo(
            campaign=task.test_set.campaign, batch=batch, user=user_of(request)
        )
        said = _("Undone for %(judge)s.")
        messages.success(request, said % {"judge": judged_by(judges)})
    return redirect("judge-quality", slug, task.pk)


def _wrong(
    request: HttpRequest,
    form: ActionForm,
    task: Task,
    *,
    back: str,
    judge: Judge | None = None,
) -> HttpResponse:
    """Return the submitted form with its errors."""
    context = {
        **of_task(task, "judges"),
        "decision": form,
        "judge": judge,
        "analysis": form.cleaned_data.get("analysis"),
        "back": back,
    }
    return render(request, "quality/decide.html", context, status=400)


def _question(
    form: ActionForm,
    judges: list[Judge],
    task: Task,
    *,
    cancel: str,
    is_of_many: bool = False,
) -> Question:
    action = form.cleaned_data["action"]
    fields = form.written
    if is_of_many:
        analysis = form.cleaned_data["analysis"]
        fields |= {
            "chosen": ",".join(str(judge.pk) for judge in judges),
            "analysis": str(analysis.pk) if analysis else "",
        }
    return Question(
        title=labelled(button_of(action), judged_by(judges)),
        facts=deciding_in_words(
            judges=judges, task=task, action=action, text=form.cleaned_data["text"]
        ),
        after=_("You can undo this later."),
        answers=[Answer(button_of(action))],
        fields=fields,
        cancel=cancel,
    )


def _decide(
    request: HttpRequest,
    form: ActionForm,
    judges: list[Judge],
    task: Task,
    *,
    analysis: Analysis | None = None,
) -> Decided:
    said = form.cleaned_data
    decided = decision_take(
        judges=judges,
        task=task,
        action=said["action"],
        user=user_of(request),
        note=said["note"],
        text=said["text"],
        analysis=analysis,
    )
    for words in refused_in_words(decided):
        messages.error(request, words)
    if decided.judges:
        done = dict(DECISIONS)[said["action"]]
        messages.success(request, labelled(done, judged_by(decided.judges)))
    return decided


def _back(form: JudgesActionForm, task: Task) -> str:
    """Return the address of the analysis in which judges were selected, or of the list of judges."""
    analysis = form.cleaned_data.get("analysis")
    if analysis is not None:
        return str(asked_in_words(analysis, task)["address"])
    return reverse("judge-quality", args=[task.test_set.campaign.slug, task.pk])


@action_view
def action_revert(request: HttpRequest, slug: str, task_id: int, action_id: int) -> HttpResponse:
    """Revert an action."""
    task = organised_task(request, slug, task_id)
    action = get_object_or_404(
        QualityAction, pk=action_id, judge__campaign=task.test_set.campaign_id
    )
    form = NoteForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest(_("The note is too long."))
    with refusals_told(request):
        quality_action_revert(action=action, user=user_of(request), note=form.cleaned_data["note"])
        messages.success(request, _("Action reverted."))
    return redirect(_address_of(task, action.judge_id))


def _address_of(task: Task, judge_id: int) -> str:
    return reverse("judge-page", args=[task.test_set.campaign.slug, task.pk, judge_id])


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
        act=lambda **how: rules_put_in_force(campaign=campaign, terms=[form.terms], **how).effects,
        said=_("Saved."),
        fields=form.written,
    )


def _rules(request: HttpRequest, campaign: Campaign, form: RuleForm) -> HttpResponse:
    held = {effects.acts[0].rule.pk: effects for effects in effects_held(campaign=campaign)}
    found = list(quality_rules(campaign=campaign))
    now = {
        rule.pk: effects_now_in_words(effects)
        for rule, effects in rules_as_if_new(found, campaign=campaign)
    }
    rules = [
        (
            rule,
            rule_in_words(rule),
            effects_in_words(held[rule.pk]) if rule.pk in held else (),
            now.get(rule.pk, ""),
        )
        for rule in found
    ]
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
        name: getattr(rule, name) for name in ("action", "measure", "direction", "minimum", "task")
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
        act=lambda **how: rule_replace(rule=rule, terms=form.terms, undo=undo, **how).effects,
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
        return ask(request, _switch_off_question(rule), campaign=campaign, section="rules")
    undo = request.POST.get("undo") == "yes"
    with refusals_told(request):
        quality_rule_switch_off(rule=rule, user=_user(request), undo=undo)
        said = (
            _("Rule switched off and its actions undone.")
            if undo
            else _("Rule switched off. Its earlier actions stay in force.")
        )
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
        act=lambda **how: rules_put_in_force(campaign=campaign, terms=terms, **how).effects,
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
    actions = QualityAction.objects.in_force().filter(rule=rule).select_related("judge__user")
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
