"""Keep the ids of each cell to itself: the sequences of cell n run from n·10¹² to (n+1)·10¹² - 1.

Rows of a campaign keep their ids when it moves to another cell: they stand in arrays, in plans and in addresses.
"""

from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import connections, transaction

# Of tables with ids of 64 bits; those of Django's own with 32 never move.
_SEQUENCES = """
    SELECT format('%I.%I', schemaname, sequencename), min_value, max_value, last_value
    FROM pg_sequences WHERE schemaname = 'public' AND data_type = 'bigint'::regtype
"""
_LEAST = """
    SELECT max(min_value) FROM pg_sequences
    WHERE schemaname = 'public' AND data_type = 'bigint'::regtype
"""


def cell_ids_begin(*, using: str, **_signal: Any) -> None:
    """Have all sequences give the ids of `settings.CELL`. After `migrate`, as the owner.

    Raises
    ------
    CommandError
        The database has given ids of another cell.
    """
    size = settings.IDS_OF_A_CELL
    first, last = settings.CELL * size or 1, (settings.CELL + 1) * size - 1
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        cursor.execute(_SEQUENCES)
        for name, least, most, given in cursor.fetchall():
            if (least, most) == (first, last):
                continue
            if max(least, given or 0) >= size:
                raise CommandError(
                    f"This database is cell {max(least, given or 0) // size}; CELL is {settings.CELL}."
                )
            # Somebody may take ids meanwhile: those of cell 0 go on where they are.
            begins = f"MINVALUE {first} START {first} RESTART {first}" if settings.CELL else ""
            cursor.execute(f"ALTER SEQUENCE {name} {begins} MAXVALUE {last}")


def cell_of_database(cursor: Any) -> int:
    """Return which cell a database is, with a cursor of it."""
    cursor.execute(_LEAST)
    least: int = cursor.fetchone()[0]
    return least // int(settings.IDS_OF_A_CELL)
