"""Delete a campaign for good, as the database allows it: `campaign_erase`, a function of the tables' owner.

The application's role may not delete judgments. The function may, since it runs as the owner, and refuses all but
campaigns that have been in the bin long enough or that nobody judged, and rehearsals. `cells.erasing` writes it after each `migrate`.
"""

from django.db import connection, transaction


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
