"""How many requests to the API a person may make in a minute."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import connection

from campaign.models import RequestCount

SECONDS: Final = 60
# One statement, so that requests at the same time are each counted. By the clock, since a transaction may be long.
_COUNT: Final = """
    INSERT INTO campaign_requestcount AS counted (user_id, kind, count, begun_at)
    VALUES (%s, %s, 1, clock_timestamp())
    ON CONFLICT ON CONSTRAINT request_count_once_a_kind DO UPDATE SET
        count = CASE WHEN counted.begun_at > clock_timestamp() - interval '60 seconds'
            THEN counted.count + 1 ELSE 1 END,
        begun_at = CASE WHEN counted.begun_at > clock_timestamp() - interval '60 seconds'
            THEN counted.begun_at ELSE clock_timestamp() END
    RETURNING count, extract(epoch FROM begun_at + interval '60 seconds' - clock_timestamp())
"""


@dataclass(frozen=True)
class Counted:
    """A request that was counted: the limit, what is left of it, and in how many seconds all of it is there again."""

    kind: RequestCount.Kind
    limit: int
    left: int
    seconds: int
    is_over: bool


def request_count(*, user_id: int, kind: RequestCount.Kind) -> Counted | None:
    """Count a request of a person; return None where requests of the kind are not limited."""
    limit = _limit(kind)
    if limit <= 0:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [user_id, kind.value])
        count, seconds = cursor.fetchone()
    return Counted(kind, limit, max(limit - count, 0), max(int(seconds) + 1, 1), count > limit)


def _limit(kind: RequestCount.Kind) -> int:
    reads = kind is RequestCount.Kind.READS
    return int(settings.API_READS_A_MINUTE if reads else settings.API_WRITES_A_MINUTE)
