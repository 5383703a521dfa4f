"""Bundles of published results as files: opened without trust, checked, and compared with a recomputed result."""

from __future__ import annotations

import json
import math
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, StrEnum
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final

from campaign.formats import FormatError, Place
from campaign.formats.archives import Limits, archive_files, folder_files, is_litter, opener
from campaign.formats.streams import StoredFile
from campaign.texts.canonical_json import canonical
from ranking.files.sources import unreadable

INDEX: Final = "index.html"
README: Final = "README.md"
RESULT: Final = "result.json"
JUDGMENTS: Final = "judgments.csv"
PARQUET: Final = "judgments.parquet"
LEFT_OUT: Final = "judgments-left-out.csv"
TEXTS: Final = "texts.jsonl"
DESIGN: Final = "design.json"
DRAWS: Final = "draws.jsonl"
RUN: Final = "run.json"
METADATA: Final = "ro-crate-metadata.json"
CHECKSUMS: Final = "checksums.txt"

#: Files required in a bundle of a result.
ALWAYS: Final = (RESULT, RUN, JUDGMENTS)


#: Maximum size of JSON that is read whole: 40 systems need some 100 kB.
_LONGEST_JSON: Final = 32 * 1024**2
#: First bytes of zips; the second kind has no files. With other first bytes, other programs could
#: take the file for something else.
_HEADS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_LIMITS: Final = Limits(entries=200, total_bytes=8 * 1024**3)


@dataclass(frozen=True, slots=True)
class OpenedBundle:
    """A bundle that is open.

    Attributes
    ----------
    name : str
        What errors call it.
    files : mapping
        Its files by name.
    litter : tuple of str
        Names of files that operating systems leave, and that are not read.
    """

    name: str
    files: Mapping[str, StoredFile]
    litter: tuple[str, ...]

    def sha256(self, name: str) -> str:
        """Return the SHA-256 of a file."""
        with self.files[name].open() as stream:
            # An open file, so it is hashed in bounded memory.
            return file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]

    def size(self, name: str) -> int:
        """Return the bytes of a file."""
        with self.files[name].open() as stream:
            return stream.seek(0, 2)

    def text(self, name: str) -> str:
        """Return a short file as text.

        Raises
        ------
        FormatError
            If it is missing, too long, or no UTF-8.
        """
        if name not in self.files:
            raise Place(self.name).error(
                f"it has no {name}", "use the zip downloaded from the result page"
            )
        with self.files[name].open() as stream:
            content = stream.read(_LONGEST_JSON + 1)
        if len(content) > _LONGEST_JSON:
            raise self.damaged(name, f"is longer than {_LONGEST_JSON:,} bytes")
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise self.damaged(name, "is not UTF-8") from error

    def json(self, name: str) -> dict[str, Any]:
        """Return a file as an object of JSON.

        Raises
        ------
        FormatError
            As `text` does, and if it is no such object.
        """
        try:
            value = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise self.damaged(name, "is not JSON") from error
        if not isinstance(value, dict):
            raise self.damaged(name, "is not a JSON object")
        return value

    def damaged(self, name: str, problem: str) -> FormatError:
        """Return the error of a damaged file."""
        return Place(self.name).error(
            f"{name} {problem}", "use the zip downloaded from the result page"
        )


@contextmanager
def opened_bundle(path: Path) -> Iterator[OpenedBundle]:
    """Open the bundle in a zip, or in the folder that was unpacked from it; its files can be read until the context ends.

    Raises
    ------
    FormatError
        As `archive_files` and `folder_files` do, for a file that cannot be read, and for one that is no zip.
    """
    if path.is_dir():
        yield _opened(path, folder_files(path))
        return
    try:
        is_zip = zipfile.is_zipfile(path) and _begins_as_zip(path)
    except OSError as error:
        raise unreadable(str(path), error) from error
    if not is_zip:
        if not path.is_file():
            raise unreadable(str(path), FileNotFoundError(2, "No such file"))
        raise Place(str(path)).error(
            "the file is not a zip", "use the zip downloaded from the result page"
        )
    with archive_files(StoredFile(str(path), opener(path)), _LIMITS) as files:
        with zipfile.ZipFile(path) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
        yield _opened(path, files, names)


def _opened(
    path: Path, files: Sequence[StoredFile], names: Sequence[str] | None = None
) -> OpenedBundle:
    """Return the bundle of these files; `names` are all that are there, if litter is not among the files."""
    names = [file.name for file in files] if names is None else names
    return OpenedBundle(
        name=str(path),
        files={file.name: file for file in files if not is_litter(file.name)},
        litter=tuple(sorted(name for name in names if is_litter(name))),
    )


def _begins_as_zip(path: Path) -> bool:
    """Return whether the first bytes are a zip's: `is_zipfile` looks at the last ones alone."""
    with path.open("rb") as stream:
        return stream.read(4) in _HEADS


_LINE: Final = re.compile(r"([0-9a-f]{64})  (\S.*)")


class Problem(StrEnum):
    """Problem with a file."""

    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "added"
    UNREADABLE = "unreadable"
    OTHER_RESULT = "other_result"
    """result.json does not match run.json or the metadata."""
    OTHER_ADDRESS = "other_address"
    """result.json does not match the given address."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A file of a bundle that is not as it was."""

    file: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class Check:
    """Result of a check.

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
        The expected SHA-256 of the result, or its beginning; unchecked if empty. Only an independently known digest reveals a bundle that was forged as a whole.
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
    # Also if the result is missing or unreadable.
    if not own.startswith(digest.lower()):
        found.add(Finding(RESULT, Problem.OTHER_ADDRESS))
    return Check(findings=tuple(sorted(found)), files=len(hashes), digest=own)


def _problem(
    name: str,
    hashes: Mapping[str, str],
    listed: Mapping[str, str],
    described: Mapping[str, tuple[str, str]],
) -> Finding | None:
    """Return the problem with a file; if two lists contradict each other, that of the wrong one."""
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


#: Processors of different kinds add in different orders; whatever is of more than that is a difference.
LAST_DIGITS: Final = 1e-12


class Absent(Enum):
    """Placeholder for a missing value, because null is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Difference:
    """A number or text that a published result has otherwise than it was computed; `ABSENT` where it has none."""

    where: str
    published: Any
    computed: Any

    @property
    def is_in_last_digits(self) -> bool:
        """True if both are floats that differ by less than `LAST_DIGITS` relatively or absolutely."""
        if not (isinstance(self.published, float) and isinstance(self.computed, float)):
            return False
        return math.isclose(self.published, self.computed, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)

    def plain(self) -> dict[str, Any]:
        """Return it for JSON, without missing values."""
        sides = {"published": self.published, "computed": self.computed}
        told = {name: value for name, value in sides.items() if value is not ABSENT}
        return {"where": self.where, **told}
