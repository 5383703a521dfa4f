"""Claim a HIT for a judge: find the first available one and lock its row until the commit."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from annotation.models import HIT
from annotation.selectors.pool import CONDITION_TYPES, POOL_CONDITION, RESERVED_CONDITION
from campaign.database.prepared import Statement, columns_of, instance_from
from campaign.models import Judge


@dataclass(frozen=True, slots=True)
class ClaimedHIT:
    """A HIT for a judge, locked until the commit.

    `is_last` says that no further HIT will be available for them after it; None where that was not
    looked up.
    """

    hit: HIT
    is_last: bool | None = None


@cache
def _claim_statement(name: str, condition: str, another: str) -> Statement:
    """`another`: whether there is a further HIT `h` for the judge after the `claimed` one."""
    return Statement(
        name,
        CONDITION_TYPES,
        f"""
        WITH claimed AS (
            SELECT h.* FROM annotation_hit h WHERE {condition}
            ORDER BY h.number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
        )
        SELECT NOT ({another}), {columns_of(HIT, "claimed")} FROM claimed
        """,  # noqa: S608  constants alone
    )


# The judge will have seen the segments of the claimed HIT.
_OTHER_SEGMENTS = "NOT h.segment_ids && claimed.segment_ids"
# HITs with a lower number are not for this judge, or are being lent to others right now.
_LATER = f"h.number > claimed.number AND {_OTHER_SEGMENTS}"


def hit_claim_from_pool(
    *, judge: Judge, test_set_id: int, conflicts: Collection[int]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT of the pool; for a judge without reserved HITs."""
    another = f"EXISTS (SELECT FROM annotation_hit h WHERE {POOL_CONDITION} AND {_LATER})"
    statement = _claim_statement("hit_claim_from_pool", POOL_CONDITION, another)
    return _claim(statement, judge, test_set_id, conflicts)


def hit_claim_reserved(
    *, judge: Judge, test_set_id: int, conflicts: Collection[int]
) -> ClaimedHIT | None:
    """Lock and return the first available HIT that is reserved for this judge."""
    another = (
        f"EXISTS (SELECT FROM annotation_hit h WHERE {RESERVED_CONDITION} AND {_LATER}) "  # noqa: S608
        f"OR EXISTS (SELECT FROM annotation_hit h WHERE {POOL_CONDITION} AND {_OTHER_SEGMENTS})"
    )
    statement = _claim_statement("hit_claim_reserved", RESERVED_CONDITION, another)
    return _claim(statement, judge, test_set_id, conflicts)


def _claim(
    statement: Statement, judge: Judge, test_set_id: int, conflicts: Collection[int]
) -> ClaimedHIT | None:
    found = statement.row(test_set_id, judge.pk, list(conflicts))
    if found is None:
        return None
    is_last, *row = found
    hit = instance_from(HIT, row)
    hit.why = json.loads(hit.why)
    hit.plan = None if hit.plan is None else json.loads(hit.plan)
    return ClaimedHIT(hit, is_last)
