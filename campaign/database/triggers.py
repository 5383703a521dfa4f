"""Triggers whose bodies stand in files of SQL, one a file."""

from typing import Any, Final

import pgtrigger
from django.conf import settings

FOLDER: Final = "triggers"


def trigger_from_file(
    app: str, name: str, *, parts: dict[str, str] | None = None, suffix: str = "", **options: Any
) -> pgtrigger.Trigger:
    """Return the trigger `name`, whose body is the file `<app>/triggers/<name>.sql`.

    `parts` are put in for their names in braces, `suffix` is added to the trigger's name where several
    have one body; `options` are those of `pgtrigger.Trigger`.
    """
    body = (settings.BASE_DIR / app / FOLDER / f"{name}.sql").read_text(encoding="utf-8")
    for part, sql in (parts or {}).items():
        body = body.replace(f"{{{part}}}", sql)
    return pgtrigger.Trigger(name=f"{name}{suffix}", func=body, **options)


class NeverTruncated(pgtrigger.Trigger):
    """Refuse TRUNCATE, which passes the triggers that refuse DELETE."""

    level = pgtrigger.Statement
    when = pgtrigger.Before
    operation = pgtrigger.Truncate
    func = "RAISE EXCEPTION 'Cannot truncate %: its rows are kept for good', TG_TABLE_NAME;"
