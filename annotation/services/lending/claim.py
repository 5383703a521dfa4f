"""Claim a HIT for a judge: find the first available one and lock its row until the commit."""

from dataclasses import dataclass
from typing import Any, Unpack

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import HIT
from annotation.models.pool import HITQuerySet
from annotation.selectors.pool import (
    ASKED_FIELDS,
    JudgeAsks,
    hits_for_judge,
    hits_near,
    hits_reserved,
    hits_standby,
)
from campaign.database.prepared import instance_from
from campaign.database.prepared_query import PreparedQuery, field_names


@dataclass(frozen=True, slots=True)
class ClaimedHIT:
    """A HIT for a judge, locked until the commit.

    `is_last` says that no further HIT will be available for them after it; None where that was not
    looked up.
    """

    hit: HIT
    is_last: bool | None = None


def hit_claim_from_pool(*, far: bool = False, **asks: Unpack[JudgeAsks]) -> ClaimedHIT | None:
    """Lock and return the first available HIT of the pool; for a judge without reserved HITs.

    Looks at the first thousand or so, unless `far`.
    """
    return _claim((_FROM_WHOLE_POOL if far else _FROM_POOL).row(**asks))


def hit_claim_reserved(**asks: Unpack[JudgeAsks]) -> ClaimedHIT | None:
    """Lock and return the first available HIT that is reserved for this judge."""
    return _claim(_RESERVED.row(**asks))


def hit_claim_standby(*, far: bool = False, **asks: Unpack[JudgeAsks]) -> ClaimedHIT | None:
    """Lock and return the first available HIT on standby; for a judge for whom the pool has none."""
    return _claim((_WHOLE_STANDBY if far else _STANDBY).row(**asks))


def _claim(found: tuple[Any, ...] | None) -> ClaimedHIT | None:
    if found is None:
        return None
    has_next, *row = found
    return ClaimedHIT(instance_from(HIT, row), is_last=not has_next)


def _from_pool(**asked: Any) -> QuerySet[HIT, Any]:
    among = HIT.objects.filter(test_set=asked["test_set_id"]).pooled()
    pool = hits_near(hits_for_judge(**asked), among).available()
    return _first_of(pool, has_next=Exists(_later(pool)))


def _from_whole_pool(**asked: Any) -> QuerySet[HIT, Any]:
    # Whether others follow is not worth a second walk: the planner has been asked.
    return _first_of(hits_for_judge(**asked).available(), has_next=_NOTHING)


def _reserved(**asked: Any) -> QuerySet[HIT, Any]:
    pool, reserved = hits_for_judge(**asked).available(), hits_reserved(**asked).available()
    return _first_of(reserved, has_next=Exists(_later(reserved)) | Exists(_of_other_segments(pool)))


def _standby(**asked: Any) -> QuerySet[HIT, Any]:
    among = HIT.objects.filter(test_set=asked["test_set_id"]).standby()
    # The pool has nothing more for this judge, whatever else is on standby.
    return _first_of(hits_near(hits_standby(**asked), among).available(), has_next=_NOTHING)


def _whole_standby(**asked: Any) -> QuerySet[HIT, Any]:
    return _first_of(hits_standby(**asked).available(), has_next=_NOTHING)


def _first_of(hits: HITQuerySet, *, has_next: Exists | Q) -> QuerySet[HIT, Any]:
    """Return a query of the first unlocked HIT: `has_next`, then all its columns. It locks the row."""
    locked = hits.select_for_update(skip_locked=True, no_key=True, of=("self",))
    found: QuerySet[HIT, Any] = locked.annotate(has_next=has_next).values_list(
        "has_next", *field_names(HIT)
    )
    return found[:1]


def _later(hits: HITQuerySet) -> HITQuerySet:
    """Return those after the HIT of the outer query.

    HITs with a lower number are not for this judge, or are being lent to others right now.
    """
    return _of_other_segments(hits).filter(number__gt=OuterRef("number"))


def _of_other_segments(hits: HITQuerySet) -> HITQuerySet:
    """Return the HITs that show no segment of the HIT of the outer query."""
    return hits.exclude(segment_ids__overlap=OuterRef("segment_ids"))


_NOTHING = Q(pk__in=[])
_FROM_WHOLE_POOL = PreparedQuery("hit_claim_from_whole_pool", _from_whole_pool, ASKED_FIELDS)
_WHOLE_STANDBY = PreparedQuery("hit_claim_from_whole_standby", _whole_standby, ASKED_FIELDS)
_FROM_POOL = PreparedQuery("hit_claim_from_pool", _from_pool, ASKED_FIELDS)
_STANDBY = PreparedQuery("hit_claim_standby", _standby, ASKED_FIELDS)
_RESERVED = PreparedQuery("hit_claim_reserved", _reserved, ASKED_FIELDS)
