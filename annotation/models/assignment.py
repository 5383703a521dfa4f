"""HITs lent to judges, and the segments judges have seen."""

import uuid
from datetime import datetime
from typing import ClassVar

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import (
    BigIntegerRangeField,
    DateTimeRangeField,
    RangeOperators,
)
from django.db import models

from campaign.database.personal import KEPT_WITHHELD, PersonalData


class IdRange(models.Func):
    """`[id, id]` as a range: GiST compares ranges without an extension, plain integers not."""

    function = "int8range"
    template = "%(function)s(%(expressions)s, %(expressions)s, '[]')"
    output_field = BigIntegerRangeField()


class Assignment(models.Model):
    """A HIT lent to one judge for a limited time."""

    hit = models.ForeignKey(
        "annotation.HIT",
        models.CASCADE,
        related_name="assignments",
        db_index=False,  # `assignment_once_per_hit_and_judge` begins with it
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="assignments",
        db_index=False,  # `assignment_of_a_judge` begins with it
    )
    public_id = models.UUIDField(default=uuid.uuid4, unique=True)
    # From lending to the end of the lease; cut short when the last block is done.
    lease = DateTimeRangeField()
    #: The judge's n-th HIT of the task, from 1.
    ordinal = models.PositiveIntegerField(default=0)
    completed_at = models.DateTimeField(null=True, blank=True)
    #: Set once the lease has run out and the HIT has returned to the pool or gone to another judge.
    released_at = models.DateTimeField(null=True, blank=True)

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "hit": KEPT_WITHHELD,
            "public_id": KEPT_WITHHELD,
            "lease": KEPT_WITHHELD,
            "ordinal": KEPT_WITHHELD,
            "completed_at": KEPT_WITHHELD,
            "released_at": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "judge"],
                name="assignment_once_per_hit_and_judge",
            ),
            ExclusionConstraint(
                name="assignment_leases_of_a_hit_never_overlap",
                expressions=[
                    (IdRange("hit"), RangeOperators.OVERLAPS),
                    ("lease", RangeOperators.OVERLAPS),
                ],
            ),
            models.CheckConstraint(
                condition=models.Q(lease__isempty=False)
                & models.Q(lease__startswith__isnull=False)
                & models.Q(lease__endswith__isnull=False),
                name="assignment_lease_is_limited",
            ),
        ]
        indexes = [
            # A judge's unfinished assignments; a full scan finds all leases that may have expired.
            models.Index(
                fields=["judge"],
                condition=models.Q(completed_at__isnull=True),
                name="assignment_begun",
            ),
            # A judge's own assignments, latest first.
            models.Index(fields=["judge", "-ordinal"], name="assignment_of_a_judge"),
        ]

    def __str__(self) -> str:
        return str(self.public_id)

    @property
    def expires_at(self) -> datetime:
        """The end of the lease."""
        end = self.lease.upper
        assert end is not None, "assignment_lease_is_limited"  # noqa: S101  for the type checker
        return end


class Exposure(models.Model):
    """Record that a judge was sent a segment's texts with a HIT. Rows are never deleted.

    Makes "no judge sees a segment twice, except for intended repeats" a database constraint. A task
    whose judges may see segments of other tasks again (`Task.segments_again`) is counted
    separately; within it, a segment is still seen only once.
    """

    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="exposures",
        db_index=False,  # `exposure_once_except_as_a_repeat` begins with it
    )
    segment = models.ForeignKey(
        "campaign.Segment",
        models.PROTECT,
        related_name="exposures",
        # Queried by judge alone, or by both columns.
        db_index=False,
    )
    assignment = models.ForeignKey(
        "annotation.Assignment",
        models.PROTECT,
        related_name="exposures",
        # Never queried: assignments are not deleted.
        db_index=False,
    )
    is_repeat = models.BooleanField(default=False)
    # Key of the task within the segment's test set. Holds the protocol of a task that shows judges
    # segments again; empty for all others, which count together. An empty string takes one byte per
    # row; an id would take eight.
    apart = models.CharField(max_length=20, default="", db_default="", blank=True)

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "segment": KEPT_WITHHELD,
            "assignment": KEPT_WITHHELD,
            "is_repeat": KEPT_WITHHELD,
            "apart": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            # Each repeat differs from all others by its id. A conditional constraint would work
            # too, but its index would not cover everything a judge has seen.
            models.UniqueConstraint(
                "judge",
                "segment",
                "apart",
                models.Case(models.When(is_repeat=True, then="id")),
                nulls_distinct=False,
                name="exposure_once_except_as_a_repeat",
            ),
        ]


class JudgeAccount(models.Model):
    """Number of HITs lent to a judge in a task so far, and whether they are waiting for more.

    Changed under the lock of the judge's row. The planner holds the lock of the task's
    `HITSequence` instead, and writes only its answer to a request: `requested_at` and
    `none_left_at`.
    """

    judge = models.ForeignKey(
        "campaign.Judge",
        models.CASCADE,
        related_name="accounts",
        db_index=False,  # `account_once_per_judge_and_task` begins with it
    )
    task = models.ForeignKey("campaign.Task", models.CASCADE, related_name="accounts")
    hits_lent = models.PositiveIntegerField(default=0)
    #: Repeats of the judge's own HITs among `hits_lent`.
    intra_lent = models.PositiveIntegerField(default=0)
    #: HITs with an attention check, excluding repeats of the judge's own HITs.
    checks_lent = models.PositiveIntegerField(default=0, db_default=0)
    # Inputs for drawing the next check and repeat (`annotation.sampling.rates`). Excludes training
    # and the judge's own repeats.
    hits_since_check = models.PositiveIntegerField(default=0, db_default=0)
    #: Excludes training.
    hits_since_repeat = models.PositiveIntegerField(default=0, db_default=0)
    #: Blocks judged or skipped in closed assignments.
    blocks_closed = models.PositiveIntegerField(default=0, db_default=0)
    last_lent_at = models.DateTimeField(null=True, blank=True)
    #: Set when no HIT was available and the planner has not checked since.
    requested_at = models.DateTimeField(null=True, blank=True)
    #: When the planner last found no HIT to plan for this judge.
    none_left_at = models.DateTimeField(null=True, blank=True)

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "task": KEPT_WITHHELD,
            "hits_lent": KEPT_WITHHELD,
            "intra_lent": KEPT_WITHHELD,
            "checks_lent": KEPT_WITHHELD,
            "hits_since_check": KEPT_WITHHELD,
            "hits_since_repeat": KEPT_WITHHELD,
            "blocks_closed": KEPT_WITHHELD,
            "last_lent_at": KEPT_WITHHELD,
            "requested_at": KEPT_WITHHELD,
            "none_left_at": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "task"],
                name="account_once_per_judge_and_task",
            ),
            models.CheckConstraint(
                condition=models.Q(intra_lent__lte=models.F("hits_lent")),
                name="account_repeats_within_hits",
            ),
        ]
        indexes = [
            # Judges for whom the planner has to plan HITs.
            models.Index(
                fields=["task", "requested_at"],
                condition=models.Q(requested_at__isnull=False),
                name="account_requested",
            ),
        ]
