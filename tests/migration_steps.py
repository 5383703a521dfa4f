"""Migrations step by step, as databases came here that are older than the squashed ones."""

from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader


def steps_executor() -> MigrationExecutor:
    """Return an executor on Django's own database that knows no squashed migration of ours."""
    connection = connections[DEFAULT_DB_ALIAS]
    executor = MigrationExecutor(connection)
    executor.loader = steps_loader(connection)
    return executor


def steps_loader(connection: BaseDatabaseWrapper | None) -> MigrationLoader:
    """Return a loader without our squashed migrations, whatever is applied; what came after them stays."""
    loader = MigrationLoader(connection, replace_migrations=False)
    for key, migration in loader.replacements.items():
        if is_ours(key[0]):
            loader.graph.remove_replacement_node(key, migration.replaces)
        else:
            loader.graph.remove_replaced_nodes(key, migration.replaces)
    loader.graph.validate_consistency()
    loader.graph.ensure_not_cyclic()
    return loader


def is_ours(app: str) -> bool:
    """Return whether an app, by its label, is of this checkout."""
    return (settings.BASE_DIR / apps.get_app_config(app).name.split(".")[0]).is_dir()
