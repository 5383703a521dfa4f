"""Claim a HIT for a judge: find the first available one and lock its row until the commit.

Each is one query of the same form: a judge must not learn from the time of an answer what they
were lent.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Unpack

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import HIT
from annotation.models.pool import HITQuerySet
from annotation.selectors.pool import (
    ASKED_FIELDS,
    SCHEDULED_FIELDS,
    JudgeAsks,
    hits_for_judge,
    hits_intra,
    hits_near,
    hits_reserved,
    hits_standby,
    hits_standby_near,
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
    *, holds_check: bool | None = None, far: bool = False, **asks: Unpack[JudgeAsks]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT of the pool; for a judge without reserved HITs.

    `holds_check`: only one with an attention check, or one without. Then `is_last` says that there is
    no further one without. Looks at the first thousand or so, unless `far`.
    """
    return _claim(_FROM_POOL[holds_check, far].row(**asks))


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


def hit_claim_standby(
    *, holds_check: bool | None = None, far: bool = False, **asks: Unpack[JudgeAsks]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT on standby; for a judge for whom the pool has none."""
    return _claim(_STANDBY[holds_check, far].row(**asks))


def _claim(found: tuple[Any, ...] | None) -> ClaimedHIT | None:
    if found is None:
        return None
    has_next, *row = found
    return ClaimedHIT(instance_from(HIT, row), is_last=not has_next)


def _pool(**asked: Any) -> HITQuerySet:
    return hits_near(**asked).available()


def _from_pool(*, holds_check: bool | None, **asked: Any) -> QuerySet[HIT, Any]:
    pool = _pool(**asked)
    if holds_check is None:
        return _first_of(pool, has_next=Exists(_later(pool)))
    without = pool.holding_check(holds_check=False)
    return _first_of(pool.holding_check(holds_check), has_next=Exists(_of_other_segments(without)))


def _from_whole_pool(*, holds_check: bool | None, **asked: Any) -> QuerySet[HIT, Any]:
    # Whether others follow is not worth a second walk: the planner has been asked.
    pool = hits_for_judge(**asked).available()
    return _first_of(pool.holding_check(holds_check), has_next=_NOTHING)


def _standby(*, holds_check: bool | None, **asked: Any) -> QuerySet[HIT, Any]:
    # The pool has nothing more for this judge, whatever else is on standby.
    standby = hits_standby_near(**asked).available()
    return _first_of(standby.holding_check(holds_check), has_next=_NOTHING)


def _whole_standby(*, holds_check: bool | None, **asked: Any) -> QuerySet[HIT, Any]:
    standby = hits_standby(**asked).available()
    return _first_of(standby.holding_check(holds_check), has_next=_NOTHING)


def _reserved(**asked: Any) -> QuerySet[HIT, Any]:
    pool, reserved = _pool(**asked), hits_reserved(**asked).available()
    return _first_of(reserved, has_next=Exists(_later(reserved)) | Exists(_of_other_segments(pool)))


def _scheduled_reserved(*, holds_check: bool | Parameter, **asked: Any) -> QuerySet[HIT, Any]:
    pool, reserved = _pool(**asked), hits_reserved(**asked).available()
    without = [hits.holding_check(holds_check=False) for hits in (reserved, pool)]
    has_next = Exists(_of_other_segments(without[0])) | Exists(_of_other_segments(without[1]))
    return _first_of(reserved.holding_check(holds_check), has_next=has_next)


def _repeat(**asked: Any) -> QuerySet[HIT, Any]:
    pool, repeats = _pool(**asked), hits_intra(**asked).available()
    return _first_of(repeats, has_next=Exists(_of_other_segments(pool)))


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


def _of_each_kind(
    name: str, near: Callable[..., QuerySet[HIT, Any]], far: Callable[..., QuerySet[HIT, Any]]
) -> dict[tuple[bool | None, bool], PreparedQuery]:
    """Return a query for each `holds_check` and `far`: one with parameters would use no index made for it."""
    kinds = {None: "any", True: "check", False: "plain"}
    return {
        (holds_check, is_far): PreparedQuery(
            f"hit_claim_{kind}_{'far' if is_far else 'near'}_{name}",
            partial(build, holds_check=holds_check),
            ASKED_FIELDS,
        )
        for holds_check, kind in kinds.items()
        for is_far, build in ((False, near), (True, far))
    }


_NOTHING: Final = Q(pk__in=[])
_FROM_POOL: Final = _of_each_kind("pool", _from_pool, _from_whole_pool)
_STANDBY: Final = _of_each_kind("standby", _standby, _whole_standby)
_RESERVED: Final = PreparedQuery("hit_claim_reserved", _reserved, ASKED_FIELDS)
_REPEAT: Final = PreparedQuery("hit_claim_repeat", _repeat, ASKED_FIELDS)
_SCHEDULED_RESERVED: Final = PreparedQuery(
    "hit_claim_scheduled_reserved", _scheduled_reserved, SCHEDULED_FIELDS
)
