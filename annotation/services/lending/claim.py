"""Claim a HIT for a judge: find the first available one and lock its row until the commit.

Each is one query of the same form: a judge must not learn from the time of an answer what they
were lent.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import HIT
from annotation.models.pool import HITQuerySet
from annotation.selectors.pool import (
    ASKED_FIELDS,
    SCHEDULED_FIELDS,
    JudgeAsks,
    hits_for_judge,
    hits_intra,
    hits_reserved,
)
from campaign.database.prepared import instance_from
from campaign.database.prepared_query import Parameter, PreparedQuery, field_names


@dataclass(frozen=True, slots=True)
class ClaimedHIT:
    """A HIT for a judge, locked until the commit.

    `is_last` says that no further HIT will be available for them after it; None where that was not
    looked up.
    """

    hit: HIT
    is_last: bool | None = None


def hit_claim_from_pool(
    *, holds_check: bool | None = None, **asks: Unpack[JudgeAsks]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT of the pool; for a judge without reserved HITs.

    `holds_check`: only one with an attention check, or one without. Then `is_last` says that there is
    no further one without.
    """
    if holds_check is None:
        return _claim(_FROM_POOL.row(**asks))
    return _claim((_CHECK_FROM_POOL if holds_check else _PLAIN_FROM_POOL).row(**asks))


def hit_claim_reserved(
    *, holds_check: bool | None = None, **asks: Unpack[JudgeAsks]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT that is reserved for this judge."""
    if holds_check is None:
        return _claim(_RESERVED.row(**asks))
    return _claim(_SCHEDULED_RESERVED.row(holds_check=holds_check, **asks))


def hit_claim_repeat(**asks: Unpack[JudgeAsks]) -> ClaimedHIT | None:
    """Lock and return the repeat that is planned of a HIT of this judge."""
    return _claim(_REPEAT.row(**asks))


def _claim(found: tuple[Any, ...] | None) -> ClaimedHIT | None:
    if found is None:
        return None
    has_next, *row = found
    return ClaimedHIT(instance_from(HIT, row), is_last=not has_next)


def _from_pool(**asked: Any) -> QuerySet[HIT, Any]:
    pool = hits_for_judge(**asked).available()
    return _first_of(pool, has_next=Exists(_later(pool)))


def _reserved(**asked: Any) -> QuerySet[HIT, Any]:
    pool, reserved = hits_for_judge(**asked).available(), hits_reserved(**asked).available()
    return _first_of(reserved, has_next=Exists(_later(reserved)) | Exists(_of_other_segments(pool)))


def _repeat(**asked: Any) -> QuerySet[HIT, Any]:
    pool, repeats = hits_for_judge(**asked).available(), hits_intra(**asked).available()
    return _first_of(repeats, has_next=Exists(_of_other_segments(pool)))


def _scheduled_from_pool(*, holds_check: bool, **asked: Any) -> QuerySet[HIT, Any]:
    pool = hits_for_judge(**asked).available()
    without = pool.holding_check(holds_check=False)
    return _first_of(pool.holding_check(holds_check), has_next=Exists(_of_other_segments(without)))


def _scheduled_reserved(*, holds_check: bool | Parameter, **asked: Any) -> QuerySet[HIT, Any]:
    pool, reserved = hits_for_judge(**asked).available(), hits_reserved(**asked).available()
    without = [hits.holding_check(holds_check=False) for hits in (reserved, pool)]
    has_next = Exists(_of_other_segments(without[0])) | Exists(_of_other_segments(without[1]))
    return _first_of(reserved.holding_check(holds_check), has_next=has_next)


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


_FROM_POOL = PreparedQuery("hit_claim_from_pool", _from_pool, ASKED_FIELDS)
_RESERVED = PreparedQuery("hit_claim_reserved", _reserved, ASKED_FIELDS)
_REPEAT = PreparedQuery("hit_claim_repeat", _repeat, ASKED_FIELDS)
# One each, not one with a parameter: the index of HITs with a check serves the first alone.
_CHECK_FROM_POOL = PreparedQuery(
    "hit_claim_check_from_pool", partial(_scheduled_from_pool, holds_check=True), ASKED_FIELDS
)
_PLAIN_FROM_POOL = PreparedQuery(
    "hit_claim_plain_from_pool", partial(_scheduled_from_pool, holds_check=False), ASKED_FIELDS
)
_SCHEDULED_RESERVED = PreparedQuery(
    "hit_claim_scheduled_reserved", _scheduled_reserved, SCHEDULED_FIELDS
)
