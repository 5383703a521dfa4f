"""Organisers' pages for systems: listing, adding, describing, withdrawing and restoring them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.pages.systems import SystemAddForm, SystemForm, SystemTable, system_details
from annotation.selectors.systems import (
    conflicts_listed,
    joining_in_words,
    name_settled_in_words,
    systems_listed,
    withdrawal_in_words,
)
from annotation.services.systems import system_restore, system_withdraw
from campaign.models import System, Task
from campaign.models.system import system_label
from campaign.views.access import of_task, organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, page_view, refusals_told

_SECTION = "systems"


def _system(request: HttpRequest, slug: str, task_id: int, system_id: int) -> tuple[Task, System]:
    """Return a task and a system of its test set."""
    task = organised_task(request, slug, task_id)
    system: System = get_object_or_404(task.test_set.systems, pk=system_id)
    system.test_set = task.test_set
    return task, system


def _page(task: Task, system: System | None = None) -> str:
    of = [task.test_set.campaign.slug, task.pk]
    return (
        reverse("systems", args=of)
        if system is None
        else reverse("system-results", args=[*of, system.pk])
    )


@page_view
def systems_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the systems of a test set."""
    task = organised_task(request, slug, task_id)
    table = SystemTable(
        systems_listed(task=task),
        of=[slug, task_id],
        conflicts=conflicts_listed(task=task),
    )
    context = {
        **of_task(task, _SECTION),
        "table": table.of(request),
    }
    return render(request, "organiser/systems.html", context)


@form_view
def system_add_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Add a system to an existing test set from a file of outputs."""
    task = organised_task(request, slug, task_id)
    facts = [
        fact
        for each in task.test_set.tasks.order_by("pk")
        for fact in joining_in_words(task=each, name="")
    ]
    form = (
        SystemAddForm(request.POST, request.FILES) if request.method == "POST" else SystemAddForm()
    )
    if form.is_bound and form.is_valid():
        system = form.add(task)
        if system is not None:
            messages.success(
                request,
                " ".join([_("%(name)s added.") % {"name": system_label(system.name)}, *facts]),
            )
            return redirect(_page(task, system))
    context = {
        **of_task(task, _SECTION),
        "form": form,
        "facts": facts,
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/system_add.html", context, status=status)


@form_view
def system_page(request: HttpRequest, slug: str, task_id: int, system_id: int) -> HttpResponse:
    """Redirect to the details of a system, which are shown with its results; POST changes them."""
    task, system = _system(request, slug, task_id, system_id)
    if request.method != "POST":
        return redirect(_page(task, system))
    name = system.name
    settled = bool(name_settled_in_words(system=system))
    form = SystemForm(request.POST, system=system, is_name_settled=settled)
    if form.is_valid() and form.change():
        messages.success(request, _("Saved."))
        return redirect(_page(task))
    context = {**of_task(task, _SECTION), "name": name, **system_details(task, system, form)}
    return render(request, "organiser/system.html", context, status=400)


@form_view
def system_withdraw_page(
    request: HttpRequest, slug: str, task_id: int, system_id: int
) -> HttpResponse:
    """Withdraw a system, after confirmation of the effects."""
    task, system = _system(request, slug, task_id, system_id)
    if not is_answered(request):
        question = Question(
            title=_("Withdraw %(name)s") % {"name": system_label(system.name)},
            facts=withdrawal_in_words(system=system),
            after=_("You can restore it at any time; new HITs then show it again."),
            answers=[Answer(_("Withdraw system"))],
            cancel=_page(task, system),
        )
        return ask(
            request,
            question,
            campaign=task.test_set.campaign,
            task=task,
            section=_SECTION,
        )
    with refusals_told(request):
        system_withdraw(system=system)
        messages.success(request, _("%(name)s withdrawn.") % {"name": system_label(system.name)})
    return redirect(_page(task, system))


@action_view
def system_restore_page(
    request: HttpRequest, slug: str, task_id: int, system_id: int
) -> HttpResponse:
    """Restore a withdrawn system."""
    task, system = _system(request, slug, task_id, system_id)
    system_restore(system=system)
    messages.success(request, _("%(name)s restored.") % {"name": system_label(system.name)})
    return redirect(_page(task, system))
