"""Release the HITs of a judge who will not go on, without waiting for the leases to end."""

from django.db import connection

from campaign.models import Judge

# One moment for both: a HIT may be lent from the very end of the lease on, and not before.
_RELEASE = """
    WITH moment AS MATERIALIZED (SELECT clock_timestamp() AS at),
    held AS (
        SELECT id, hit_id FROM annotation_assignment, moment
        WHERE judge_id = %s AND completed_at IS NULL AND released_at IS NULL
            AND upper(lease) > moment.at
        FOR UPDATE OF annotation_assignment
    ),
    ended AS (
        UPDATE annotation_assignment a
        SET released_at = moment.at, lease = tstzrange(lower(a.lease), moment.at)
        FROM held, moment WHERE a.id = held.id
    )
    UPDATE annotation_hit h SET available_at = moment.at
    FROM held, moment WHERE h.id = held.hit_id AND h.completed_at IS NULL
"""


def assignments_release(*, judge: Judge) -> None:
    """End the judge's leases now; their HITs become available, and their judgments stay.

    Expired leases need nothing: their HITs are available already, or lent to somebody else. The
    caller holds the lock of the judge's row.
    """
    with connection.cursor() as cursor:
        cursor.execute(_RELEASE, [judge.pk])
