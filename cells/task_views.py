"""Making a task beside the ranking of a test set, and deleting it again."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.selectors.judges_needed import judges_needed
from campaign.models import Task, User
from campaign.services import TaskRefusedError
from campaign.views.access import organised_campaign, organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered
from cells.task_deletion import task_delete, task_deletion_in_words, task_deletion_refusal
from cells.task_forms import NewTaskForm

# Ten digits would be more than an id has to be.
_DIGITS = 9


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def task_add_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask what judges are to be asked about a test set, which `?test_set=` may name; POST makes the task."""
    campaign = organised_campaign(request, slug)
    wanted = request.GET.get("test_set", "")
    is_number = wanted.isascii() and wanted.isdigit() and len(wanted) <= _DIGITS
    form = NewTaskForm(
        request.POST or None, campaign=campaign, test_set=int(wanted) if is_number else None
    )
    if request.method == "POST" and form.is_valid():
        task = form.save(by=cast("User", request.user))
        if task is not None:
            messages.success(
                request,
                _("%(name)s has a task more: %(protocol)s. See how its blocks are to be drawn.")
                % {"name": task.test_set.name, "protocol": task.get_protocol_display()},
            )
            for needed in judges_needed([task]):
                messages.info(request, " ".join(needed.words))
            return redirect("test-set-texts", slug, task.pk)
    context = {"campaign": campaign, "section": "test-sets", "form": form}
    status = 400 if form.is_bound else 200
    return render(request, "organiser/task_add.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def task_delete_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Say what goes with a task, and delete it; or why it stays."""
    task = organised_task(request, slug, task_id)
    if not is_answered(request):
        return _ask(request, task)
    called = task.called
    try:
        task_delete(task=task, by=cast("User", request.user))
    except TaskRefusedError as error:
        return _ask(request, task, error=str(error))
    messages.success(request, _("“%(name)s” is deleted.") % {"name": called})
    return redirect("test-sets", slug)


def _ask(request: HttpRequest, task: Task, *, error: str = "") -> HttpResponse:
    refused = error or task_deletion_refusal(task=task)
    facts = task_deletion_in_words(task=task) if not refused else [] if error else [refused]
    question = Question(
        title=_("Delete %(name)s") % {"name": task.called},
        facts=facts,
        after="" if refused else _("Nothing brings it back, but the same can be added again."),
        answers=[] if refused else [Answer(_("Delete the task"))],
        cancel=reverse("test-set-texts", args=[task.test_set.campaign.slug, task.pk]),
        error=error,
    )
    campaign = task.test_set.campaign
    return ask(request, question, campaign=campaign, section="test-sets", task=task)
