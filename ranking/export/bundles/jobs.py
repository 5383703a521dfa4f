"""The job that makes a bundle."""

from typing import Any

from campaign.models import Job, JobKind
from campaign.services.jobs import JobProgress, handles
from ranking.export.bundles.making import result_bundle_make
from ranking.models import ResultBundle
from ranking.services.publishing.refusals import PublishingRefusedError


@handles(JobKind.BUNDLE, PublishingRefusedError)
def _make(job: Job, progress: JobProgress) -> dict[str, Any]:
    bundle = ResultBundle.objects.filter(pk=job.parameters["bundle"]).first()
    if bundle is None or bundle.is_made:  # by a command meanwhile
        return {}
    return {"sha256": result_bundle_make(bundle=bundle, progress=progress).digest}
