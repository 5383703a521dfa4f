"""Uploads of a campaign with their files, and the work that is done to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce, Length

from campaign.models import Campaign, Job, KeptFile, Task, Upload


@dataclass(frozen=True, slots=True)
class UploadState:
    """An upload, its files with the bytes that are there (`held`), and the latest job on it."""

    upload: Upload
    files: Sequence[KeptFile]
    job: Job | None

    @property
    def is_whole(self) -> bool:
        """True if there are files and all of them have arrived completely."""
        return bool(self.files) and all(file.held == file.size for file in self.files)  # type: ignore[attr-defined]


def upload_state(*, campaign: Campaign, upload_id: UUID) -> UploadState | None:
    """Return an upload of a campaign; None if there is none. Three queries."""
    upload = Upload.objects.filter(campaign=campaign, pk=upload_id).first()
    if upload is None:
        return None
    upload.campaign = campaign
    return upload_states(campaign=campaign, uploads=[upload])[upload.pk]


def upload_states(*, campaign: Campaign, uploads: Sequence[Upload]) -> dict[UUID, UploadState]:
    """Return the states of uploads of a campaign by the uploads' ids. Two queries."""
    files: dict[UUID | None, list[KeptFile]] = {upload.pk: [] for upload in uploads}
    for file in _with_bytes(KeptFile.objects.filter(upload__in=uploads)):
        files[file.upload_id].append(file)
    jobs = Job.objects.filter(campaign=campaign, parameters__upload__in=[str(pk) for pk in files])
    latest = {job.parameters["upload"]: job for job in jobs.order_by("pk")}
    return {
        upload.pk: UploadState(upload, files[upload.pk], latest.get(str(upload.pk)))
        for upload in uploads
    }


def _with_bytes(files: QuerySet[KeptFile]) -> QuerySet[KeptFile]:
    return files.annotate(held=Coalesce(Sum(Length("parts__content")), 0)).order_by("name")


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
    """Return the uploads that no test set was made of yet, the newest first, with their `file_count`.

    `with_files`: without those that were left before a file was in them.
    """
    found = Upload.objects.filter(campaign=campaign, test_set=None).annotate(
        file_count=Count("files")
    )
    return (found.filter(file_count__gt=0) if with_files else found).order_by("-created_at")
