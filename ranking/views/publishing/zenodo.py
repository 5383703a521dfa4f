"""The page on which an organiser has the bundle of a version made a draft at Zenodo, where the operator allows it."""

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from campaign.models import User
from campaign.views.access import organised_task
from ranking.models import PublishedResult, ZenodoDraft
from ranking.pages.published.form import ZenodoForm
from ranking.selectors.published_results import versions_of
from ranking.selectors.result_bundles import bundle_of
from ranking.services.publishing.zenodo import (
    LICENCES,
    ZenodoRefusedError,
    zenodo_draft_ask,
    zenodo_metadata,
)


def published_zenodo(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Show what a draft at Zenodo would be, and the drafts there are; POST has a worker make one."""
    if not settings.ZENODO_UPLOADS:
        raise Http404
    return _page(request, slug, task_id, version)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
@sensitive_post_parameters("token")
def _page(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    task = organised_task(request, slug, task_id)
    result: PublishedResult = get_object_or_404(versions_of(task_id=task.pk), version=version)
    result.task = task
    form = ZenodoForm(request.POST if request.method == "POST" else None)
    url = request.build_absolute_uri(reverse("published-result", args=[result.address]))
    if form.is_bound and form.is_valid():
        try:
            zenodo_draft_ask(
                result=result, url=url, by=cast("User", request.user), **form.cleaned_data
            )
        except ZenodoRefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("A worker is making the draft; this page shows how far."))
            return redirect("published-zenodo", slug, task_id, version)
    drafts = ZenodoDraft.objects.of(result.pk).select_related("job", "asked_by").order_by("-pk")
    rows = list(drafts.defer("metadata", "sealed_token"))
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "publish",
        "result": result,
        "bundle": bundle_of(result),
        "metadata": zenodo_metadata(result, licence=next(iter(LICENCES)), url=url),
        "form": form,
        "drafts": rows,
        "is_under_way": any(each.job is not None and not each.job.has_ended for each in rows),
    }
    is_part = request.headers.get("HX-Request")
    name = "publish/_zenodo.html" if is_part else "publish/zenodo.html"
    return render(request, name, context, status=400 if form.errors else 200)
