"""The metrics page of a test set: list, import, compute, delete, and analyses."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.formats import FormatError
from campaign.models import JobKind, Task, User
from campaign.selectors.jobs import jobs_of
from campaign.services.jobs import job_cancel
from campaign.views.access import organised_task
from campaign.views.decorators import form_view
from optional_packages import has_extra, how_to_install
from ranking.importing.metric_scores import metric_scores_import
from ranking.pages.metrics import MetricScoresForm, TextMetricsForm, stored_files
from ranking.selectors.metrics import metrics_of
from ranking.services.metrics import MetricRefusedError, metric_delete, metrics_ask, texts_missing
from ranking.views.results import Sections


@form_view
def metrics_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the metrics of a test set; POST imports scores, computes metrics, stops a job or deletes a metric."""
    task = organised_task(request, slug, task_id)
    action = request.POST.get("action", "")
    scores = MetricScoresForm(*((request.POST, request.FILES) if action == "import" else ()))
    texts = TextMetricsForm(request.POST if action == "compute" else None)
    is_done = {
        "import": lambda: _imported(request, task, scores),
        "compute": lambda: _computing(request, task, texts),
        "stop": lambda: _stopped(request, task),
        "delete": lambda: _deleted(request, task),
    }.get(action, lambda: False)()
    if is_done:
        return redirect("metrics", slug, task_id)
    jobs = jobs_of(campaign=task.test_set.campaign).filter(
        kind=JobKind.METRICS, parameters__test_set=task.test_set_id
    )[:3]
    is_under_way = any(not job.has_ended for job in jobs)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "metrics",
        "heading": _("Metrics"),
        "metrics": metrics_of(test_set_id=task.test_set_id),
        "scores": scores,
        "texts": texts,
        "missing": "" if has_extra("metrics") else how_to_install("metrics"),
        "no_texts": texts_missing(task.test_set),
        "jobs": [job for number, job in enumerate(jobs) if not number or not job.has_ended],
        "is_under_way": is_under_way,
    }
    if request.headers.get("HX-Request"):
        return _part(request, context)
    sections = Sections(request, task)
    context["sections"] = sections.of("metrics")
    status = 400 if request.method == "POST" else sections.status
    return render(request, "results/metrics.html", context, status=status)


def _part(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Return the list while a job runs; reload the whole page once it has ended."""
    answer = render(request, "results/_metrics.html", context)
    if not context["is_under_way"]:
        answer["HX-Refresh"] = "true"
    return answer


def _imported(request: HttpRequest, task: Task, form: MetricScoresForm) -> bool:
    if not form.is_valid():
        return False
    asked = dict(form.cleaned_data)
    try:
        imported = metric_scores_import(
            test_set=task.test_set,
            files=stored_files(asked.pop("files")),
            user=cast("User", request.user),
            **asked,
        )
    except (FormatError, MetricRefusedError) as error:
        form.add_error("files", str(error))
        return False
    number = len(imported.metrics)
    words = ngettext("%(number)d metric imported.", "%(number)d metrics imported.", number)
    messages.success(request, words % {"number": number})
    for remark in imported.remarks:
        messages.info(request, remark)
    return True


def _computing(request: HttpRequest, task: Task, form: TextMetricsForm) -> bool:
    if not form.is_valid():
        return False
    asked = form.cleaned_data
    try:
        metrics_ask(
            test_set=task.test_set,
            names=asked["metrics"],
            lowercase=asked["lowercase"],
            tokens=asked["tokens"],
            user=cast("User", request.user),
        )
    except MetricRefusedError as error:
        form.add_error("metrics", str(error))
        return False
    return True


def _stopped(request: HttpRequest, task: Task) -> bool:
    job = get_object_or_404(
        jobs_of(campaign=task.test_set.campaign),
        pk=_number(request.POST.get("id", "")),
        kind=JobKind.METRICS,
        parameters__test_set=task.test_set_id,
    )
    job_cancel(job=job)
    return True


def _deleted(request: HttpRequest, task: Task) -> bool:
    metric = get_object_or_404(
        metrics_of(test_set_id=task.test_set_id), pk=_number(request.POST.get("id", ""))
    )
    metric_delete(metric=metric)
    messages.success(request, _("%(name)s deleted.") % {"name": metric})
    return True


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
