"""Read answers about two outputs as records: of our JSON Lines, or ranked blocks."""

from collections.abc import Iterator
from typing import Any, Final

from campaign.formats import InputFile
from campaign.formats.streams import StoredFile, peek
from ranking.files.answer_records import RANKED_FORMATS, json_records, ranked_records

CHOICES: Final = "choices-jsonl"
_SNIFFED_BYTES: Final = 64 * 1024


def choice_records(file: StoredFile, file_format: str | None) -> Iterator[Any]:
    """Yield the format (detected if None), then records, as `AnswerFiles.parse`. Raises FormatError."""
    if file_format is None and _holds_choices(file):
        file_format = CHOICES
    if file_format == CHOICES:
        yield from json_records(CHOICES, file, file_format)
    else:
        yield from ranked_records(file, file_format, (CHOICES, *RANKED_FORMATS))


def _holds_choices(file: StoredFile) -> bool:
    """Return whether a file has our JSON Lines; files of blocks have the keys "candidates" or "outputs", and no "second"."""
    with file.open() as stream:
        start, _whole = peek(InputFile(file.name, stream), _SNIFFED_BYTES)
    first_line = start.lstrip().split(b"\n")[0]
    return first_line.startswith(b"{") and b'"second"' in first_line
