"""Page for exporting a task: kind, format, immediate or background export."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from campaign.export.downloads import file_answer, for_spreadsheets
from campaign.models import JobKind, MembershipRole
from campaign.selectors.exported_files import export_jobs, exported_files
from campaign.selectors.jobs import jobs_of
from campaign.services.exported_files import DAYS_KEPT, MOST_KEPT
from campaign.services.jobs import job_cancel
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import joined_task, of_task, user_of
from campaign.views.decorators import form_view
from ranking.export.asked import export_queue
from ranking.pages.exports import (
    ExportForm,
    export_of_member,
    export_stream,
    kinds_offered,
)


@form_view
def exports_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponseBase:
    """Show kinds, formats and existing files, and what a chosen format of answers omits.

    With `stream`, sends the chosen export; POST requests it from a worker. Exporting does not change the campaign, so
    read-only members may export, too.
    """
    task: Any = joined_task(request, slug, task_id)
    may_change = MembershipRole(task.role).may_change
    if "stop" in request.POST:
        job = get_object_or_404(
            jobs_of(campaign=task.test_set.campaign),
            pk=posted_number(request.POST["stop"]),
            kind=JobKind.EXPORT,
            parameters__task=task.pk,
        )
        job_cancel(job=job)
        return redirect("exports", slug, task_id)
    choice = None
    if request.method == "POST":
        choice = request.POST
    elif "kind" in request.GET:
        choice = request.GET
    form = ExportForm(choice, task=task, may_change=may_change)
    export = None
    if form.is_bound and form.is_valid():
        with RefusalsAt(form, "file_format"):
            if "stream" in form.data:
                streamed = export_stream(
                    task=task,
                    parameters=form.parameters,
                    sent=request.headers,
                    has_marks=True,
                )
                return for_spreadsheets(streamed)
            export = export_of_member(task=task, parameters=form.parameters)
    if export is not None and request.method == "POST":
        export_queue(export=export, by=user_of(request))
        messages.success(request, _("Export started."))
        return redirect("exports", slug, task_id)
    jobs = export_jobs(task=task)
    template = "organiser/exports.html"
    offered = []
    if request.headers.get("HX-Request"):
        template = "organiser/_exports.html"
    else:
        offered = kinds_offered(task=task, may_change=may_change)
    context = {
        **of_task(task, "exports"),
        "form": form,
        "offered": offered,
        "wanted": None if export is None else export.file_format,
        "written": None if export is None else export.answers,
        "files": exported_files(task=task, may_change=may_change),
        "jobs": jobs,
        "is_under_way": any(not job.has_ended for job in jobs),
        "days_kept": DAYS_KEPT,
        "most_kept": MOST_KEPT,
    }
    status = 400 if form.errors else 200
    return render(request, template, context, status=status)


def posted_number(text: str) -> int:
    """Return the key in a form field; 0 for invalid values."""
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    return 0


@require_safe
@login_required
def exported_file(
    request: HttpRequest,
    slug: str,
    task_id: int,
    export_id: int,
) -> HttpResponseBase:
    """Return the bytes of an exported file, or a range of them."""
    task: Any = joined_task(request, slug, task_id)
    may_change = MembershipRole(task.role).may_change
    files = exported_files(task=task, may_change=may_change)
    return file_answer(request.headers, get_object_or_404(files, pk=export_id))
