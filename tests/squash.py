"""Write a migration that builds the present tables of an app at once, in place of all its steps.

    python -m launcher run --temporary -- python -m tests.squash ranking

Migrates the database step by step first, for the order of its columns. What RunSQL made is to be added by hand;
`make test-thorough ARGS=tests/integration/database/test_squashed.py` says what is missing. CONTRIBUTING.md says when.
"""

import os
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import django
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.writer import MigrationWriter
from django.db.models import Field

Key = tuple[str, str]


def main() -> None:
    """Migrate, and write a migration for each app that the command line names."""
    from tests.migration_steps import steps_executor

    executor = steps_executor()
    executor.migrate(executor.loader.graph.leaf_nodes())
    for app in sys.argv[1:]:
        path = squashed_write(executor.loader, app)
        sys.stdout.write(f"Written: {path}. Add to it what RunSQL made.\n")


def squashed_write(loader: MigrationLoader, app: str) -> Path:
    """Write the squashed migration of an app; return its path."""
    [leaf] = loader.graph.leaf_nodes(app)
    steps = [key for key in loader.graph.forwards_plan(leaf) if key[0] == app]
    squashed = type(
        "Migration",
        (Migration,),
        {
            "initial": True,
            "replaces": steps,
            "dependencies": sorted(_dependencies(loader, app, steps).items()),
            "operations": list(_operations(loader.project_state(leaf), app)),
        },
    )
    writer = MigrationWriter(squashed(f"0001_squashed_{leaf[1]}", app), include_header=False)
    path = Path(writer.path)
    path.write_text(writer.as_string())
    return path


def _dependencies(loader: MigrationLoader, app: str, steps: list[Key]) -> dict[str, str]:
    """Return of each other app the latest migration that a step depends on."""
    needed = sorted(
        (other, name)
        for step in steps
        for other, name in loader.disk_migrations[step].dependencies
        if other != app and name != "__first__"
    )
    return dict(needed)


def _operations(state: ProjectState, app: str) -> Iterator[Operation]:
    import pgtrigger.migrations

    from campaign.database.create_models import CreateModels

    models = {model.name_lower: model for (own, _), model in state.models.items() if own == app}
    # A circle of foreign keys fails here: leave one out, and add it by `AddField`.
    order = TopologicalSorter({name: _needed(models[name], app) for name in sorted(models)})
    ordered = [models[name] for name in order.static_order()]
    yield CreateModels(models=[_created(state, model) for model in ordered])
    for model in ordered:
        # No table is made for proxies, and no triggers with it.
        if model.options.get("proxy"):
            for trigger in model.options.get("triggers", []):
                yield pgtrigger.migrations.AddTrigger(model.name_lower, trigger)


def _needed(model: ModelState, app: str) -> list[str]:
    """Return the models of the same app that one refers to."""
    named = [base for base in model.bases if isinstance(base, str)]
    for field in model.fields.values():
        if field.remote_field is not None:
            through = getattr(field.remote_field, "through", None) or ""
            named += [str(field.remote_field.model), str(through)]
    names = {name.lower().removeprefix(f"{app}.") for name in named}
    return sorted(name for name in names if name and "." not in name and name != model.name_lower)


def _created(state: ProjectState, model: ModelState) -> CreateModel:
    """Return what creates a model, its fields in the order of the columns."""
    made = state.apps.get_model(model.app_label, model.name)
    with connection.cursor() as cursor:
        table = connection.introspection.get_table_description(cursor, made._meta.db_table)
    places = {column.name: place for place, column in enumerate(table)}

    def place(item: tuple[str, "Field[object, object]"]) -> int:
        return places.get(made._meta.get_field(item[0]).column or "", len(places))

    options = {name: value for name, value in model.options.items() if value not in ([], set())}
    if model.options.get("proxy"):
        options.pop("triggers", None)
    fields = sorted(model.fields.items(), key=place)
    return CreateModel(model.name, fields, options, model.bases, model.managers)


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.owner"
    django.setup()
    main()
