"""Say what was changed in a bundle since it was made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from campaign.formats import FormatError
from campaign.texts.canonical_json import canonical
from ranking.files.bundles.names import ALWAYS, CHECKSUMS, METADATA, RESULT, RUN
from ranking.files.bundles.opening import OpenedBundle

_LINE: Final = re.compile(r"([0-9a-f]{64})  (\S.*)")


class Problem(StrEnum):
    """What is wrong with a file."""

    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "added"
    UNREADABLE = "unreadable"
    OTHER_RESULT = "other_result"
    """result.json is not the one of run.json, or of the metadata."""
    OTHER_ADDRESS = "other_address"
    """result.json is not the one of the address that was given."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A file of a bundle that is not as it was."""

    file: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found.

    Attributes
    ----------
    findings : tuple of Finding
        By name; none if all is as it was.
    files : int
        Files in the bundle.
    digest : str
        SHA-256 of the result; empty if it cannot be read.
    """

    findings: tuple[Finding, ...]
    files: int
    digest: str


def bundle_check(bundle: OpenedBundle, *, digest: str = "") -> Check:
    """Compare the files of a bundle with its checksums, its metadata and each other.

    Parameters
    ----------
    bundle : OpenedBundle
    digest : str
        The SHA-256 that the result should have, or its beginning; whatever it is if empty. Only it, known from
        elsewhere, tells a bundle of which everything was made anew.
    """
    found: set[Finding] = {Finding(name, Problem.ADDED) for name in bundle.litter}
    found |= {Finding(name, Problem.MISSING) for name in ALWAYS if name not in bundle.files}
    hashes = {name: bundle.sha256(name) for name in bundle.files}
    listed = _listed(bundle, found)
    described = _described(bundle, found)
    for name in sorted({*hashes, *listed, *described} - {CHECKSUMS}):
        problem = _problem(name, hashes, listed, described)
        if problem is not None:
            found.add(problem)
    if CHECKSUMS in hashes and not found and not _is_as_written(bundle, hashes):
        found.add(Finding(CHECKSUMS, Problem.CHANGED))
    own = _digest(bundle, found)
    # Also where there is no result at all, or none that can be read.
    if not own.startswith(digest.lower()):
        found.add(Finding(RESULT, Problem.OTHER_ADDRESS))
    return Check(findings=tuple(sorted(found)), files=len(hashes), digest=own)


def _problem(
    name: str,
    hashes: Mapping[str, str],
    listed: Mapping[str, str],
    described: Mapping[str, tuple[str, str]],
) -> Finding | None:
    """Return what is wrong with a file; the one of two lists that is wrong where they contradict each other."""
    if name not in hashes:
        return Finding(name, Problem.MISSING)
    in_list = not listed or listed.get(name) == hashes[name]
    if name == METADATA or not described:
        in_metadata = True
    else:
        in_metadata = described.get(name, ("", ""))[0] == hashes[name]
    if in_list and in_metadata:
        return None
    if name not in listed and name not in described:
        return Finding(name, Problem.ADDED)
    if in_list:
        return Finding(METADATA, Problem.CHANGED)
    if in_metadata and name != METADATA and described:
        return Finding(CHECKSUMS, Problem.CHANGED)
    return Finding(name, Problem.CHANGED)


def _listed(bundle: OpenedBundle, found: set[Finding]) -> dict[str, str]:
    """Return the checksums of all files by name."""
    if CHECKSUMS not in bundle.files:
        found.add(Finding(CHECKSUMS, Problem.MISSING))
        return {}
    try:
        lines = bundle.text(CHECKSUMS).splitlines()
    except FormatError:
        lines = [""]
    read = [_LINE.fullmatch(line) for line in lines]
    if not read or not all(read):
        found.add(Finding(CHECKSUMS, Problem.CHANGED))
    return {line[2]: line[1] for line in read if line}


def _described(bundle: OpenedBundle, found: set[Finding]) -> dict[str, tuple[str, str]]:
    """Return SHA-256 and size of each file that the metadata describe with them."""
    if METADATA not in bundle.files:
        found.add(Finding(METADATA, Problem.MISSING))
        return {}
    graph = _graph(bundle)
    if graph is None:
        found.add(Finding(METADATA, Problem.CHANGED))
        return {}
    described = {}
    for entity in graph:
        name, hashed, size = _entity(entity)
        if name and hashed:
            described[name] = (hashed, size)
            if name in bundle.files and size != str(bundle.size(name)):
                found.add(Finding(name, Problem.CHANGED))
    return described


def _entity(entity: Any) -> tuple[str, str, str]:
    if not isinstance(entity, dict) or entity.get("@type") != "File":
        return "", "", ""
    name, hashed, size = (str(entity.get(key, "")) for key in ("@id", "sha256", "contentSize"))
    return name, hashed, size


def _is_as_written(bundle: OpenedBundle, hashes: Mapping[str, str]) -> bool:
    """Return whether the checksums are those of these files and nothing else, byte by byte."""
    lines = [f"{hashes[name]}  {name}\n" for name in sorted(hashes) if name != CHECKSUMS]
    return bundle.text(CHECKSUMS) == "".join(lines)


def _digest(bundle: OpenedBundle, found: set[Finding]) -> str:
    """Return the SHA-256 of the result, which must be the one that the run and the metadata name."""
    try:
        written = canonical(bundle.json(RESULT))
    except (FormatError, ValueError, RecursionError):
        if RESULT in bundle.files:
            found.add(Finding(RESULT, Problem.UNREADABLE))
        return ""
    digest = sha256(written.encode(errors="surrogatepass")).hexdigest()
    # Written otherwise, it may say one thing twice, and readers differ in which they take.
    if bundle.sha256(RESULT) != digest:
        found.add(Finding(RESULT, Problem.CHANGED))
    if _named(bundle) - {digest}:
        found.add(Finding(RESULT, Problem.OTHER_RESULT))
    return digest


def _named(bundle: OpenedBundle) -> set[str]:
    """Return the digests of the result that other files name."""
    named = {
        str(entity.get("identifier", ""))
        for entity in _graph(bundle) or []
        if isinstance(entity, dict) and entity.get("@id") == "./"
    }
    with suppress(FormatError):
        named.add(str(bundle.json(RUN).get("result", "")))
    return named


def _graph(bundle: OpenedBundle) -> list[Any] | None:
    """Return the entities of the metadata; None if they cannot be read."""
    try:
        graph = bundle.json(METADATA).get("@graph")
    except FormatError:
        return None
    return graph if isinstance(graph, list) else None
