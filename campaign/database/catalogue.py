"""Compare the tables of a database with those that the migrations of this version make.

Django compares names of migrations only, so it takes a database whose tables were made by another text of the same
migrations. `catalogues/` holds what each set of migrations makes, as PostgreSQL describes it; `make migration-freeze`
adds the file of a new migration (CONTRIBUTING.md).

Operators may add tables, indexes, triggers, statistics and rights of their own.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final, Self

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

FOLDER: Final = Path(__file__).parent / "catalogues"
#: Apps of Quintet. Tables of libraries are compared if the library has the same migrations as in the file.
OURS: Final = ("campaign", "annotation", "ranking", "protocols")

#: How the names of squashed migrations begin (`tests.upgrades.squash`).
SQUASHED: Final = "0001_squashed_"

Migrations = dict[str, list[str]]
#: Definitions by kind and name, such as "column text", of one table.
Definitions = dict[str, str]

# A trigger is described with the body of its function. NOT NULL is listed with its column and constraint triggers with
# triggers, and not again as constraints. Internal triggers are those of foreign keys.
_TABLES: Final = """
SELECT c.relname, 'column ' || a.attname, concat_ws(' ',
    format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN 'NOT NULL' END,
    CASE WHEN a.attidentity <> '' THEN 'IDENTITY ' || a.attidentity::text END,
    CASE WHEN a.attgenerated <> '' THEN 'GENERATED ' || a.attgenerated::text END,
    'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid))
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
UNION ALL
SELECT c.relname, 'constraint ' || n.conname, pg_get_constraintdef(n.oid)
FROM pg_class c JOIN pg_constraint n ON n.conrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND n.contype NOT IN ('n', 't')
UNION ALL
SELECT c.relname, CASE WHEN i.indisunique THEN 'unique index ' ELSE 'index ' END || x.relname,
    pg_get_indexdef(i.indexrelid) || CASE WHEN i.indisvalid THEN '' ELSE ' (invalid)' END
FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid JOIN pg_class x ON x.oid = i.indexrelid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT FROM pg_constraint n WHERE n.conindid = i.indexrelid AND n.contype IN ('p', 'u', 'x'))
UNION ALL
SELECT c.relname, 'trigger ' || t.tgname, concat_ws(' ', pg_get_triggerdef(t.oid),
    CASE WHEN t.tgenabled <> 'O' THEN '(enabled: ' || t.tgenabled::text || ')' END,
    left(encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'), 16))
FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid JOIN pg_proc p ON p.oid = t.tgfoid
WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal
"""
# Functions other than those of triggers, which each `migrate` installs again.
_FUNCTIONS: Final = """
SELECT proname || '(' || pg_get_function_identity_arguments(oid) || ')' FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype
"""
# Kinds that operators may add to our tables.
_ADDED_BY_OPERATORS: Final = ("index ", "trigger ")
_TRIGGER_OF_OURS: Final = "trigger pgtrigger_"
_CASTS_AND_PARENTHESES: Final = re.compile(
    r"::[a-z][a-z_ ]*[a-z](\(\d+(,\d+)?\))?(\[\])?|[()]",
)


@dataclass(frozen=True)
class Catalogue:
    """The tables of a database.

    Attributes:
        migrations: names of the applied migrations by app.
        tables: definitions by table.
        functions: signatures of functions that are not of triggers.
    """

    migrations: Migrations
    tables: dict[str, Definitions]
    functions: list[str]

    @classmethod
    def of(cls, connection: BaseDatabaseWrapper) -> Self:
        """Read the catalogue of a database."""
        tables: dict[str, Definitions] = {}
        with connection.cursor() as cursor:
            cursor.execute(_TABLES)
            for table, name, definition in cursor.fetchall():
                tables.setdefault(table, {})[name] = definition
            cursor.execute(_FUNCTIONS)
            functions = sorted(name for (name,) in cursor.fetchall())
        applied = MigrationRecorder(connection).applied_migrations()
        return cls(migrations_by_app(applied), tables, functions)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file of `catalogues/`."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def write(self, path: Path) -> None:
        """Write a file of `catalogues/`."""
        text = json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")

    def differences(self, actual_catalogue: "Catalogue") -> list[str]:
        """Return what a database has other than this catalogue, such as "table a: column b is missing"."""
        left_out = []
        for app, names in self.migrations.items():
            if app not in OURS and actual_catalogue.migrations.get(app) != names:
                left_out.append(app)
        differing = []
        for table in sorted(self.tables.keys() | actual_catalogue.tables.keys()):
            expected = self.tables.get(table)
            actual = actual_catalogue.tables.get(table)
            if _is_of(table, left_out) or (
                expected is None and not _is_of(table, OURS)
            ):
                continue
            if expected is None:
                differing.append(f"table {table} is not of this version")
            elif actual is None:
                differing.append(f"table {table} is missing")
            else:
                of_table = _table_differences(expected, actual)
                differing += [f"table {table}: {difference}" for difference in of_table]
        return differing

    def missing_functions(self, actual: "Catalogue") -> list[str]:
        """Return the functions that a database lacks, which `migrate` installs."""
        return sorted(set(self.functions) - set(actual.functions))


def _is_of(table: str, apps: Iterable[str]) -> bool:
    # The app contenttypes calls its table django_content_type.
    prefixes = [f"{app}_".replace("contenttypes_", "django_content_") for app in apps]
    return table.startswith(tuple(prefixes))


def _table_differences(expected: Definitions, actual: Definitions) -> Iterator[str]:
    for name in sorted(expected.keys() | actual.keys()):
        if name not in actual:
            yield f"{name} is missing"
        elif name not in expected:
            if name.startswith(_TRIGGER_OF_OURS) or not name.startswith(
                _ADDED_BY_OPERATORS,
            ):
                yield f"{name} is not of this version"
        elif not _means_the_same(actual[name], expected[name]):
            yield f"{name} differs"


def _means_the_same(one: str, other: str) -> bool:
    """Compare two definitions, without casts and parentheses if need be.

    Restored from a dump, `(a = ANY ((ARRAY['b'::varchar])::text[]))` is `(a = ANY (ARRAY[('b'::varchar)::text]))`, and
    `((a AND b) AND c)` is `(a AND b AND c)`.
    """
    if one == other:
        return True
    return _CASTS_AND_PARENTHESES.sub("", one) == _CASTS_AND_PARENTHESES.sub("", other)


def is_squashed(name: str) -> bool:
    """Return whether a migration makes at once what others, which Django records beside it, make one by one."""
    return name.startswith(SQUASHED)


def migrations_by_app(names: Iterable[tuple[str, str]]) -> Migrations:
    """Return the names of migrations by app, sorted, without squashed ones."""
    migrations: Migrations = {}
    for app, name in sorted(names):
        if not is_squashed(name):
            migrations.setdefault(app, []).append(name)
    return migrations


def ours(migrations: Migrations) -> Migrations:
    """Return the migrations of Quintet's own apps."""
    return {app: names for app, names in migrations.items() if app in OURS}


@cache
def catalogues() -> list[Catalogue]:
    """Return all kept catalogues."""
    return [Catalogue.read(path) for path in sorted(FOLDER.glob("*.json"))]


def catalogue_for(migrations: Migrations) -> Catalogue | None:
    """Return what these migrations make; None if only a part of a version's migrations was applied."""
    own_migrations = ours(migrations)
    for catalogue in catalogues():
        if ours(catalogue.migrations) == own_migrations:
            return catalogue
    return None
