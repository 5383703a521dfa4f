from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, Recording


class TestSet(RecordedModel):
    """Documents of consecutive segments from one language into another, with the systems' outputs.

    Its tasks define the questions to judges: `campaign.models.task`.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign", models.CASCADE, related_name="test_sets", db_index=False
    )
    name = models.CharField(_("Name"), max_length=200)
    # Canonical BCP 47 tags: `campaign/texts/language_tags.py`. Judgments imported before this check
    # may have unknown tags from their file.
    source_language = models.CharField(_("Source language"), max_length=35)
    target_language = models.CharField(_("Target language"), max_length=35)
    expertise = ArrayField(
        models.CharField(max_length=60),
        verbose_name=_("Required expertise"),
        default=list,
        blank=True,
        help_text="Only judges with all of these areas of expertise receive work.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    recording: ClassVar = Recording(
        fields=["name", "source_language", "target_language", "expertise"],
        test_set="id",
        called="name",
    )

    class Meta:
        verbose_name = _("Test set")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "name"], name="test_set_name_unique_in_campaign"
            ),
            models.CheckConstraint(condition=~models.Q(name=""), name="test_set_name_not_empty"),
            models.CheckConstraint(
                condition=~models.Q(source_language=models.F("target_language")),
                name="test_set_source_differs_from_target",
            ),
        ]

    # Keep pytest from collecting the class because of its name.
    __test__ = False

    def __str__(self) -> str:
        return self.name


class Document(models.Model):
    test_set = models.ForeignKey(TestSet, models.CASCADE, related_name="documents", db_index=False)
    name = models.CharField(max_length=300)
    position = models.PositiveIntegerField(help_text="From 1.")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "name"], name="document_name_unique_in_test_set"
            ),
            models.UniqueConstraint(
                fields=["test_set", "position"], name="document_position_unique_in_test_set"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Segment(models.Model):
    """A source text; `source_text` is NULL (unknown) if judgments were imported without texts."""

    test_set = models.ForeignKey(TestSet, models.CASCADE, related_name="segments", db_index=False)
    document = models.ForeignKey(Document, models.CASCADE, related_name="segments", db_index=False)
    number = models.PositiveIntegerField(
        help_text="Number within the test set, from 1; srcIndex in WMT files."
    )
    position = models.PositiveIntegerField(help_text="Number within the document, from 1.")
    source_text = models.TextField(null=True)  # noqa: DJ001  NULL: not known

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "number"], name="segment_number_unique_in_test_set"
            ),
            models.UniqueConstraint(
                fields=["document", "position"], name="segment_position_unique_in_document"
            ),
            models.CheckConstraint(
                condition=~models.Q(source_text=""), name="segment_source_text_not_empty"
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1, position__gte=1),
                name="segment_number_and_position_from_1",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}"


class Reference(models.Model):
    """A human translation of a segment, shown to judges beside the source."""

    segment = models.ForeignKey(Segment, models.CASCADE, related_name="references", db_index=False)
    # From 1.
    number = models.PositiveSmallIntegerField()
    text = models.TextField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["segment", "number"], name="reference_number_unique_in_segment"
            ),
            models.CheckConstraint(condition=~models.Q(text=""), name="reference_text_not_empty"),
        ]

    def __str__(self) -> str:
        return self.text
