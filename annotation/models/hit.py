"""HITs, and querysets of those that may be lent to a judge."""

from datetime import UTC, datetime
from typing import ClassVar, Final

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Coalesce, Now

from annotation.models.assignment import Exposure
from campaign.database.personal import KEPT_WITHHELD, PersonalData
from campaign.database.triggers import is_one_of, trigger_from_file

# Purposes of HITs that any judge may be lent; the others are for one judge only.
POOLED = ["first", "redundancy", "inter"]

#: Available-from time of HITs that ask about another one's answers, until that one is done.
UNTIL_THE_FIRST_IS_DONE: Final = datetime(9999, 1, 1, tzinfo=UTC)


class IsAnyOf(models.Func):
    """`value = ANY (array)`."""

    template = "(%(expressions)s))"
    arg_joiner = " = ANY ("
    output_field = models.BooleanField()


class PositionIn(models.Func):
    """Position of the second expression in an array, from 1; NULL if it is not in the array."""

    function = "array_position"
    output_field = models.IntegerField()


class HITQuerySet(models.QuerySet["HIT"]):
    def incomplete(self) -> "HITQuerySet":
        """Return the HITs that are not completed, lent or not."""
        return self.filter(completed_at__isnull=True)

    def pooled(self) -> "HITQuerySet":
        """Return the incomplete HITs that may be lent to any judge: those in the index `hit_pool`."""
        return self.incomplete().filter(purpose__in=POOLED, is_standby=False)

    def standby(self) -> "HITQuerySet":
        """Return the incomplete HITs that are lent when the pool has none; see `HIT.is_standby`."""
        return self.incomplete().filter(is_standby=True)

    def available(self) -> "HITQuerySet":
        """Return the incomplete HITs that no judge holds now, by the database's clock."""
        return self.incomplete().filter(available_at__lte=Now())

    def unreserved(self) -> "HITQuerySet":
        """Return the HITs that are not reserved for a judge, or no longer."""
        return self.filter(
            models.Q(reserved_for__isnull=True) | models.Q(reserved_until__lte=Now()),
        )

    def unseen_by(
        self,
        judge_id: int | models.Expression | models.F,
        apart: str | models.Expression | models.F,
    ) -> "HITQuerySet":
        """Return the HITs of which the judge has seen no segment. One lookup per segment.

        `apart` is `Task.exposed_apart` of their task.
        """
        return self.exclude(_has_seen(judge_id, apart))

    def seen_by(
        self,
        judge_id: int | models.Expression | models.F,
        apart: str | models.Expression | models.F,
    ) -> "HITQuerySet":
        """Return the HITs of which the judge has seen a segment: those that `unseen_by` omits."""
        return self.filter(_has_seen(judge_id, apart))

    def holding_check(
        self,
        holds_check: bool | models.Expression | None,
    ) -> "HITQuerySet":
        """Return the HITs with an attention check, or those without one; for None, all HITs."""
        if holds_check is None:
            return self
        return self.filter(holds_check=holds_check)

    def excluding_systems(
        self,
        system_ids: list[int] | models.Expression | models.F,
    ) -> "HITQuerySet":
        """Return the HITs that show no output of these systems."""
        if system_ids == []:
            return self
        return self.exclude(system_ids__overlap=system_ids)


def _has_seen(
    judge_id: int | models.Expression | models.F,
    apart: str | models.Expression | models.F,
) -> Coalesce:
    """Return an expression: whether the judge has an exposure to a segment of the HIT.

    Avoids EXISTS, which PostgreSQL may turn into a join that reads all of the judge's exposures for
    each HIT, and IS NULL, which it assumes of one HIT in 200: it would read and sort the whole pool
    instead of taking the first HIT in order.
    """
    exposures = Exposure.objects.filter(
        IsAnyOf(models.F("segment"), models.OuterRef("segment_ids")),
        judge=judge_id,
        apart=apart,
        is_repeat=False,
    )
    is_seen = models.Value(True)
    return Coalesce(
        models.Subquery(exposures.values(is_seen=is_seen)[:1]),
        models.Value(False),
    )


