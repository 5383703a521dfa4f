"""Detect the format of a test set, and read it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from campaign.formats.errors import FormatError, Place
from campaign.formats.genmt import read_genmt_test_set
from campaign.formats.jsonl import read_jsonl_test_set
from campaign.formats.omissions import Omissions, complete
from campaign.formats.pearmut import read_pearmut_campaign
from campaign.formats.plain import read_plain_test_set
from campaign.formats.quoting import separator_of
from campaign.formats.records import SegmentTexts, system_name_problem
from campaign.formats.sgml import read_sgml_test_set
from campaign.formats.streams import InputFile, peek
from campaign.formats.tsv import read_tsv_test_set
from campaign.formats.wmt_xml import read_wmt_xml_test_set

SNIFFED_BYTES: Final = 64 * 1024
_SGML_SET = re.compile(r"<(?:srcset|refset|tstset)[\s>]", re.IGNORECASE)
_XML_SET = re.compile(r"<dataset[\s>]")
_JSON_ARRAY = re.compile(r"\[\s*[\[{]")
_JSON_OBJECT = re.compile(r'\{\s*"')
# Matches keys, but not the same words in texts, where quotes are escaped.
_GENMT_KEY = re.compile(r'(?<!\\)"(?:doc_id|src_text|tgt_text|hypothesis)"\s*:')
_PEARMUT_KEY = re.compile(r'\{\s*"(?:campaign_id|info|data|data_welcome|data_random)"\s*:')


class TestSetFormat(StrEnum):
    """Formats of test sets."""

    __test__ = False  # keeps pytest from collecting the class because of its name

    PLAIN = "plain"
    SGML = "sgml"
    TSV = "tsv"
    JSONL = "jsonl"
    WMT_XML = "wmt-xml"
    GENMT = "genmt"
    PEARMUT = "pearmut"

    @property
    def words(self) -> str:
        """Name of the format in errors."""
        return _WORDS[self]


_WORDS: Final = {
    TestSetFormat.PLAIN: "plain text",
    TestSetFormat.SGML: "SGML",
    TestSetFormat.TSV: "TSV",
    TestSetFormat.JSONL: "JSONL",
    TestSetFormat.WMT_XML: "WMT's XML",
    TestSetFormat.GENMT: "WMT's JSON Lines",
    TestSetFormat.PEARMUT: "a campaign of Pearmut",
}
_ENDINGS: Final = {
    ".sgm": TestSetFormat.SGML,
    ".sgml": TestSetFormat.SGML,
    ".tsv": TestSetFormat.TSV,
}
JSON_ENDINGS: Final = (".jsonl", ".ndjson")
_ONE_FILE: Final = {
    TestSetFormat.TSV,
    TestSetFormat.JSONL,
    TestSetFormat.WMT_XML,
    TestSetFormat.PEARMUT,
}


def detect_format(file: InputFile) -> tuple[TestSetFormat, InputFile]:
    """Detect the format by the extension, or else by the first 64 KiB.

    Returns the format and the file to read on with, since the beginning of `file` has been read.
    Raises FormatError for a JSON array, which is not a test set.
    """
    head, whole = peek(file, SNIFFED_BYTES)
    if is_json_array(head):
        raise Place(file.name, 1).error(
            "it is a JSON array, not a test set",
            "write JSON Lines with one object per line, for example with: jq -c '.[]' OLD > NEW",
        )
    return format_of(file.plain_name.lower(), head), whole


def format_of(name: str, head: bytes) -> TestSetFormat:
    """Detect the format by the lowercase plain name and the first bytes, unpacked."""
    for ending, file_format in _ENDINGS.items():
        if name.endswith(ending):
            return file_format
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    first_line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    found = TestSetFormat.PLAIN
    if text.startswith("<") and _SGML_SET.search(text):
        found = TestSetFormat.SGML
    elif text.startswith("<") and _XML_SET.search(text):
        found = TestSetFormat.WMT_XML
    elif _PEARMUT_KEY.match(text):
        found = TestSetFormat.PEARMUT
    elif _JSON_OBJECT.match(text):
        found = TestSetFormat.GENMT if _GENMT_KEY.search(first_line) else TestSetFormat.JSONL
    elif name.endswith(JSON_ENDINGS):
        found = TestSetFormat.JSONL
    elif "source" in _column_names(name, first_line):
        found = TestSetFormat.TSV
    return found


def _column_names(name: str, first_line: str) -> list[str]:
    """Return the names of all columns but the last. Commas separate columns only in a .csv: prose has them, too."""
    separator = separator_of(first_line) if name.endswith(".csv") else "\t"
    return [cell.strip(' "').lower() for cell in first_line.split(separator)[:-1]]


def is_json_array(head: bytes) -> bool:
    """Return whether a file begins like a JSON array of objects or arrays."""
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    return _JSON_ARRAY.match(text) is not None


def holds_key(head: bytes, *keys: str) -> bool:
    """Return whether the first line of JSON has one of the keys."""
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    first_line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    return any(re.search(rf'(?<!\\)"{key}"\s*:', first_line) for key in keys)


def read_test_set(
    *,
    source: InputFile,
    references: Sequence[InputFile] = (),
    systems: Mapping[str, InputFile] | None = None,
    documents: InputFile | None = None,
    file_format: TestSetFormat | None = None,
    languages: tuple[str, str] | None = None,
    by_paragraph: bool = False,
    omissions: Omissions | None = None,
) -> Iterator[SegmentTexts]:
    """Return an iterator over the segments of a test set in order, in bounded memory.

    Plain text and SGML have one file each for the source, every reference and every system; WMT's JSON
    Lines have one each for the source and every system; other formats are one file, given as `source`.
    `documents` belongs to plain text: a document name per line. Without `file_format`, it is detected from
    the source. `languages` chooses one of several pairs in a file. `by_paragraph` splits WMT's JSON Lines
    into paragraphs. With `omissions`, which collects them, segments that some systems lack are yielded;
    otherwise they are refused.

    Raises FormatError at the first error, here or while iterating; the caller must then undo what it did
    with earlier segments.
    """
    omitted = Omissions() if omissions is None else omissions
    systems = systems or {}
    _refuse_names(systems)
    if file_format is None:
        file_format, source = detect_format(source)
    _refuse_mixture(source, file_format, references, systems, documents)
    if file_format is TestSetFormat.PLAIN:
        segments = read_plain_test_set(source, references, systems, documents, omitted)
    elif file_format is TestSetFormat.SGML:
        segments = read_sgml_test_set(source, references, systems, omitted)
    elif file_format is TestSetFormat.GENMT:
        segments = read_genmt_test_set(
            source, systems, languages, omissions=omitted, by_paragraph=by_paragraph
        )
    elif file_format is TestSetFormat.TSV:
        segments = read_tsv_test_set(source, omitted)
    elif file_format is TestSetFormat.WMT_XML:
        segments = read_wmt_xml_test_set(source, languages, omitted)
    elif file_format is TestSetFormat.PEARMUT:
        segments = read_pearmut_campaign(source, omitted)
    else:
        segments = read_jsonl_test_set(source, omitted)
    return complete(segments, omitted) if omissions is None else segments


def _refuse_names(systems: Mapping[str, InputFile]) -> None:
    for name, file in systems.items():
        problem = system_name_problem(name)
        if problem:
            raise FormatError(file.name, problem, "rename the system")


def _refuse_mixture(
    source: InputFile,
    file_format: TestSetFormat,
    references: Sequence[InputFile],
    systems: Mapping[str, InputFile],
    documents: InputFile | None,
) -> None:
    """Refuse additional files if the source already contains their content."""
    if documents is not None and file_format is not TestSetFormat.PLAIN:
        raise Place(documents.name).error(
            f"{source.name} is {file_format.words} and already names its documents",
            "remove the file of document names, or specify that the source is plain text",
        )
    others = [*references, *(systems.values() if file_format in _ONE_FILE else ())]
    if others and file_format not in {TestSetFormat.PLAIN, TestSetFormat.SGML}:
        raise Place(others[0].name).error(
            f"{source.name} is {file_format.words} and already contains references and outputs",
            "provide only that file, or specify that the source is plain text",
        )
