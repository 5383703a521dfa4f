"""The file of advisories: what is known of the packages Quintet installs, as of a day."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from tests.advisories.pins import ROOT

STORED = ROOT / "requirements" / "advisories.json"
SOURCE = "Python Packaging Advisory Database, https://github.com/pypa/advisory-database"
LICENSE = "CC BY 4.0"


@dataclass(frozen=True)
class Advisory:
    """One advisory on one package: `ranges` are pairs of first bad and first good version."""

    id: str
    aliases: Sequence[str]
    ranges: Sequence[tuple[str, str | None]]
    versions: Sequence[str] = ()

    def affects(self, version: Version) -> bool:
        """Return whether a version lies in one of the ranges or is listed."""
        return any(
            Version(first_bad) <= version
            and (first_good is None or version < Version(first_good))
            for first_bad, first_good in self.ranges
        ) or any(version == Version(listed) for listed in self.versions)


@dataclass(frozen=True)
class Advisories:
    """All advisories on some packages, by canonical name, and the day they were published by."""

    as_of: date
    by_package: Mapping[str, Sequence[Advisory]]

    def on(self, pins: Mapping[str, Version]) -> list[tuple[str, Version, Advisory]]:
        """Return each pinned package that an advisory affects, with the advisory."""
        return [
            (name, version, advisory)
            for name, version in sorted(pins.items())
            for advisory in self.by_package.get(name, ())
            if advisory.affects(version)
        ]


def read_stored(file: Path = STORED) -> Advisories:
    """Return the advisories that the file holds."""
    stored = json.loads(file.read_text())
    return Advisories(
        as_of=date.fromisoformat(stored["as_of"]),
        by_package={
            name: [Advisory(**each) for each in known]
            for name, known in stored["packages"].items()
        },
    )


def write_stored(advisories: Advisories, file: Path = STORED) -> None:
    """Write the advisories to the file, with their source and licence."""
    stored = {
        "source": SOURCE,
        "license": LICENSE,
        "as_of": advisories.as_of.isoformat(),
        "packages": {
            name: [asdict(each) for each in known]
            for name, known in sorted(advisories.by_package.items())
        },
    }
    file.write_text(json.dumps(stored, indent=1) + "\n")


def read_database(folder: Path, names: Iterable[str], *, as_of: date) -> Advisories:
    """Return what a clone of the advisory database knows of some packages (OSV format, one file each)."""
    by_package = {}
    for name in sorted(set(names)):
        files = sorted((folder / "vulns" / name).glob("*.yaml"))
        found = [
            each
            for file in files
            for each in _advisories(yaml.safe_load(file.read_text()), name)
        ]
        if found:
            by_package[name] = found
    return Advisories(as_of=as_of, by_package=by_package)


def _advisories(osv: Mapping[str, Any], name: str) -> list[Advisory]:
    if osv.get("withdrawn"):
        return []
    return [
        Advisory(
            id=osv["id"],
            aliases=sorted(osv.get("aliases", ())),
            ranges=(ranges := _ranges(affected.get("ranges", ()))),
            versions=[] if ranges else _readable(affected.get("versions", ())),
        )
        for affected in osv.get("affected", ())
        if canonicalize_name(affected["package"]["name"]) == name
    ]


def _ranges(ranges: Iterable[Mapping[str, Any]]) -> list[tuple[str, str | None]]:
    """Return pairs of the first bad version and the first good one after it, None if there is none.

    Nothing is returned if an advisory names the last bad version instead: it lists all of them, too.
    """
    pairs: list[tuple[str, str | None]] = []
    for each in ranges:
        if each["type"] != "ECOSYSTEM":
            continue
        for event in each["events"]:
            if "introduced" in event:
                pairs.append((str(event["introduced"]), None))
            elif "fixed" in event:
                pairs[-1] = (pairs[-1][0], str(event["fixed"]))
            else:
                return []
    return pairs


def _readable(versions: Iterable[object]) -> list[str]:
    found = []
    for version in versions:
        try:
            found.append(str(Version(str(version))))
        except InvalidVersion:
            continue
    return found
