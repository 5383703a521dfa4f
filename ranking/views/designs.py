"""Pages of a task's design: choose, preview, forecast."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.pages.design_form import DesignForm
from annotation.pages.design_history import design_history
from annotation.selectors.designs import (
    design_in_force,
    design_unless_chosen,
    preset_named,
)
from annotation.selectors.effects import (
    design_effects,
    design_effects_in_words,
    design_needs_in_words,
)
from annotation.selectors.hits import designs_of, previewed_hits
from annotation.services.planning.designs import design_change, design_use_again
from campaign.models import Task
from campaign.pages.desk import rights
from campaign.pages.forms import VERSION
from campaign.texts.joining import sentence_list
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import of_task, organised_task, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, refusals_as_messages
from ranking.pages.design_forecast import BudgetForm, forecast_card, preset_cards
from ranking.pages.page_plots import plot_links
from ranking.selectors.design_forecast import Budget, design_forecast

_SECTION = "design"
_PREVIEWED = 5
_DESIGNS_SHOWN = 50


@form_view
def design_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the design of a task with five HITs and the forecast; POST changes it after a preview of the effects."""
    task = organised_task(request, slug, task_id)
    form = _form(request, task)
    if request.method != "POST" or "show" in request.POST or not form.is_valid():
        return _design_page(request, task, form)
    if not form.changed:
        messages.info(request, _("No changes."))
        return redirect(_address(task))
    effects = design_effects(task=task)
    if effects.is_any_planned and not is_answered(request):
        question = Question(
            title=_("Save design"),
            facts=design_effects_in_words(
                effects,
                design=form.proposed,
                group=form.new_judge_group,
            ),
            after=_("You can undo this later."),
            answers=[Answer(_("Save design"))],
            cancel=_address(task),
            fields=form.sent,
        )
        return ask(
            request,
            question,
            campaign=task.test_set.campaign,
            task=task,
            section=_SECTION,
        )
    with RefusalsAt(form):
        design_change(
            task=task,
            changed_by=user_of(request),
            rank_shown_reference=form.cleaned_data["rank_shown_reference"],
            **form.changed,
        )
        messages.success(request, _("Saved."))
        return redirect(_address(task))
    return _design_page(request, task, form)


@action_view
def design_again(
    request: HttpRequest,
    slug: str,
    task_id: int,
    design_id: int,
) -> HttpResponse:
    """Restore an earlier design for future HITs."""
    task = organised_task(request, slug, task_id)
    design = get_object_or_404(Design.objects.not_imported(), pk=design_id, task=task)
    design.task = task
    with refusals_as_messages(request):
        design_use_again(design=design, changed_by=user_of(request))
        effects = design_effects_in_words(design_effects(task=task))
        messages.success(request, sentence_list([_("Saved."), *effects]))
    return redirect(_address(task))


@action_view
def design_preview(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Return five HITs drawn by the design in the form; nothing is stored."""
    task = organised_task(request, slug, task_id)
    context = _preview(task, _form(request, task, is_checked=False))
    return render(request, "organiser/_design_preview.html", context)


@action_view
def design_budget(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Return the forecast of the design in the form; the budget goes into the address of the page."""
    task = organised_task(request, slug, task_id)
    budget = BudgetForm(request.POST)
    context = _forecast(task, _form(request, task, is_checked=False), budget)
    response = render(request, "organiser/_design_forecast.html", context)
    address = _address(task)
    if budget.query:
        address = f"{address}?{budget.query}"
    response["HX-Replace-Url"] = address
    return response


def _form(request: HttpRequest, task: Task, *, is_checked: bool = True) -> DesignForm:
    """Return the form; `is_checked` refuses it if the design has changed since the page was opened."""
    design = design_in_force(task_id=task.pk) or design_unless_chosen(task=task)
    sent = request.POST.copy()
    if not is_checked:
        sent.pop(VERSION, None)
    if sent:
        return DesignForm(sent, task=task, design=design, preset=None)
    preset = preset_named(request.GET.get("preset", ""), task=task)
    return DesignForm(None, task=task, design=design, preset=preset)


def _address(task: Task) -> str:
    return reverse("design", args=[task.test_set.campaign.slug, task.pk])


def _design_page(request: HttpRequest, task: Task, form: DesignForm) -> HttpResponse:
    budget = BudgetForm(request.GET)
    designs = designs_of(task_id=task.pk).order_by("-pk")[: _DESIGNS_SHOWN + 1]
    # The page loads the preview afterwards: drawing five HITs takes as long as the rest.
    is_awaited = request.method != "POST" and rights(request)["may_change"]
    preview: dict[str, Any] = {"is_awaited": True}
    if not is_awaited:
        preview = _preview(task, form)
    presets = preset_cards(task, chosen=form.preset, rate=budget.arguments.get("rate"))
    context = {
        **of_task(task, _SECTION),
        "form": form,
        "presets": presets,
        "has_estimates": any(preset.goal for preset in presets),
        "history": design_history(list(designs))[:_DESIGNS_SHOWN],
        **preview,
        **_forecast(task, form, budget),
    }
    if form.is_bound and not form.is_valid():
        status = 400
    else:
        status = 200
    return render(request, "organiser/design.html", context, status=status)


def _preview(task: Task, form: DesignForm) -> dict[str, Any]:
    """Return the first HITs of the proposed design, or of the one in force if nothing changes."""
    is_refused = form.is_bound and not form.is_valid()
    if is_refused:
        return {"form": form, "hits": [], "is_refused": True}
    design = None
    if form.is_bound and form.changed:
        design = form.proposed
    hits = previewed_hits(task_id=task.pk, count=_PREVIEWED, design=design)
    return {"form": form, "hits": hits, "is_refused": False}


def _forecast(task: Task, form: DesignForm, budget: BudgetForm) -> dict[str, Any]:
    is_refused = form.is_bound and not form.is_valid()
    forecast = None
    needed = []
    if not is_refused:
        design = form.proposed
        needed = design_needs_in_words(task=task, design=design)
        expected = design_forecast(
            task=task,
            design=design,
            budget=Budget(**budget.arguments),
        )
        if expected is not None:
            forecast = forecast_card(expected, budget, run=expected.run)
    # Files are addressed by task only, so they show the design in force, not a previewed one.
    links = None
    if not form.is_bound or not (is_refused or form.changed):
        links = plot_links(
            "test-set-plot",
            task.test_set.campaign.slug,
            task.pk,
            names=["forecast"],
            query=budget.query,
        )
    return {
        "campaign": task.test_set.campaign,
        "task": task,
        "budget": budget,
        "plot_links": links,
        "is_refused": is_refused,
        "needed": needed,
        "forecast": forecast,
    }
