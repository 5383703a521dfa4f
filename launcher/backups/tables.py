"""What stands in a database, in numbers: to compare a restored one with the one that was saved."""

from __future__ import annotations

from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor  # noqa: N812  it is a class


def rows_of_tables(cursor: Cursor) -> dict[str, int]:
    """Return how many rows each table has; nothing where there are no tables."""
    cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
    names = [str(name) for (name,) in cursor.fetchall()]
    rows = {}
    for name in names:
        cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("public", name)))
        rows[name] = _number(cursor)
    return rows


def migrations_of(cursor: Cursor) -> list[str]:
    """Return the migrations that the tables had, in their order."""
    cursor.execute("SELECT to_regclass('public.django_migrations') IS NOT NULL")
    found = cursor.fetchone()
    if found is None or not found[0]:
        return []
    cursor.execute("SELECT app || '.' || name FROM django_migrations ORDER BY id")
    return [str(name) for (name,) in cursor.fetchall()]


def in_words(rows: dict[str, int]) -> str:
    """Say what these tables hold, for people."""
    if not rows:
        return "no tables"
    campaigns = rows.get("campaign_campaign", 0)
    judgments = rows.get("annotation_judgment", 0)
    runs = rows.get("ranking_rankingrun", 0)
    return (
        f"{campaigns:,} campaigns with {judgments:,} judgments and {runs:,} rankings that were kept"
    )


def _number(cursor: Cursor) -> int:
    row = cursor.fetchone()
    return int(row[0]) if row else 0
