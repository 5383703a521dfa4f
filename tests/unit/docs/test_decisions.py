"""Decisions are numbered once, and short enough to be read."""

from pathlib import Path

import pytest

from launcher.data_directory import CHECKOUT

FOLDER = CHECKOUT / "docs" / "decisions"
FILES = sorted(FOLDER.glob("0*.md"))
LINES = ("**To decide**: ", "**Choice**: ", "**Why**: ", "**Given up**: ", "**Look again** ")
LIMIT = 1000


def test_no_two_decisions_have_the_same_number() -> None:
    numbers = [path.name[:4] for path in FILES]
    assert len(set(numbers)) == len(numbers) > 30


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_decision_has_its_number_and_five_lines(path: Path) -> None:
    title, blank, *lines = path.read_text().splitlines()
    assert title.startswith(f"# {int(path.name[:4])}. ")
    assert blank == ""
    assert len(lines) == len(LINES)
    for line, begins in zip(lines, LINES, strict=True):
        assert line.startswith(begins)
    assert len(path.read_text()) <= LIMIT, "Move the explanation to the page it belongs to."


def test_all_of_them_are_listed_with_their_titles() -> None:
    listed = (FOLDER / "README.md").read_text()
    for path in FILES:
        number, title = path.read_text().splitlines()[0].removeprefix("# ").split(". ", 1)
        assert f"{number}. [{title}]({path.name})\n" in listed
    assert f"The next number is {int(FILES[-1].name[:4]) + 1}." in listed
