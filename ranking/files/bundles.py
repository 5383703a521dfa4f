"""Open bundles of published results without trusting them, check them, and describe differences from a recomputed result."""

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

from campaign.formats import FormatError, Location
from campaign.formats.archives import (
    Limits,
    archive_files,
    folder_files,
    is_litter,
    opener,
)
from campaign.formats.json_text import JSONObject, RepeatedKeyError, decode_json
from campaign.formats.streams import StoredFile
from campaign.texts.canonical_json import canonical
from ranking.files.sources import unreadable

INDEX: Final = "index.html"
README: Final = "README.md"
RESULT: Final = "result.json"
JUDGMENTS: Final = "judgments.csv"
PARQUET: Final = "judgments.parquet"
LEFT_OUT: Final = "judgments-left-out.csv"
ANSWERS: Final = "answers.jsonl"
TEXTS: Final = "texts.jsonl"
DESIGN: Final = "design.json"
DRAWS: Final = "draws.jsonl"
RUN: Final = "run.json"
METADATA: Final = "ro-crate-metadata.json"
CHECKSUMS: Final = "checksums.txt"

#: Files required in a bundle of a result.
ALWAYS: Final = (RESULT, RUN, JUDGMENTS)


#: Maximum size of JSON that is read into memory: 40 systems need about 100 kB.
_LONGEST_JSON: Final = 32 * 1024**2
#: First bytes of zips; the second kind contains no files. A file that begins otherwise could be
#: taken for another format by other programs.
_HEADS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_REMEDY: Final = "use the zip downloaded from the result page"
_LIMITS: Final = Limits(entries=200, total_bytes=8 * 1024**3)


@dataclass(frozen=True, slots=True)
class OpenedBundle:
    """An open bundle.

    Attributes
    ----------
    name : str
        Name in error messages.
    files : mapping
        Its files by name.
    litter : tuple of str
        Names of files left behind by operating systems; they are not read.
    """

    name: str
    files: Mapping[str, StoredFile]
    litter: tuple[str, ...]

    def sha256(self, name: str) -> str:
        """Return the SHA-256 of a file."""
        with self.files[name].open() as stream:
            # Hash an open file, so that memory use is bounded.
            return file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]

    def text(self, name: str) -> str:
        """Return a short file as text.

        Raises
        ------
        FormatError
            If it is missing, too long, or not UTF-8.
        """
        if name not in self.files:
            raise Location(self.name).error(f"it has no {name}", _REMEDY)
        with self.files[name].open() as stream:
            content = stream.read(_LONGEST_JSON + 1)
        if len(content) > _LONGEST_JSON:
            raise self.damaged(name, f"is longer than {_LONGEST_JSON:,} bytes")
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise self.damaged(name, "is not UTF-8") from error

    def json(self, name: str) -> JSONObject:
        """Return a file as a JSON object.

        Raises
        ------
        FormatError
            As for `text`, and if it is not a JSON object.
        """
        try:
            value = decode_json(self.text(name))
        except RepeatedKeyError as error:
            raise self.damaged(name, f"is ambiguous: {error}") from error
        except (ValueError, RecursionError) as error:
            raise self.damaged(name, "is not JSON") from error
        if not isinstance(value, dict):
            raise self.damaged(name, "is not a JSON object")
        return value

    def damaged(self, name: str, problem: str) -> FormatError:
        """Return the error of a damaged file."""
        return Location(self.name).error(f"{name} {problem}", _REMEDY)


@contextmanager
def opened_bundle(path: Path) -> Iterator[OpenedBundle]:
    """Open the bundle in a zip or an unpacked folder; its files can be read until the context ends.

    Raises
    ------
    FormatError
        As for `archive_files` and `folder_files`, and if the file cannot be read or is not a zip.
    """
    if path.is_dir():
        yield _bundle_from_files(path, folder_files(path))
        return
    try:
        # `is_zipfile` only looks at the last bytes.
        with path.open("rb") as stream:
            is_zip = stream.read(4) in _HEADS and zipfile.is_zipfile(path)
    except OSError as error:
        raise unreadable(str(path), error) from error
    if not is_zip:
        raise Location(str(path)).error("the file is not a zip", _REMEDY)
    with archive_files(StoredFile(str(path), opener(path)), _LIMITS) as files:
        with zipfile.ZipFile(path) as archive:
            names = [
                entry.filename for entry in archive.infolist() if not entry.is_dir()
            ]
        yield _bundle_from_files(path, files, names)


def _bundle_from_files(
    path: Path,
    files: Sequence[StoredFile],
    names: Sequence[str] | None = None,
) -> OpenedBundle:
    """Return the bundle of these files; `names` are those of all files if `files` leaves out litter."""
    if names is None:
        names = [file.name for file in files]
    return OpenedBundle(
        name=str(path),
        files={file.name: file for file in files if not is_litter(file.name)},
        litter=tuple(sorted(filter(is_litter, names))),
    )


