"""The unit tests of the pages' scripts, run by the Node that comes with the development requirements."""

import re
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


def test_each_id_that_the_types_name_is_on_a_page() -> None:
    types = (ROOT / "tests" / "js" / "types.d.ts").read_text()
    _, _, by_id = types.partition("type PlainId =")
    by_id, _, _ = by_id.partition("// By selector")
    named = set(re.findall(r'^  (?:\| )?"?([\w-]+)"?[:;]?', by_id, re.MULTILINE))
    pages = "".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))
    assert "rest-completion" in named
    assert named <= set(re.findall(r'(?:id=|json_script:)"([\w-]+)"', pages))
