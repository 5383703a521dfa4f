"""Define triggers with bodies in SQL files, one per app."""

import re
from collections.abc import Iterable
from typing import Any, Final

import pgtrigger
from django.conf import settings
from django.db.models import CheckConstraint, Q

# Connections cache plans of trigger queries, and plans made while tables are small would scan them
# for every row. Statements of judging disable scans once per transaction, so triggers check first.
_PLAN_BY_INDEX: Final = "{plan_by_index}"
_PARTS: Final = {
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
    app: str,
    name: str,
    *,
    parts: dict[str, str] | None = None,
    **options: Any,
) -> pgtrigger.Trigger:
    """Return the trigger `name`, whose body follows the line `-- trigger <name>` in `<app>/triggers.sql`.

    `parts` replace their names in braces; `options` are those of `pgtrigger.Trigger`. Queries between `{plan_by_index}` and
    `{plan_as_before}` scan no tables.
    """
    text = (settings.BASE_DIR / app / "triggers.sql").read_text(encoding="utf-8")
    parted = re.split(r"^-- trigger (\w+)\n", text, flags=re.MULTILINE)
    body = dict(zip(parted[1::2], parted[2::2], strict=True))[name].rstrip("\n") + "\n"
    if _PLAN_BY_INDEX in body:
        options["declare"] = [*options.get("declare", ()), ("scans", "TEXT")]
    for part, sql in {**_PARTS, **(parts or {})}.items():
        body = body.replace(f"{{{part}}}", sql)
    return pgtrigger.Trigger(name=name, func=body, **options)


def trigger_after_insert(
    app: str,
    name: str,
    *,
    rows: str = "new_rows",
    **options: Any,
) -> pgtrigger.Trigger:
    """Return a trigger that fires once after each INSERT, and finds the new rows in the table `rows`."""
    return trigger_from_file(
        app,
        name,
        level=pgtrigger.Statement,
        operation=pgtrigger.Insert,
        when=pgtrigger.After,
        referencing=pgtrigger.Referencing(new=rows),  # type: ignore[no-untyped-call]
        **options,
    )


def is_one_of(field: str, values: Iterable[str], *, name: str) -> CheckConstraint:
    """Return the constraint `name` that limits a field to some values, such as its choices."""
    return CheckConstraint(
        condition=Q(**{f"{field}__in": [str(value) for value in values]}),
        name=name,
    )
