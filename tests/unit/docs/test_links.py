"""Links between the documents lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.data_directory import CHECKOUT

# Folders that a path in a document may begin with: those of the repository.
ROOMS = sorted(
    path.name
    for path in CHECKOUT.iterdir()
    if path.is_dir() and path.name[0] != "." and path.name != "node_modules"
)
FOLDERS = (".github", "demo", "docs", "tests/data")
DOCUMENTS = [
    *sorted(CHECKOUT.glob("*.md")),
    *(path for folder in FOLDERS for path in sorted((CHECKOUT / folder).rglob("*.md"))),
]


def without_code(text: str) -> str:
    """Return the text without what stands in code, where brackets are no links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def targets(text: str) -> Iterator[str]:
    """Yield where the links of a document lead, inline ones and those at its end."""
    text = without_code(text)
    yield from re.findall(r"\]\(([^)\s]+)\)", text)
    yield from re.findall(r"^\[[^\]]+\]: (\S+)$", text, re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a document."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: path.relative_to(CHECKOUT).as_posix()
)
def test_links_resolve(document: Path) -> None:
    broken = []
    for target in targets(document.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = document.parent / name if name else document
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: path.relative_to(CHECKOUT).as_posix()
)
def test_paths_in_code_are_there(document: Path) -> None:
    named = re.findall(rf"`((?:{'|'.join(ROOMS)})/[\w./*-]+)`", document.read_text())
    assert [path for path in named if not any(CHECKOUT.glob(path.rstrip("/")))] == []
