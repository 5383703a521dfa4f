"""Exported files: kept in the database or in the operator's storage, until they expire."""

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
from campaign.selectors.exported_files import ExportStorageError, export_storage

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
    include it. Raises `ExportStorageError` if the storage fails; no part of the file is stored then.
    """
    with TemporaryFile() as whole:
        digest, size = sha256(), 0
        for part in content:
            digest.update(part)
            size += whole.write(part)
        whole.seek(0)
        kept = KeptFile(
            campaign_id=task.test_set.campaign_id,
            task=task,
            size=size,
            digest=digest.hexdigest(),
            made_by=by,
            expires_at=Now() + timedelta(days=DAYS_KEPT) if expires else None,
            **described,
        )
        storage = export_storage() if expires else None
        if storage is None:
            kept.save()
            file_parts_keep(kept, whole)
        else:
            # A random name reveals nothing in listings and cannot be guessed.
            kept.stored_as = _stored(storage, f"exports/{uuid4()}/{kept.name}", whole)
            kept.save()
    kept.refresh_from_db(fields=["expires_at"])
    exports = KeptFile.objects.filter(task=task, expires_at__isnull=False)
    exported_files_delete(list(exports.order_by("-pk")[MOST_KEPT:]))
    return kept


def _stored(storage: Storage, name: str, whole: IO[bytes]) -> str:
    try:
        return storage.save(name, File(whole))
    except Exception as error:
        # Storages raise errors of any class.
        logger.exception("The export storage rejected %s.", name)
        raise ExportStorageError(
            _(
                "The file could not be written to the export storage (%(error)s). Contact the operator, then "
                "start the job again."
            )
            % {"error": type(error).__name__}
        ) from error


def file_parts_keep(kept: KeptFile, whole: IO[bytes]) -> None:
    """Store the bytes of a file in the database."""
    for offset in range(0, kept.size, PART_BYTES):
        FilePart.objects.create(file=kept, offset=offset, content=whole.read(PART_BYTES))


def exported_files_delete(files: Iterable[KeptFile]) -> int:
    """Delete files, and their contents in the storage after the commit; return their number."""
    deleted, storage = 0, export_storage()
    for file in files:
        name = file.stored_as
        with transaction.atomic():
            file.delete()
            if name and storage is not None:
                transaction.on_commit(_deletion(storage, name), robust=True)
        deleted += 1
    return deleted


def _deletion(storage: Storage, name: str) -> Callable[[], None]:
    # Not a partial: if it fails, Django logs the qualified name of the function.
    def delete() -> None:
        storage.delete(name)

    return delete


def exported_files_purge() -> int:
    """Delete the files that have expired; return their number."""
    return exported_files_delete(KeptFile.objects.expired())
