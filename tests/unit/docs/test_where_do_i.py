"""Every file, command and name of "Where do I …?" exists, and stands where the page says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import Resolver404, resolve

from launcher.data_directory import CHECKOUT

PAGE = CHECKOUT / "docs" / "architecture.md"
TEXT_FILES = {".py", ".js", ".html", ".css", ".md", ".sql"}
TITLE, *CHANGES = re.split(
    r"^### ", PAGE.read_text().split("## Where do I …?", 1)[1].split("\n## ")[0], flags=re.MULTILINE
)


def problems(change: str, root: Path = CHECKOUT) -> Iterator[str]:
    """Yield the names in backticks of one change that lead to nothing.

    A path is in the repository; the bare name of a file is beside a path of the same step, or below
    it; any other name stands in a file that the change has named so far, or beside one.
    """
    steps = re.split(r"^\d+\. ", change, flags=re.MULTILINE)
    found = [[path for name in named(step) for path in paths(name, root)] for step in steps]
    files = {file for step in found for path in step for file in files_of(path)}
    for step, so_far in zip(steps, found, strict=True):
        beside = {path if path.is_dir() else path.parent for path in so_far}
        files |= {file for place in beside for file in place.glob("*.*")}
        for name in named(step):
            if "<" not in name and not exists(name, beside, files, root):
                yield name


def named(text: str) -> list[str]:
    """Return what stands in backticks."""
    return re.findall(r"`([^`\n]+)`", text)


def paths(name: str, root: Path) -> list[Path]:
    """Return the files or folders of a path of the repository, which may hold a `*`."""
    return (
        sorted(root.glob(name.rstrip("/"))) if re.fullmatch(r"\w[\w./*-]*/[\w./*-]*", name) else []
    )


def files_of(path: Path) -> Iterator[Path]:
    """Yield the text files of a folder, or the file itself."""
    inside = path.rglob("*") if path.is_dir() else [path]
    yield from (file for file in inside if file.suffix in TEXT_FILES)


def exists(name: str, beside: set[Path], files: set[Path], root: Path) -> bool:
    """Return whether a path, file name, command, address, module or word exists."""
    if "-m " in name:
        module = name.split("-m ")[1].split(maxsplit=1)[0]
        return (root / module / "__main__.py").exists()
    if name.startswith("make "):
        return (
            re.search(rf"^{name[5:]}:", (root / "Makefile").read_text(), re.MULTILINE) is not None
        )
    if name.startswith("/"):
        return is_address(name)
    if "/" in name:
        return bool(paths(name, root))
    if re.fullmatch(r"[\w*-]+\.(py|js|html|css|md)", name):
        return any(any(place.rglob(name)) for place in beside)
    if any(root.glob(f"*/management/commands/{name}.py")):
        return True
    return stands_in(name.rpartition(".")[2], files)


def stands_in(name: str, files: set[Path]) -> bool:
    """Return whether the name stands as a word in one of the files."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return any(word.search(file.read_text(encoding="utf-8")) for file in files)


def is_address(name: str) -> bool:
    """Return whether a view answers at this address."""
    try:
        resolve(name)
    except Resolver404:
        return False
    return True


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.splitlines()[0])
def test_each_file_and_name_of_a_change_exists(change: str) -> None:
    assert list(problems(change)) == []


def test_there_are_at_least_ten_changes() -> None:
    assert len(CHANGES) >= 10


def test_names_that_lead_to_nothing_are_found() -> None:
    change = (
        "… do it\n\n1. `ranking/core/scores.py`: `Scores`, `Goals`; `methods/rank.py`, `rank.py`.\n"
        "2. `ranking/core/no.py`, `method.py`, `make nothing`, `/api/no/`, `python -m nobody do`.\n"
        "3. `ranking/core/methods/`: `method.py`, `rank_judgments`, `make test`, `python -m launcher run`.\n"
    )
    assert list(problems(change)) == [
        *("Goals", "methods/rank.py"),
        *("ranking/core/no.py", "method.py", "make nothing", "/api/no/", "python -m nobody do"),
    ]
