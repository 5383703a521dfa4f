"""What ships of WMT's releases: ids and ranks, the released ones, and not a word of their texts."""

import csv
import html
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.released import SYSTEMS, identical_outputs, released_texts

# Ids of systems, judges, languages, segments and documents, and numbers: none holds a space.
_ID = re.compile(r"[\w./,-]*")


def files(folder: Path, pattern: str) -> list[Path]:
    found = sorted(folder.glob(pattern))
    assert found
    return found


def outputs_of(folder: Path) -> dict[str, list[str]]:
    """The texts of every system, found by the simplest of means."""
    return {
        system: [
            html.unescape(text).strip()
            for text in re.findall(
                "<seg [^>]*>(.*?)</seg>",
                (folder / "systems" / f"newstest2012.cs-en.{system}.sgm").read_text("utf-8"),
                re.DOTALL,
            )
        ]
        for system in SYSTEMS
    }


def test_nothing_that_ships_holds_a_text(real_data: Path) -> None:
    for path in files(real_data, "*/*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            assert all(_ID.fullmatch(cell) for row in csv.reader(file) for cell in row)
    for path in files(real_data, "*/*.xml"):
        for element in ET.parse(path).iter():
            assert not (element.text or "").strip()
            assert not (element.tail or "").strip()
            values = {name: value for name, value in element.attrib.items() if name != "duration"}
            assert all(_ID.fullmatch(value) for value in values.values())


def test_the_same_outputs_are_identical_as_in_wmt12(
    wmt12_with_texts: Path, real_data: Path
) -> None:
    shape = json.loads((real_data / "wmt12-cs-en/shape.json").read_text(encoding="utf-8"))
    found = identical_outputs(outputs_of(wmt12_with_texts))
    assert {str(number): groups for number, groups in found.items()} == shape["identical"]
    assert len(found) == 350


@pytest.mark.released_texts
def test_what_ships_is_what_was_released(real_data: Path) -> None:
    for path in files(real_data, "*/*"):
        if path.name != "shape.json":
            released = released_texts() / path.relative_to(real_data)
            assert path.read_bytes() == released.read_bytes()
