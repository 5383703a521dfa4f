"""Write the migration that makes an app's newest tables in one step, for new databases.

    python -m launcher run --temporary -- python -m tests.upgrades.squash

Each app gets a squashed migration in Django's sense: an empty database runs it instead of the chain that it replaces, and
a database that has begun with the chain goes on with it. Run `make migration-freeze` afterwards, which compares the tables.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import migrations
from django.db.migrations import Migration, RunSQL
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.writer import MigrationWriter

from campaign.database.catalogue import OURS, SQUASHED
from campaign.database.create_models import CreateModels


def chain(loader: MigrationLoader, app: str) -> list[Migration]:
    """Return an app's migrations in their order, without the one that makes users and without squashed ones.

    Users come first: the libraries' migrations refer to them, and ours run after those of the libraries.
    """
    leaf = loader.graph.leaf_nodes(app)[0]
    return [
        loader.disk_migrations[key]
        for key in loader.graph.forwards_plan(leaf)
        if key[0] == app and key != ("campaign", "0001_initial")
    ]


def squashed(app: str, replaced: list[Migration], state: ProjectState) -> Migration:
    """Return the migration that makes the tables of `state` which `replaced` make one after the other."""
    models = [model for (label, _), model in state.models.items() if label == app]
    models = [model for model in models if model.name != "User"]
    users = ("campaign", "0001_initial")
    dependencies = {key for one in replaced for key in one.dependencies}
    contents = {
        "initial": True,
        "replaces": [(app, one.name) for one in replaced],
        "dependencies": sorted(
            key for key in dependencies if key[0] != app or key == users
        ),
        "operations": [
            CreateModels(models=[_create(model) for model in models]),
            *(trigger for model in models for trigger in _triggers_of_proxy(model)),
            *(sql for sql in replaced[0].operations if isinstance(sql, RunSQL)),
            *(change for one in replaced for change in _user_changes(one.operations)),
        ],
    }
    name = f"{SQUASHED}{replaced[-1].name}"
    migration: Migration = type("Migration", (Migration,), contents)(name, app)
    return migration


def _user_changes(operations: Sequence[Operation]) -> list[Operation]:
    """Return the changes of the table of users, which is made before."""
    changes: list[Operation] = []
    for operation in operations:
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            changes += _user_changes(operation.state_operations)
        elif getattr(operation, "model_name", "").lower() == "user":
            changes.append(operation)
    return changes


def _create(model: ModelState) -> migrations.CreateModel:
    options = {key: value for key, value in model.options.items() if value != []}
    if model.options.get("proxy"):
        options.pop("triggers", None)
    return migrations.CreateModel(
        name=model.name,
        fields=list(model.fields.items()),
        options=options,
        bases=model.bases,
        managers=model.managers,
    )


def _triggers_of_proxy(model: ModelState) -> list[Any]:
    """A proxy has no table to be created, so each of its triggers is an operation."""
    from pgtrigger.migrations import AddTrigger

    if not model.options.get("proxy"):
        return []
    return [
        AddTrigger(model_name=model.name.lower(), trigger=trigger)
        for trigger in model.options.get("triggers", [])
    ]


def main() -> None:
    """Write the squashed migrations of all apps."""
    import django

    django.setup()
    loader = MigrationLoader(None)
    state = loader.project_state()
    for app in OURS:
        migration = squashed(app, chain(loader, app), state)
        path = Path(settings.BASE_DIR, app, "migrations", f"{migration.name}.py")
        text = MigrationWriter(migration, include_header=False).as_string()
        path.write_text(re.sub(r"[ \t]+\n", "\n", text), encoding="utf-8")
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
