"""Exported files, kept until they expire, and the bytes of all kept files: in the database or the operator's storage."""

import logging
from collections.abc import Callable, Iterable
from datetime import timedelta
from hashlib import sha256
from tempfile import TemporaryFile
from typing import IO, Any, Final
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import Storage
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import FilePart, KeptFile, Task, User
from campaign.models.upload import PART_BYTES
from campaign.selectors.exported_files import FileStorageError, file_storage

logger = logging.getLogger(__name__)


#: Days that a file is kept.
DAYS_KEPT: Final = 7
#: Files kept per task; the oldest are deleted first.
MOST_KEPT: Final = 20


@transaction.atomic
def exported_file_keep(
    *,
    task: Task,
    content: Iterable[bytes],
    by: User | None,
    expires: bool = True,
    **described: Any,
) -> KeptFile:
    """Store a file whose bytes arrive in parts, delete the task's oldest exports beyond `MOST_KEPT`, and return the file.

    `described` are the other fields of the file. A file that does not expire is kept in the database, so that backups
    include it. Raises `FileStorageError` if the storage fails; no part of the file is stored then.
    """
    with TemporaryFile() as whole:
        digest = sha256()
        size = 0
        for part in content:
            digest.update(part)
            size += whole.write(part)
        whole.seek(0)
        expires_at = None
        if expires:
            expires_at = Now() + timedelta(days=DAYS_KEPT)
        file = KeptFile(
            campaign_id=task.test_set.campaign_id,
            task=task,
            size=size,
            digest=digest.hexdigest(),
            made_by=by,
            expires_at=expires_at,
            **described,
        )
        if expires:
            # A random name reveals nothing in listings and cannot be guessed.
            path = f"exports/{uuid4()}/{file.name}"
            file.stored_as = file_bytes_store(kind=file.kind, path=path, content=whole)
        file.save()
        file_parts_keep(file, whole)
    file.refresh_from_db(fields=["expires_at"])
    exports = KeptFile.objects.filter(task=task, expires_at__isnull=False)
    exported_files_delete(list(exports.order_by("-pk")[MOST_KEPT:]))
    return file


def file_bytes_store(*, kind: str, path: str, content: IO[bytes]) -> str:
    """Write bytes to the operator's storage and return their name there; an empty one if there is no storage.

    Raises `FileStorageError`.
    """
    storage = file_storage(kind=kind)
    if storage is None:
        return ""
    try:
        return storage.save(path, File(content))
    except Exception as error:
        # Storages raise errors of any class.
        logger.exception("The file storage rejected %s.", path)
        raise FileStorageError(
            _(
                "The file could not be written to the file storage (%(error)s). Contact the operator, then "
                "start the job again.",
            )
            % {"error": type(error).__name__},
        ) from error


def file_parts_keep(file: KeptFile, whole: IO[bytes]) -> None:
    """Store the bytes of a file in the database, unless they are in the operator's storage."""
    if file.stored_as:
        return
    for offset in range(0, file.size, PART_BYTES):
        FilePart.objects.create(
            file=file,
            offset=offset,
            content=whole.read(PART_BYTES),
        )


def exported_files_delete(files: Iterable[KeptFile]) -> int:
    """Delete files, and their contents in the storage after the commit; return their number."""
    deleted = 0
    for file in files:
        with transaction.atomic():
            file.delete()
            file_bytes_delete(file=file)
        deleted += 1
    return deleted


def file_bytes_delete(*, file: KeptFile) -> None:
    """Delete the bytes of a file in the operator's storage after the commit."""
    storage = file_storage(kind=file.kind)
    if file.stored_as and storage is not None:
        transaction.on_commit(_deletion(storage, file.stored_as), robust=True)


def _deletion(storage: Storage, name: str) -> Callable[[], None]:
    # Not a partial: if it fails, Django logs the qualified name of the function.
    def delete() -> None:
        storage.delete(name)

    return delete


def exported_files_purge() -> int:
    """Delete the files that have expired; return their number."""
    return exported_files_delete(KeptFile.objects.expired())
