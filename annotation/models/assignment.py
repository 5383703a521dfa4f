import uuid
from datetime import datetime

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import BigIntegerRangeField, DateTimeRangeField, RangeOperators
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.lent_blocks import BLOCKS_WRITE


class IdRange(models.Func):
    """`[id, id]` as a range: GiST compares ranges without an extension, plain integers not."""

    function = "int8range"
    template = "%(function)s(%(expressions)s, %(expressions)s, '[]')"
    output_field = BigIntegerRangeField()


class Assignment(models.Model):
    """A HIT lent to one judge for a limited time."""

    hit = models.ForeignKey(
        "annotation.HIT",
        on_delete=models.CASCADE,
        related_name="assignments",
        db_index=False,  # `assignment_once_per_hit_and_judge` begins with it
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        on_delete=models.PROTECT,
        related_name="assignments",
        db_index=False,  # `assignment_of_a_judge` begins with it
    )
    public_id = models.UUIDField(_("public id"), default=uuid.uuid4, unique=True)
    # From lending to the end of the lease; cut short when the last block is done.
    lease = DateTimeRangeField(_("lease"))
    ordinal = models.PositiveIntegerField(
        _("ordinal"), default=0, help_text=_("The judge's n-th HIT of the test set, from 1.")
    )
    completed_at = models.DateTimeField(_("completed"), null=True, blank=True)
    released_at = models.DateTimeField(
        _("released"),
        null=True,
        blank=True,
        help_text=_(
            "The lease ran out, and the HIT returned to the pool or went to another judge."
        ),
    )

    class Meta:
        verbose_name = _("assignment")
        verbose_name_plural = _("assignments")
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "judge"], name="assignment_once_per_hit_and_judge"
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
            # What a judge has begun and not done; and, read whole, all leases that may have run out.
            models.Index(
                fields=["judge"],
                condition=models.Q(completed_at__isnull=True),
                name="assignment_begun",
            ),
            # A judge's own, latest first.
            models.Index(fields=["judge", "-ordinal"], name="assignment_of_a_judge"),
        ]
        triggers = [
            BLOCKS_WRITE,
        ]

    def __str__(self) -> str:
        return str(self.public_id)

    @property
    def expires_at(self) -> datetime:
        """The end of the lease."""
        end = self.lease.upper
        assert end is not None, "assignment_lease_is_limited"  # noqa: S101  for the type checker
        return end
