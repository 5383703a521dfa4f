"""Pinned packages against published advisories."""

from datetime import date
from pathlib import Path

import pytest
from packaging.version import Version

from tests.advisories.stored import read_database, read_stored, write_stored

OSV = """
id: PYSEC-2024-70
aliases: [CVE-2024-42005]
affected:
- package: {ecosystem: PyPI, name: Django}
  ranges:
  - type: GIT
    events: [{introduced: "0"}, {fixed: abcdef}]
  - type: ECOSYSTEM
    events: [{introduced: "5.0"}, {fixed: 5.0.8}, {introduced: "4.2"}, {fixed: 4.2.15}]
  versions: ["4.2", 5.0.7]
"""
LAST_BAD = """
id: PYSEC-2022-1
affected:
- package: {ecosystem: PyPI, name: django}
  ranges:
  - type: ECOSYSTEM
    events: [{introduced: "0"}, {last_affected: 1.11.0}]
  versions: [1.10.0, 1.11.0, 1.0-made-up]
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    folder = tmp_path / "vulns" / "django"
    folder.mkdir(parents=True)
    (folder / "PYSEC-2024-70.yaml").write_text(OSV)
    (folder / "PYSEC-2022-1.yaml").write_text(LAST_BAD)
    (folder / "PYSEC-2022-2.yaml").write_text(f"withdrawn: 2024-01-01{OSV}")
    return tmp_path


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("5.0.7", ["PYSEC-2024-70"]),
        ("5.0.8", []),
        ("4.2", ["PYSEC-2024-70"]),
        ("4.2.15", []),
        ("4.1.13", []),
        ("5.2", []),
        ("1.11", ["PYSEC-2022-1"]),
        ("1.11.1", []),
    ],
)
def test_a_version_is_affected_within_the_ranges(
    database: Path,
    version: str,
    expected: list[str],
) -> None:
    advisories = read_database(database, ["django"], as_of=date(2024, 10, 10))
    found = advisories.on({"django": Version(version), "other": Version("5.0.7")})
    assert [advisory.id for _name, _version, advisory in found] == expected


def test_stored_advisories_equal_the_database(database: Path, tmp_path: Path) -> None:
    advisories = read_database(
        database,
        ["django", "unknown"],
        as_of=date(2024, 10, 10),
    )
    file = tmp_path / "advisories.json"
    write_stored(advisories, file)
    stored = read_stored(file)
    assert (stored.as_of, list(stored.by_package)) == (date(2024, 10, 10), ["django"])
    pins = {"django": Version("5.0.7")}
    (name, version, advisory), *others = stored.on(pins)
    assert (name, str(version), advisory.aliases, others) == (
        "django",
        "5.0.7",
        ["CVE-2024-42005"],
        [],
    )
