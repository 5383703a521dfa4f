"""Database function that deletes campaigns permanently, reinstalled after each `migrate`.

`campaign_erase` gets its tables from `whole_campaigns.campaign_rows`, so that no model is forgotten. It runs as the owner
of the tables: triggers protect judgments and the activity log against all other deletions, and the role of the
application has no right to delete them. It checks the time in the bin (rehearsals can be deleted at any time, with their
judges).
"""

from typing import Any, Final

from django.conf import settings
from django.db import connections

from annotation.models import Judgment
from campaign.services.campaigns import BIN_DAYS
from whole_campaigns.campaign_rows import TABLES, campaign_rows

_CAMPAIGN_ERASE: Final = """
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


def _deletions(using: str) -> str:
    quote = connections[using].ops.quote_name
    parts = []
    for model in reversed(TABLES):
        # The only parameter is the campaign: tests/unit/whole_campaigns/test_campaign_rows.py.
        sql, _parameters = (
            campaign_rows(model, 0).order_by().values_list("pk").query.sql_with_params()
        )
        parts.append(
            _DELETION.format(
                table=quote(model._meta.db_table),
                key=quote(str(model._meta.pk.column)),
                keys=sql % "erased",
            ),
        )
        if model is Judgment:
            parts.append(_ONLY_IF_DUE)
    return "".join(parts)


def function_install(*, using: str, **_signal: Any) -> None:
    """Install the function, and let the role of the application call it. Runs after `migrate`."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege('public', 'CREATE')")
        if not cursor.fetchone()[0]:
            return  # tests flush tables as a role that does not own them
        cursor.execute(
            _CAMPAIGN_ERASE.format(days=BIN_DAYS, deletions=_deletions(using)),
        )
        role = settings.APPLICATION_ROLE
        if role and connection.settings_dict["USER"] != role:
            quoted = connection.ops.quote_name(role)
            cursor.execute(
                f"GRANT EXECUTE ON FUNCTION public.campaign_erase(bigint) TO {quoted}",
            )
