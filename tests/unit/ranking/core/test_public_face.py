"""What a notebook imports in one line."""

import subprocess
import sys

import quintet
import ranking.core


def test_every_public_name_comes_from_its_module() -> None:
    for name, module in ranking.core.MODULES.items():
        found = getattr(ranking.core, name)
        assert found is getattr(sys.modules[f"ranking.core.{module}"], name)


def test_the_names_of_the_package_quintet_are_public() -> None:
    lines = (quintet.__doc__ or "").splitlines()
    [line] = [line for line in lines if line.startswith("    from quintet import ")]
    names = line.removeprefix("    from quintet import ").split(", ")
    assert set(names) <= set(dir(quintet))
    assert set(dir(quintet)) == {*ranking.core.MODULES, "read_judgments"}


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, ranking.core; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_notebook_ranks_in_three_lines() -> None:
    from ranking.core import BlockRow, blocks_from_rows, rank

    rows = [BlockRow("ann", segment, [["A"], ["B"]], [1, 2]) for segment in range(5)]
    assert [row.system for row in rank(blocks_from_rows(rows, "AB")).systems] == [
        "A",
        "B",
    ]
