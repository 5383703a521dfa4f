"""The job that makes a draft at Zenodo."""

from typing import Any

from campaign.models import Job, JobKind
from campaign.services.jobs import JobProgress, ends, handles
from ranking.export.zenodo.client import Zenodo, ZenodoError
from ranking.models import ZenodoDraft
from ranking.selectors.result_bundles import bundle_of, bundle_opened
from ranking.services.publishing.zenodo import (
    ZenodoRefusedError,
    zenodo_address,
    zenodo_draft_made,
    zenodo_token,
    zenodo_token_forget,
)


@handles(JobKind.ZENODO_DRAFT, ZenodoError, ZenodoRefusedError)
def _make(job: Job, progress: JobProgress) -> dict[str, Any]:
    draft = ZenodoDraft.objects.select_related("result").get(pk=job.parameters["draft"])
    bundle = bundle_of(draft.result)
    if bundle is None:  # it is never taken away
        return {}
    made = Zenodo(zenodo_address(draft.host), zenodo_token(draft)).draft_make(
        draft.metadata,
        file_name=draft.file_name,
        opened=lambda: bundle_opened(bundle),
        size=bundle.size,
        sent=lambda count: progress(count, bundle.size),
    )
    zenodo_draft_made(draft=draft, number=made.number, page=made.page)
    return {"page": made.page}


@ends(JobKind.ZENODO_DRAFT)
def _forget(job: Job) -> None:
    """Forget the token: it is kept no longer than the job that needs it."""
    zenodo_token_forget(draft_id=job.parameters["draft"])
