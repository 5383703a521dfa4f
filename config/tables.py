"""Compare the tables of the database with those of this version: current, empty, older, newer or different."""

from dataclasses import dataclass

from django.db import Error, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from campaign.database.catalogue import (
    OURS,
    Catalogue,
    catalogue_for,
    is_squashed,
    migrations_by_app,
)
from version import code_version

_MIGRATED_BY = "Migrated by Quintet "


@dataclass(frozen=True)
class TablesState:
    """The state of the tables of the database. They are those of this version if `problem` is None.

    Attributes:
        unknown: applied migrations of Quintet that this version does not have.
        differences: what differs from the tables that the applied migrations make.
        pending: migrations of this version that were not applied.
        missing_functions: functions that `migrate` installs.
        is_empty: no migration of Quintet was applied.
    """

    unknown: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    missing_functions: tuple[str, ...] = ()
    is_empty: bool = False

    @property
    def can_be_migrated(self) -> bool:
        return not self.unknown and not self.differences

    @property
    def problem(self) -> str | None:
        """One clause about what keeps this version from using the tables."""
        if self.unknown:
            return f"unknown migrations: {first_of(self.unknown)}"
        if self.differences:
            return f"tables of another version: {first_of(self.differences)}"
        if self.pending:
            return "migrations are pending"
        if self.missing_functions:
            return f"functions are missing: {first_of(self.missing_functions)}"
        return None


def tables_state() -> TablesState:
    """Read the state of the tables.

    Raises:
        Error: the database cannot be reached.
    """
    executor = MigrationExecutor(connection)
    loader = executor.loader
    applied = loader.applied_migrations
    unknown = [
        (app, name)
        for app, name in applied
        if app in OURS
        and not is_squashed(name)
        and (app, name) not in loader.disk_migrations
    ]
    if unknown:
        return TablesState(unknown=tuple(sorted(".".join(key) for key in unknown)))
    plan = executor.migration_plan(loader.graph.leaf_nodes())
    pending = tuple(
        f"{migration.app_label}.{migration.name}" for migration, _back in plan
    )
    if not any(app in OURS for app, _name in applied):
        return TablesState(pending=pending, is_empty=True)
    expected = catalogue_for(migrations_by_app(applied))
    if expected is None:  # `migrate` was interrupted
        return TablesState(pending=pending)
    catalogue = Catalogue.of(connection)
    return TablesState(
        differences=tuple(expected.differences(catalogue)),
        pending=pending,
        missing_functions=tuple(expected.missing_functions(catalogue)),
    )


def first_of(names: tuple[str, ...], count: int = 3) -> str:
    """Return the first names, and how many more there are."""
    if len(names) > count:
        more = f"; and {len(names) - count} more"
    else:
        more = ""
    return "; ".join(names[:count]) + more


def version_record() -> None:
    """Record in the database that this version has migrated it, for messages of other versions."""
    with connection.cursor() as cursor:
        cursor.execute(
            "COMMENT ON TABLE django_migrations IS %s",
            [_MIGRATED_BY + code_version()],
        )


def migrated_by() -> str | None:
    """Return the version that last migrated the database; None before 0.2.0."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT obj_description(to_regclass('django_migrations'), 'pg_class')",
        )
        comment = cursor.fetchone()[0] or ""
    if comment.startswith(_MIGRATED_BY):
        return comment.removeprefix(_MIGRATED_BY)
    return None


def last_ranked_by() -> str | None:
    """Return the version that computed the last ranking in the database; None if there is no ranking."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT code_version FROM ranking_rankingrun ORDER BY id DESC LIMIT 1",
            )
            row = cursor.fetchone()
    except Error:
        return None
    if row:
        return str(row[0])
    return None
