"""Rename constraints in migrations without reading their tables."""

from django.db.migrations import RunSQL


def constraint_renamed(
    table: str,
    old: str,
    new: str,
    *,
    is_index: bool = False,
) -> RunSQL:
    """Return the operation that renames a constraint, or the unique index that Django calls one.

    Unique constraints with a condition or with expressions are indexes in PostgreSQL.
    """
    start = f'ALTER TABLE "{table}" RENAME CONSTRAINT'
    if is_index:
        return RunSQL(
            f'ALTER INDEX "{old}" RENAME TO "{new}"',
            f'ALTER INDEX "{new}" RENAME TO "{old}"',
        )
    return RunSQL(f'{start} "{old}" TO "{new}"', f'{start} "{new}" TO "{old}"')
