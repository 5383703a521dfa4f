"""Uploads of a campaign with their files, and the work that is done to them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce, Length

from campaign.models import Campaign, Job, KeptFile, Task, Upload


def uploads_read(*, campaign: Campaign, uploads: Sequence[Any]) -> Sequence[Any]:
    """Return the uploads of a campaign, with their files and latest jobs.

    Their files are in `sent`, each with the number of bytes received so far (`held`); `job` is None if there is none.
    Two queries.
    """
    files: dict[UUID | None, list[KeptFile]] = {upload.pk: [] for upload in uploads}
    found = KeptFile.objects.filter(upload__in=uploads)
    for file in found.annotate(
        held=Coalesce(Sum(Length("parts__content")), 0)
    ).order_by("name"):
        files[file.upload_id].append(file)
    jobs = Job.objects.filter(
        campaign=campaign, parameters__upload__in=[str(pk) for pk in files]
    )
    latest = {job.parameters["upload"]: job for job in jobs.order_by("pk")}
    for upload in uploads:
        upload.campaign = campaign
        upload.sent = files[upload.pk]
        upload.job = latest.get(str(upload.pk))
    return uploads


def judgments_imports(*, task: Task) -> list[dict[str, Any]]:
    """Return the reports of imports of judgments into a task, newest first. One query."""
    upload = Upload.objects.filter(test_set=task.test_set_id).first()
    report = (upload.report if upload is not None else None) or {}
    return [
        {**each, "imported_at": datetime.fromisoformat(each["imported_at"])}
        for each in reversed(report.get("judgments", []))
        if each["task"] == task.pk
    ]


def drafts(*, campaign: Campaign, with_files: bool = False) -> QuerySet[Upload]:
    """Return the uploads that have not been imported yet, newest first, with their `file_count`.

    `with_files` leaves out those without any file.
    """
    uploads = Upload.objects.filter(campaign=campaign, test_set=None).annotate(
        file_count=Count("files")
    )
    return (uploads.filter(file_count__gt=0) if with_files else uploads).order_by(
        "-created_at"
    )
