"""Test sets in any of the formats: which one it is, and the reader for it."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from campaign.formats.records import SegmentTexts
from campaign.formats.streams import InputFile


class TestSetFormat(StrEnum):
    """The formats a test set can be read from."""

    __test__ = False  # not a test case, whatever pytest thinks of the name

    PLAIN = "plain"
    SGML = "sgml"
    TSV = "tsv"
    JSONL = "jsonl"


def detect_format(file: InputFile) -> tuple[TestSetFormat, InputFile]:
    """Tell the format from the name's ending, else from the content.

    Returns the format and a file to read instead of `file`, whose beginning is used up.
    """
    raise NotImplementedError


def read_test_set(
    *,
    source: InputFile,
    references: Sequence[InputFile] = (),
    systems: Mapping[str, InputFile] | None = None,
    documents: InputFile | None = None,
    file_format: TestSetFormat | None = None,
) -> Iterator[SegmentTexts]:
    """Yield the segments of a test set in order, in bounded memory.

    Plain text and SGML have one file each for the source, every reference and every system;
    TSV and JSONL are one file, given as `source`. `documents` goes with plain text: a
    document's name a line. Without `file_format` the source file tells.

    Raises FormatError at the first thing wrong; what was yielded before must then be undone.
    """
    raise NotImplementedError
