"""Squashed migrations build what their steps build, and databases of any step go on from where they are."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from cells.databases import asked_by_default
from launcher.postgresql import OWNER
from launcher.services import Services
from tests.migration_steps import is_ours, steps_executor, steps_loader
from tests.second_database import second_database

Key = tuple[str, str]

# Triggers that were dropped left their functions behind, which nothing calls.
_WITHOUT_ORPHANS = """
    SELECT format('DROP FUNCTION %s', p.oid::regprocedure) FROM pg_proc p
    WHERE p.prorettype = 'trigger'::regtype AND p.pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgfoid = p.oid)
"""
_ROWS = {
    "content types": "SELECT app_label, model FROM django_content_type",
    "permissions": """
        SELECT c.app_label, c.model, p.codename, p.name
        FROM auth_permission p JOIN django_content_type c ON c.id = p.content_type_id
    """,
    "groups": "SELECT name FROM auth_group",
    # Two cells compare them before a campaign moves.
    "migrations": "SELECT app, name FROM django_migrations",
}


def plan(loader: MigrationLoader) -> list[Key]:
    """Return all migrations in an order in which `migrate` runs them in a new database."""
    found: list[Key] = []
    for leaf in loader.graph.leaf_nodes():
        found += [key for key in loader.graph.forwards_plan(leaf) if key not in found]
    return found


def by_number(loader: MigrationLoader) -> list[Key]:
    """Return all migrations as they came with time, roughly: apps side by side, each after what it needs."""
    found: list[Key] = []
    left = sorted(loader.graph.nodes, key=lambda key: (key[1], key[0]))
    while left:
        ready = (key for key in left if set(loader.graph.forwards_plan(key)) <= {key, *found})
        found.append(next(ready))
        left.remove(found[-1])
    return found


def test_each_app_with_a_history_has_one_squashed_migration_that_a_new_database_runs() -> None:
    squashed = MigrationLoader(None)
    ours = [key for key in plan(squashed) if is_ours(key[0]) and key in squashed.replacements]
    assert [app for app, _name in ours] == ["campaign", "annotation", "ranking"]


def test_both_ways_lead_to_the_same_models() -> None:
    squashed = MigrationLoader(None).project_state()
    by_steps = steps_loader(None).project_state()
    assert squashed.models.keys() == by_steps.models.keys()
    for key, model in by_steps.models.items():
        other = squashed.models[key]
        # The order of fields is that of columns here, and of the migrations that named them there.
        assert _fields(other.fields) == _fields(model.fields), key
        assert _options(other.options) == _options(model.options), key
        assert (other.name, other.bases) == (model.name, model.bases)


def _fields(fields: "dict[str, object]") -> dict[str, str]:
    return {name: repr(field.deconstruct()[1:]) for name, field in fields.items()}  # type: ignore[attr-defined]


def _options(options: "dict[str, object]") -> dict[str, object]:
    """Return options, of lists whose order says nothing their names; without those that are empty."""
    found = {name: value for name, value in options.items() if value not in ([], set())}
    for name in {"indexes", "constraints", "triggers"} & found.keys():
        found[name] = {each.name: repr(each.__dict__) for each in found[name]}  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("order", [plan, by_number])
def test_a_database_that_stopped_after_any_step_has_the_remaining_ones_before_it(
    monkeypatch: pytest.MonkeyPatch, order: Callable[[MigrationLoader], list[Key]]
) -> None:
    steps = order(steps_loader(None))
    applied: dict[Key, object] = {}
    monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda _self: {**applied})
    loader = MigrationLoader(connection, load=False)
    for each in steps:
        applied[each] = None
        # Steps of other apps are not told from each other by what we squashed.
        if not is_ours(each[0]):
            continue
        loader.build_graph()
        loader.check_consistent_history(connection)
        ahead = [key for key in plan(loader) if key not in loader.applied_migrations]
        replaced = [
            step
            for key in ahead
            for step in (loader.replacements[key].replaces if key in loader.replacements else [key])
        ]
        assert sorted(replaced) == sorted(set(steps) - applied.keys())


@pytest.mark.thorough
def test_both_ways_lead_to_the_same_database(transactional_db: None, services: Services) -> None:
    with _migrated("squashed", by_steps=False) as squashed:
        new = _schema(squashed, services), _rows()
    with _migrated("by_steps", by_steps=True) as by_steps:
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(_WITHOUT_ORPHANS)
            for (statement,) in cursor.fetchall():
                cursor.execute(statement)
        old = _schema(by_steps, services), _rows()
    assert new == old


@contextmanager
def _migrated(suffix: str, *, by_steps: bool) -> Iterator[str]:
    """Migrate a new database in one of both ways; ask everything of it inside; give its name."""
    with second_database(suffix, is_copy=False) as other, asked_by_default(other):
        # Rows that migrations store are of the database their connection is called.
        other.alias = DEFAULT_DB_ALIAS
        if by_steps:
            executor = steps_executor()
            executor.migrate(executor.loader.graph.leaf_nodes())
        call_command("migrate", verbosity=0)
        yield str(other.settings_dict["NAME"])


def _schema(database: str, services: Services) -> list[str]:
    """Return what pg_dump says of a database, thing by thing, sorted."""
    assert services.postgres is not None
    server = services.postgres
    address = f"host={server.sockets} user={OWNER} dbname={database}"
    dump = subprocess.run(
        [str(server.programs / "pg_dump"), "--schema-only", address],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    # From PostgreSQL 18 on these have names, and keep them when their column is called otherwise.
    dump = re.sub(r"CONSTRAINT \S+ NOT NULL", "NOT NULL", dump)
    dump = re.sub(r"^\\(un)?restrict .*$", "", dump, flags=re.MULTILINE)
    return sorted(each.strip() for each in dump.split("\n--\n-- Name: "))


def _rows() -> dict[str, list[tuple[object, ...]]]:
    found = {}
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        for name, statement in _ROWS.items():
            cursor.execute(statement)
            found[name] = sorted(cursor.fetchall())
    return found
