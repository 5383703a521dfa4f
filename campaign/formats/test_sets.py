"""Test sets in any of the formats: which one it is, and the reader for it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from campaign.formats.errors import FormatError
from campaign.formats.jsonl import read_jsonl_test_set
from campaign.formats.plain import read_plain_test_set
from campaign.formats.records import SegmentTexts, system_name_problem
from campaign.formats.sgml import read_sgml_test_set
from campaign.formats.streams import InputFile, peek
from campaign.formats.tsv import read_tsv_test_set

_SNIFFED_BYTES: Final = 64 * 1024
_SGML_SET = re.compile(r"<(?:srcset|refset|tstset)[\s>]", re.IGNORECASE)
_JSON_OBJECT = re.compile(r'\{\s*"')


class TestSetFormat(StrEnum):
    """The formats a test set can be read from."""

    __test__ = False  # not a test case, whatever pytest thinks of the name

    PLAIN = "plain"
    SGML = "sgml"
    TSV = "tsv"
    JSONL = "jsonl"


_ENDINGS: Final = {
    ".sgm": TestSetFormat.SGML,
    ".sgml": TestSetFormat.SGML,
    ".tsv": TestSetFormat.TSV,
    ".jsonl": TestSetFormat.JSONL,
    ".ndjson": TestSetFormat.JSONL,
}


def detect_format(file: InputFile) -> tuple[TestSetFormat, InputFile]:
    """Tell the format from the name's ending, else from the first 64 KiB.

    Returns the format and the file to read instead of `file`, whose beginning is used up.
    """
    name = file.plain_name.lower()
    for ending, file_format in _ENDINGS.items():
        if name.endswith(ending):
            return file_format, file
    head, whole = peek(file, _SNIFFED_BYTES)
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    first_line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    if text.startswith("<") and _SGML_SET.search(text):
        return TestSetFormat.SGML, whole
    if _JSON_OBJECT.match(text):
        return TestSetFormat.JSONL, whole
    if "source" in (cell.strip().lower() for cell in first_line.split("\t")[:-1]):
        return TestSetFormat.TSV, whole
    return TestSetFormat.PLAIN, whole


def read_test_set(
    *,
    source: InputFile,
    references: Sequence[InputFile] = (),
    systems: Mapping[str, InputFile] | None = None,
    documents: InputFile | None = None,
    file_format: TestSetFormat | None = None,
) -> Iterator[SegmentTexts]:
    """Return an iterator over the segments of a test set in order, in bounded memory.

    Plain text and SGML have one file each for the source, every reference and every system;
    TSV and JSONL are one file, given as `source`. `documents` goes with plain text: a
    document's name a line. Without `file_format` the source file tells.

    Raises FormatError at the first thing wrong, here or while iterating; what was taken
    from the segments before must then be undone.
    """
    systems = systems or {}
    for name, file in systems.items():
        problem = system_name_problem(name)
        if problem:
            raise FormatError(file.name, problem, "give the system another name")
    if file_format is None:
        file_format, source = detect_format(source)
    if documents is not None and file_format is not TestSetFormat.PLAIN:
        raise FormatError(
            documents.name,
            f"{source.name} is {file_format.upper()} and names its documents itself",
            "leave the file of document names out, or say that the source is plain text",
        )
    if file_format is TestSetFormat.PLAIN:
        return read_plain_test_set(source, references, systems, documents)
    if file_format is TestSetFormat.SGML:
        return read_sgml_test_set(source, references, systems)
    if references or systems:
        other = [*references, *systems.values()][0]
        raise FormatError(
            other.name,
            f"{source.name} is {file_format.upper()} and holds references and outputs itself",
            "give that one file alone, or say that the source is plain text",
        )
    if file_format is TestSetFormat.TSV:
        return read_tsv_test_set(source)
    return read_jsonl_test_set(source)
