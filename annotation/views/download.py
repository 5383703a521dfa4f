from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.export.response import five_way_response
from annotation.selectors.replica_reads import ReadAt, test_set_answer
from campaign.models import TestSet, User


@require_safe
@login_required
def judgments_download(request: HttpRequest, slug: str, test_set_id: int) -> StreamingHttpResponse:
    """Send the judgments of a test set as five-way CSV to members of its campaign.

    A file of a replica that lacks judgments says in its name up to which it is.
    """
    test_sets = TestSet.objects.open_to(cast("User", request.user)).select_related("campaign")
    test_set = get_object_or_404(test_sets, pk=test_set_id, campaign__slug=slug)

    def file(at: ReadAt | None) -> StreamingHttpResponse:
        watermark = at.watermark if at is not None and at.behind else None
        return five_way_response(test_set=test_set, watermark=watermark)

    return test_set_answer(file, test_set_id=test_set.pk)
