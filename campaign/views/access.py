"""What the pages of organisers share: whose campaign it is."""

from typing import cast

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from campaign.models import Campaign, TestSet, User


def organised_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign if the user organises it; else raise a 404."""
    return get_object_or_404(Campaign.objects.run_by(cast("User", request.user)), slug=slug)


def organised_test_set(request: HttpRequest, slug: str, test_set_id: int) -> TestSet:
    """Return the test set if the user organises its campaign; else raise a 404."""
    campaigns = Campaign.objects.run_by(cast("User", request.user)).filter(slug=slug)
    test_sets = TestSet.objects.select_related("campaign")
    return get_object_or_404(test_sets, pk=test_set_id, campaign__in=campaigns)
