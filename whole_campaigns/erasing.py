"""Database functions that delete campaigns and unlink judges permanently, reinstalled after each `migrate`.

`campaign_erase` gets its tables from `whole_campaigns.campaign_rows`, and `judge_unlink` its fields from the
declarations of personal data (`campaign.database.personal`), so that no model is forgotten. Both functions run as the owner of the tables: triggers protect judgments and
the activity log against all other deletions, and the role of the application has no right to delete them. The functions
check their own preconditions: `campaign_erase` the time in the bin (rehearsals can be deleted at any time, with their
judges), `judge_unlink` the request of the judge. Judgments, skips, comments and decisions stay, under the pseudonym
(docs/decisions/0094-erased-judges-keep-their-pseudonym.md).
"""

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.db import connections
from django.db.models import Field, Model

from annotation.models import Judgment
from campaign import models as campaign
from campaign.database.personal import (
    ERASED,
    PersonalData,
    empty_value,
    owner_of,
    personal_models,
)
from campaign.database.recording import RecordedModel
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
    SELECT coalesce(array_agg(id), '{}') INTO links FROM campaign_invitation
    WHERE campaign_id = part.campaign_id AND user_id = part.user_id AND role = 'judge';
    PERFORM set_config('pgtrigger.ignore', array_agg(DISTINCT tgname)::text, true)
    FROM pg_trigger WHERE NOT tgisinternal;
__STEPS_OF_JUDGE__
    UPDATE campaign_judge SET withdrawn_at = coalesce(withdrawn_at, statement_timestamp()) WHERE id = part.id;
    UPDATE campaign_activityevent SET user_id = NULL
        WHERE campaign_id = part.campaign_id AND user_id = part.user_id AND NOT EXISTS (
            SELECT FROM campaign_membership WHERE campaign_id = part.campaign_id AND user_id = part.user_id);
    IF part.user_id IS NOT NULL AND has_other_parts THEN
        -- Theirs elsewhere: this judge becomes nobody's.
        INSERT INTO campaign_user (password, name, language, is_active, is_staff)
            VALUES ('', '', '', false, false) RETURNING id INTO part.user_id;
        UPDATE campaign_judge SET user_id = part.user_id WHERE id = part.id;
    ELSIF part.user_id IS NOT NULL THEN
__STEPS_OF_ACCOUNT__
    END IF;
    SET CONSTRAINTS ALL IMMEDIATE;
    PERFORM set_config('pgtrigger.ignore', '', true);
    RETURN removed;
END;
$unlink$;
REVOKE ALL ON FUNCTION public.judge_unlink(bigint) FROM PUBLIC;
"""
_COUNTED: Final = """\
    GET DIAGNOSTICS rows_changed = ROW_COUNT;
    removed := removed || jsonb_build_object('{what}', rows_changed);
"""
#: Rows that belong to the judge, if the declaration of their model does not tell.
_ROWS_OF_JUDGE: Final[dict[type[Model], str]] = {campaign.Invitation: "id = ANY (links)"}
#: Before anything is deleted. Mails about an erasure that was carried out are kept until they are sent.
_MAILS_ABOUT_ERASURE: Final = """\
    DELETE FROM campaign_mail WHERE kind IN ('recorded', 'refused')
        AND erasure_id IN (SELECT id FROM campaign_erasurerequest WHERE judge_id = part.id);
"""
_MAILS_OF_ACCOUNT: Final = "    DELETE FROM campaign_mail WHERE user_id = part.user_id;\n"
#: What the log says about a judge, without the erased fields.
_EVENTS_OF_JUDGE: Final = """\
    UPDATE campaign_activityevent SET changes = changes - ARRAY[{erased}]
        WHERE campaign_id = part.campaign_id AND kind = 'campaign.judge' AND object_id = part.id;
"""
#: What the log says about rows that are deleted, or were before.
_EVENTS_OF_ROWS: Final = """\
    UPDATE campaign_activityevent SET changes = '{{}}', object_name = ''
        WHERE kind = '{kind}' AND ({conditions});
