"""Each hostile file at each door is refused in words, in bounded memory; the registries are in `tests/hostile_files`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.hostile_files.doors import DOORS
from tests.hostile_files.files import FILES, MOST_WORDS

pytestmark = pytest.mark.thorough


ROOT: Final = Path(__file__).parents[2]
#: Beyond what the process had before: a line, a document and their copies.
ALLOWED_MB: Final = 120
#: Doors that take any text, and judge what it says row by row where it is shown: what is text may be read there.
TAKE_TEXT: Final = {
    "test set: upload",
    "test set: plain",
    "new system",
    "list of judges",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for name, write in FILES.items():
        write(folder / name)
    return folder


def tried(door: str, folder: Path) -> dict[str, dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile_files", door, str(folder)],
        cwd=ROOT,
        env=os.environ | {"LANGUAGE": "en"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("door", DOORS)
def test_hostile_files_are_refused_in_words_and_bounded_memory(
    door: str,
    folder: Path,
) -> None:
    found = tried(door, folder)
    assert set(found) == set(FILES)
    wrong = {
        name: each
        for name, each in found.items()
        if each["outcome"] == "crashed"
        or (each["outcome"] == "read" and door not in TAKE_TEXT)
        or (each["outcome"] == "refused" and not 20 <= len(each["words"]) < MOST_WORDS)
        or each["more_mb"] > ALLOWED_MB
    }
    assert wrong == {}
