import uuid

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.constraints import is_one_of
from campaign.database.triggers import trigger_from_file


class BlockControl(models.TextChoices):
    """What a block checks, if its right order is known."""

    NONE = "", _("no control")
    ATTENTION = "attention", _("attention check")
    TRAINING = "training", _("training")


class Block(models.Model):
    """A segment and its candidates in shown order: the unit of judgment.

    A planned HIT's blocks are written shortly before it is first lent; see `HIT.plan`.
    A control block is judged and stored like every other, but does not count in
    rankings (`Judgment.objects.counted()`).
    """

    hit = models.ForeignKey(
        "annotation.HIT",
        on_delete=models.CASCADE,
        related_name="blocks",
        db_index=False,  # `block_position_unique_in_hit` begins with it
    )
    segment = models.ForeignKey("campaign.Segment", on_delete=models.PROTECT, related_name="blocks")
    position = models.PositiveSmallIntegerField(_("position in the HIT"), help_text=_("From 1."))
    control = models.CharField(
        _("control"), max_length=9, choices=BlockControl, default=BlockControl.NONE, blank=True
    )
    expected = ArrayField(
        models.PositiveSmallIntegerField(null=True),
        verbose_name=_("expected order"),
        null=True,
        blank=True,
        help_text=_(
            "Of a control: ranks aligned with the candidates. Only their order is expected; "
            "empty means that nothing is expected of that candidate."
        ),
    )
    explanation = models.TextField(
        _("explanation"),
        default="",
        db_default="",
        blank=True,
        help_text=_("What a judge reads after a training block."),
    )
    # What a browser sees instead of the key: says nothing about order or number.
    public_id = models.UUIDField(
        _("public id"), default=uuid.uuid4, db_default=RandomUUID(), unique=True
    )

    class Meta:
        verbose_name = _("block")
        verbose_name_plural = _("blocks")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "position"], name="block_position_unique_in_hit"
            ),
            is_one_of("control", BlockControl, name="block_control_is_known"),
            models.CheckConstraint(
                condition=models.Q(control="", expected__isnull=True)
                | ~models.Q(control="") & models.Q(expected__isnull=False),
                name="block_expects_an_order_exactly_if_a_control",
            ),
        ]

    def __str__(self) -> str:
        return str(self.public_id)


class Candidate(models.Model):
    """One distinct output text of a block; it stands for every system that produced it."""

    block = models.ForeignKey(
        Block,
        on_delete=models.CASCADE,
        related_name="candidates",
        db_index=False,  # `candidate_position_unique_in_block` begins with it
    )
    position = models.PositiveSmallIntegerField(_("shown position"), help_text=_("From 1."))
    public_id = models.UUIDField(
        _("public id"), default=uuid.uuid4, db_default=RandomUUID(), unique=True
    )
    outputs = models.ManyToManyField(
        "campaign.Output", through="annotation.CandidateOutput", related_name="candidates"
    )

    class Meta:
        verbose_name = _("candidate")
        verbose_name_plural = _("candidates")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["block", "position"], name="candidate_position_unique_in_block"
            ),
        ]
        triggers = [
            trigger_from_file(
                "annotation",
                "candidate_stands_for_an_output",
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                timing=pgtrigger.Deferred,
            ),
        ]

    def __str__(self) -> str:
        return str(self.public_id)


class CandidateOutput(models.Model):
    """A candidate stands for this output."""

    candidate = models.ForeignKey(
        Candidate,
        on_delete=models.CASCADE,
        db_index=False,  # `candidate_output_once` begins with it
    )
    output = models.ForeignKey("campaign.Output", on_delete=models.PROTECT)

    class Meta:
        verbose_name = _("output of a candidate")
        verbose_name_plural = _("outputs of candidates")
        constraints = [
            models.UniqueConstraint(fields=["candidate", "output"], name="candidate_output_once"),
        ]
        triggers = [
            # Once a statement, however many rows: HITs are stored by the thousand. By nested
            # look-ups and planned as for large tables: the plan is kept with the connection, and
            # statistics from when the tables were small, or from before a large insert, would have
            # it read them whole.
            trigger_from_file(
                "annotation",
                "candidate_output_of_the_same_segment",
                level=pgtrigger.Statement,
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                referencing=pgtrigger.Referencing(new="new_rows"),  # type: ignore[no-untyped-call]
                declare=[("wrong", "RECORD"), ("scans", "TEXT")],
            ),
            pgtrigger.Protect(name="candidate_output_stays", operation=pgtrigger.Update),
        ]

    def __str__(self) -> str:
        return f"{self.candidate_id} ← {self.output_id}"
