"""The unit tests of the pages' scripts, run by the Node that comes with the development requirements."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(sys.executable).parent / "node"
TESTS = sorted((ROOT / "tests" / "js").glob("*.test.js"))


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_the_script_does_what_its_unit_tests_say(path: Path) -> None:
    run = subprocess.run(
        [NODE, "--test", path], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert run.returncode == 0, run.stdout + run.stderr
