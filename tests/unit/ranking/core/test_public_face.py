"""What a notebook imports in one line."""

import ast
import subprocess
import sys
from pathlib import Path

import ranking.core


def declared() -> dict[str, str]:
    """Return the names that type checkers see, with their modules."""
    tree = ast.parse(Path(ranking.core.__file__).read_text(encoding="utf-8"))
    return {
        name.asname or name.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ranking.core.")
        for name in node.names
    }


def test_every_public_name_is_declared_to_type_checkers_and_comes_from_there() -> None:
    assert sorted(declared()) == sorted(ranking.core.__all__)
    for name, module in declared().items():
        assert getattr(ranking.core, name) is getattr(sys.modules[module], name)


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, ranking.core; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_notebook_ranks_in_three_lines() -> None:
    from ranking.core import BlockRow, blocks_from_rows, rank

    rows = [BlockRow("ann", segment, [["A"], ["B"]], [1, 2]) for segment in range(5)]
    assert [row.system for row in rank(blocks_from_rows(rows, "AB")).systems] == ["A", "B"]
