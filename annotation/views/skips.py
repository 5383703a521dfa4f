"""Skips as organisers read them: a list to filter."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.pages.skip_table import SkipFilter, SkipTable
from annotation.selectors.skips import skips_listed
from campaign.views.access import organised_test_set


@require_safe
@never_cache
@login_required
def skips_page(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """List the skips of a test set, the latest first; the address sorts, pages and filters."""
    test_set = organised_test_set(request, slug, test_set_id)
    asked = SkipFilter.of(request, skips_listed(test_set=test_set))
    context = {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "section": "judgments",
        "filter": asked,
        "table": SkipTable(asked.found, test_set=test_set).of(request),
    }
    return render(request, "organiser/skips.html", context, status=asked.status)
