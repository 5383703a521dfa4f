"""Which HITs may be lent, and to whom: verbs that compose into the one walk of lending."""

from collections.abc import Collection

from django.db import models
from django.db.models.functions import Now

from annotation.models.exposure import Exposure

# What may go to more judges than one; the others are for one judge and nobody else.
POOLED = ["first", "redundancy", "inter"]


class IsAnyOf(models.Func):
    """`value = ANY (array)`."""

    template = "(%(expressions)s))"
    arg_joiner = " = ANY ("
    output_field = models.BooleanField()


class HITQuerySet(models.QuerySet["HIT"]):  # type: ignore[name-defined]
    def open(self) -> "HITQuerySet":
        """Those nobody has completed, whether they wait or are lent."""
        return self.filter(completed_at__isnull=True)

    def pooled(self) -> "HITQuerySet":
        """Open ones that more judges than one may get: what the index `hit_pool` holds."""
        return self.open().filter(purpose__in=POOLED)

    def waiting(self) -> "HITQuerySet":
        """Those that nobody holds, by the database's clock."""
        return self.open().filter(available_at__lte=Now())

    def for_anybody(self) -> "HITQuerySet":
        """Those kept for nobody, or no longer."""
        return self.filter(
            models.Q(reserved_for__isnull=True) | models.Q(reserved_until__lte=Now())
        )

    def unseen_by(self, judge_id: int) -> "HITQuerySet":
        """Those of which the judge was sent no segment yet: a look-up for each segment."""
        seen = Exposure.objects.filter(
            IsAnyOf(models.F("segment"), models.OuterRef("segment_ids")),
            judge=judge_id,
            is_repeat=False,
        )
        return self.filter(~models.Exists(seen))

    def showing(self, system_ids: Collection[int]) -> "HITQuerySet":
        """Those that show something by one of these systems."""
        return self.filter(system_ids__overlap=list(system_ids))

    def without(self, system_ids: Collection[int]) -> "HITQuerySet":
        """Those that show nothing by these systems."""
        return self.exclude(system_ids__overlap=list(system_ids)) if system_ids else self
