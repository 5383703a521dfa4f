"""SQL by hand stands in one package, a statement a file, and says what it is for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

from launcher.data_directory import CHECKOUT

PACKAGE = CHECKOUT / "annotation" / "sql"
# Without `cells`, which copies rows of any table, whatever it is called.
PRODUCT = ("annotation", "campaign", "config", "demo", "ranking")
# Settings, locks and COPY: SQL that names no table of ours.
TABLELESS = CHECKOUT / "campaign" / "database"
# Asked once before each ranking, and once or twice for each five hundred rows of an import, where the ORM writes
# statements for longer than PostgreSQL works; they have no rule of their own.
ASKED_OFTEN = {
    CHECKOUT / "annotation" / "importing" / "stored_answers.py",
    # Before each request to the API: one row is made or changed, by what it holds, which the ORM does in two.
    CHECKOUT / "campaign" / "services" / "request_counts.py",
    CHECKOUT / "ranking" / "selectors" / "names_seen.py",
}
SQL = re.compile(
    r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|VALUES|SET|COPY|CALL|LOCK|MERGE|TRUNCATE"
    r"|PREPARE|EXECUTE|EXPLAIN|ANALYZE|VACUUM|CREATE|ALTER|DROP)\s"
)
PAST_THE_ORM = {"RawSQL", "raw", "extra"}


def sources() -> Iterator[tuple[Path, ast.Module]]:
    """Yield what is written by hand: migrations are made of the models and the files of triggers."""
    for app in PRODUCT:
        for path in sorted((CHECKOUT / app).rglob("*.py")):
            if path.parent.name != "migrations":
                yield path, ast.parse(path.read_text())


def strings(tree: ast.Module) -> list[ast.Constant]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def called(tree: ast.Module) -> list[str]:
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [
        name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
        for name in functions
    ]


@pytest.mark.thorough
def test_no_sql_is_written_elsewhere() -> None:
    found = [
        f"{path}:{string.lineno}"
        for path, tree in sources()
        if path.parent not in (PACKAGE, TABLELESS) and path not in ASKED_OFTEN
        for string in strings(tree)
        if SQL.match(str(string.value))
    ]
    assert not found, "Write a queryset, or a statement in annotation/sql/."


@pytest.mark.thorough
def test_querysets_hold_no_sql() -> None:
    found = [str(path) for path, tree in sources() if PAST_THE_ORM.intersection(called(tree))]
    assert not found


def test_the_database_package_names_no_table_of_ours() -> None:
    tables = "|".join(model._meta.db_table for model in apps.get_models())
    for path in TABLELESS.glob("*.py"):
        assert not re.search(rf"\b({tables})\b", path.read_text()), path


def _defines(tree: ast.Module | ast.ClassDef, names: list[str]) -> bool:
    """Return whether a module defines this test, by the names of its classes and its own."""
    first, *rest = names
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == first:
            return not rest or (isinstance(node, ast.ClassDef) and _defines(node, rest))
    return False
