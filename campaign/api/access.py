"""What the views of the research API share: who may read what."""

from typing import cast

from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request

from campaign.models import Campaign, TestSet, User


def reader(request: Request) -> User:
    """Return the signed-in user; every view requires one."""
    return cast("User", request.user)


def readable_test_set(request: Request, test_set_id: int) -> TestSet:
    """Return the test set if the user is a member of its campaign; else raise a 404."""
    test_set = TestSet.objects.open_to(reader(request)).filter(pk=test_set_id).first()
    if test_set is None:
        raise NotFound(_("There is no such test set, or you are not a member of its campaign."))
    return test_set


def organised_test_set(request: Request, test_set_id: int) -> TestSet:
    """Return the test set if the user organises its campaign; other members get a 403."""
    test_set = readable_test_set(request, test_set_id)
    if not Campaign.objects.run_by(reader(request)).filter(pk=test_set.campaign_id).exists():
        raise PermissionDenied(_("Only the organisers of a campaign may see this."))
    return test_set


def organised_campaign(request: Request, slug: str) -> Campaign:
    """Return the campaign if the user organises it; other members get a 403."""
    campaign = Campaign.objects.open_to(reader(request)).filter(slug=slug).first()
    if campaign is None:
        raise NotFound(_("There is no such campaign, or you are not a member of it."))
    if not Campaign.objects.run_by(reader(request)).filter(pk=campaign.pk).exists():
        raise PermissionDenied(_("Only the organisers of a campaign may see this."))
    return campaign
