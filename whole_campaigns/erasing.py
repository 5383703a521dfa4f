"""Database functions that delete campaigns and unlink judges permanently, reinstalled after each `migrate`.

`campaign_erase` gets its tables from `whole_campaigns.campaign_rows`, so that no model is forgotten. Both functions
run as the owner of the tables: triggers protect judgments and the activity log against all other deletions, and the
role of the application has no right to delete them. The functions check their own preconditions: `campaign_erase`
the time in the bin (rehearsals can be deleted at any time, with their judges), `judge_unlink` the request of the
judge. Judgments, skips, comments and decisions stay, under the pseudonym
(docs/decisions/0094-erased-judges-keep-their-pseudonym.md).
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
            )
        )
        if model is Judgment:
            parts.append(_ONLY_IF_DUE)
    return "".join(parts)


_JUDGE_UNLINK: Final = """
CREATE OR REPLACE FUNCTION public.judge_unlink(asked bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $unlink$
DECLARE
    part campaign_judge%ROWTYPE;
    has_other_parts boolean;
    links bigint[];
    removed jsonb := '{}';
    rows_changed bigint;
BEGIN
    SELECT j.* INTO part FROM campaign_erasurerequest r JOIN campaign_judge j ON j.id = r.judge_id
    WHERE r.id = asked AND r.withdrawn_at IS NULL AND r.refused_at IS NULL AND r.carried_out_at IS NULL
    FOR UPDATE;
    IF part.id IS NULL THEN
        RAISE EXCEPTION 'there is no open request % for erasure', asked
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    SELECT EXISTS (SELECT FROM campaign_judge WHERE user_id = part.user_id AND id <> part.id)
        OR EXISTS (SELECT FROM campaign_membership WHERE user_id = part.user_id) INTO has_other_parts;
    SELECT coalesce(array_agg(id), '{{}}') INTO links FROM campaign_invitation
    WHERE campaign_id = part.campaign_id AND user_id = part.user_id AND role = 'judge';
    PERFORM set_config('pgtrigger.ignore', array_agg(DISTINCT tgname)::text, true)
    FROM pg_trigger WHERE NOT tgisinternal;
{steps}
    UPDATE campaign_judge SET address = '', note = '', languages = '{{}}', expertise = '{{}}',
        withdrawn_at = coalesce(withdrawn_at, statement_timestamp()) WHERE id = part.id;
    -- What the log says of the judge, less what was said of the person; and of their doings, not who it was.
    UPDATE campaign_activityevent
        SET changes = changes - ARRAY['note', 'languages', 'expertise', 'address', 'blocks_asked']
        WHERE campaign_id = part.campaign_id AND kind = 'campaign.judge' AND object_id = part.id;
    UPDATE campaign_activityevent SET user_id = NULL
        WHERE campaign_id = part.campaign_id AND user_id = part.user_id AND NOT EXISTS (
            SELECT FROM campaign_membership WHERE campaign_id = part.campaign_id AND user_id = part.user_id);
    IF part.user_id IS NOT NULL AND has_other_parts THEN
        -- Theirs elsewhere: this judge becomes nobody's.
        INSERT INTO campaign_user (password, name, language, is_active, is_staff)
            VALUES ('', '', '', false, false) RETURNING id INTO part.user_id;
        UPDATE campaign_judge SET user_id = part.user_id WHERE id = part.id;
    ELSIF part.user_id IS NOT NULL THEN
        DELETE FROM campaign_session WHERE user_id = part.user_id;
        DELETE FROM campaign_apitoken WHERE user_id = part.user_id;
        DELETE FROM campaign_mail WHERE user_id = part.user_id;
        UPDATE campaign_user SET password = '', name = '', email = NULL, language = '', is_active = false
            WHERE id = part.user_id;
    END IF;
    SET CONSTRAINTS ALL IMMEDIATE;
    PERFORM set_config('pgtrigger.ignore', '', true);
    RETURN removed;
END;
$unlink$;
REVOKE ALL ON FUNCTION public.judge_unlink(bigint) FROM PUBLIC;
"""
_UNLINK_STEP: Final = """\
    {statement};
    GET DIAGNOSTICS rows_changed = ROW_COUNT;
    removed := removed || jsonb_build_object('{what}', rows_changed);
"""
#: Statements for deleted data in order, by name in the record.
REMOVED: Final = {
    "events of links": (
        "UPDATE campaign_activityevent SET changes = '{}', object_name = ''"
        " WHERE campaign_id = part.campaign_id AND kind = 'campaign.invitation' AND object_id = ANY (links)"
    ),
    "visits": "DELETE FROM campaign_browservisit WHERE judge_id = part.id",
    "mails": "DELETE FROM campaign_mail WHERE judge_id = part.id",
    "mails about erasure": (
        "DELETE FROM campaign_mail WHERE kind IN ('recorded', 'refused')"
        " AND erasure_id IN (SELECT id FROM campaign_erasurerequest WHERE judge_id = part.id)"
    ),
    "openings of a link for anybody": (
        "UPDATE campaign_judge SET joined_by_id = NULL, joined_browser = NULL"
        " WHERE id = part.id AND joined_by_id IS NOT NULL"
    ),
    "links": "DELETE FROM campaign_invitation WHERE id = ANY (links)",
    "conflicts of interest": "DELETE FROM campaign_conflictofinterest WHERE judge_id = part.id",
    "participations at a service": (
        "UPDATE campaign_participation SET session_id = 'erased-' || id WHERE judge_id = part.id"
    ),
    "ids at a service": (
        "UPDATE campaign_judge SET external_id = 'erased-' || id"
        " WHERE id = part.id AND external_id <> ''"
    ),
}


def functions_install(*, using: str, **_signal: Any) -> None:
    """Install the functions, and let the role of the application call them. Runs after `migrate`."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege('public', 'CREATE')")
        if not cursor.fetchone()[0]:
            return  # tests flush tables as a role that does not own them
        cursor.execute(_CAMPAIGN_ERASE.format(days=BIN_DAYS, deletions=_deletions(using)))
        steps = "".join(
            _UNLINK_STEP.format(statement=statement, what=what)
            for what, statement in REMOVED.items()
        )
        cursor.execute(_JUDGE_UNLINK.replace("{steps}\n", steps).replace("{{}}", "{}"))
        role = settings.APPLICATION_ROLE
        if role and connection.settings_dict["USER"] != role:
            quoted = connection.ops.quote_name(role)
            for name in ("campaign_erase", "judge_unlink"):
                cursor.execute(f"GRANT EXECUTE ON FUNCTION public.{name}(bigint) TO {quoted}")
