"""Static copies of a campaign, and their bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from django.db.models import QuerySet

from campaign.models import Campaign, CampaignCopy, CampaignCopyPart, Job, JobKind


@dataclass(frozen=True, slots=True)
class CopiesState:
    """The copies that are kept, the newest first, and the last job that made one or failed to."""

    copies: list[CampaignCopy]
    job: Job | None

    @property
    def is_under_way(self) -> bool:
        """Whether a worker is making one."""
        return self.job is not None and not self.job.has_ended


def copies_of(*, campaign: Campaign) -> QuerySet[CampaignCopy]:
    """Return the copies that are kept, the newest first."""
    return CampaignCopy.objects.of(campaign.pk).select_related("made_by").order_by("-pk")


def copies_state(*, campaign: Campaign) -> CopiesState:
    """Return what there is, and what is under way. Two queries."""
    jobs = Job.objects.filter(campaign=campaign, kind=JobKind.CAMPAIGN_COPY).order_by("-pk")
    return CopiesState(copies=list(copies_of(campaign=campaign)), job=jobs.first())


def copy_content(copy: CampaignCopy) -> Iterator[bytes]:
    """Return the bytes of a copy, a part at a time, all of them though the copy be deleted meanwhile.

    Raises `CampaignCopy.DoesNotExist` if it is deleted already.
    """
    parts = CampaignCopyPart.objects.filter(copy=copy).order_by("offset")
    # One statement: what it found stays with the server until it is read, outside a transaction, too.
    read = parts.values_list("content", flat=True).iterator(chunk_size=1)
    first = next(read, None)
    if first is None:
        raise CampaignCopy.DoesNotExist
    return (bytes(part) for part in chain([first], read))
