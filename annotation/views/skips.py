"""Skips as organisers read them: a list to filter."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.pages.skip_table import SkipFilter, SkipTable
from annotation.selectors.judgment_list import skips_listed
from campaign.views.access import organised_task


@require_safe
@never_cache
@login_required
def skips_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """List the skips of a test set, the latest first; the address sorts, pages and filters."""
    task = organised_task(request, slug, task_id)
    asked = SkipFilter.of(request, skips_listed(task=task))
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "judgments",
        "filter": asked,
        "table": SkipTable(asked.found, task=task).of(request),
    }
    return render(request, "organiser/skips.html", context, status=asked.status)