"""


def _judge_unlink(using: str) -> str:
    """Return the statement of the function `judge_unlink`, which follows the declarations of personal data."""
    steps: dict[type[Model], list[str]] = {campaign.Judge: [], campaign.User: []}
    steps[campaign.Judge] += [
        _MAILS_ABOUT_ERASURE,
        _COUNTED.format(what="mails about erasure"),
        _events_of_judge(),
    ]
    steps[campaign.User].append(_MAILS_OF_ACCOUNT)
    # Rows that are found through others come first.
    declared_models = sorted(personal_models(), key=lambda pair: -pair[1].person.count("__"))
    for model, declared in declared_models:
        if model in _ROWS_OF_JUDGE:
            steps[campaign.Judge] += _erasure(model, declared, _ROWS_OF_JUDGE[model], using)
            steps[campaign.Judge] += _count(declared)
        if owner_of(model, declared) is campaign.User:
            rows = _rows_of(model, declared, "part.user_id")
            steps[campaign.User] += _erasure(model, declared, rows, using)
        else:
            rows = _rows_of(model, declared, "part.id")
            steps[campaign.Judge] += _erasure(model, declared, rows, using)
            steps[campaign.Judge] += _count(declared)
    function = _JUDGE_UNLINK.replace("__STEPS_OF_JUDGE__\n", "".join(steps[campaign.Judge]))
    return function.replace("__STEPS_OF_ACCOUNT__\n", "".join(steps[campaign.User]))


def _rows_of(model: type[Model], declared: PersonalData, variable: str) -> str:
    """Return the condition of a model's rows of one judge or user."""
    rows = model._meta.base_manager.filter(**{declared.person or "pk": 0}).values("pk")
    # The only parameter is the judge or the user.
    sql, _parameters = rows.query.sql_with_params()
    return f"{model._meta.pk.column} IN ({sql % variable})"


def _erasure(model: type[Model], declared: PersonalData, rows: str, using: str) -> list[str]:
    """Return the statements that erase these rows, or their erased fields."""
    if model is campaign.ActivityEvent:
        return []  # by `_EVENTS_OF_JUDGE` and `_EVENTS_OF_ROWS`
    quote = connections[using].ops.quote_name
    table = quote(model._meta.db_table)
    erased = declared.names(ERASED)
    statements = []
    if declared.rows_deleted:
        statements += _events_of_rows(model, rows)
        statements.append(f"    DELETE FROM {table} WHERE {rows};\n")
    elif erased:
        values = ", ".join(_emptied(model, declared, name, quote) for name in erased)
        statements.append(f"    UPDATE {table} SET {values} WHERE {rows};\n")
    return statements


def _count(declared: PersonalData) -> list[str]:
    return [_COUNTED.format(what=declared.called)] if declared.called else []


def _emptied(
    model: type[Model], declared: PersonalData, name: str, quote: Callable[[str], str]
) -> str:
    field: Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]
    return f"{quote(str(field.column))} = {declared.erased_to.get(name) or empty_value(field)}"


def _events_of_judge() -> str:
    judge = campaign.Judge
    recorded = {*judge.recording.fields, *judge.recording.hidden}
    erased = sorted(recorded.intersection(judge.personal.names(ERASED)))
    return _EVENTS_OF_JUDGE.format(erased=", ".join(f"'{name}'" for name in erased))


def _events_of_rows(model: type[Model], rows: str) -> list[str]:
    """Return the statement that empties the log of these rows, and of those deleted before."""
    if not issubclass(model, RecordedModel):
        return []
    conditions = [f"object_id IN (SELECT id FROM {model._meta.db_table} WHERE {rows})"]
    if "judge_id" in model.recording.fields:
        conditions.append("changes -> 'judge_id' @> to_jsonb(part.id)")
    if "user_id" in model.recording.fields and not rows.startswith("id = ANY"):
        conditions.append("changes -> 'user_id' @> to_jsonb(part.user_id)")
    return [
        _EVENTS_OF_ROWS.format(kind=model._meta.label_lower, conditions=" OR ".join(conditions))
    ]


def functions_install(*, using: str, **_signal: Any) -> None:
    """Install the functions, and let the role of the application call them. Runs after `migrate`."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege('public', 'CREATE')")
        if not cursor.fetchone()[0]:
            return  # tests flush tables as a role that does not own them
        cursor.execute(_CAMPAIGN_ERASE.format(days=BIN_DAYS, deletions=_deletions(using)))
        cursor.execute(_judge_unlink(using))
        role = settings.APPLICATION_ROLE
        if role and connection.settings_dict["USER"] != role:
            quoted = connection.ops.quote_name(role)
            for name in ("campaign_erase", "judge_unlink"):
                cursor.execute(f"GRANT EXECUTE ON FUNCTION public.{name}(bigint) TO {quoted}")
