from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.selectors.designs import design_in_force
from annotation.selectors.hits import hits_explained
from annotation.views.reasons import hit_reason
from campaign.models import Campaign, TestSet, User

PAGE = 50


@require_safe
@never_cache
@login_required
def hits_page(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show the HITs of a test set, latest first, and why each was drawn; `?before=` a number."""
    mine = Campaign.objects.run_by(cast("User", request.user))
    test_sets = TestSet.objects.filter(campaign__in=mine).select_related("campaign")
    test_set = get_object_or_404(test_sets, pk=test_set_id, campaign__slug=slug)
    hits = hits_explained(test_set_id=test_set.pk).order_by("-number")
    before = request.GET.get("before", "")
    # Ten digits would be more than a number of a HIT can have.
    if before.isascii() and before.isdigit() and len(before) < 10:
        hits = hits.filter(number__lt=int(before))
    rows = list(hits[: PAGE + 1])
    return render(
        request,
        "dashboard/hits.html",
        {
            "campaign": test_set.campaign,
            "test_set": test_set,
            "design": design_in_force(test_set_id=test_set.pk),
            "hits": [hit_reason(hit) for hit in rows[:PAGE]],
            "older": rows[PAGE - 1].number if len(rows) > PAGE else None,
        },
    )
