"""SQL by hand stands in one package, a statement a file, and says what it is for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

from launcher.data_directory import CHECKOUT

PACKAGE = CHECKOUT / "annotation" / "sql"
FILES = sorted(path for path in PACKAGE.glob("*.py") if path.name != "__init__.py")
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
# A statement for each protocol's table of answers, which the protocols have it make.
FOR_EACH_TABLE = {"answer_store"}
PAST_THE_ORM = {"RawSQL", "raw", "extra"}
FEWEST_MS = 0.3


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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
class TestEachFile:
    def test_holds_one_statement_of_its_name(self, path: Path) -> None:
        tree = ast.parse(path.read_text())
        assert called(tree).count("Statement") == 1
        if path.stem in FOR_EACH_TABLE:
            assert 'Statement(\n        f"{table}_store",\n' in path.read_text()
            return
        assert f'Statement(\n    "{path.stem}",\n' in path.read_text()
        assert f"\n{path.stem.upper()} = Statement(" in path.read_text()

    def test_says_its_rule_the_tests_that_hold_it_and_what_it_earns(self, path: Path) -> None:
        header = ast.get_docstring(ast.parse(path.read_text())) or ""
        assert "\nRule: " in header
        tests = re.findall(r"^Test: (.+)$", header, re.MULTILINE)
        assert tests
        for test in tests:
            file, *names = test.split("::")
            assert _defines(ast.parse((CHECKOUT / file).read_text()), names), test
        earned = re.search(
            r"^Earns: (?:(\d+\.\d) ms a judged block|with trigger (\w+)|with (\w+))$",
            header,
            re.MULTILINE,
        )
        assert earned
        ms, trigger, other = earned.groups()
        if ms is not None:
            assert float(ms) >= FEWEST_MS, "Better left to the ORM."
        elif trigger is not None:
            # The database runs it too, so it is SQL anyway: said once for both.
            assert _is_a_part_of(trigger, path.stem)
        else:
            assert f"annotation.sql.{path.stem} import" in (PACKAGE / f"{other}.py").read_text()


def _is_a_part_of(trigger: str, stem: str) -> bool:
    """Return whether the model's module of a trigger puts SQL of this file into its body."""
    return any(
        f'"{trigger}"' in source and f"annotation.sql.{stem} import" in source
        for source in (path.read_text() for path in (CHECKOUT / "annotation/models").glob("*.py"))
    )


def _defines(tree: ast.Module | ast.ClassDef, names: list[str]) -> bool:
    """Return whether a module defines this test, by the names of its classes and its own."""
    first, *rest = names
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == first:
            return not rest or (isinstance(node, ast.ClassDef) and _defines(node, rest))
    return False
