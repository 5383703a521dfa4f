"""Unlink a judge from the person they are, as the database allows it: `judge_unlink`, a function of the tables' owner.

`cells.erasing` writes it after each `migrate`.
"""

import json

from django.db import connections


def judge_unlink(request_id: int, *, using: str = "default") -> dict[str, int]:
    """Unlink the judge of an open request; return how many rows of what were removed. In a transaction."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT judge_unlink(%s)::text", [request_id])
        return dict(json.loads(cursor.fetchone()[0]))
