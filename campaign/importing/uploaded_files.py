"""Provide uploaded files to the readers of test sets."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path

from django.core.files import File

from campaign.formats.archives import opener
from campaign.formats.isolation import Watch, isolated, isolated_items
from campaign.formats.media_names import MediaWatch
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import FileRole, RecognisedSet, SetReading, with_roles
from campaign.formats.records import MediaFile, SegmentTexts
from campaign.formats.set_reading import files_recognise, set_read
from campaign.formats.streams import StoredFile
from campaign.models import FilePart, Upload


def sent_file(file: "File[bytes]") -> StoredFile:
    """Return a file of a request as one that can be opened in another process."""
    return StoredFile(file.name or "file", partial(BytesIO, file.read()))


@contextmanager
def uploaded_set(upload: Upload) -> Iterator[RecognisedSet]:
    """Yield the files of an upload with their roles, including those chosen by an organiser.

    They can be opened repeatedly until the context ends. Raises FormatError for refused archives, and for an archive
    among other files.
    """
    with tempfile.TemporaryDirectory(prefix="quintet-") as temporary:
        folder = Path(temporary)
        files = list(upload.files.order_by("name"))
        stored = [
            StoredFile(file.name, opener(_write_file_parts(file.pk, folder)))
            for file in files
        ]
        name = upload.name or (stored[0].name if len(stored) == 1 else "upload")
        languages = (upload.source_language, upload.target_language)
        read = partial(
            files_recognise,
            name,
            stored,
            folder / "unpacked",
            languages if all(languages) else None,
        )
        recognised = isolated(name, sum(file.size for file in files), read)
        chosen = {
            name: (FileRole(role_entry["role"]), role_entry.get("system") or None)
            for name, role_entry in upload.roles.items()
        }
        yield with_roles(recognised, chosen)


@contextmanager
def isolated_set(
    recognised: RecognisedSet,
    reading: SetReading,
    omissions: Omissions,
    watch: Watch | None = None,
    media: MediaWatch | None = None,
) -> Iterator[Iterator[SegmentTexts]]:
    """Yield the segments of recognised files like `opened_set`, read in a process of its own.

    `omissions` is complete after the last segment. `watch` is that of `isolated_items`, `media` that of `opened_set`.
    """
    read = partial(set_read, recognised, reading)
    with isolated_items(recognised.name, recognised.size(), read, watch=watch) as items:
        yield _segments(items, omissions, media)


def _segments(
    items: Iterator[SegmentTexts | MediaFile | Omissions],
    omissions: Omissions,
    media: MediaWatch | None,
) -> Iterator[SegmentTexts]:
    for item in items:
        if isinstance(item, MediaFile):
            if media is not None:
                media(item)
        elif isinstance(item, Omissions):
            omissions.left_out += item.left_out
            omissions.warnings += item.warnings
            omissions.settings = item.settings
            omissions.moved |= item.moved
        else:
            yield item


def _write_file_parts(file_id: int, folder: Path) -> Path:
    """Write the parts of a file to disk under a number: no name of an upload becomes a path."""
    path = folder / str(file_id)
    parts = FilePart.objects.filter(file=file_id).order_by("offset")
    with path.open("wb") as stream:
        for content in parts.values_list("content", flat=True).iterator(chunk_size=4):
            stream.write(content)
    return path
