from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.models.judgment import Judgment
from campaign.database.triggers import is_one_of, trigger_from_file


class SkipReason(models.TextChoices):
    """Why a judge did not rank a block."""

    BAD_SOURCE = "bad_source", _("The source is unusable")
    BAD_REFERENCE = "bad_reference", _("The reference is wrong")
    CANNOT_JUDGE = "cannot_judge", _("I cannot judge this")
    OTHER = "other", _("Another reason")
    # Imported blocks without a single label; the files give no reason.
    NOT_STATED = "not_stated", _("Not stated")


class SkipQuerySet(models.QuerySet["Skip"]):
    def standing(self, *, watermark: int | None = None) -> "SkipQuerySet":
        """Return the skips that the judge did not undo by judging the block, up to the watermark if one is given."""
        mine = Judgment.objects.filter(
            judge=models.OuterRef("judge"), block=models.OuterRef("block")
        )
        if watermark is not None:
            mine = mine.until(watermark)
        return self.filter(~models.Exists(mine))


class Skip(models.Model):
    """Block that a judge declined, with a reason. Skips are data (Bojar et al. 2011, §2.4).

    Append-only. A judge undoes a skip by judging the block: once there is a judgment, the skip no
    longer stands.
    """

    client_id = models.UUIDField(unique=True)
    task = models.ForeignKey(
        "campaign.Task",
        models.PROTECT,
        related_name="skips",
        db_index=False,
        db_constraint=False,  # as in `Judgment`: `skip_of_its_task` refuses all but the block's
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="skips",
        db_index=False,  # `skip_of_a_judge` begins with it
    )
    block = models.ForeignKey("annotation.Block", on_delete=models.PROTECT, related_name="skips")
    assignment = models.ForeignKey(
        "annotation.Assignment",
        models.PROTECT,
        related_name="skips",
        db_index=False,  # found by judge and block
        null=True,
        blank=True,
    )
    reason = models.CharField(max_length=13, choices=SkipReason)
    duration_ms = models.PositiveIntegerField(
        null=True, blank=True, help_text="Time from display to submission in milliseconds."
    )
    active_ms = models.PositiveIntegerField(
        null=True, blank=True, help_text="Time without breaks in milliseconds."
    )
    comment = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects: ClassVar[SkipQuerySet] = SkipQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "block"], name="skip_once_per_judge_and_block"
            ),
            is_one_of("reason", SkipReason, name="skip_reason_is_known"),
            models.CheckConstraint(
                condition=models.Q(active_ms__lte=models.F("duration_ms")),
                name="skip_active_within_its_time_on_the_clock",
            ),
        ]
        indexes = [
            models.Index(fields=["task", "-id"], name="skip_of_a_task"),
            # Comments for organisers: few skips have one.
            models.Index(
                fields=["task", "-id"],
                condition=~models.Q(comment=""),
                name="skip_with_comment",
            ),
            # A judge's own skips, latest first.
            models.Index(fields=["judge", "-created_at"], name="skip_of_a_judge"),
        ]
        triggers = [
            pgtrigger.Protect(
                name="skip_append_only", operation=pgtrigger.Update | pgtrigger.Delete
            ),
            trigger_from_file(
                "annotation",
                "skip_of_its_task",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
            trigger_from_file(
                "annotation",
                "skip_waits_to_be_counted",
                level=pgtrigger.Statement,
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                referencing=pgtrigger.Referencing(new="inserted"),  # type: ignore[no-untyped-call]
            ),
        ]
