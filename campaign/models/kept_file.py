from typing import ClassVar, Final

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from campaign.models.user import by_user

#: Bytes of each part of an export or a bundle, except the last.
PART_BYTES: Final = 1024 * 1024


class KeptFileQuerySet(models.QuerySet["KeptFile"]):
    def of(self, task_id: int) -> "KeptFileQuerySet":
        """Select the exports of a task that have not expired."""
        return self.filter(task_id=task_id, expires_at__gt=Now())

    def expired(self) -> "KeptFileQuerySet":
        """Select the exports past their expiry, which are no longer offered."""
        return self.filter(expires_at__lte=Now())


class KeptFile(models.Model):
    """A file of a campaign: one of an upload, an export of a task, or the bundle of a published result.

    Its bytes are in its parts, or in the operator's storage for exports under `stored_as`.
    A file of an upload has its size before its parts arrive, and its name may include folders. An export is kept until
    it expires, a bundle permanently.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign", models.CASCADE, related_name="files", db_index=False
    )
    upload = models.ForeignKey(
        "campaign.Upload",
        models.CASCADE,
        related_name="files",
        null=True,
        blank=True,
        db_index=False,  # `kept_file_name_once_in_an_upload` begins with it
    )
    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="exported_files",
        null=True,
        blank=True,
        db_index=False,  # few rows
    )
    name = models.CharField(max_length=500)
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64, blank=True, default="")
    kind = models.CharField(max_length=20, blank=True, default="")
    file_format = models.CharField(max_length=20, blank=True, default="")
    after = models.PositiveBigIntegerField(default=0)
    until = models.PositiveBigIntegerField(null=True, blank=True)
    watermark = models.PositiveBigIntegerField(null=True, blank=True)
    names_people = models.BooleanField(
        default=False, help_text="Only those who may change the campaign get it."
    )
    stored_as = models.CharField(max_length=300, blank=True, default="")
    made_by = by_user()
    made_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[KeptFileQuerySet] = KeptFileQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["upload", "name"], name="kept_file_name_once_in_an_upload"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="kept_file_has_a_name"),
            models.CheckConstraint(
                condition=Q(upload__isnull=False, task__isnull=True, kind="", digest="")
                | Q(
                    upload__isnull=True,
                    task__isnull=False,
                    until__isnull=False,
                    watermark__isnull=False,
                    digest__regex=r"^[0-9a-f]{64}$",
                ),
                name="kept_file_of_an_upload_or_hashed_of_a_task",
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="kept_file_stays",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]  # it has no types
                    *("upload_id", "task_id", "name", "size", "digest", "kind", "file_format"),
                    *("after", "until", "watermark", "stored_as"),
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class FilePart(models.Model):
    """Consecutive bytes of a file."""

    file = models.ForeignKey(KeptFile, models.CASCADE, related_name="parts", db_index=False)
    offset = models.PositiveBigIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["offset"]
        constraints = [
            models.UniqueConstraint(fields=["file", "offset"], name="file_part_offset_once"),
            models.CheckConstraint(condition=~Q(content=b""), name="file_part_is_not_empty"),
        ]
