"""Delete campaigns permanently, through a database function of the owner of the tables.

The role of the application may not delete judgments. The function runs as the owner and checks its own preconditions.
`whole_campaigns.erasing` installs it after each `migrate`.
"""

from django.db import connection, transaction


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
