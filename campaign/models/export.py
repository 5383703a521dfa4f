from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

#: So many bytes of a file are in each of its parts.
EXPORTED_PART_BYTES: Final = 1024 * 1024


class ExportedFileQuerySet(models.QuerySet["ExportedFile"]):
    def of(self, task_id: int) -> "ExportedFileQuerySet":
        """Select the files of a task that have not expired."""
        return self.filter(task_id=task_id, expires_at__gt=Now())

    def expired(self) -> "ExportedFileQuerySet":
        """Select the files past their expiry, which are no longer offered."""
        return self.filter(expires_at__lte=Now())


class ExportedFile(models.Model):
    """A file of something of a task, written by a worker and kept until it expires.

    Its bytes are in its parts or, where the operator has set up a storage for exports, there under `stored_as`.
    """

    task = models.ForeignKey(
        "campaign.Task", on_delete=models.CASCADE, related_name="exported_files"
    )
    kind = models.CharField(_("kind"), max_length=20)
    file_format = models.CharField(_("format"), max_length=20)
    name = models.CharField(_("name of the file"), max_length=300)
    after = models.PositiveBigIntegerField(_("after"), default=0)
    until = models.PositiveBigIntegerField(_("until"))
    watermark = models.PositiveBigIntegerField(_("watermark"))
    names_people = models.BooleanField(
        _("names judges"),
        default=False,
        help_text=_("Only those who may change the campaign get it."),
    )
    size = models.PositiveBigIntegerField(_("bytes"))
    digest = models.CharField(_("SHA-256"), max_length=64)
    stored_as = models.CharField(_("name in the storage"), max_length=300, blank=True, default="")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
    )
    made_at = models.DateTimeField(_("made"), db_default=Now(), editable=False)
    expires_at = models.DateTimeField(_("expires"))

    objects: ClassVar[ExportedFileQuerySet] = ExportedFileQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("exported file")
        verbose_name_plural = _("exported files")
        constraints = [
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"),
                name="exported_file_digest_is_a_sha_256",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ExportedPart(models.Model):
    """Consecutive bytes of an exported file."""

    file = models.ForeignKey(
        ExportedFile, on_delete=models.CASCADE, related_name="parts", db_index=False
    )
    offset = models.PositiveBigIntegerField(_("offset in bytes"))
    content = models.BinaryField(_("content"))

    class Meta:
        verbose_name = _("part of an exported file")
        verbose_name_plural = _("parts of exported files")
        ordering = ["offset"]
        constraints = [
            models.UniqueConstraint(fields=["file", "offset"], name="exported_part_offset_once"),
        ]

    def __str__(self) -> str:
        return f"{self.file_id} from {self.offset}"
