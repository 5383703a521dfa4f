"""Judgments of machine judges, apart from those of people."""

from typing import ClassVar

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Now

from annotation.models.judgment import LabelsAreRanks, SkipReason
from campaign.database.triggers import is_one_of


class MachineJudgmentQuerySet(models.QuerySet["MachineJudgment"]):
    def current(self) -> "MachineJudgmentQuerySet":
        """Return the answers, and of the blocks without one the latest skips."""
        later = self.model.objects.filter(
            segment=models.OuterRef("segment"),
            machine=models.OuterRef("machine"),
            part=models.OuterRef("part"),
            outputs=models.OuterRef("outputs"),
            is_reversed=models.OuterRef("is_reversed"),
            pk__gt=models.OuterRef("pk"),
        )
        return self.filter(models.Q(skip_reason="") | ~models.Exists(later))


class MachineJudgment(models.Model):
    """A machine judge's answer to a block, or its skip. Append-only; a block that was skipped may be answered later.

    No judgment, assignment or exposure is stored, and no number assigned: everything that counts
    reads other tables.
    """

    #: Chosen by the client: the same id twice is one answer.
    client_id = models.UUIDField(unique=True)
    machine = models.ForeignKey(
        "campaign.MachineJudge",
        models.PROTECT,
        related_name="judgments",
        db_index=False,
    )
    task = models.ForeignKey(
        "campaign.Task",
        models.PROTECT,
        related_name="machine_judgments",
    )
    segment = models.ForeignKey(
        "campaign.Segment",
        models.PROTECT,
        related_name="machine_judgments",
        db_index=False,
    )
    #: The block that it was asked, lent to a person; none for an answer from a file.
    block = models.ForeignKey(
        "annotation.Block",
        models.PROTECT,
        related_name="machine_judgments",
        db_index=False,
        null=True,
        blank=True,
    )
    part = models.PositiveSmallIntegerField()
    is_reversed = models.BooleanField()
    #: In the order in which the machine got them.
    outputs = ArrayField(models.BigIntegerField())
    #: As `Block.stands_for`.
    stands_for = ArrayField(models.PositiveSmallIntegerField(), null=True, blank=True)
    #: Ranks of the candidates, in the same order; empty for a skip.
    labels = ArrayField(models.PositiveSmallIntegerField(null=True))
    #: The answer as it was given, for all protocols except rankings.
    answer = models.JSONField(encoder=DjangoJSONEncoder, null=True, blank=True)
    skip_reason = models.CharField(max_length=13, blank=True, default="")
    duration_ms = models.PositiveIntegerField(null=True, blank=True)
    comment = models.TextField(blank=True)
    submitted_at = models.DateTimeField(db_default=Now(), editable=False)

    objects: ClassVar[MachineJudgmentQuerySet] = MachineJudgmentQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["block", "machine", "is_reversed"],
                condition=models.Q(skip_reason=""),
                name="machine_judgment_block_once_per_order",
            ),
            is_one_of(
                "skip_reason",
                ["", *SkipReason],
                name="machine_judgment_skip_reason_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(skip_reason="") & LabelsAreRanks("labels")
                | ~models.Q(skip_reason="") & models.Q(labels=[]),
                name="machine_judgment_ranks_iff_not_skipped",
            ),
        ]
        indexes = [
            # Finds what a machine has answered.
            models.Index(
                fields=["segment", "machine"],
                name="machine_judgment_of_a_segment",
            ),
            # In the order of exports, and for the numbers on the page.
            models.Index(
                fields=["machine", "id"],
                name="machine_judgment_of_a_machine",
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="machine_judgment_append_only",
                operation=pgtrigger.Update | pgtrigger.Delete,
            ),
        ]
