"""Organisers' pages for systems: listing, adding, describing, withdrawing and restoring them, and correcting outputs."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.export.five_way import names_shown
from annotation.pages.judgment_tables import JudgmentTable
from annotation.pages.systems import (
    CorrectionForm,
    SystemAddForm,
    SystemForm,
    system_details,
)
from annotation.selectors.shown import languages_data
from annotation.selectors.systems import (
    corrections_listed,
    joining_in_words,
    judgments_of,
    name_settled_in_words,
    withdrawal_in_words,
)
from annotation.services.systems import (
    correction_decide,
    output_correct,
    system_add,
    system_change,
    system_restore,
    system_withdraw,
)
from campaign.importing.uploaded_files import sent_file
from campaign.models import Output, System, SystemKind, Task, User
from campaign.models.system import system_label
from campaign.texts.joining import sentence_list
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import form_page, of_task, organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, refusals_as_messages

_SECTION = "systems"


def _system(
    request: HttpRequest,
    slug: str,
    task_id: int,
    system_id: int,
) -> tuple[Task, System]:
    """Return a task and a system of its test set."""
    task = organised_task(request, slug, task_id)
    system: System = get_object_or_404(task.test_set.systems, pk=system_id)
    system.test_set = task.test_set
    return task, system


def _page(task: Task, system: System | None = None) -> str:
    of = [task.test_set.campaign.slug, task.pk]
    if system is None:
        return reverse("systems", args=of)
    return reverse("system-results", args=[*of, system.pk])


@form_view
def system_add_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Add a system to an existing test set from a file of outputs."""
    task = organised_task(request, slug, task_id)
    facts: list[str] = []
    for other_task in task.test_set.tasks.order_by("pk"):
        facts.extend(joining_in_words(task=other_task, name=""))
    if request.method == "POST":
        form = SystemAddForm(request.POST, request.FILES)
    else:
        form = SystemAddForm()
    if form.is_bound and form.is_valid():
        name = form.cleaned_data["name"]
        file = form.cleaned_data["file"]
        with RefusalsAt(form):
            system = system_add(test_set=task.test_set, name=name, file=sent_file(file))
            messages.success(
                request,
                sentence_list(
                    [
                        _("%(name)s added.") % {"name": system_label(system.name)},
                        *facts,
                    ],
                ),
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
def system_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    system_id: int,
) -> HttpResponse:
    """Redirect to the details of a system, which are shown with its results; POST changes them."""
    task, system = _system(request, slug, task_id, system_id)
    if request.method != "POST":
        return redirect(_page(task, system))
    name = system.name
    settled = bool(name_settled_in_words(system=system))
    form = SystemForm(request.POST, system=system, is_name_settled=settled)
    if form.is_valid():
        with RefusalsAt(form):
            system_change(system=system, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect(_page(task))
    context = {
        **of_task(task, _SECTION),
        "name": name,
        **system_details(task, system, form),
    }
    return render(request, "organiser/system.html", context, status=400)


@form_view
def system_withdraw_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    system_id: int,
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
    with refusals_as_messages(request):
        system_withdraw(system=system)
        messages.success(
            request,
            _("%(name)s withdrawn.") % {"name": system_label(system.name)},
        )
    return redirect(_page(task, system))


@action_view
def system_restore_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    system_id: int,
) -> HttpResponse:
    """Restore a withdrawn system."""
    task, system = _system(request, slug, task_id, system_id)
    system_restore(system=system)
    messages.success(
        request,
        _("%(name)s restored.") % {"name": system_label(system.name)},
    )
    return redirect(_page(task, system))


#: Maximum number of judgments listed.
_MOST = 100


@form_view
def output_correct_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    output_id: int,
) -> HttpResponse:
    """Show an output and the judgments of blocks that showed it; POST corrects it."""
    task = organised_task(request, slug, task_id)
    output = get_object_or_404(
        Output.objects.select_related("system", "segment"),
        pk=output_id,
        system__test_set=task.test_set_id,
        system__kind=SystemKind.SYSTEM,
    )
    form = CorrectionForm(
        request.POST or None,
        initial={"text": output.text},
        language=task.test_set.target_language,
    )
    if request.method == "POST" and form.is_valid():
        with RefusalsAt(form):
            output_correct(
                output=output,
                text=form.cleaned_data["text"],
                reason=form.cleaned_data["reason"],
                leave_out=form.cleaned_data["judged"] == "leave_out",
                corrected_by=request.user if isinstance(request.user, User) else None,
            )
            messages.success(
                request,
                _(
                    "Output corrected. HITs that no judge has opened are redrawn with it.",
                ),
            )
            return redirect("segment", slug, task.pk, output.segment.number)
    judgments = judgments_of(task=task, output=output).order_by("-number")
    rows = list(judgments[:_MOST])
    names_by_block = names_shown((row.block_id for row in rows), task=task)
    context = {
        **of_task(task, "texts"),
        "output": output,
        "form": form,
        "count": judgments.count(),
        "table": JudgmentTable(rows, task=task, names_by_block=names_by_block).of(
            request,
        ),
        **languages_data(task.test_set.source_language, task.test_set.target_language),
    }
    return form_page(request, "organiser/output_correct.html", context)


@action_view
def correction_decide_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    correction_id: int,
) -> HttpResponse:
    """Leave out the judgments of a corrected output, or count them again."""
    task = organised_task(request, slug, task_id)
    correction = get_object_or_404(corrections_listed(task=task), pk=correction_id)
    correction_decide(
        correction=correction,
        leave_out=request.POST.get("leave_out") == "yes",
    )
    messages.success(request, _("Saved. The ranking is being recomputed."))
    return redirect("segment", slug, task.pk, correction.before.segment.number)
