"""The worker's part: a static copy is made, and kept in the database, from where it is downloaded."""

from tempfile import TemporaryFile
from typing import Any

from campaign.models import Job, JobKind
from campaign.services.copies import copy_keep
from campaign.services.jobs import JobProgress, handles
from cells.campaign_copy.pages import copy_language
from cells.campaign_copy.rankings import CopyRefusedError
from cells.campaign_copy.writing import zip_write
from ranking.services.publishing import PublishingRefusedError


@handles(JobKind.CAMPAIGN_COPY, CopyRefusedError, PublishingRefusedError)
def _copy(job: Job, progress: JobProgress) -> dict[str, Any]:
    with TemporaryFile() as stream:
        pages = zip_write(
            stream,
            job.campaign,
            with_texts=job.parameters["with_texts"],
            address=job.parameters["address"],
            told=progress,
        )
        copy = copy_keep(
            campaign=job.campaign,
            zipped=stream,
            pages=pages,
            with_texts=job.parameters["with_texts"],
            language=copy_language(),
            by=job.asked_by,
        )
    return {"copy": copy.pk}
