"""Delete campaigns and unlink judges permanently, through database functions of the owner of the tables.

The role of the application may neither delete judgments nor change the activity log. The functions run as the owner and
check their own preconditions. `whole_campaigns.erasing` installs them after each `migrate`.
"""

import json

from django.db import connection, connections, transaction


@transaction.atomic
def campaign_erase(*, campaign_id: int) -> int:
    """Delete all rows of a campaign, except users; return their number.

    It must be a rehearsal, or be in the bin either for thirty days or without judgments; otherwise, the database raises
    an `IntegrityError`. This is slow if millions of judgments of other campaigns are stored.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SELECT campaign_erase(%s)", [campaign_id])
        return int(cursor.fetchone()[0])


def judge_unlink(request_id: int, *, using: str = "default") -> dict[str, int]:
    """Unlink the judge of an open request; return the number of removed rows by kind. Call it in a transaction."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT judge_unlink(%s)::text", [request_id])
        return dict(json.loads(cursor.fetchone()[0]))
