"""Delete what a campaign left in the cell it moved away from."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.utils.translation import gettext as _

from campaign.database.locks import named_lock_held
from campaign.models import Campaign, CampaignMove
from cells.campaign_rows import TABLES, campaign_rows
from cells.moving import MoveRefusedError, constraints_check, triggers_pass
from cells.tables import written

# Foreign keys to these tables by which PostgreSQL cannot look up: for each row that is deleted it would read the
# referring table whole.
_UNINDEXED = """
    SELECT DISTINCT c.conrelid::regclass::text, quote_ident(a.attname)
    FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'f' AND c.confrelid = ANY (%s::regclass[]) AND NOT EXISTS (
        SELECT FROM pg_index i
        WHERE i.indrelid = c.conrelid AND i.indkey[0] = a.attnum AND i.indisvalid AND i.indpred IS NULL
    )
"""


def campaign_forget(*, campaign: Campaign) -> int:
    """Delete all rows of a campaign that moved to another cell, its mark included; return how many.

    People stay. Past triggers that keep judgments for good, so as the owner of the tables; foreign keys are checked
    as ever, with indexes made for it and dropped again. Outside a transaction.

    Raises `MoveRefusedError` if the campaign is at home here, and while another one is deleted: each would drop
    the other's indexes.
    """
    with named_lock_held("rows left by campaigns") as is_held:
        if not is_held:
            raise MoveRefusedError(_("Another command is deleting what a campaign left."))
        return _forget(campaign)


def _forget(campaign: Campaign) -> int:
    if not CampaignMove.objects.filter(pk=campaign.pk, moved_at__isnull=False).exists():
        raise MoveRefusedError(_("It has not moved to another cell."))
    with _foreign_keys_indexed(), transaction.atomic():
        triggers_pass(connection)
        deleted = 0
        for model in reversed(TABLES):
            keys = campaign_rows(model, campaign.pk).order_by().values_list("pk")
            column = connection.ops.quote_name(str(model._meta.pk.column))
            with connection.cursor() as cursor:
                cursor.execute(
                    f"DELETE FROM {model._meta.db_table} WHERE {column} IN ({written(connection, keys)})"
                )
                deleted += cursor.rowcount
        with connection.cursor() as cursor:
            constraints_check(cursor)
    return deleted


@contextmanager
def _foreign_keys_indexed() -> Iterator[None]:
    """Create an index for each foreign key to a campaign's tables that has none, and drop it afterwards."""
    with connection.cursor() as cursor:
        cursor.execute(_UNINDEXED, [[model._meta.db_table for model in TABLES]])
        missing = cursor.fetchall()
        made = [f"forgetting_{number}" for number in range(len(missing))]
        try:
            for name, (table, column) in zip(made, missing, strict=True):
                cursor.execute(
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}"
                )  # of one that was killed
                cursor.execute(f"CREATE INDEX CONCURRENTLY {name} ON {table} ({column})")
            yield
        finally:
            for name in made:
                cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
