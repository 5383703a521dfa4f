"""Delete a campaign and unlink a judge for good, as the database allows it: by functions of the tables' owner.

The application's role may not delete judgments, nor change the activity log. The functions may, since they run as the owner; what they
refuse, they ask the database. `whole_campaigns.erasing` writes them after each `migrate`.
"""

import json

from django.db import connection, connections, transaction


@transaction.atomic
def campaign_erase(*, campaign_id: int) -> int:
    """Delete all rows of a campaign; return how many. People stay.

    It must be a rehearsal, or in the bin, for thirty days or without a judgment: the database refuses others with an
    `IntegrityError`. Takes long where millions of judgments of other campaigns are stored.
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
