from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from campaign.views.access import organised_task
from ranking.services import latest_ranking_keep


@require_POST
@login_required
def ranking_keep(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Keep the present ranking of a test set for good, and say under which number."""
    task = organised_task(request, slug, task_id)
    run = latest_ranking_keep(task_id=task.pk)
    if run is None:
        messages.info(request, _("This test set has no ranking yet."))
    else:
        messages.success(
            request,
            _("Kept as ranking %(id)s, with the judgments up to %(watermark)s.")
            % {"id": run.pk, "watermark": run.watermark},
        )
    return redirect("test-set-dashboard", slug, task_id)
