"""Static copies of campaigns: asked for, made by a worker, kept in the database."""

from hashlib import sha256
from typing import IO, Final

from django.db import transaction

from campaign.models import Campaign, CampaignCopy, CampaignCopyPart, Job, JobKind, User
from campaign.services.jobs import job_queue

#: So many of a campaign are kept; the oldest go first.
MOST_KEPT: Final = 3
_PART_BYTES: Final = 1024 * 1024


@transaction.atomic
def copy_ask(*, campaign: Campaign, with_texts: bool, address: str, by: User | None) -> Job:
    """Have a worker make a static copy of a campaign, unless one is at it; return the job.

    Parameters
    ----------
    address : str
        Where this Quintet is found, as in "https://example.org": citations of published results name it.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    parameters = {"with_texts": with_texts, "address": address}
    same = Job.objects.waiting().filter(
        campaign=campaign, kind=JobKind.CAMPAIGN_COPY, parameters=parameters
    )
    return same.first() or job_queue(
        campaign=campaign,
        kind=JobKind.CAMPAIGN_COPY,
        name=campaign.name,
        parameters=parameters,
        user=by,
    )


@transaction.atomic
def copy_keep(
    *,
    campaign: Campaign,
    zipped: IO[bytes],
    pages: int,
    with_texts: bool,
    language: str,
    by: User | None,
) -> CampaignCopy:
    """Keep a copy that was made, and delete the oldest ones; `zipped` is read from its beginning, part by part."""
    digest, size = sha256(), 0
    zipped.seek(0)
    while part := zipped.read(_PART_BYTES):
        digest.update(part)
        size += len(part)
    copy = CampaignCopy.objects.create(
        campaign=campaign,
        has_texts=with_texts,
        language=language,
        pages=pages,
        size=size,
        digest=digest.hexdigest(),
        made_by=by,
    )
    zipped.seek(0)
    for offset in range(0, size, _PART_BYTES):
        CampaignCopyPart.objects.create(copy=copy, offset=offset, content=zipped.read(_PART_BYTES))
    oldest = CampaignCopy.objects.of(campaign.pk).order_by("-pk")[MOST_KEPT:]
    CampaignCopy.objects.filter(pk__in=list(oldest.values_list("pk", flat=True))).delete()
    return copy
