"""Rights of the application's database role: read and write rows, but change no tables or triggers.

The owner of the database migrates; each `migrate` ends with the grants below. With one role for both, nothing is
granted, and `manage.py check --database default` warns.
"""

from typing import Any, cast

import pgtrigger
from django.apps import apps
from django.conf import settings
from django.core import checks
from django.core.management import CommandError
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model

from campaign.database.personal import ERASED, personal_data

# Required for ANALYZE after an import; PostgreSQL 16 lacks it and skips tables of other owners.
_MAINTAIN_SINCE = 170000

_GRANTS = """
    GRANT USAGE ON SCHEMA public TO {role};
    REVOKE CREATE ON SCHEMA public FROM PUBLIC, {role};
    REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role};
    REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role}
"""
_GRANT_MAINTAIN = "GRANT MAINTAIN ON ALL TABLES IN SCHEMA public TO {role}"

# Replaces the function of django-pgtrigger that each trigger calls: any role may set
# `pgtrigger.ignore`, but only the setting of the owner bypasses triggers.
_IGNORE_AS_OWNER = """
    CREATE OR REPLACE FUNCTION public._pgtrigger_should_ignore(trigger_name NAME) RETURNS BOOLEAN AS $$
        BEGIN
            RETURN pg_has_role(current_user, {owner}, 'MEMBER') AND trigger_name = ANY (
                coalesce(nullif(current_setting('pgtrigger.ignore', true), ''), '{{}}')::text[]
            );
        END;
    $$ LANGUAGE plpgsql
"""

_STANDING = """
    SELECT rolsuper, has_schema_privilege(current_user, 'public', 'CREATE') FROM pg_roles
    WHERE rolname = current_user
"""


def owner_require(*, using: str, **_signal: Any) -> None:
    """Raise CommandError if the role may not create tables. Runs before `migrate`."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT current_user, has_schema_privilege('public', 'CREATE')")
        role, may_create = cursor.fetchone()
    if not may_create:
        raise CommandError(
            f"The role {role} cannot change tables: it may not create any in the schema public. Migrations run as the owner of "
            "the database: set MIGRATION_DATABASE_URL to its address.",
        )


def application_role_grant(*, using: str, **_signal: Any) -> None:
    """Grant the role of the application only the rights it needs on all tables. Runs after `migrate`."""
    connection = connections[using]
    role = settings.APPLICATION_ROLE
    if connection.settings_dict["USER"] == role:
        return
    _require_role(connection, role)
    # In one transaction, so that running processes never see intermediate rights.
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.execute("SELECT quote_literal(current_user)")
        owner = cursor.fetchone()[0]
        cursor.execute(_IGNORE_AS_OWNER.format(owner=owner))
        quoted = connection.ops.quote_name(role)
        cursor.execute(_GRANTS.format(role=quoted))
        if cursor.connection.server_version >= _MAINTAIN_SINCE:
            cursor.execute(_GRANT_MAINTAIN.format(role=quoted))
        for model, operations in protected_operations():
            table = connection.ops.quote_name(model._meta.db_table)
            cursor.execute(f"REVOKE {operations} ON {table} FROM {quoted}")
            columns = ", ".join(_erased_columns(model))
            if columns:
                cursor.execute(f"GRANT UPDATE ({columns}) ON {table} TO {quoted}")


def _erased_columns(model: type[Model]) -> list[str]:
    """Return the columns of permanent rows that the erasure of a person empties; a trigger refuses other changes."""
    declared = personal_data(model)
    if declared is None:
        return []
    names = declared.names(ERASED)
    columns = []
    for field in model._meta.concrete_fields:
        if field.name in names:
            columns.append(str(field.column))
    return columns


def protected_operations() -> list[tuple[type[Model], str]]:
    """Return the forbidden operations, such as `UPDATE, DELETE`, of each model with permanent rows.

    They come from the attribute `withheld` of a model, or from its triggers, which also bind the owner.
    """
    # Its type hints have instances of models instead of classes.
    registered = cast("list[tuple[type[Model], Any]]", pgtrigger.registered())
    protected: list[tuple[type[Model], str]] = []
    for model in apps.get_models():
        if hasattr(model, "withheld"):
            protected.append((model, model.withheld))
    for model, trigger in registered:
        if not isinstance(trigger, pgtrigger.Protect) or trigger.condition is not None:
            continue
        if not isinstance(trigger.operation, pgtrigger.UpdateOf):
            operations = str(trigger.operation).replace(" OR ", ", ")
            protected.append((model, operations))
    return protected


def application_role_check(
    *,
    databases: Any = None,
    **_options: Any,
) -> list[checks.CheckMessage]:
    """Warn if the role of the application could bypass the rules of the database."""
    messages: list[checks.CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.settings_dict["USER"] != settings.APPLICATION_ROLE:
            continue  # a migration
        with connection.cursor() as cursor:
            cursor.execute(_STANDING)
            is_superuser, may_create = cursor.fetchone()
        if is_superuser or may_create:
            if is_superuser:
                kind = "a superuser"
            else:
                kind = "the owner of its tables"
            messages.append(
                checks.Warning(
                    f"The application connects to PostgreSQL as {kind}, which can disable triggers.",
                    hint="Use a separate role (see docs/operators.md).",
                    id="quintet.W001",
                ),
            )
    return messages


def _require_role(connection: BaseDatabaseWrapper, role: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if cursor.fetchone() is None:
            raise CommandError(
                f"DATABASE_URL names the role {role!r}, which does not exist. Create it: "
                f"CREATE ROLE {role or '…'} LOGIN PASSWORD '…'",
            )