class HITPurpose(models.TextChoices):
    """Purpose of a HIT: new blocks, or a repeat of earlier ones."""

    FIRST = "first"
    REDUNDANCY = "redundancy"
    INTER = "inter"
    INTRA = "intra"
    TRAINING = "training"


class HIT(models.Model):
    """Blocks of consecutive segments of one document, done by one judge once: the unit of lending.

    HITs of imported judgments hold up to fifty blocks of one judge, in the order of the file
    (`annotation.importing.answer_rows`); they are complete and never lent.

    Blocks that are judged again, by the same or another judge, form another HIT that `repeats` the
    first, with its own blocks, order and ids.

    A HIT is planned (a row), available (it may be lent now), lent, and done. The row holds
    everything needed to search the pool, so that lending scans one partial index: when the HIT may
    be lent (again), the judge it is reserved for, the systems it shows, and whether it is done.

    Its blocks are written with it (`annotation.services.planning.batch`), and stay the same when it
    is lent again.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="hits",
        db_index=False,  # `hit_number_unique_in_task` begins with it
        db_constraint=False,  # same as the design's: `hit_design_of_its_task`
    )
    design = models.ForeignKey(
        "annotation.Design",
        models.PROTECT,
        related_name="hits",
        # A composite foreign key, which Django does not support: `hit_design_of_its_task` in the
        # initial migration.
        db_constraint=False,
        db_index=False,  # never deleted; `hit_one_first_in_a_family` finds the first HITs of one
    )
    #: Recorded state when it was drawn; empty if it was not drawn here.
    batch = models.ForeignKey(
        "annotation.PlanningBatch",
        models.PROTECT,
        related_name="hits",
        db_index=False,  # `hit_of_a_batch`
        null=True,
        blank=True,
    )
    number = models.PositiveIntegerField(
        help_text="Has gaps where a draw found nothing to judge or was repeated.",
    )
    #: Number, within the design, of the first HIT planned for all judges that this HIT is or
    #: repeats.
    family = models.PositiveIntegerField(null=True, blank=True)
    purpose = models.CharField(
        max_length=10,
        choices=HITPurpose,
        default=HITPurpose.FIRST,
        db_default="first",
    )
    repeats = models.ForeignKey(
        "self",
        models.PROTECT,
        related_name="repeated_by",
        db_index=False,  # `hit_repeating`
        null=True,
        blank=True,
    )
    reserved_for = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="reserved_hits",
        db_index=False,  # `hit_reserved_for`
        null=True,
        blank=True,
    )
    #: After this time the HIT may be lent to any judge, unless it is for one judge only.
    reserved_until = models.DateTimeField(null=True, blank=True)
    segment_ids = ArrayField(models.BigIntegerField(), default=list, db_default=[])
    #: All systems behind the candidates.
    system_ids = ArrayField(models.BigIntegerField(), default=list, db_default=[])
    #: Pass of a protocol that shows judges the same outputs several times; 0 in all others.
    part = models.PositiveSmallIntegerField(default=0, db_default=0)
    holds_check = models.BooleanField(default=False, db_default=False)
    #: For organisers only.
    why = models.JSONField(default=dict, blank=True)
    #: Lent only to judges for whom nothing else is available, until it is redrawn.
    is_standby = models.BooleanField(default=False, db_default=False)
    # Only the database's clock decides about lending, because servers' clocks differ.
    available_at = models.DateTimeField(db_default=Now())
    completed_at = models.DateTimeField(null=True, blank=True)
    #: Dropped in favour of other HITs before it was lent, and closed so that it never will be.
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    personal: ClassVar = PersonalData(
        person="reserved_for",
        fields={
            "task": KEPT_WITHHELD,
            "design": KEPT_WITHHELD,
            "batch": KEPT_WITHHELD,
            "number": KEPT_WITHHELD,
            "family": KEPT_WITHHELD,
            "purpose": KEPT_WITHHELD,
            "repeats": KEPT_WITHHELD,
            "reserved_until": KEPT_WITHHELD,
            "segment_ids": KEPT_WITHHELD,
            "system_ids": KEPT_WITHHELD,
            "part": KEPT_WITHHELD,
            "holds_check": KEPT_WITHHELD,
            "why": KEPT_WITHHELD,
            "is_standby": KEPT_WITHHELD,
            "available_at": KEPT_WITHHELD,
            "completed_at": KEPT_WITHHELD,
            "withdrawn_at": KEPT_WITHHELD,
        },
    )

    objects: ClassVar[HITQuerySet] = HITQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "number"],
                name="hit_number_unique_in_task",
            ),
            is_one_of("purpose", HITPurpose, name="hit_purpose_is_known"),
            models.CheckConstraint(
                condition=models.Q(
                    purpose__in=["redundancy", "inter", "intra"],
                    repeats__isnull=False,
                )
                | models.Q(purpose__in=["first", "training"], repeats__isnull=True),
                name="hit_repeats_iff_repeat",
            ),
            models.CheckConstraint(
                condition=~models.Q(purpose__in=["intra", "training"])
                | models.Q(reserved_for__isnull=False),
                name="hit_of_one_judge_is_reserved",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    reserved_for__isnull=True,
                    reserved_until__isnull=True,
                )
                | models.Q(reserved_for__isnull=False, reserved_until__isnull=False),
                name="hit_reserved_for_iff_reserved_until",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True)
                | models.Q(completed_at__isnull=False),
                name="hit_withdrawn_is_closed",
            ),
            models.CheckConstraint(
                condition=models.Q(is_standby=False)
                | models.Q(
                    purpose__in=["first", "redundancy"],
                    reserved_for__isnull=True,
                ),
                name="hit_on_standby_not_reserved",
            ),
            models.UniqueConstraint(
                fields=["design", "family"],
                condition=models.Q(purpose="first"),
                name="hit_one_first_in_a_family",
            ),
        ]
        indexes = [
            # The pool, scanned by lending. Lent HITs stay in it until they are done, so the cost of
            # a scan depends on the HITs lent now, not on the history.
            models.Index(
                fields=["task", "number"],
                condition=models.Q(
                    completed_at__isnull=True,
                    purpose__in=POOLED,
                    is_standby=False,
                ),
                name="hit_pool",
            ),
            # The few HITs with an attention check, found by an equally short scan as those without.
            models.Index(
                fields=["task", "number"],
                condition=models.Q(
                    completed_at__isnull=True,
                    purpose__in=POOLED,
                    is_standby=False,
                    holds_check=True,
                ),
                name="hit_pool_with_check",
            ),
            # HITs on standby, including lent ones until the planner has counted them.
            models.Index(
                fields=["task", "number"],
                condition=models.Q(is_standby=True),
                name="hit_standby",
            ),
            # HITs reserved for one judge.
            models.Index(
                fields=["reserved_for", "task", "number"],
                condition=models.Q(
                    completed_at__isnull=True,
                    reserved_for__isnull=False,
                ),
                name="hit_reserved",
            ),
            # Only the HITs that refer to others; most refer to none.
            models.Index(
                fields=["batch"],
                condition=models.Q(batch__isnull=False),
                name="hit_of_a_batch",
            ),
            models.Index(
                fields=["repeats"],
                condition=models.Q(repeats__isnull=False),
                name="hit_repeating",
            ),
            models.Index(
                fields=["reserved_for"],
                condition=models.Q(reserved_for__isnull=False),
                name="hit_reserved_for",
            ),
            # A judge's rounds of training, including completed ones.
            models.Index(
                fields=["reserved_for", "task", "number"],
                condition=models.Q(purpose="training"),
                name="hit_training",
            ),
        ]
        triggers = [
            trigger_from_file(
                "annotation",
                "hit_repeats_original_of_its_task",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
                condition=pgtrigger.Q(new__repeats__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"HIT {self.number}"
