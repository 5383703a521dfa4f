from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.export.response import five_way_response
from campaign.models import TestSet, User


@require_safe
@login_required
def judgments_download(request: HttpRequest, slug: str, test_set_id: int) -> StreamingHttpResponse:
    """Send the judgments of a test set as five-way CSV to members of its campaign."""
    test_sets = TestSet.objects.open_to(cast("User", request.user)).select_related("campaign")
    test_set = get_object_or_404(test_sets, pk=test_set_id, campaign__slug=slug)
    return five_way_response(test_set=test_set)
