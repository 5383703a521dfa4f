"""The metrics page of a test set: list, import, compute, delete, and analyses."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.formats import FormatError
from campaign.models import JobKind, Task
from campaign.selectors.jobs import jobs_of
from campaign.services.jobs import job_cancel
from campaign.views.access import organised_task, user_of
from campaign.views.decorators import form_view
from optional_packages import has_extra, how_to_install
from ranking.importing.metric_scores import metric_scores_import
from ranking.pages.metrics import MetricScoresForm, TextMetricsForm
from ranking.pages.sections import Sections
from ranking.selectors.metrics import metrics_of
from ranking.services.metrics import (
    MetricRefusedError,
    metric_delete,
    metrics_ask,
    texts_missing,
)
from ranking.views.exports import posted_number


@form_view
def metrics_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the metrics of a test set; POST imports scores, computes metrics, stops a job or deletes a metric."""
    task = organised_task(request, slug, task_id)
    campaign = task.test_set.campaign
    metrics = metrics_of(test_set_id=task.test_set_id)
    jobs = jobs_of(campaign=campaign).filter(
        kind=JobKind.METRICS,
        parameters__test_set=task.test_set_id,
    )
    action = request.POST.get("action", "")
    key = posted_number(request.POST.get("id", ""))
    scores = MetricScoresForm()
    texts = TextMetricsForm()
    if action == "import":
        scores = MetricScoresForm(request.POST, request.FILES)
    elif action == "compute":
        texts = TextMetricsForm(request.POST)
    elif action == "stop":
        job_cancel(job=get_object_or_404(jobs, pk=key))
    elif action == "delete":
        metric = get_object_or_404(metrics, pk=key)
        metric_delete(metric=metric)
        messages.success(request, _("“%(name)s” deleted.") % {"name": metric})
    if action in ("stop", "delete") or _is_done(request, task, scores, texts):
        return redirect("metrics", slug, task_id)
    latest_jobs = list(jobs[:3])
    under_way = [job for job in latest_jobs if not job.has_ended]
    earlier = [job for job in latest_jobs[1:] if not job.has_ended]
    missing = ""
    if not has_extra("metrics"):
        missing = how_to_install("metrics")
    context: dict[str, Any] = {
        "campaign": campaign,
        "task": task,
        "section": "metrics",
        "heading": _("Metrics"),
        "metrics": metrics,
        "scores": scores,
        "texts": texts,
        "missing": missing,
        "no_texts": texts_missing(task.test_set),
        "jobs": [*latest_jobs[:1], *earlier],
        "is_under_way": bool(under_way),
    }
    if request.headers.get("HX-Request"):
        answer = render(request, "results/_metrics.html", context)
        if not context["is_under_way"]:
            # If the job has ended, reload the whole page.
            answer["HX-Refresh"] = "true"
        return answer
    sections = Sections(request, task)
    context["sections"] = sections.of("metrics")
    if request.method == "POST":
        status = 400
    else:
        status = sections.status
    return render(request, "results/metrics.html", context, status=status)


def _is_done(
    request: HttpRequest,
    task: Task,
    scores: MetricScoresForm,
    texts: TextMetricsForm,
) -> bool:
    """Import scores or compute metrics, if either form is submitted; a refusal becomes a form error."""
    user = user_of(request)
    if texts.is_valid():
        try:
            metrics_ask(test_set=task.test_set, user=user, **texts.cleaned_data)
        except MetricRefusedError as error:
            texts.add_error("metrics", str(error))
            return False
        return True
    if not scores.is_valid():
        return False
    try:
        metrics, remarks = metric_scores_import(
            test_set=task.test_set,
            user=user,
            **scores.cleaned_data,
        )
    except (FormatError, MetricRefusedError) as error:
        scores.add_error("files", str(error))
        return False
    number = len(metrics)
    message = ngettext(
        "%(number)d metric imported.",
        "%(number)d metrics imported.",
        number,
    )
    messages.success(request, message % {"number": number})
    for remark in remarks:
        messages.info(request, remark)
    return True
