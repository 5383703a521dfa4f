from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.recording import RecordedModel, Recording


class TrainingBlock(RecordedModel):
    """A segment with outputs whose order is known, shown to new judges with an explanation.

    A judge's own block keeps the version shown (`Block.expected`, `Block.explanation`), so a change
    here affects only future judges.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="training_blocks",
        db_index=False,
    )
    position = models.PositiveSmallIntegerField(_("Position"), help_text="From 1.")
    segment = models.ForeignKey(
        "campaign.Segment",
        models.PROTECT,
        related_name="+",
        verbose_name=_("Segment"),
    )
    explanation = models.TextField(
        _("Explanation"),
        help_text="Shown to the judge after this block. Name no systems.",
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Training block created"),
        changed=pgettext_lazy("activity", "Training block changed"),
        deleted=pgettext_lazy("activity", "Training block deleted"),
        fields=["position", "segment_id", "explanation"],
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        called="position",
    )

    class Meta:
        verbose_name = _("Training block")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "position"],
                name="training_block_position_unique_in_task",
            ),
            models.UniqueConstraint(
                fields=["task", "segment"],
                name="training_block_segment_unique_in_task",
            ),
            models.CheckConstraint(
                condition=~models.Q(explanation=""),
                name="training_block_is_explained",
            ),
        ]


class TrainingCandidate(RecordedModel):
    """An output of a training block and the rank it should get."""

    training_block = models.ForeignKey(
        TrainingBlock,
        models.CASCADE,
        related_name="candidates",
        db_index=False,
    )
    output = models.ForeignKey(
        "campaign.Output",
        models.PROTECT,
        related_name="+",
        verbose_name=_("Output"),
    )
    expected = models.PositiveSmallIntegerField(
        _("Expected rank"),
        null=True,
        blank=True,
        help_text="1 is best. Only the order counts; empty if any rank will do.",
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Output added to training block"),
        changed=pgettext_lazy("activity", "Output changed in training block"),
        deleted=pgettext_lazy("activity", "Output removed from training block"),
        fields=["output_id", "expected"],
        campaign="training_block__task__test_set__campaign_id",
        test_set="training_block__task__test_set_id",
        called="training_block__position",
    )

    class Meta:
        verbose_name = _("Output of a training block")
        ordering = ["expected", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["training_block", "output"],
                name="training_candidate_once_in_block",
            ),
            models.CheckConstraint(
                condition=models.Q(expected__range=(1, 5)),
                name="training_candidate_rank_between_1_and_5",
            ),
        ]
