"""Recognise, inspect and read files of test sets in a process of its own; see `campaign.formats.isolation`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from campaign.formats.archives import unpacked
from campaign.formats.errors import FormatError
from campaign.formats.inspecting import Inspection, inspect
from campaign.formats.isolation import progress_report
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import (
    RecognisedSet,
    SetReading,
    opened_set,
    recognise,
)
from campaign.formats.records import MediaFile, SegmentTexts
from campaign.formats.streams import ReadCounter, StoredFile


def files_recognise(
    name: str,
    files: Sequence[StoredFile],
    folder: Path,
    languages: tuple[str, str] | None,
) -> RecognisedSet:
    """Return files with their roles; those of an archive are unpacked into the new folder `folder`."""
    return recognise(name, unpacked(name, files, folder), languages)


def set_inspect(recognised: RecognisedSet, reading: SetReading) -> list[Inspection]:
    """Inspect files, and report the bytes read so far."""
    return [inspect(_reporting(recognised), reading)]


def set_read(
    recognised: RecognisedSet,
    reading: SetReading,
) -> Iterator[SegmentTexts | MediaFile | Omissions]:
    """Yield the segments of files, each after the media that it shows, then what was left out.

    Report the bytes read so far.
    """
    omissions = Omissions()
    media: list[MediaFile] = []
    files = _reporting(recognised)
    with opened_set(
        files,
        reading,
        omissions=omissions,
        media=media.append,
    ) as segments:
        for segment in segments:
            yield from media
            media.clear()
            yield segment
    yield omissions


def media_read_again(files: Sequence[StoredFile]) -> list[MediaFile | FormatError]:
    """Return each file as it would be stored now, or the error that refuses it."""
    # FFmpeg takes a tenth of a second to import, and most test sets have no media.
    from campaign.formats.media_files import media_file_read

    results: list[MediaFile | FormatError] = []
    for file in files:
        try:
            results.append(media_file_read(file))
        except FormatError as error:
            results.append(error)
    return results


def _reporting(recognised: RecognisedSet) -> RecognisedSet:
    """Return the files so that the bytes read from them are reported."""
    counter = ReadCounter(progress_report)
    files = []
    for file in recognised.files:
        stored = StoredFile(file.name, counter.opener(file.file.open))
        files.append(replace(file, file=stored))
    return replace(recognised, files=tuple(files))
