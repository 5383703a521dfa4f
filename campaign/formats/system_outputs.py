"""Read the outputs of a single system, in a process of its own."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from campaign.formats.errors import Location
from campaign.formats.sgml import sgml_segments
from campaign.formats.streams import InputFile, StoredFile, text_lines
from campaign.formats.test_sets import TestSetFormat, detect_format

_SETS: Final = frozenset({"tstset"})


class SystemOutput(NamedTuple):
    """An output with its line; the document is None if the file names none."""

    document: str | None
    line: int
    text: str


def system_outputs(file: StoredFile) -> Iterator[SystemOutput]:
    """Yield the outputs in plain text with one line per segment, or in SGML. Raises FormatError."""
    with file.open() as stream:
        file_format, whole = detect_format(InputFile(file.name, stream))
        if file_format is TestSetFormat.SGML:
            for segment in sgml_segments(whole, _SETS):
                yield SystemOutput(segment.document, segment.line, segment.text)
        elif file_format is TestSetFormat.PLAIN:
            for line, text in enumerate(text_lines(whole), 1):
                yield SystemOutput(None, line, text)
        else:
            raise Location(file.name).error(
                f"it is {file_format.label}",
                "provide the outputs as plain text with one line per segment, or as SGML with a tstset",
            )
