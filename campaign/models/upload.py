"""Uploads, and files kept in parts."""

import uuid
from typing import ClassVar, Final

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of
from campaign.models.task import Protocol
from campaign.models.user import by_user


class ReferenceUse(models.TextChoices):
    """Additional use of the first reference."""

    CONTROL = (
        "control",
        _("Hidden control if not shown to judges; not ranked if shown."),
    )
    RANKED = (
        "ranked",
        _("Always ranked as one of the outputs, even if shown to judges."),
    )
    LEFT_OUT = "left_out", _("Never ranked.")


class Upload(models.Model):
    """Draft of a test set: uploaded files, and the decisions about them.

    It stays until it is imported or discarded, and any organiser of the campaign may continue it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="uploads",
        db_index=False,  # few rows
    )
    name = models.CharField(max_length=200, blank=True, default="")
    source_language = models.CharField(max_length=35, blank=True, default="")
    target_language = models.CharField(max_length=35, blank=True, default="")
    by_paragraph = models.BooleanField(default=False)
    common_documents = models.BooleanField(default=False)
    reference_use = models.CharField(
        max_length=10,
        choices=ReferenceUse,
        default=ReferenceUse.CONTROL,
    )
    protocol = models.CharField(
        max_length=20,
        choices=Protocol,
        default=Protocol.RANKING,
    )
    preset = models.CharField(
        max_length=40,
        blank=True,
        default="",
        db_default="",
        help_text="Name of the study that the first task becomes, such as mqm-core or mos; sets the protocol.",
    )
    blocks_wanted = models.PositiveIntegerField(null=True, blank=True)
    # Roles chosen by an organiser, by file name.
    roles = models.JSONField(default=dict, blank=True)
    report = models.JSONField(
        null=True,
        blank=True,
        help_text="Result of the last check or import of the files.",
    )
    test_set = models.OneToOneField(
        "campaign.TestSet",
        models.SET_NULL,
        related_name="upload",
        null=True,
        blank=True,
    )
    created_by = by_user()
    created_at = inserted_at()
    changed_at = inserted_at()

    class Meta:
        constraints = [
            is_one_of(
                "reference_use",
                ReferenceUse,
                name="upload_reference_use_is_known",
            ),
            is_one_of("protocol", Protocol, name="upload_protocol_is_known"),
        ]

    def __str__(self) -> str:
        return self.name or str(self.pk)

    @property
    def left_out(self) -> list[dict[str, str]]:
        """Files and documents that the last check or the import left out: `name` and `why` of each."""
        return [] if self.report is None else self.report["left_out"]

    @property
    def warnings(self) -> list[str]:
        """Warnings of the last check or the import about the texts, in sentences."""
        return [] if self.report is None else self.report["warnings"]


#: Bytes of each part of an export, a bundle or a media file, except the last.
PART_BYTES: Final = 1024 * 1024
#: `kind` of the pictures, recordings and videos that texts of the campaign show.
MEDIA: Final = "media"


class KeptFileQuerySet(models.QuerySet["KeptFile"]):
    def of(self, task_id: int) -> "KeptFileQuerySet":
        """Select the exports of a task that have not expired."""
        return self.filter(task_id=task_id, expires_at__gt=Now())

    def expired(self) -> "KeptFileQuerySet":
        """Select the exports past their expiry, which are no longer offered."""
        return self.filter(expires_at__lte=Now())


class KeptFile(models.Model):
    """A file of a campaign: one of an upload, an export of a task, the bundle of a published result, or media of texts.

    Its bytes are in its parts, or in the operator's storage for exports or media under `stored_as`.
    A file of an upload has its size before its parts arrive, and its name may include folders. An export is kept until
    it expires, a bundle permanently, and media, whose names are digests, as long as the campaign.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="files",
        db_index=False,
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
        default=False,
        help_text="Only those who may change the campaign get it.",
    )
    stored_as = models.CharField(max_length=300, blank=True, default="")
    seconds = models.FloatField(
        null=True,
        blank=True,
        help_text="Duration of sound or video.",
    )
    made_by = by_user()
    made_at = inserted_at()
    expires_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[KeptFileQuerySet] = KeptFileQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["upload", "name"],
                name="kept_file_name_once_in_an_upload",
            ),
            models.UniqueConstraint(
                fields=["campaign", "name"],
                condition=Q(kind=MEDIA),
                name="kept_file_media_once_in_a_campaign",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="kept_file_has_a_name"),
            models.CheckConstraint(
                condition=Q(upload__isnull=False, task__isnull=True, kind="", digest="")
                | Q(upload__isnull=True, task__isnull=True, kind=MEDIA)
                | Q(
                    upload__isnull=True,
                    task__isnull=False,
                    until__isnull=False,
                    watermark__isnull=False,
                    digest__regex=r"^[0-9a-f]{64}$",
                ),
                name="kept_file_of_upload_media_or_task",
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="kept_file_immutable",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]  # it has no types
                    "upload_id",
                    "task_id",
                    "name",
                    "size",
                    "digest",
                    "kind",
                    "file_format",
                    "after",
                    "until",
                    "watermark",
                    "stored_as",
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class FilePart(models.Model):
    """Consecutive bytes of a file."""

    file = models.ForeignKey(
        KeptFile,
        models.CASCADE,
        related_name="parts",
        db_index=False,
    )
    offset = models.PositiveBigIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["offset"]
        constraints = [
            models.UniqueConstraint(
                fields=["file", "offset"],
                name="file_part_offset_once",
            ),
            models.CheckConstraint(
                condition=~Q(content=b""),
                name="file_part_is_not_empty",
            ),
        ]
