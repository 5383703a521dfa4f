from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class HITSequence(models.Model):
    """How far a test set is planned; the lock of its row lets one worker at a time draw HITs.

    Holds the state that the next draw depends on, so that planning does not read the history.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="hit_sequence",
        primary_key=True,
    )
    last_number = models.PositiveIntegerField(_("last number"), default=0)
    blocks_planned = models.PositiveIntegerField(_("blocks planned"), default=0)
    design = models.ForeignKey(
        "annotation.Design",
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        help_text=_("The design whose schedule `scheduled` counts."),
        db_index=False,  # few rows
    )
    scheduled = models.PositiveIntegerField(
        _("HITs planned for everybody"), default=0, help_text=_("By that design.")
    )
    inter_scheduled = models.PositiveIntegerField(
        _("of these, repeats by another judge"), default=0, db_default=0
    )
    turns = models.PositiveIntegerField(
        _("windows drawn"), default=0, help_text=_("By that design.")
    )
    state = models.JSONField(
        _("state of the draw"), default=dict, blank=True, help_text=_("Pairs and positions so far.")
    )
    segment_blocks = ArrayField(
        models.PositiveIntegerField(),
        verbose_name=_("blocks planned of each segment"),
        default=list,
        blank=True,
        help_text=_("By the segment's number, from 1; shorter where the last have none."),
    )

    class Meta:
        verbose_name = _("HIT sequence")
        verbose_name_plural = _("HIT sequences")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.last_number}"


class PlanningBatch(models.Model):
    """What a batch of HITs was drawn from: enough to draw each of them again."""

    task = models.ForeignKey(
        "campaign.Task", on_delete=models.CASCADE, related_name="planning_batches"
    )
    design = models.ForeignKey(
        "annotation.Design",
        on_delete=models.PROTECT,
        related_name="planning_batches",
        db_index=False,
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        null=True,
        blank=True,
        help_text=_("Whom the HITs were drawn for; empty means for everybody."),
    )
    avoided = ArrayField(
        models.PositiveIntegerField(),
        verbose_name=_("segments not to be drawn"),
        default=list,
        blank=True,
    )
    hidden = ArrayField(
        models.CharField(max_length=200),
        verbose_name=_("systems not to be shown"),
        default=list,
        blank=True,
    )
    withdrawn = ArrayField(
        models.CharField(max_length=200),
        verbose_name=_("systems that were withdrawn"),
        default=list,
        db_default=[],
        blank=True,
    )
    segment_limit = models.PositiveIntegerField(_("blocks of a segment"), null=True, blank=True)
    segment_blocks = ArrayField(
        models.PositiveIntegerField(),
        verbose_name=_("blocks planned of each segment"),
        default=list,
        blank=True,
        help_text=_("Where there is a limit."),
    )
    state = models.JSONField(_("state of the draw"), default=dict)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("planning batch")
        verbose_name_plural = _("planning batches")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.pk}"


class SamplingState(models.Model):
    """The comparisons of each pair of systems up to the latest ranking; active designs draw by them.

    Written by the ranking app, which this app must not import.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="sampling_state",
        primary_key=True,
    )
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("The last judgment in it, by number.")
    )
    systems = ArrayField(models.CharField(max_length=200), verbose_name=_("systems"))
    # n × n numbers, in the order of `systems`: row beats column, and row ties with column.
    wins = models.JSONField(_("wins"))
    ties = models.JSONField(_("ties"))

    class Meta:
        verbose_name = _("sampling state")
        verbose_name_plural = _("sampling states")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.watermark}"
