"""The unit tests of the pages' scripts, run by the Node that comes with the development requirements."""

import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(sys.executable).parent / "node"
TESTS = sorted((ROOT / "tests" / "js").glob("*.test.js"))


def test_scripts_do_what_their_unit_tests_say() -> None:
    run = subprocess.run(
        [NODE, "--test", *TESTS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_scripts_import_each_other_in_a_circle() -> None:
    """Static files are named by their content, which a circle of imports makes impossible: `collectstatic` fails."""
    imported = {
        path: {
            (path.parent / name).resolve()
            for name in re.findall(
                r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""",
                path.read_text(),
            )
        }
        for path in (ROOT / "static").rglob("*.js")
    }
    assert any(imported.values())
    TopologicalSorter(imported).prepare()
