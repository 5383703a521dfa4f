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
