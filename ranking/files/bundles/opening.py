"""Open a bundle: nothing in it is trusted."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from campaign.formats import FormatError, Place
from campaign.formats.archives import Limits, archive_files, folder_files, is_litter, opener
from campaign.formats.streams import StoredFile
from ranking.files.sources import unreadable

#: Of JSON that is read whole: 40 systems need some 100 kB.
_LONGEST_JSON: Final = 32 * 1024**2
#: How zips begin; the second has no files. What begins otherwise is something else to other programs.
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
                f"it has no {name}", "give the zip as it was downloaded from its page"
            )
        with self.files[name].open() as stream:
            content = stream.read(_LONGEST_JSON + 1)
        if len(content) > _LONGEST_JSON:
            raise self.damaged(name, f"is longer than {_LONGEST_JSON:,} bytes")
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise self.damaged(name, "is no UTF-8") from error

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
            raise self.damaged(name, "is no JSON") from error
        if not isinstance(value, dict):
            raise self.damaged(name, "is no object of JSON")
        return value

    def damaged(self, name: str, problem: str) -> FormatError:
        """Return the error of a file that is not what it should be."""
        return Place(self.name).error(
            f"{name} {problem}", "give the zip as it was downloaded from its page"
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
            "the file is no zip", "give the zip as it was downloaded from its page"
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
