"""List the files of folders, zip and tar archives, without trusting their content.

Members of an archive are unpacked into a temporary folder under numbers, so that no name in the archive
becomes a path. Sizes are counted while unpacking, since declared sizes may be wrong.
"""

import os
import stat
import tarfile
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from campaign.formats.archive_reads import TarStream, ZipStream
from campaign.formats.errors import FormatError, Location
from campaign.formats.file_names import (
    DOCUMENT_WORDS,
    REFERENCE_WORDS,
    SCORE_WORDS,
    SOURCE_WORDS,
    SYSTEM_WORDS,
)
from campaign.formats.media_names import is_media_name
from campaign.formats.streams import (
    CHUNK_BYTES,
    InputFile,
    StoredFile,
    byte_chunks,
    peek,
)

# Folders that group the files of one test set.
ROLE_FOLDERS: Final = (
    SOURCE_WORDS | REFERENCE_WORDS | DOCUMENT_WORDS | SYSTEM_WORDS | SCORE_WORDS
)
_PACKED: Final = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"7z\xbc\xaf",
    b"Rar!\x1a",
)
_TAR_MAGIC: Final = slice(257, 262)
_HEAD_BYTES: Final = 512
#: Flag of zip for names in UTF-8, and the encoding of names without it.
_SAYS_UTF8: Final = 0x800
_OLD_ENCODING: Final = "cp437"
#: Letters of that encoding. Names in another one, such as GBK, have its lines and symbols.
_OLD_LETTERS: Final = frozenset("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜáíóúñÑß")
# A directory of a zip has a name, dates and sizes for each file; zipfile reads it whole.
_ENTRY_BYTES: Final = 512
_LONGEST_NAME: Final = 1_000
_DAMAGED: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Size limits of an archive; `ratio` applies once `free_bytes` have been unpacked."""

    entries: int = 20_000
    total_bytes: int = 2 * 1024**3
    ratio: int = 200
    free_bytes: int = 16 * 1024**2


def opener(path: Path) -> Callable[[], IO[bytes]]:
    """Return a function that opens the file for reading, and can be sent to another process."""
    return cast("Callable[[], IO[bytes]]", partial(path.open, "rb"))


def is_archive(head: bytes) -> bool:
    """Return whether the first 512 bytes of a file (unpacked if gzip) are those of a zip or tar archive."""
    return head.startswith(_PACKED[:2]) or head[_TAR_MAGIC] == b"ustar"


def holds_archive(file: StoredFile) -> bool:
    """Return whether a file is an archive, by its first bytes."""
    with file.open() as stream:
        try:
            head, _whole = peek(InputFile(file.name, stream), _HEAD_BYTES)
        except FormatError:
            return False
    return is_archive(head)


def unpacked(name: str, stored: Sequence[StoredFile], folder: Path) -> list[StoredFile]:
    """Return files that were provided together, or those of a single archive, unpacked into a new folder.

    Raises FormatError like `archive_unpack` and `files_together`, and for an archive among other files.
    """
    archives = [file for file in stored if holds_archive(file)]
    if not archives:
        return files_together(name, stored)
    if len(stored) > 1:
        raise Location(archives[0].name).error(
            "an archive cannot be combined with other files",
            "upload the archive alone, or unpack it and upload its files",
        )
    folder.mkdir()
    return archive_unpack(archives[0], folder)


def folder_files(folder: Path) -> list[StoredFile]:
    """Return the files below a folder by name, with hidden and temporary files last.

    Raises FormatError for links, which could lead anywhere, and for names that differ only in case or
    Unicode composition.
    """
    files: list[StoredFile] = []
    litter: list[StoredFile] = []
    most = Limits().entries
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise _file_error(
                str(folder),
                name,
                "is a link",
                "put the file itself there",
            )
        if path.is_file():
            file = StoredFile(name, opener(path))
            if is_litter(name):
                litter.append(file)
            else:
                files.append(file)
        if len(files) > most:
            raise Location(str(folder)).error(
                f"the folder contains more than {most:,} files",
                "provide a folder that contains only the files of the test set",
            )
    _refuse_names_alike(str(folder), [file.name for file in files])
    return [*files, *litter]


@contextmanager
def archive_files(
    archive: StoredFile,
    limits: Limits | None = None,
) -> Iterator[list[StoredFile]]:
    """Yield the files of a zip, tar or tar.gz archive, without a folder that contains them all.

    They can be opened until the context ends. Raises FormatError like `archive_unpack`.
    """
    with tempfile.TemporaryDirectory(prefix="quintet-") as folder:
        yield archive_unpack(archive, Path(folder), limits)


def archive_unpack(
    archive: StoredFile,
    folder: Path,
    limits: Limits | None = None,
) -> list[StoredFile]:
    """Unpack a zip, tar or tar.gz archive into an empty folder; return its files like `archive_files`.

    Raises FormatError for paths that leave the archive, links, devices, encrypted, compressed and archive
    files inside, names that differ only in case or Unicode composition, several folders side by side, and
    archives that exceed `limits`.
    """
    with archive.open() as stream:
        packed_bytes = stream.seek(0, os.SEEK_END)
        unpacking = _Unpacking(archive.name, folder, limits or Limits(), packed_bytes)
        stream.seek(0)
        is_zip = stream.read(4).startswith(_PACKED[:2])
        stream.seek(0)
        try:
            if is_zip:
                unpacking.zip(stream)
            else:
                unpacking.tar(stream)
        except _DAMAGED as error:
            raise Location(archive.name).error(
                f"the archive cannot be read ({error})",
                "pack it again as zip or tar.gz, and check that it was transferred completely",
            ) from error
    _refuse_names_alike(archive.name, [file.name for file in unpacking.files])
    return _strip_common_root(archive.name, unpacking.files)


def files_together(name: str, files: Sequence[StoredFile]) -> list[StoredFile]:
    """Return files that were provided together, without a folder that contains them all.

    Hidden and temporary files come last. Raises FormatError, with `name` for all files, for names that differ
    only in case or Unicode composition, and for several folders side by side.
    """
    relevant_files = _strip_common_root(name, files)
    _refuse_names_alike(name, [file.name for file in relevant_files])
    return relevant_files


def _file_error(archive: str, name: str, problem: str, remedy: str) -> FormatError:
    printable = ""
    for character in name[:101]:
        printable += character if character.isprintable() else "\ufffd"
    if len(printable) > 100:
        printable = f"{printable[:100]}…"
    return FormatError(archive, f'"{printable}" {problem}', remedy)


class _Unpacking:
    """Unpacks the files of one archive and counts their bytes."""

    def __init__(
        self,
        archive: str,
        folder: Path,
        limits: Limits,
        packed_bytes: int,
    ) -> None:
        self._archive = archive
        self._folder = folder
        self._limits = limits
        self._packed_bytes = max(packed_bytes, 1)
        self._bytes = 0
        self.files: list[StoredFile] = []

    def zip(self, stream: IO[bytes]) -> None:
        most_bytes = self._limits.entries * _ENTRY_BYTES
        limited = ZipStream(stream, most_bytes, self._too_many_entries())
        with zipfile.ZipFile(cast("IO[bytes]", limited)) as archive:
            limited.entries_end()
            members = archive.infolist()
            self._refuse_entries(len(members))
            for member in members:
                self._zip_member(archive, member)

    def _zip_member(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        name = _zip_name(member)
        if name is None:
            raise _file_error(
                self._archive,
                member.filename,
                "has a name in an encoding that the archive does not state",
                "pack the files with names in UTF-8 (7-Zip: parameter cu=on) or as tar.gz, or give them names in ASCII",
            )
        # Old Windows tools write backslashes.
        name = name.replace("\\", "/")
        self._refuse_name(name)
        mode = stat.S_IFMT(member.external_attr >> 16)
        if mode not in {0, stat.S_IFREG, stat.S_IFDIR}:
            raise self._no_file(member.filename)
        if name.endswith("/"):
            return
        if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise _file_error(
                self._archive,
                member.filename,
                "uses an unsupported compression method",
                "use the standard zip compression (deflate) or tar.gz",
            )
        if member.flag_bits & 0x1:
            raise _file_error(
                self._archive,
                member.filename,
                "is encrypted",
                "pack the files without a password",
            )
        with archive.open(member) as content:
            self._write(name, content)

    def tar(self, stream: IO[bytes]) -> None:
        # Decompressed first, with limits: tarfile would decompress without them.
        whole = self._folder / "archive"
        with whole.open("wb") as unpacked:
            for chunk in byte_chunks(InputFile(self._archive, stream)):
                self._count(len(chunk))
                unpacked.write(chunk)
        self._bytes = 0
        with whole.open("rb") as tar:
            limited = TarStream(tar)
            with tarfile.open(fileobj=cast("IO[bytes]", limited), mode="r:") as archive:
                for count, member in enumerate(archive, 1):
                    self._refuse_entries(count)
                    with limited.content():
                        self._tar_member(archive, member)
        whole.unlink()

    def _tar_member(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        if member.isdir() and member.name in {"", "."}:
            return
        self._refuse_name(member.name)
        if member.isdir():
            return
        content = None
        if member.isreg():
            content = archive.extractfile(member)
        if content is None:
            raise self._no_file(member.name)
        with content:
            self._write(member.name, content)

    def _write(self, name: str, content: IO[bytes]) -> None:
        path = self._folder / f"{len(self.files):06}"
        with path.open("wb") as file:
            head = content.read(_HEAD_BYTES)
            if head.startswith(_PACKED) or head[_TAR_MAGIC] == b"ustar":
                raise _file_error(
                    self._archive,
                    name,
                    "is itself packed or compressed",
                    "unpack it first and pack all files into one archive",
                )
            chunk = head
            while chunk:
                self._count(len(chunk))
                file.write(chunk)
                chunk = content.read(CHUNK_BYTES)
        self.files.append(StoredFile(str(PurePosixPath(name)), opener(path)))

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self._limits.total_bytes:
            raise Location(self._archive).error(
                f"the archive unpacks to more than {self._limits.total_bytes:,} bytes",
                "split it into several archives",
            )
        most = max(self._limits.free_bytes, self._limits.ratio * self._packed_bytes)
        if self._bytes > most:
            raise Location(self._archive).error(
                f"the archive unpacks to more than {self._limits.ratio:,} times its size, "
                "which is unusual for text",
                "provide the files without an archive",
            )

    def _refuse_entries(self, entries: int) -> None:
        if entries > self._limits.entries:
            raise self._too_many_entries()

    def _too_many_entries(self) -> FormatError:
        return Location(self._archive).error(
            f"the archive has more than {self._limits.entries:,} entries",
            "pack only the files of the test set",
        )

    def _refuse_name(self, name: str) -> None:
        remedy = "pack the files with names inside one folder"
        if len(name) > _LONGEST_NAME:
            raise _file_error(
                self._archive,
                name,
                f"is longer than {_LONGEST_NAME:,} characters",
                "rename it",
            )
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or (len(name) > 1 and name[1] == ":"):
            raise _file_error(self._archive, name, "is an absolute path", remedy)
        if ".." in parts:
            raise _file_error(self._archive, name, "leads out of the archive", remedy)
        if not name.isprintable() or "\\" in name or not name.strip("/. "):
            raise _file_error(
                self._archive,
                name,
                "is not a valid file name on every operating system",
                "rename it",
            )

    def _no_file(self, name: str) -> FormatError:
        return _file_error(
            self._archive,
            name,
            "is a link or a device, not a file",
            "put the file itself there",
        )


def _zip_name(member: zipfile.ZipInfo) -> str | None:
    """Return the name of a file as its archive has it; None if its encoding is unknown.

    macOS writes UTF-8 without saying so. Windows writes the encoding of its language, which is the old one in Western
    Europe.
    """
    name = member.orig_filename
    if member.flag_bits & _SAYS_UTF8:
        return name
    try:
        return name.encode(_OLD_ENCODING).decode("utf-8")
    except UnicodeError:
        other_characters = set(name) - _OLD_LETTERS
    if all(map(str.isascii, other_characters)):
        return name
    return None


def _refuse_names_alike(archive: str, names: Iterable[str]) -> None:
    """Refuse names that are the same file on some systems: "A.txt" and "a.txt", "é" and "é"."""
    name_by_key: dict[str, str] = {}
    for name in names:
        key = unicodedata.normalize("NFC", name.casefold())
        if key in name_by_key:
            problem = f'and "{name_by_key[key]}" are the same file name on some operating systems'
            if name_by_key[key] == name:
                problem = "is there twice"
            raise _file_error(archive, name, problem, "rename or remove one of the two")
        name_by_key[key] = name


def _strip_common_root(archive: str, files: Sequence[StoredFile]) -> list[StoredFile]:
    """Remove a folder that contains all files; refuse several folders that are not parts of one test set."""
    litter = [file for file in files if is_litter(file.name)]
    relevant_files = [file for file in files if not is_litter(file.name)]
    root = _common_root(relevant_files)
    while root:
        relevant_files = [_strip_first_folder(file) for file in relevant_files]
        root = _common_root(relevant_files)
    others = set()
    for file in relevant_files:
        root = _root(file.name)
        is_role = root.lower() in ROLE_FOLDERS
        if root and not is_role and not is_media_name(file.name):
            others.add(root)
    if len(others) > 1:
        first, second, *_rest = sorted(others)
        raise Location(archive).error(
            f'there are several folders side by side: "{first}" and "{second}"',
            "provide one test set at a time",
        )
    return [*sorted(relevant_files, key=attrgetter("name")), *litter]


def _root(name: str) -> str:
    """Return the outermost folder of a file; empty if it is in none."""
    if "/" not in name:
        return ""
    return PurePosixPath(name).parts[0]


def _common_root(files: Sequence[StoredFile]) -> str:
    """Return the folder that contains all files; empty if there is none, or if it is part of a test set."""
    roots = {_root(file.name) for file in files}
    if len(roots) != 1:
        return ""
    root = roots.pop()
    if root.lower() in ROLE_FOLDERS:
        return ""
    return root


def _strip_first_folder(file: StoredFile) -> StoredFile:
    _folder, _slash, rest = file.name.partition("/")
    return StoredFile(rest, file.open)


def is_litter(name: str) -> bool:
    """Return whether the file is a hidden or temporary file of operating systems and editors."""
    *folders, last = name.split("/")
    # Office writes "~$" before the name of an open file.
    if last.endswith("~") or last.startswith("~$"):
        return True
    if last.lower() in {"thumbs.db", "desktop.ini"}:
        return True
    for part in (*folders, last):
        if part == "__MACOSX" or (part.startswith(".") and part != "."):
            return True
    return False
