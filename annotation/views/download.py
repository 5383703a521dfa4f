from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.export.answers import five_way_response
from annotation.selectors.replica_reads import ReadAt, task_answer
from campaign.models import Task, User


@require_safe
@login_required
def judgments_download(request: HttpRequest, slug: str, task_id: int) -> StreamingHttpResponse:
    """Send the judgments of a test set as five-way CSV to members of its campaign.

    A file of a replica that lacks judgments says in its name up to which it is.
    """
    tasks = Task.objects.open_to(cast("User", request.user)).select_related("test_set__campaign")
    task = get_object_or_404(tasks, pk=task_id, test_set__campaign__slug=slug)

    def file(at: ReadAt | None) -> StreamingHttpResponse:
        watermark = at.watermark if at is not None and at.behind else None
        return five_way_response(task=task, watermark=watermark)

    return task_answer(file, task_id=task.pk)
