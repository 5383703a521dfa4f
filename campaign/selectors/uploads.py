"""Uploads of a campaign with their files, and the work that is done to them."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce, Length

from campaign.formats.json_text import JSONObject
from campaign.models import Campaign, Job, KeptFile, Task, TestSet, Upload


def uploads_read(*, campaign: Campaign, uploads: Sequence[Any]) -> Sequence[Any]:
    """Return the uploads of a campaign, with their files and latest jobs.

    Their files are in `sent`, each with the number of bytes received so far (`bytes_received`); `job` is None if there is none.
    Two queries.
    """
    received = Coalesce(Sum(Length("parts__content")), 0)
    files = KeptFile.objects.filter(upload__in=uploads).annotate(
        bytes_received=received,
    )
    files_by_upload = defaultdict[UUID | None, list[KeptFile]](list)
    for file in files.order_by("name"):
        files_by_upload[file.upload_id].append(file)
    ids = [str(upload.pk) for upload in uploads]
    jobs = Job.objects.filter(campaign=campaign, parameters__upload__in=ids)
    latest = {job.parameters["upload"]: job for job in jobs.order_by("pk")}
    for upload in uploads:
        upload.campaign = campaign
        upload.sent = files_by_upload[upload.pk]
        upload.job = latest.get(str(upload.pk))
    return uploads


def judgments_imports(*, task: Task) -> list[JSONObject]:
    """Return the reports of imports of judgments into a task, newest first. One query."""
    upload = Upload.objects.filter(test_set=task.test_set_id).first()
    if upload is None or not upload.report:
        return []
    imports = []
    for report in reversed(upload.report.get("judgments", [])):
        if report["task"] == task.pk:
            imported_at = datetime.fromisoformat(report["imported_at"])
            imports.append({**report, "imported_at": imported_at})
    return imports


def drafts(*, campaign: Campaign, with_files: bool = False) -> QuerySet[Upload]:
    """Return the uploads that have not been imported yet, newest first, with their `file_count`.

    `with_files` leaves out those without any file.
    """
    uploads = Upload.objects.filter(campaign=campaign, test_set=None).annotate(
        file_count=Count("files"),
    )
    if with_files:
        uploads = uploads.filter(file_count__gt=0)
    return uploads.order_by("-created_at")


def outputs_moved(*, test_set: TestSet) -> dict[str, frozenset[int]]:
    """Return the segments, by system, in whose outputs positions changed when the import of the texts removed blanks.

    One query.
    """
    reports = Upload.objects.filter(test_set=test_set).values_list("report", flat=True)
    report = reports.first() or {}
    moved = report.get("moved", {})
    return {system: frozenset(numbers) for system, numbers in moved.items()}
