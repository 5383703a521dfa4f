"""What organisers change of a version: its embargo, the link for reviewers, whether it is retracted."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from campaign.models import Task, User
from campaign.views.access import organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered
from ranking.models import PublishedResult
from ranking.pages.published.form import EmbargoForm, RetractionForm
from ranking.selectors.published_results import versions_of
from ranking.services.publishing import (
    PublishingRefusedError,
    result_bundle_ask,
    result_embargo_change,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
)


@require_POST
@login_required
def published_embargo(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Change until when a version is under an embargo; to open it for good is asked first."""
    task, result = _result(request, slug, task_id, version)
    form = EmbargoForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["embargo_until"])))
        return redirect("publish", slug, task_id)
    until = form.cleaned_data["embargo_until"]
    if until is None and not is_answered(request):
        return ask(
            request,
            Question(
                title=_("Open version %(version)s to everybody") % {"version": version},
                facts=[_("Its address works for everybody at once.")],
                after=_("It cannot be hidden again, only retracted with a reason."),
                answers=[Answer(_("Open it"))],
                cancel=reverse("publish", args=[slug, task_id]),
                fields={"embargo_until": ""},
            ),
            campaign=task.test_set.campaign,
            section="publish",
            task=task,
        )
    try:
        changed = result_embargo_change(result=result, until=until)
    except PublishingRefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Saved.") if changed else _("Nothing was changed."))
    return redirect("publish", slug, task_id)


@require_POST
@login_required
def published_reviewers(
    request: HttpRequest, slug: str, task_id: int, version: int
) -> HttpResponse:
    """Make the link for reviewers of a version, or end it."""
    _task, result = _result(request, slug, task_id, version)
    if request.POST.get("link") == "end":
        result_reviewer_link_end(result=result)
        messages.success(request, _("The link for reviewers works no more."))
    else:
        result_reviewer_link_make(result=result)
        messages.success(request, _("Whoever has the link for reviewers can read this version."))
    return redirect("publish", slug, task_id)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def published_retract(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Ask why a version is retracted; POST retracts it."""
    task, result = _result(request, slug, task_id, version)
    form = RetractionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            result_retract(result=result, reason=form.cleaned_data["retraction_reason"])
        except PublishingRefusedError as error:
            form.add_error("retraction_reason", str(error))
        else:
            messages.success(request, _("Version %(version)s is retracted.") % {"version": version})
            return redirect("publish", slug, task_id)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "publish",
        "result": result,
        "form": form,
    }
    status = 400 if form.is_bound else 200
    return render(request, "publish/retract.html", context, status=status)


@require_POST
@login_required
def published_restore(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Take a retraction back."""
    _task, result = _result(request, slug, task_id, version)
    if result_retraction_undo(result=result):
        messages.success(request, _("The retraction is taken back."))
    return redirect("publish", slug, task_id)


@require_POST
@login_required
def published_bundle(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Have the bundle of a version made."""
    _task, result = _result(request, slug, task_id, version)
    try:
        result_bundle_ask(
            result=result, with_texts="texts" in request.POST, by=cast("User", request.user)
        )
    except PublishingRefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The bundle is being made."))
    return redirect("publish", slug, task_id)


def _result(
    request: HttpRequest, slug: str, task_id: int, version: int
) -> tuple[Task, PublishedResult]:
    task = organised_task(request, slug, task_id)
    versions = versions_of(task_id=task.pk)
    result: PublishedResult = get_object_or_404(versions, version=version)
    return task, result
