"""Organisers' decisions about judges, from the page of a judge or from an analysis."""

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import QualityAction
from annotation.services.quality import (
    Decided,
    judges_decision_undo,
    quality_action_revert,
)
from campaign.models import Judge, Task, User
from campaign.views.access import of_task, organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, page_view, refusals_told
from ranking.models import Analysis
from ranking.pages.acting import (
    action_lines,
    button_of,
    deciding_in_words,
    judged_by,
    refused_in_words,
)
from ranking.pages.analysis_form import asked_in_words
from ranking.pages.forms import DECISIONS, ActionForm, JudgesActionForm, NoteForm
from ranking.selectors.judges import STANDS_ASIDE, decision_actions, decision_reversals
from ranking.services.quality import decision_take


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
    actions = list(decision_actions(campaign_id=task.test_set.campaign_id, batch=batch))
    reversals = list(decision_reversals(campaign_id=task.test_set.campaign_id, batch=batch))
    context = {
        **of_task(task, "judges"),
        "batch": batch,
        "lines": action_lines(actions, task=task),
        "reversals": reversals,
        "may_undo": bool(reversals) or any(action.reverted_at is None for action in actions),
    }
    return render(
        request,
        "quality/acted.html",
        context,
        status=200 if actions or reversals else 404,
    )


@action_view
def judges_act_undo(request: HttpRequest, slug: str, task_id: int, batch: UUID) -> HttpResponse:
    """Undo a decision for all its judges."""
    task = organised_task(request, slug, task_id)
    with refusals_told(request):
        judges = judges_decision_undo(
            campaign=task.test_set.campaign, batch=batch, user=cast("User", request.user)
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
        title=f"{button_of(action)}: {judged_by(judges)}",
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
        user=cast("User", request.user),
        note=said["note"],
        text=said["text"],
        analysis=analysis,
    )
    for words in refused_in_words(decided):
        messages.error(request, words)
    if decided.judges:
        done = dict(DECISIONS)[said["action"]]
        messages.success(request, f"{done}: {judged_by(decided.judges)}")
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
        quality_action_revert(
            action=action, user=cast("User", request.user), note=form.cleaned_data["note"]
        )
        messages.success(request, _("Action reverted."))
    return redirect(_address_of(task, action.judge_id))


def _address_of(task: Task, judge_id: int) -> str:
    return reverse("judge-page", args=[task.test_set.campaign.slug, task.pk, judge_id])
