import uuid

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class HIT(models.Model):
    """Blocks of consecutive segments of one document: the unit of assignment.

    The row carries the two facts the pool is searched by, so that lending is
    one probe of one partial index: since when it may be lent (again), and
    whether it is done.
    """

    class Purpose(models.TextChoices):
        FIRST = "first", _("first")
        TRAINING = "training", _("training")

    test_set = models.ForeignKey("campaign.TestSet", on_delete=models.CASCADE, related_name="hits")
    design = models.ForeignKey("annotation.Design", on_delete=models.PROTECT, related_name="hits")
    number = models.PositiveIntegerField(
        _("number"), help_text=_("k; with gaps where a draw held nothing to judge.")
    )
    purpose = models.CharField(_("purpose"), max_length=10, choices=Purpose, default=Purpose.FIRST)
    reserved_for = models.ForeignKey(
        "campaign.Judge",
        on_delete=models.PROTECT,
        related_name="reserved_hits",
        null=True,
        blank=True,
        help_text=_("Planned for this judge."),
    )
    available_at = models.DateTimeField(_("may be lent from"), default=timezone.now)
    completed_at = models.DateTimeField(_("completed"), null=True, blank=True)

    class Meta:
        verbose_name = _("HIT")
        verbose_name_plural = _("HITs")
        constraints = [
            models.UniqueConstraint(
                fields=["test_set", "number"], name="hit_number_unique_in_test_set"
            ),
        ]
        indexes = [
            # The pool: what lending scans. Lent HITs stay in it until they are done, so a scan
            # passes over as many rows as there are leases out, however long the history.
            models.Index(
                fields=["test_set", "number"],
                condition=models.Q(completed_at__isnull=True),
                name="hit_pool",
            ),
        ]

    def __str__(self) -> str:
        return f"HIT {self.number}"


class HITSequence(models.Model):
    """How far a test set is planned; its row lock lets one planner at a time draw HITs."""

    test_set = models.OneToOneField(
        "campaign.TestSet",
        on_delete=models.CASCADE,
        related_name="hit_sequence",
        primary_key=True,
    )
    last_number = models.PositiveIntegerField(_("last number"), default=0)
    blocks_planned = models.PositiveIntegerField(_("blocks planned"), default=0)

    class Meta:
        verbose_name = _("HIT sequence")
        verbose_name_plural = _("HIT sequences")

    def __str__(self) -> str:
        return f"{self.test_set_id}: {self.last_number}"


class Block(models.Model):
    """A segment and its candidates in shown order: the unit of judgment.

    A control block is judged and kept like every other, and counts in nothing
    (`Judgment.objects.counted()`).
    """

    class Control(models.TextChoices):
        NONE = "", _("no control")
        ATTENTION = "attention", _("attention check")
        TRAINING = "training", _("training")

    hit = models.ForeignKey(HIT, on_delete=models.CASCADE, related_name="blocks")
    segment = models.ForeignKey("campaign.Segment", on_delete=models.PROTECT, related_name="blocks")
    position = models.PositiveSmallIntegerField(_("position in the HIT"), help_text=_("From 1."))
    # What a browser sees instead of the key: says nothing about order or number.
    public_id = models.UUIDField(_("public id"), default=uuid.uuid4, unique=True)
    control = models.CharField(
        _("control"), max_length=9, choices=Control, default=Control.NONE, blank=True
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
        blank=True,
        help_text=_("What a judge reads after a training block."),
    )

    class Meta:
        verbose_name = _("block")
        verbose_name_plural = _("blocks")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "position"], name="block_position_unique_in_hit"
            ),
            models.CheckConstraint(
                condition=models.Q(control__in=["", "attention", "training"]),
                name="block_control_is_known",
            ),
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

    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="candidates")
    position = models.PositiveSmallIntegerField(_("shown position"), help_text=_("From 1."))
    public_id = models.UUIDField(_("public id"), default=uuid.uuid4, unique=True)
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
            pgtrigger.Trigger(
                name="candidate_stands_for_an_output",
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                timing=pgtrigger.Deferred,
                func="""
                    IF NOT EXISTS (
                        SELECT FROM annotation_candidateoutput WHERE candidate_id = NEW.id
                    ) AND EXISTS (SELECT FROM annotation_candidate WHERE id = NEW.id) THEN
                        RAISE EXCEPTION 'candidate % stands for no output', NEW.id
                            USING ERRCODE = 'check_violation',
                                  CONSTRAINT = 'candidate_stands_for_an_output';
                    END IF;
                    RETURN NULL;
                """,
            ),
        ]

    def __str__(self) -> str:
        return str(self.public_id)


class CandidateOutput(models.Model):
    """A candidate stands for this output."""

    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE)
    output = models.ForeignKey("campaign.Output", on_delete=models.PROTECT)

    class Meta:
        verbose_name = _("output of a candidate")
        verbose_name_plural = _("outputs of candidates")
        constraints = [
            models.UniqueConstraint(fields=["candidate", "output"], name="candidate_output_once"),
        ]
        triggers = [
            pgtrigger.Trigger(
                name="candidate_output_of_the_same_segment",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
                declare=[
                    ("own_block", "BIGINT"),
                    ("own_segment", "BIGINT"),
                    ("output_segment", "BIGINT"),
                    ("other", "BIGINT"),
                ],
                # One table at a time, each by its key: after a large insert that was rolled back
                # the planner's statistics say that the tables are empty, and it then joins them
                # by reading them whole, once for every row of the next insert.
                func="""
                    SELECT c.block_id INTO own_block
                    FROM annotation_candidate c WHERE c.id = NEW.candidate_id;
                    SELECT b.segment_id INTO own_segment
                    FROM annotation_block b WHERE b.id = own_block;
                    SELECT o.segment_id INTO output_segment
                    FROM campaign_output o WHERE o.id = NEW.output_id;
                    IF own_segment IS NULL OR own_segment IS DISTINCT FROM output_segment THEN
                        RAISE EXCEPTION 'output % is not of the segment of candidate %',
                            NEW.output_id, NEW.candidate_id
                            USING ERRCODE = 'check_violation',
                                  CONSTRAINT = 'candidate_output_of_the_same_segment';
                    END IF;
                    FOR other IN
                        SELECT c.id FROM annotation_candidate c
                        WHERE c.block_id = own_block AND c.id <> NEW.candidate_id
                    LOOP
                        IF EXISTS (
                            SELECT FROM annotation_candidateoutput co
                            WHERE co.candidate_id = other AND co.output_id = NEW.output_id
                        ) THEN
                            RAISE EXCEPTION 'output % stands twice in block %',
                                NEW.output_id, own_block
                                USING ERRCODE = 'unique_violation',
                                      CONSTRAINT = 'candidate_output_once_in_block';
                        END IF;
                    END LOOP;
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.candidate_id} ← {self.output_id}"
