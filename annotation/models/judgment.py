from typing import ClassVar

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.triggers import NeverTruncated, trigger_from_file


class LabelsAreRanks(models.Func):
    """True where every label that is set is a rank from 1 (best) to 5 (worst), and one is set."""

    template = (
        "(1 <= ALL(%(expressions)s) AND 5 >= ALL(%(expressions)s)) IS NOT FALSE"
        " AND cardinality(array_remove(%(expressions)s, NULL)) > 0"
    )
    output_field = models.BooleanField()


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def of(self, test_set_id: int) -> "JudgmentQuerySet":
        return self.filter(test_set_id=test_set_id)

    def until(self, watermark: int) -> "JudgmentQuerySet":
        """Return the judgments with a number up to `watermark`."""
        return self.filter(number__lte=watermark)

    def current(self, *, watermark: int | None = None) -> "JudgmentQuerySet":
        """Return the judgments that no later one supersedes, up to the watermark if one is given."""
        seen, later = self, Judgment.objects.filter(supersedes=models.OuterRef("pk"))
        if watermark is not None:
            seen, later = seen.until(watermark), later.until(watermark)
        return seen.filter(~models.Exists(later))

    def counted(self) -> "JudgmentQuerySet":
        """Return the judgments that count in rankings, agreement, progress, exports: no controls."""
        return self.filter(block__control="")


class Judgment(models.Model):
    """The rank labels that one judge gave one block, submitted at once. Append-only.

    `number` counts the judgments of a test set without a gap, in the order in
    which they were committed. A reader who sees number w therefore sees exactly the
    judgments 1…w, so that w serves as a ranking run's watermark.
    """

    test_set = models.ForeignKey(
        "campaign.TestSet",
        on_delete=models.PROTECT,
        related_name="judgments",
        db_index=False,  # `judgment_number_unique_in_test_set` begins with it
    )
    number = models.PositiveIntegerField(_("number"), help_text=_("From 1 in the test set."))
    client_id = models.UUIDField(
        _("client's id"),
        unique=True,
        help_text=_("Chosen by whoever submits: the same id twice is one judgment."),
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        on_delete=models.PROTECT,
        related_name="judgments",
        db_index=False,  # `judgment_of_a_judge` begins with it
    )
    block = models.ForeignKey(
        "annotation.Block", on_delete=models.PROTECT, related_name="judgments"
    )
    assignment = models.ForeignKey(
        "annotation.Assignment",
        on_delete=models.PROTECT,
        related_name="judgments",
        null=True,
        blank=True,
        help_text=_("Empty for judgments that were imported."),
    )
    labels = ArrayField(
        models.PositiveSmallIntegerField(
            null=True, validators=[MinValueValidator(1), MaxValueValidator(5)]
        ),
        verbose_name=_("labels"),
        help_text=_("Aligned with the candidates in shown order; 1 is best, empty is blank."),
    )
    duration_ms = models.PositiveIntegerField(_("time on the clock, ms"), null=True, blank=True)
    active_ms = models.PositiveIntegerField(_("active time, ms"), null=True, blank=True)
    comment = models.TextField(_("comment"), blank=True)
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, related_name="superseded_by", null=True, blank=True
    )
    submitted_at = models.DateTimeField(_("submitted"), db_default=Now(), editable=False)

    objects: ClassVar[JudgmentQuerySet] = JudgmentQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("judgment")
        verbose_name_plural = _("judgments")
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "number"], name="judgment_number_unique_in_test_set"
            ),
            models.CheckConstraint(
                condition=LabelsAreRanks("labels"), name="judgment_ranks_between_1_and_5"
            ),
            models.CheckConstraint(
                condition=models.Q(active_ms__lte=models.F("duration_ms")),
                name="judgment_active_within_its_time_on_the_clock",
            ),
            # With the trigger below and the one-to-one `supersedes`, the revisions of a judge's
            # judgment of a block form one chain: exactly one of them is current.
            models.UniqueConstraint(
                fields=["judge", "block"],
                condition=models.Q(supersedes__isnull=True),
                name="judgment_one_first_per_judge_and_block",
            ),
        ]
        indexes = [
            # What organisers read: comments are few among many judgments.
            models.Index(
                fields=["test_set", "-number"],
                condition=~models.Q(comment=""),
                name="judgment_with_comment",
            ),
            # A judge's own, latest first: their history, and their pace in the last few.
            models.Index(fields=["judge", "-submitted_at"], name="judgment_of_a_judge"),
        ]
        triggers = [
            pgtrigger.Protect(
                name="judgment_append_only", operation=pgtrigger.Update | pgtrigger.Delete
            ),
            NeverTruncated(name="judgment_never_truncated"),
            trigger_from_file(
                "annotation",
                "judgment_fits_its_block",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
                declare=[
                    ("own_hit", "BIGINT"),
                    ("own_test_set", "BIGINT"),
                    ("shown", "INTEGER"),
                ],
                # One table at a time, as in `candidate_output_of_the_same_segment`.
            ),
        ]

    def __str__(self) -> str:
        return f"{self.test_set_id}/{self.number}"


class JudgmentSequence(models.Model):
    """The last judgment number given out in a test set; its row lock orders submissions."""

    test_set = models.OneToOneField(
        "campaign.TestSet",
        on_delete=models.CASCADE,
        related_name="judgment_sequence",
        primary_key=True,
    )
    last_number = models.PositiveIntegerField(_("last number"), default=0)
    # In this row because each submission changes it anyway: the first of many judgments requests a
    # ranking, and the others see at no cost that one is requested.
    ranking_requested_at = models.DateTimeField(
        _("ranking requested"),
        null=True,
        blank=True,
        help_text=_("When a ranking of new judgments was requested; empty once it has begun."),
    )

    class Meta:
        verbose_name = _("judgment sequence")
        verbose_name_plural = _("judgment sequences")

    def __str__(self) -> str:
        return f"{self.test_set_id}: {self.last_number}"
