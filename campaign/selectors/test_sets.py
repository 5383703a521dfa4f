"""The test sets of a campaign."""

from campaign.models import Campaign, TestSet


def test_sets_in_order(campaign: Campaign) -> list[TestSet]:
    """Return all test sets of a campaign, in the order in which they came. One query."""
    return list(TestSet.objects.filter(campaign=campaign).order_by("created_at", "pk"))
