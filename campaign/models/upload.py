import uuid

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.triggers import is_one_of
from campaign.models.task import Protocol
from campaign.models.user import by_user


class ReferenceUse(models.TextChoices):
    """Additional use of the first reference."""

    CONTROL = (
        "control",
        _("Hidden control if not shown to judges; not ranked if shown."),
    )
    RANKED = "ranked", _("Always ranked as one of the outputs, even if shown to judges.")
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
        max_length=10, choices=ReferenceUse, default=ReferenceUse.CONTROL
    )
    protocol = models.CharField(max_length=20, choices=Protocol, default=Protocol.RANKING)
    blocks_wanted = models.PositiveIntegerField(null=True, blank=True)
    # Roles chosen by an organiser, by file name.
    roles = models.JSONField(default=dict, blank=True)
    report = models.JSONField(
        null=True, blank=True, help_text="Result of the last check or import of the files."
    )
    test_set = models.OneToOneField(
        "campaign.TestSet", models.SET_NULL, related_name="upload", null=True, blank=True
    )
    created_by = by_user()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    changed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            is_one_of("reference_use", ReferenceUse, name="upload_reference_use_is_known"),
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
