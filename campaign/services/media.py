"""Pictures, recordings and videos that texts of a campaign show."""

from functools import partial
from hashlib import sha256
from io import BytesIO

from campaign.formats.records import MediaFile
from campaign.models import Campaign, KeptFile, Output, Reference, Segment
from campaign.models.upload import MEDIA
from campaign.selectors.exported_files import exported_bytes
from campaign.services.exported_files import (
    exported_files_delete,
    file_bytes_store,
    file_parts_keep,
)
from campaign.texts.media import MARK_BEGINS, marked_text


def media_store(*, campaign: Campaign, file: MediaFile) -> None:
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
        media_store(campaign=target, file=MediaFile(file.name, content, file.seconds))
