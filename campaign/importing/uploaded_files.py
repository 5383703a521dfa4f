"""Provide uploaded files to the readers of test sets."""

import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from campaign.formats import FormatError, InputFile, Place
from campaign.formats.archives import archive_unpack, files_together, is_archive, opener
from campaign.formats.isolation import Watch, isolated, isolated_items
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import (
    FileRole,
    RecognisedSet,
    SetReading,
    opened_set,
    recognise,
    with_roles,
)
from campaign.formats.records import SegmentTexts
from campaign.formats.streams import ReadCounter, StoredFile, peek
from campaign.models import FilePart, Upload

_ARCHIVE_BYTES = 512


@contextmanager
def uploaded_set(upload: Upload) -> Iterator[RecognisedSet]:
    """Yield the files of an upload with their roles, including those chosen by an organiser.

    They can be opened repeatedly until the context ends. Raises FormatError for refused archives, and for an archive
    among other files.
    """
    with tempfile.TemporaryDirectory(prefix="quintet-") as temporary:
        folder = Path(temporary)
        files = list(upload.files.order_by("name"))
        stored = [StoredFile(file.name, opener(_written(file.pk, folder))) for file in files]
        name = upload.name or (stored[0].name if len(stored) == 1 else "upload")
        languages = (upload.source_language, upload.target_language)

        def recognised() -> RecognisedSet:
            together = unpacked(name, stored, folder / "unpacked")
            return recognise(name, together, languages if all(languages) else None)

        chosen = {
            name: (FileRole(given["role"]), given.get("system") or None)
            for name, given in upload.roles.items()
        }
        size = sum(file.size for file in files)
        yield with_roles(isolated(name, size, recognised), chosen)


@contextmanager
def isolated_set(
    recognised: RecognisedSet, reading: SetReading, omissions: Omissions, watch: Watch
) -> Iterator[Iterator[SegmentTexts]]:
    """Yield the segments of recognised files like `opened_set`, read in a process of their own.

    `omissions` is complete after the last segment. `watch` receives the number of bytes read so far.
    """

    def read(report: Watch) -> Iterator[SegmentTexts | Omissions]:
        collected = Omissions()
        with opened_set(watched_set(recognised, report), reading, omissions=collected) as segments:
            yield from segments
        yield collected

    items = isolated_items(recognised.name, bytes_of(recognised), read, watch=watch)

    def segments_read() -> Iterator[SegmentTexts]:
        for item in items:
            if isinstance(item, Omissions):
                omissions.left_out += item.left_out
                omissions.warnings += item.warnings
            else:
                yield item

    with closing(items):
        yield segments_read()


def watched_set(recognised: RecognisedSet, watch: Callable[[int], object]) -> RecognisedSet:
    """Return the files so that `watch` receives the number of bytes read from them so far."""
    counter = ReadCounter(watch)
    files = (
        replace(each, file=StoredFile(each.name, counter.opener(each.file.open)))
        for each in recognised.files
    )
    return replace(recognised, files=tuple(files))


def bytes_of(recognised: RecognisedSet) -> int:
    """Return the total size in bytes of the files that are not left out."""
    size = 0
    for each in recognised.files:
        if each.role is not FileRole.IGNORED:
            with each.file.open() as stream:
                size += stream.seek(0, io.SEEK_END)
    return size


def _written(file_id: int, folder: Path) -> Path:
    """Write the parts of a file to disk under a number: no name of an upload becomes a path."""
    path = folder / str(file_id)
    parts = FilePart.objects.filter(file=file_id).order_by("offset")
    with path.open("wb") as stream:
        for content in parts.values_list("content", flat=True).iterator(chunk_size=4):
            stream.write(content)
    return path


def unpacked(name: str, stored: Sequence[StoredFile], folder: Path) -> list[StoredFile]:
    """Return files that were provided together, or those of a single archive, unpacked into a new folder.

    Raises FormatError like `archive_files` and `files_together`, and for an archive among other files.
    """
    archives = [file for file in stored if holds_archive(file)]
    if not archives:
        return files_together(name, stored)
    if len(stored) > 1:
        raise Place(archives[0].name).error(
            "an archive cannot be combined with other files",
            "upload the archive alone, or unpack it and upload its files",
        )
    folder.mkdir()
    return archive_unpack(archives[0], folder)


def holds_archive(file: StoredFile) -> bool:
    """Return whether a file is an archive, by its first bytes."""
    with file.open() as stream:
        try:
            head, _whole = peek(InputFile(file.name, stream), _ARCHIVE_BYTES)
        except FormatError:
            return False
    return is_archive(head)
