"""The numbers of judgments, given after their commit, and what is counted with them."""

import pgtrigger
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.triggers import trigger_from_file


class JudgmentNumber(models.Model):
    """The number of a judgment in its test set. Append-only; written by `JUDGMENTS_NUMBER` alone.

    Numbers count the judgments of a test set without a gap, in the order in which they were committed. A
    reader who sees number w therefore sees exactly the judgments 1…w, so that w serves as a ranking run's
    watermark.
    """

    judgment = models.OneToOneField(
        "annotation.Judgment",
        on_delete=models.PROTECT,
        related_name="numbered",
        primary_key=True,
        # `number_of_a_judgment` looks up all that are numbered together; judgments are never deleted.
        db_constraint=False,
    )
    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.PROTECT,
        related_name="judgment_numbers",
        db_index=False,  # `judgment_number_unique_in_task` begins with it
        db_constraint=False,  # the judgment's: `number_of_a_judgment`
    )
    number = models.PositiveIntegerField(_("number"), help_text=_("From 1 in the test set."))

    class Meta:
        verbose_name = _("number of a judgment")
        verbose_name_plural = _("numbers of judgments")
        constraints = [
            models.UniqueConstraint(
                fields=["task", "number"], name="judgment_number_unique_in_task"
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="judgment_number_append_only", operation=pgtrigger.Update | pgtrigger.Delete
            ),
            trigger_from_file(
                "annotation",
                "number_of_a_judgment",
                level=pgtrigger.Statement,
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                referencing=pgtrigger.Referencing(new="new_rows"),  # type: ignore[no-untyped-call]
                declare=[("wrong", "BIGINT")],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}/{self.number}"


class UnnumberedJudgment(models.Model):
    """A judgment that has no number yet. Inserted with each judgment by a trigger."""

    judgment = models.OneToOneField(
        "annotation.Judgment",
        on_delete=models.CASCADE,
        related_name="+",
        primary_key=True,
        db_constraint=False,  # the trigger of the judgment writes it, and nobody else
    )
    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,  # `judgment_unnumbered` begins with it
        db_constraint=False,
    )

    class Meta:
        verbose_name = _("judgment without a number")
        verbose_name_plural = _("judgments without a number")
        indexes = [
            # Read in this order. Rows of other test sets may be many, while an import goes on.
            models.Index(fields=["task", "judgment"], name="judgment_unnumbered"),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}: judgment {self.judgment_id}"


class JudgmentSequence(models.Model):
    """The last judgment number given out in a test set, and what judgments 1 to this one come to.

    Its row lock orders those who give numbers. Nobody who submits a judgment takes it.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="judgment_sequence",
        primary_key=True,
    )
    last_number = models.PositiveIntegerField(_("last number"), default=0, db_default=0)
    judged = models.PositiveIntegerField(
        _("blocks judged"),
        default=0,
        db_default=0,
        help_text=_("First judgments of blocks, controls not among them."),
    )
    judges = models.PositiveIntegerField(
        _("judges"), default=0, db_default=0, help_text=_("With one of these judgments.")
    )
    skipped = models.PositiveIntegerField(
        _("blocks skipped"),
        default=0,
        db_default=0,
        help_text=_("Skips that stand, controls not among them."),
    )
    most_candidates = models.PositiveSmallIntegerField(
        _("most outputs in a block"), default=0, db_default=0, help_text=_("Of those judged.")
    )
    changes = models.PositiveBigIntegerField(
        _("changes"),
        default=0,
        db_default=0,
        help_text=_("Rises whenever judgments or skips are counted."),
    )

    class Meta:
        verbose_name = _("judgment sequence")
        verbose_name_plural = _("judgment sequences")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.last_number}"


class RankingRequest(models.Model):
    """When a ranking of a test set's new judgments was requested.

    Written by the first of many judgments; the others see that it is requested, and wait for nobody.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="ranking_request",
        primary_key=True,
    )
    requested_at = models.DateTimeField(
        _("ranking requested"),
        null=True,
        blank=True,
        help_text=_("When a ranking of new judgments was requested; empty once it has begun."),
    )

    class Meta:
        verbose_name = _("request of a ranking")
        verbose_name_plural = _("requests of rankings")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.requested_at}"