_LINE: Final = re.compile(r"([0-9a-f]{64})  (\S.*)")


class Problem(StrEnum):
    """A problem with a file."""

    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "added"
    UNREADABLE = "unreadable"
    OTHER_RESULT = "other_result"
    """result.json does not match run.json."""
    OTHER_ADDRESS = "other_address"
    """result.json does not match the given address."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A file of a bundle that was changed, added or removed."""

    file: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class Check:
    """Result of a check.

    Attributes
    ----------
    findings : tuple of Finding
        Sorted by name; empty if nothing was changed.
    files : int
        Files in the bundle.
    digest : str
        SHA-256 of the result; empty if it cannot be read.
    """

    findings: tuple[Finding, ...]
    files: int
    digest: str


def bundle_check(bundle: OpenedBundle, *, digest: str = "") -> Check:
    """Compare the files of a bundle with its checksums, and its result with the run that names it.

    Parameters
    ----------
    bundle : OpenedBundle
    digest : str
        The expected SHA-256 of the result, or its beginning; unchecked if empty. Only an independently known digest
        reveals a bundle that is a complete forgery.
    """
    findings = {Finding(name, Problem.ADDED) for name in bundle.litter}
    for name in (*ALWAYS, CHECKSUMS):
        if name not in bundle.files:
            findings.add(Finding(name, Problem.MISSING))
    listed = _checksums_by_name(bundle)
    if listed:
        findings.update(_different_files(bundle, listed))
    elif CHECKSUMS in bundle.files:
        findings.add(Finding(CHECKSUMS, Problem.CHANGED))
    own = _digest(bundle, findings)
    # This also applies if the result is missing or unreadable.
    if not own.startswith(digest.lower()):
        findings.add(Finding(RESULT, Problem.OTHER_ADDRESS))
    return Check(findings=tuple(sorted(findings)), files=len(bundle.files), digest=own)


def _different_files(
    bundle: OpenedBundle,
    listed: Mapping[str, str],
) -> Iterator[Finding]:
    """Yield the files that differ from the listed checksums."""
    for name in bundle.files:
        if name == CHECKSUMS:
            continue
        if name not in listed:
            yield Finding(name, Problem.ADDED)
        elif bundle.sha256(name) != listed[name]:
            yield Finding(name, Problem.CHANGED)
    for name in listed:
        if name not in bundle.files or name == CHECKSUMS:
            yield Finding(name, Problem.MISSING)


def checksums_written(hashes: Mapping[str, str]) -> str:
    """Return the lines of checksums.txt: the SHA-256 of each file by name."""
    return "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))


def _checksums_by_name(bundle: OpenedBundle) -> dict[str, str]:
    """Return the checksums of all files by name; empty if checksums.txt was changed."""
    try:
        text = bundle.text(CHECKSUMS)
    except FormatError:
        return {}
    listed = {}
    for line in map(_LINE.fullmatch, text.splitlines()):
        if line:
            listed[line[2]] = line[1]
    if text == checksums_written(listed):
        return listed
    return {}


def _digest(bundle: OpenedBundle, findings: set[Finding]) -> str:
    """Return the SHA-256 of the result, and add findings if it differs from the one in the run."""
    try:
        written = canonical(bundle.json(RESULT))
    except (FormatError, ValueError, RecursionError):
        if RESULT in bundle.files:
            findings.add(Finding(RESULT, Problem.UNREADABLE))
        return ""
    digest = sha256(written.encode(errors="surrogatepass")).hexdigest()
    # Non-canonical JSON may repeat a key, and readers differ in the value they use.
    if bundle.sha256(RESULT) != digest:
        findings.add(Finding(RESULT, Problem.CHANGED))
    with suppress(FormatError):
        if bundle.json(RUN).get("result") != digest:
            findings.add(Finding(RESULT, Problem.OTHER_RESULT))
    return digest


#: Different processors add in different orders, so smaller differences are ignored.
LAST_DIGITS: Final = 1e-12


class Absent(Enum):
    """Placeholder for a missing value, because null is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class Difference:
    """A number or text that differs between a published and a recomputed result; `ABSENT` if one has no value."""

    location: str
    published: Any
    computed: Any

    @property
    def is_in_last_digits(self) -> bool:
        """True if both are floats that differ by less than `LAST_DIGITS` relatively or absolutely."""
        if not (isinstance(self.published, float) and isinstance(self.computed, float)):
            return False
        return math.isclose(
            self.published,
            self.computed,
            rel_tol=LAST_DIGITS,
            abs_tol=LAST_DIGITS,
        )

    def plain(self) -> dict[str, object]:
        """Return the difference for JSON, without missing values."""
        values: dict[str, object] = {"where": self.location}
        if self.published is not ABSENT:
            values["published"] = self.published
        if self.computed is not ABSENT:
            values["computed"] = self.computed
        return values
