"""Triggers whose bodies stand in files of SQL, one a file."""

from typing import Any, Final

import pgtrigger
from django.conf import settings

FOLDER: Final = "triggers"


# A connection keeps the plans of what triggers ask. Made while tables are small, they would read these whole for every row.
# What judges do sets it once for all of its transaction, so it is asked for before it is set.
_PLANNING: Final = ("scans", "TEXT")
_PLANNED: Final = {
    "plan_by_index": """\
scans := current_setting('enable_seqscan');
IF scans = 'on' THEN
    PERFORM set_config('enable_seqscan', 'off', true);
END IF;""",
    "plan_as_before": """\
IF scans = 'on' THEN
    PERFORM set_config('enable_seqscan', 'on', true);
END IF;""",
}


def trigger_from_file(
    app: str, name: str, *, parts: dict[str, str] | None = None, suffix: str = "", **options: Any
) -> pgtrigger.Trigger:
    """Return the trigger `name`, whose body is the file `<app>/triggers/<name>.sql`.

    `parts` are put in for their names in braces, `suffix` is added to the trigger's name where several
    have one body; `options` are those of `pgtrigger.Trigger`. What a body asks between `{plan_by_index}` and `{plan_as_before}`
    reads no table whole.
    """
    body = (settings.BASE_DIR / app / FOLDER / f"{name}.sql").read_text(encoding="utf-8")
    if "{plan_by_index}" in body:
        options["declare"] = [*options.get("declare", ()), _PLANNING]
    for part, sql in {**_PLANNED, **(parts or {})}.items():
        body = body.replace(f"{{{part}}}", sql)
    return pgtrigger.Trigger(name=f"{name}{suffix}", func=body, **options)


_STAYS = """\
-- Whoever writes what refers to the rows holds a lock of theirs until the commit: whoever deletes them has waited for it,
-- and this sees what was written if each statement sees what was committed before it.
IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE SQLSTATE '55000' USING MESSAGE = format(
        'these rows are deleted in transactions that read what is committed, not %s',
        current_setting('transaction_isolation')
    );
END IF;
{plan_by_index}
SELECT o.id INTO kept
FROM old_rows o
WHERE EXISTS (SELECT FROM {table} r WHERE r.{column} = o.id OFFSET 0)
LIMIT 1;
{plan_as_before}
IF kept IS NOT NULL THEN
    RAISE EXCEPTION '{refusal}', kept
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = '{name}';
END IF;
RETURN NULL;
"""


class StaysWhileReferredTo(pgtrigger.Trigger):
    """Refuse to delete rows that others refer to: the far side of a reference that triggers keep, once a statement.

    Parameters
    ----------
    name : str
        Of the trigger and of the constraint that the error names.
    table, column : str
        Of what refers to the rows, with an index on the column. Whoever writes into it locks them `FOR KEY SHARE`.
    refusal : str
        What the error says, with `%` for the row's id.
    """

    level = pgtrigger.Statement
    when = pgtrigger.After
    operation = pgtrigger.Delete
    referencing = pgtrigger.Referencing(old="old_rows")  # type: ignore[no-untyped-call]

    def __init__(self, *, name: str, table: str, column: str, refusal: str) -> None:
        super().__init__(
            name=name,
            func=_STAYS.format(name=name, table=table, column=column, refusal=refusal, **_PLANNED),
            declare=[("kept", "BIGINT"), _PLANNING],
        )


class NeverTruncated(pgtrigger.Trigger):
    """Refuse TRUNCATE, which passes the triggers that refuse DELETE."""

    level = pgtrigger.Statement
    when = pgtrigger.Before
    operation = pgtrigger.Truncate
    func = "RAISE EXCEPTION 'Cannot truncate %: its rows are kept for good', TG_TABLE_NAME;"
