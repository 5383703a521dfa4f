"""Rights of the application's database role: read and write rows, but change no tables or triggers.

Another role, the owner, migrates; each `migrate` ends by granting to the application what is below. With one
role for both nothing is granted, and `manage.py check --database default` warns.
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

# ANALYZE after an import needs it; PostgreSQL 16 does not know it and skips tables of others.
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

# django-pgtrigger's function, called by each trigger: any role may set `pgtrigger.ignore`, and
# thereby bypass all triggers. From here on only the owner's setting counts.
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
    """Raise CommandError where a role without the right to create tables migrates. Before `migrate`."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT current_user, has_schema_privilege('public', 'CREATE')")
        role, may_create = cursor.fetchone()
    if not may_create:
        raise CommandError(
            f"The role {role} cannot change tables. Migrations run as the database owner: set MIGRATION_DATABASE_URL to its address."
        )


def application_role_grant(*, using: str, **_signal: Any) -> None:
    """Grant the application's role the rights it needs on all tables, and no more. Runs after `migrate`."""
    connection = connections[using]
    role = settings.APPLICATION_ROLE
    if connection.settings_dict["USER"] == role:
        return
    _require_role(connection, role)
    # In one transaction, so that running processes never see the state in between.
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


def protected_operations() -> list[tuple[type[Model], str]]:
    """Return for each model of history the forbidden operations: `UPDATE, DELETE`.

    Models say it themselves (`withheld`), or by a trigger that refuses it: those of answers, which the owner does
    not change by mistake either.
    """
    # Its types speak of instances of models and mean their classes.
    registered = cast("list[tuple[type[Model], Any]]", pgtrigger.registered())
    declared = [(each, each.withheld) for each in apps.get_models() if hasattr(each, "withheld")]
    return declared + [
        (model, str(trigger.operation).replace(" OR ", ", "))
        for model, trigger in registered
        if isinstance(trigger, pgtrigger.Protect)
        and trigger.condition is None
        and not isinstance(trigger.operation, pgtrigger.UpdateOf)
    ]


def application_role_check(*, databases: Any = None, **_options: Any) -> list[checks.CheckMessage]:
    """Warn where the application connects as a role that could get round the database's own rules."""
    found: list[checks.CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.settings_dict["USER"] != settings.APPLICATION_ROLE:
            continue  # a migration
        with connection.cursor() as cursor:
            cursor.execute(_STANDING)
            is_superuser, may_create = cursor.fetchone()
        if is_superuser or may_create:
            kind = "a superuser" if is_superuser else "the owner of its tables"
            found.append(
                checks.Warning(
                    f"The application connects to PostgreSQL as {kind}, which can disable triggers.",
                    hint="Use a separate role (see docs/operators.md).",
                    id="quintet.W001",
                )
            )
    return found


def _require_role(connection: BaseDatabaseWrapper, role: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if cursor.fetchone() is None:
            raise CommandError(
                f"DATABASE_URL names the role {role!r}, which does not exist. Create it: "
                f"CREATE ROLE {role or '…'} LOGIN PASSWORD '…'"
            )
