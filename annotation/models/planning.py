from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from campaign.database.personal import KEPT_WITHHELD, PersonalData


class HITSequence(models.Model):
    """Planning progress of a task; its row lock ensures that one worker at a time draws HITs.

    Holds the state that the next draw depends on, so that planning does not read the history.
    """

    task = models.OneToOneField(
        "campaign.Task",
        models.CASCADE,
        related_name="hit_sequence",
        primary_key=True,
    )
    last_number = models.PositiveIntegerField(default=0)
    blocks_planned = models.PositiveIntegerField(default=0)
    #: The design whose schedule `scheduled` counts.
    design = models.ForeignKey(
        "annotation.Design",
        models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,  # few rows
    )
    #: HITs planned for all judges by that design.
    scheduled = models.PositiveIntegerField(default=0)
    #: Repeats by another judge, among `scheduled`.
    inter_scheduled = models.PositiveIntegerField(default=0, db_default=0)
    #: Windows drawn by that design.
    turns = models.PositiveIntegerField(default=0)
    #: Pairs and positions so far.
    state = models.JSONField(default=dict, blank=True)
    #: Indexed by segment number, from 1; shorter if the last segments have none.
    segment_blocks = ArrayField(models.PositiveIntegerField(), default=list, blank=True)


class PlanningBatch(models.Model):
    """Inputs of a batch of HITs: enough to draw each of them again."""

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="planning_batches",
    )
    design = models.ForeignKey(
        "annotation.Design",
        models.PROTECT,
        related_name="planning_batches",
        db_index=False,
    )
    #: Judge the HITs were drawn for; empty for the common pool.
    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="+",
        db_index=False,
        null=True,
        blank=True,
    )
    avoided = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    hidden = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    withdrawn = ArrayField(
        models.CharField(max_length=200),
        default=list,
        db_default=[],
        blank=True,
    )
    segment_limit = models.PositiveIntegerField(null=True, blank=True)
    #: Set only if there is a limit.
    segment_blocks = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    state = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now())

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "task": KEPT_WITHHELD,
            "design": KEPT_WITHHELD,
            "avoided": KEPT_WITHHELD,
            "hidden": KEPT_WITHHELD,
            "withdrawn": KEPT_WITHHELD,
            "segment_limit": KEPT_WITHHELD,
            "segment_blocks": KEPT_WITHHELD,
            "state": KEPT_WITHHELD,
            "created_at": KEPT_WITHHELD,
        },
    )


class SamplingState(models.Model):
    """Comparisons of each pair of systems up to the latest ranking, from which active designs draw.

    Written by the ranking app, which this app must not import.
    """

    task = models.OneToOneField(
        "campaign.Task",
        models.CASCADE,
        related_name="sampling_state",
        primary_key=True,
    )
    #: Number of the last judgment included.
    watermark = models.PositiveIntegerField()
    systems = ArrayField(models.CharField(max_length=200))
    # n × n numbers, in the order of `systems`: row beats column, and row ties with column.
    wins = models.JSONField()
    ties = models.JSONField()
