"""Pictures, recordings and videos that texts of a campaign show."""

import logging
import time
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from io import BytesIO
from typing import Final

from django.db import transaction

from campaign.formats import FormatError
from campaign.formats.isolation import isolated
from campaign.formats.records import MediaFile
from campaign.formats.set_reading import media_read_again
from campaign.formats.streams import StoredFile
from campaign.models import Campaign, KeptFile, Output, Reference, Segment
from campaign.models.upload import MEDIA
from campaign.selectors.exported_files import exported_bytes
from campaign.services.exported_files import (
    exported_files_delete,
    file_bytes_store,
    file_parts_keep,
)
from campaign.texts.media import MARK_BEGINS, marked_text

logger = logging.getLogger(__name__)

#: `file_format` of files that were cleaned as this version does. Change it with `campaign.formats.media_files` if
#: cleaning removes more than before: all files that are stored already are cleaned again.
CLEANED: Final = "cleaned-2"
#: `file_format` of files that this version refuses.
_REFUSED: Final = f"{CLEANED}-refused"
#: Files that are cleaned together, in a process.
_FILES_AT_ONCE: Final = 20
_SECONDS_AT_ONCE: Final = 240


def media_store(
    *,
    campaign: Campaign,
    file: MediaFile,
    file_format: str = CLEANED,
) -> None:
    """Store a file, unless the campaign has it. Call it in a transaction. Raises `FileStorageError`.

    If the transaction is rolled back, bytes in the operator's storage stay there, under the name of the next attempt.
    """
    content = BytesIO(file.content)
    path = f"media/{campaign.pk}/{file.name}"
    stored_file, is_new = KeptFile.objects.get_or_create(
        campaign=campaign,
        kind=MEDIA,
        name=file.name,
        defaults={
            "size": len(file.content),
            "digest": sha256(file.content).hexdigest(),
            "seconds": file.seconds,
            "file_format": file_format,
            # Called only for a new row.
            "stored_as": partial(
                file_bytes_store,
                kind=MEDIA,
                path=path,
                content=content,
            ),  # type: ignore[misc]
        },
    )
    if is_new:
        file_parts_keep(stored_file, content)


def media_purge(*, campaign: Campaign) -> None:
    """Delete the files that no text of the campaign shows any more."""
    in_campaign = {
        "segment__test_set__campaign": campaign,
        "text__contains": MARK_BEGINS,
    }
    texts = [
        *Segment.objects.filter(
            test_set__campaign=campaign,
            source_text__contains=MARK_BEGINS,
        ).values_list("source_text", flat=True),
        *Reference.objects.filter(**in_campaign).values_list("text", flat=True),
        *Output.objects.filter(**in_campaign).values_list("text", flat=True),
    ]
    names = set()
    for text in texts:
        for name in marked_text(str(text)).media:
            names.add(name)
    files = KeptFile.objects.filter(campaign=campaign, kind=MEDIA)
    exported_files_delete(files.exclude(name__in=names))


def media_copy(*, source: Campaign, target: Campaign) -> None:
    """Copy all files of a campaign to another that shows the same texts."""
    for file in KeptFile.objects.filter(campaign=source, kind=MEDIA):
        content = b"".join(exported_bytes(file))
        media_store(
            campaign=target,
            file=MediaFile(file.name, content, file.seconds),
            file_format=file.file_format,
        )


def media_clean_stored() -> int:
    """Clean the files that an earlier version stored, for up to four minutes; return their number.

    A file keeps its name, because texts have it. One that is refused now stays as it is, and is logged.
    """
    earlier = KeptFile.objects.filter(kind=MEDIA).exclude(
        file_format__in=[CLEANED, _REFUSED],
    )
    end = time.monotonic() + _SECONDS_AT_ONCE
    count = 0
    while time.monotonic() < end:
        files = list(earlier.order_by("pk")[:_FILES_AT_ONCE])
        if not files:
            break
        _clean(files)
        count += len(files)
    return count


def _clean(files: Sequence[KeptFile]) -> None:
    stored = []
    for file in files:
        content = b"".join(exported_bytes(file))
        stored.append(StoredFile(file.name, partial(BytesIO, content)))
    size = sum(file.size for file in files)
    read = partial(media_read_again, stored)
    for file, original, result in zip(
        files,
        stored,
        isolated("media", size, read),
        strict=True,
    ):
        if isinstance(result, FormatError):
            logger.error(
                "A file of campaign %s cannot be cleaned, and stays as it is: %s Import its texts again.",
                file.campaign_id,
                result,
            )
            with original.open() as stream:
                kept = MediaFile(file.name, stream.read(), file.seconds)
            _replace(file, kept, file_format=_REFUSED)
        else:
            kept = MediaFile(file.name, result.content, result.seconds)
            _replace(file, kept, file_format=CLEANED)


@transaction.atomic
def _replace(file: KeptFile, kept: MediaFile, *, file_format: str) -> None:
    """Replace a stored file, unless it was deleted meanwhile."""
    if KeptFile.objects.select_for_update().filter(pk=file.pk).exists():
        exported_files_delete([file])
        media_store(campaign=file.campaign, file=kept, file_format=file_format)
