"""Background jobs of a campaign."""

from django.db.models import QuerySet

from campaign.models import Campaign, Job


def jobs_of(*, campaign: Campaign) -> QuerySet[Job]:
    """Return the jobs of a campaign, the newest first."""
    return (
        Job.objects.filter(campaign=campaign).select_related("asked_by").order_by("-pk")
    )
