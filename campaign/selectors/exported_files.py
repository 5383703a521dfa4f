"""Reads of kept files: exports, export jobs, and contents, also of media."""

import logging
from collections.abc import Iterator
from typing import Final

from django.core.files.storage import Storage, storages
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from campaign.models import FilePart, Job, JobKind, KeptFile, Task
from campaign.models.upload import MEDIA, PART_BYTES

logger = logging.getLogger(__name__)

#: The alias in `STORAGES` for files other than media.
EXPORTS: Final = "exports"


class FileStorageError(Exception):
    """The operator's storage failed; the message says so, and the log has the reason."""


def file_storage(*, kind: str) -> Storage | None:
    """Return the operator's storage of media or of exports; None if they are kept in the database."""
    alias = EXPORTS
    if kind == MEDIA:
        alias = MEDIA
    if alias in storages.backends:
        return storages[alias]
    return None


def exported_files(*, task: Task, may_change: bool) -> QuerySet[KeptFile]:
    """Return the stored files, the newest first; files that name judges only if the user may change the campaign."""
    files = KeptFile.objects.of(task.pk).select_related("made_by").order_by("-pk")
    if may_change:
        return files
    return files.filter(names_people=False)


def export_jobs(*, task: Task) -> list[Job]:
    """Return the last job that exports from a task, and all others that have not ended. One query."""
    jobs = Job.objects.filter(
        campaign=task.test_set.campaign_id,
        kind=JobKind.EXPORT,
        parameters__task=task.pk,
    ).order_by("-pk")[:10]
    return [job for number, job in enumerate(jobs) if number == 0 or not job.has_ended]


def exported_bytes(
    file: KeptFile,
    *,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[bytes]:
    """Yield the bytes of a file from `start` up to `stop`, one part at a time.

    Raises `KeptFile.DoesNotExist` if it was deleted meanwhile, and `FileStorageError` if the
    operator's storage fails, before the first byte is read.
    """
    end = file.size if stop is None else stop
    if file.stored_as:
        return _read_from_storage(file, start, end)
    parts = FilePart.objects.filter(
        file=file,
        offset__gt=start - PART_BYTES,
        offset__lt=end,
    ).order_by("offset")
    if end > start and not parts.exists():
        raise KeptFile.DoesNotExist
    return _read_from_parts(parts, start, end)


def _read_from_parts(
    parts: QuerySet[FilePart],
    start: int,
    end: int,
) -> Iterator[bytes]:
    # One statement: its result stays on the server until it is read, outside a transaction, too.
    for offset, content in parts.values_list("offset", "content").iterator(
        chunk_size=1,
    ):
        yield bytes(content)[max(0, start - offset) : end - offset]


def _read_from_storage(file: KeptFile, start: int, end: int) -> Iterator[bytes]:
    storage = file_storage(kind=file.kind)
    if storage is None:
        raise KeptFile.DoesNotExist
    try:
        opened = storage.open(file.stored_as, "rb")
        opened.seek(start)
    except FileNotFoundError as error:
        raise KeptFile.DoesNotExist from error
    except Exception as error:
        # Storages raise errors of any class.
        logger.exception("The file storage did not return %s.", file.stored_as)
        raise FileStorageError(
            _("The file storage is unavailable. Try again later."),
        ) from error

    def read() -> Iterator[bytes]:
        with opened as content:
            remaining = end - start
            while remaining > 0 and (part := content.read(min(PART_BYTES, remaining))):
                remaining -= len(part)
                yield part

    return read()
