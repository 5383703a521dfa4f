"""Which HITs may be lent, and to whom: filters that compose into lending's one index scan."""

from datetime import UTC, datetime
from typing import Final

from django.db import models
from django.db.models.functions import Now
from django.db.models.lookups import IsNull

from annotation.models.exposure import Exposure

# Purposes of HITs that any judge may be lent; the others are for one judge only.
POOLED = ["first", "redundancy", "inter"]

#: From when HITs may be lent that ask about what is said in another one, as long as that is not done.
UNTIL_THE_FIRST_IS_DONE: Final = datetime(9999, 1, 1, tzinfo=UTC)


class IsAnyOf(models.Func):
    """`value = ANY (array)`."""

    template = "(%(expressions)s))"
    arg_joiner = " = ANY ("
    output_field = models.BooleanField()


class HITQuerySet(models.QuerySet["HIT"]):  # type: ignore[name-defined]
    def incomplete(self) -> "HITQuerySet":
        """Return the HITs that are not completed, lent or not."""
        return self.filter(completed_at__isnull=True)

    def pooled(self) -> "HITQuerySet":
        """Return the incomplete HITs that any judge may be lent: those in the index `hit_pool`."""
        return self.incomplete().filter(purpose__in=POOLED, is_standby=False)

    def standby(self) -> "HITQuerySet":
        """Return the incomplete HITs that are lent where the pool has none: see `HIT.is_standby`."""
        return self.incomplete().filter(is_standby=True)

    def available(self) -> "HITQuerySet":
        """Return the incomplete HITs that no judge holds now, by the database's clock."""
        return self.incomplete().filter(available_at__lte=Now())

    def unreserved(self) -> "HITQuerySet":
        """Return the HITs that are reserved for no judge, or no longer."""
        return self.filter(
            models.Q(reserved_for__isnull=True) | models.Q(reserved_until__lte=Now())
        )

    def unseen_by(
        self, judge_id: int | models.Expression | models.F, apart: str | models.Expression
    ) -> "HITQuerySet":
        """Return the HITs of which the judge has seen no segment: one look-up for each segment.

        `apart` is `Task.exposed_apart` of their task.
        """
        return self.filter(IsNull(_seen(judge_id, apart), True))

    def seen_by(
        self, judge_id: int | models.Expression | models.F, apart: str | models.Expression
    ) -> "HITQuerySet":
        """Return the HITs of which the judge has seen a segment: those `unseen_by` leaves out."""
        return self.filter(IsNull(_seen(judge_id, apart), False))

    def holding_check(self, holds_check: bool | models.Expression | None) -> "HITQuerySet":
        """Return the HITs with an attention check, or those without; all of them for None."""
        return self if holds_check is None else self.filter(holds_check=holds_check)

    def excluding_systems(self, system_ids: list[int] | models.Expression) -> "HITQuerySet":
        """Return the HITs that show no output of these systems."""
        return self.exclude(system_ids__overlap=system_ids)


def _seen(
    judge_id: int | models.Expression | models.F, apart: str | models.Expression
) -> models.Subquery:
    """Return an expression: an exposure of the judge to a segment of the HIT, or NULL.

    No EXISTS: PostgreSQL may make a join of it, which reads all that the judge has seen for each HIT.
    """
    seen = Exposure.objects.filter(
        IsAnyOf(models.F("segment"), models.OuterRef("segment_ids")),
        judge=judge_id,
        apart=apart,
        is_repeat=False,
    )
    return models.Subquery(seen.values("pk")[:1])
