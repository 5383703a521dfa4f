"""Exports by a worker: asked for, and written into a file that is kept."""

from typing import Any

from django.db import transaction

from campaign.models import Campaign, Job, JobKind, Task, User
from campaign.selectors.exported_files import ExportStorageError
from campaign.services.exported_files import exported_file_keep
from campaign.services.jobs import JobProgress, handles, job_queue
from ranking.export.judgments.asked import Export, ExportRefusedError, export_asked
from ranking.export.judgments.making import export_bytes


@transaction.atomic
def export_queue(*, export: Export, by: User | None) -> Job:
    """Have a worker write a file of an export, unless one is at the same; return the job."""
    campaign = export.task.test_set.campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    parameters = {
        "task": export.task.pk,
        "kind": export.kind.name,
        "file_format": str(export.file_format),
        "after": export.after,
        "until": export.until,
        "watermark": export.watermark,
    }
    waiting = Job.objects.waiting().filter(campaign=campaign, kind=JobKind.EXPORT)
    return waiting.filter(parameters=parameters).first() or job_queue(
        campaign=campaign,
        kind=JobKind.EXPORT,
        name=export.file_name[:200],
        parameters=parameters,
        user=by,
    )


@handles(JobKind.EXPORT, ExportRefusedError, ExportStorageError)
def _export(job: Job, progress: JobProgress) -> dict[str, Any]:
    asked = dict(job.parameters)
    task = Task.objects.select_related("test_set__campaign").get(pk=asked.pop("task"))
    export = export_asked(task=task, **asked)
    kept = exported_file_keep(
        task=task,
        content=export_bytes(export, told=progress),
        by=job.asked_by,
        kind=export.kind.name,
        file_format=str(export.file_format),
        name=export.file_name[-300:],
        after=export.after,
        until=export.until,
        watermark=export.watermark,
        names_people=export.kind.names_people,
    )
    return {"file": kept.pk, "sha256": kept.digest, "bytes": kept.size}
