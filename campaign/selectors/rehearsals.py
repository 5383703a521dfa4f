"""The rehearsal of a campaign, and whether it is up to date."""

from dataclasses import dataclass
from typing import Final

from campaign.models import (
    ActivityEvent,
    Campaign,
    CampaignState,
    Job,
    JobKind,
    JobState,
)

#: Changes to objects of these kinds make a rehearsal outdated.
_WHAT_IS_REHEARSED: Final = (
    "campaign.campaign",
    "campaign.testset",
    "campaign.system",
    "campaign.badreference",
    "campaign.instructions",
    "annotation.design",
    "annotation.trainingblock",
    "annotation.qualityrule",
    "ranking.rankingsettings",
)


@dataclass(frozen=True, slots=True)
class RehearsalState:
    """The rehearsal of a campaign, and the latest job on it.

    Attributes
    ----------
    rehearsal : Job or None
        The job that wrote it; its `parameters` describe the simulated judges.
    campaign : Campaign or None
        The campaign of the simulated judges.
    is_outdated : bool
        Whether texts, designs or settings were changed since it began.
    job : Job or None
        The latest job that began or ended one.
    """

    rehearsal: Job | None
    campaign: Campaign | None
    is_outdated: bool
    job: Job | None

    @property
    def is_under_way(self) -> bool:
        """True if a rehearsal is being created or erased."""
        return self.job is not None and not self.job.has_ended

    @property
    def stage(self) -> str:
        """`none`, `under way`, `there` or `outdated`, as REST names them."""
        if self.is_under_way:
            return "under way"
        if self.rehearsal is None:
            return "none"
        if self.is_outdated:
            return "outdated"
        return "there"


def rehearsal_state(*, campaign: Campaign) -> RehearsalState:
    """Return the rehearsal of a campaign. Two queries; four if there is one."""
    clone = Campaign.objects.filter(rehearsal_of=campaign).first()
    jobs = (
        Job.objects.filter(campaign=campaign).select_related("asked_by").order_by("-pk")
    )
    written = jobs.filter(kind=JobKind.REHEARSAL, state=JobState.DONE)
    if clone is None:
        rehearsal = None
    else:
        rehearsal = written.first()
    changes = ActivityEvent.objects.filter(
        campaign=campaign.pk,
        kind__in=_WHAT_IS_REHEARSED,
    )
    return RehearsalState(
        rehearsal=rehearsal,
        campaign=clone,
        is_outdated=rehearsal is not None
        and changes.filter(happened_at__gt=rehearsal.started_at).exists(),
        job=jobs.filter(kind__in=[JobKind.REHEARSAL, JobKind.REHEARSAL_END]).first(),
    )


def rehearsal_to_see(*, campaign: Campaign) -> Campaign | None:
    """Return the campaign in which simulated judges rehearse this draft. One query, none for other states."""
    if campaign.state != CampaignState.DRAFT:
        return None
    return Campaign.objects.filter(rehearsal_of=campaign).first()


def rehearsed_slug(*, task_id: int) -> str | None:
    """Return the short name of the campaign that a test set's campaign rehearses; None if it is not a rehearsal."""
    campaigns = Campaign.objects.filter(rehearsal__test_sets__tasks=task_id)
    return campaigns.values_list("slug", flat=True).first()
