"""The function by which the database deletes a campaign for good, written anew after each `migrate`.

It knows the tables from `cells.campaign_rows`, so that a new model is not forgotten. It runs as the owner of the
tables: triggers that keep judgments for good let nobody else pass, and the application's role has no right to delete
them. What it may delete it asks itself, by the database's clock. A rehearsal goes at any time, with its judges.
"""

from typing import Any, Final

from django.conf import settings
from django.db import connections

from annotation.models import Judgment
from campaign.services.states import BIN_DAYS
from cells.campaign_rows import TABLES, campaign_rows

_FUNCTION: Final = """
CREATE OR REPLACE FUNCTION public.campaign_erase(erased bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
-- Plans made for a small campaign would read tables whole for each row of a large one.
SET search_path = public, pg_temp SET enable_seqscan = off AS $erase$
DECLARE
    is_due boolean;
    rows_of_table bigint;
    total bigint := 0;
    bots bigint[];
BEGIN
    SELECT c.rehearsal_of_id IS NOT NULL
        OR c.state_since <= statement_timestamp() - interval '{days} days' INTO is_due
    FROM campaign_campaign c
    WHERE c.id = erased AND (c.state = 'bin' OR c.rehearsal_of_id IS NOT NULL) FOR UPDATE;
    IF is_due IS NULL THEN
        RAISE EXCEPTION 'campaign % is not in the bin', erased
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    -- The judges of a rehearsal are nobody else.
    SELECT array_agg(j.user_id) INTO bots FROM campaign_judge j
    JOIN campaign_campaign c ON c.id = j.campaign_id
    WHERE c.id = erased AND c.rehearsal_of_id IS NOT NULL;
    PERFORM set_config('pgtrigger.ignore', array_agg(DISTINCT tgname)::text, true)
    FROM pg_trigger WHERE NOT tgisinternal;
{deletions}
    DELETE FROM campaign_user WHERE id = ANY (bots);
    SET CONSTRAINTS ALL IMMEDIATE;
    PERFORM set_config('pgtrigger.ignore', '', true);
    RETURN total;
END;
$erase$;
REVOKE ALL ON FUNCTION public.campaign_erase(bigint) FROM PUBLIC;
"""
_DELETION: Final = """\
    DELETE FROM {table} WHERE {key} IN ({keys});
    GET DIAGNOSTICS rows_of_table = ROW_COUNT;
    total := total + rows_of_table;
"""
_ONLY_IF_DUE: Final = """\
    IF rows_of_table > 0 AND NOT is_due THEN
        RAISE EXCEPTION 'campaign % has been judged, and is not long enough in the bin', erased
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
"""


def erasing_install(*, using: str, **_signal: Any) -> None:
    """Write the function, and let the application's role call it. After `migrate`."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege('public', 'CREATE')")
        if not cursor.fetchone()[0]:
            return  # Tables are emptied, not migrated, by a role that does not own them.
        cursor.execute(_FUNCTION.format(days=BIN_DAYS, deletions=_deletions(using)))
        role = settings.APPLICATION_ROLE
        if role and connection.settings_dict["USER"] != role:
            quoted = connection.ops.quote_name(role)
            cursor.execute(f"GRANT EXECUTE ON FUNCTION public.campaign_erase(bigint) TO {quoted}")


def _deletions(using: str) -> str:
    quote = connections[using].ops.quote_name
    parts = []
    for model in reversed(TABLES):
        # One condition, on the campaign: tests/unit/cells/test_campaign_rows.py.
        sql, _parameters = (
            campaign_rows(model, 0).order_by().values_list("pk").query.sql_with_params()
        )
        parts.append(
            _DELETION.format(
                table=quote(model._meta.db_table),
                key=quote(str(model._meta.pk.column)),
                keys=sql % "erased",
            )
        )
        if model is Judgment:
            parts.append(_ONLY_IF_DUE)
    return "".join(parts)
