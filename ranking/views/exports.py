"""Page for exporting a task: kind, format, immediate or background export."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from campaign.models import JobKind, MembershipRole, User
from campaign.refusals import RefusalsAt
from campaign.selectors.exported_files import export_jobs, exported_files
from campaign.selectors.jobs import jobs_of
from campaign.services.exported_files import DAYS_KEPT, MOST_KEPT
from campaign.services.jobs import job_cancel
from campaign.views.access import joined_task, of_task
from campaign.views.decorators import form_view
from ranking.export.asked import Export, export_queue
from ranking.export.writing import export_bytes
from ranking.pages.exports import export_of_member, export_stream, file_answer, kinds_offered
from ranking.pages.forms import ExportForm


@form_view
def exports_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponseBase:
    """Show kinds, formats and existing files; POST streams an export or requests it from a worker.

    Exporting does not change the campaign, so read-only members may export, too.
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
    is_part = bool(request.headers.get("HX-Request"))
    offered = [] if is_part else kinds_offered(task=task, may_change=may_change)
    form = ExportForm(request.POST if request.method == "POST" else None, offered=offered)
    export = _asked(task, form)
    if export is not None and "stream" in request.POST:
        return export_stream(export, export_bytes(export))
    if export is not None:
        export_queue(export=export, by=cast("User", request.user))
        messages.success(request, _("Export started."))
        return redirect("exports", slug, task_id)
    jobs = export_jobs(task=task)
    context = {
        **of_task(task, "exports"),
        "form": form,
        "offered": offered,
        "files": exported_files(task=task, may_change=may_change),
        "jobs": jobs,
        "is_under_way": any(not job.has_ended for job in jobs),
        "days_kept": DAYS_KEPT,
        "most_kept": MOST_KEPT,
    }
    name = "organiser/_exports.html" if is_part else "organiser/exports.html"
    return render(request, name, context, status=400 if request.method == "POST" else 200)


def posted_number(text: str) -> int:
    """Return the key in a form field; 0 for invalid values."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _asked(task: Any, form: ExportForm) -> Export | None:
    """Return the export requested by the form; None, with a form error, if it is refused."""
    if not form.is_bound or not form.is_valid():
        return None
    with RefusalsAt(form, "file_format"):
        return export_of_member(task=task, asked=form.asked)
    return None


@require_safe
@login_required
def exported_file(
    request: HttpRequest, slug: str, task_id: int, export_id: int
) -> HttpResponseBase:
    """Return the bytes of an exported file, or a range of them."""
    task: Any = joined_task(request, slug, task_id)
    may_change = MembershipRole(task.role).may_change
    found = get_object_or_404(exported_files(task=task, may_change=may_change), pk=export_id)
    return file_answer(request.headers, found)
