"""Background jobs of a campaign: list, stop, try again."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from campaign.models import Job
from campaign.selectors.jobs import jobs_of
from campaign.services.jobs import job_cancel, job_retry
from campaign.views.access import organised_campaign, user_of
from campaign.views.decorators import action_view, page_view, refusals_as_messages

JOBS_ON_A_PAGE = 25


@page_view
def jobs_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the jobs of a campaign, the newest first."""
    campaign = organised_campaign(request, slug)
    page = Paginator(jobs_of(campaign=campaign), JOBS_ON_A_PAGE).get_page(
        request.GET.get("page"),
    )
    context = {
        "campaign": campaign,
        "section": "work",
        "page": page,
        "is_running": any(not job.has_ended for job in page),
    }
    if request.headers.get("HX-Request"):
        name = "organiser/_jobs.html"
    else:
        name = "organiser/jobs.html"
    return render(request, name, context)


@action_view
def job_stop(request: HttpRequest, slug: str, job_id: int) -> HttpResponse:
    """Stop a job, which then changes nothing."""
    job_cancel(job=_job(request, slug, job_id))
    return redirect("jobs", slug)


@action_view
def job_again(request: HttpRequest, slug: str, job_id: int) -> HttpResponse:
    """Restart a job that failed or was stopped."""
    with refusals_as_messages(request):
        job_retry(job=_job(request, slug, job_id), user=user_of(request))
        messages.success(request, _("Job restarted."))
    return redirect("jobs", slug)


def _job(request: HttpRequest, slug: str, job_id: int) -> Job:
    return get_object_or_404(Job, campaign=organised_campaign(request, slug), pk=job_id)
