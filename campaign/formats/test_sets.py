"""Detect the format of a test set and read it; plain text, TSV and JSONL are read here."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Final

from campaign.formats.errors import FormatError, Location
from campaign.formats.genmt import read_genmt_test_set, read_pearmut_campaign
from campaign.formats.json_text import (
    JSONObject,
    object_lines,
    raw_text_value,
    text_value,
    whole_text,
)
from campaign.formats.omissions import Omissions, SystemsSeen, complete, named
from campaign.formats.records import (
    SegmentTexts,
    counted,
    one_line,
    system_name_problem,
)
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.sgml import read_sgml_test_set
from campaign.formats.streams import (
    CarriageReturns,
    InputFile,
    first_line_of,
    head_text,
    peek,
    text_lines,
)
from campaign.formats.tables import (
    first_row,
    refuse_other_width,
    separator_of,
    table_rows,
)
from campaign.formats.wmt_xml import read_wmt_xml_test_set

_BLANK_LINES_KEPT = 1_000


def read_plain_test_set(
    source: InputFile,
    references: Sequence[InputFile],
    systems: Mapping[str, InputFile],
    documents: InputFile | None,
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    """Yield a segment for every line of the files, read side by side.

    A line of `documents` names the document of its segment, optionally after a domain and a tab. Without
    this file, everything is one document, named like the source file. Empty outputs are noted in `omissions`.

    Raises FormatError if the files have different numbers of lines, if a source or document name is
    empty, and if a document appears again later.
    """
    files = [source, *references, *systems.values()]
    if documents is not None:
        files.append(documents)
    single_document = source.plain_name
    first_output = 1 + len(references)
    counter = SegmentCounter(documents.name if documents else source.name)
    readers = [_Lines(file) for file in files]
    domains: dict[str, str] = {}
    for line, row in enumerate(zip_longest(*readers), 1):
        if None in row:
            raise _different_counts(readers)
        document = single_document
        if documents is not None:
            document = _document(documents, line, row[-1], domains)
        position, number = counter.add(document, None, line)
        source_text = filled_text(row[0], "the source", Location(source.name, line))
        outputs = {}
        for system, text in zip(systems, row[first_output:], strict=False):
            location = Location(systems[system].name, line)
            outputs[system] = omissions.output(system, document, text, location)
        yield SegmentTexts(
            document=document,
            position=position,
            number=number,
            source=source_text,
            references=tuple(text.strip() for text in row[1:first_output]),
            outputs=outputs,
            trimmed=omissions.trimmed(),
        )
    counter.refuse_nothing()
    if documents is not None and any(domains.values()):
        omissions.left_out.append(
            (documents.name, "the domains before the names of documents"),
        )


class _Lines:
    """Lines of a file, with their number and the numbers of blank ones."""

    def __init__(self, file: InputFile) -> None:
        self.name = file.name
        self.count = 0
        self.blank: list[int] = []
        self.returns = CarriageReturns()
        self._lines = text_lines(file, self.returns)

    def __iter__(self) -> Iterator[str]:
        for text in self._lines:
            self.count += 1
            if len(self.blank) < _BLANK_LINES_KEPT and not text.strip():
                self.blank.append(self.count)
            yield text


def _document(file: InputFile, line: int, text: str, domains: dict[str, str]) -> str:
    """Return the document of a line, and record its domain in `domains`."""
    domain, _tab, name = text.rpartition("\t")
    location = Location(file.name, line)
    remedy = "name a document on every line"
    document = filled_text(name, "the name of the document", location, remedy)
    if domains.setdefault(document, domain) != domain:
        raise location.error(
            f'the document "{document}" has the domain "{domain}" here, but "{domains[document]}" earlier',
            "give each document a unique name and a single domain",
        )
    return document


def _different_counts(readers: Sequence[_Lines]) -> FormatError:
    """Return an error about the first file whose length differs from that of the source, with the place."""
    for reader in readers:
        for _text in reader:
            pass
    source = readers[0]
    other = next(reader for reader in readers if reader.count != source.count)
    longest = max(source.count, other.count)
    lines: list[int] = []
    hints = ""
    for reader in (other, source):
        blank = reader.blank
        if reader is other:
            blank = [line for line in other.blank if line not in source.blank]
        if blank and reader.count == longest:
            lines.append(blank[0])
            blank_lines = named([str(line) for line in blank])
            hints += f"; blank lines in {reader.name}: {blank_lines}"
        # If all lines end so (old Mac files), it is no hint.
        line = reader.returns.first
        if line and reader.returns.count < reader.count - 1:
            lines.append(line)
            hints += f"; a carriage return alone ends line {line} of {reader.name}"
    lines.append(min(other.count, source.count + 1))
    return Location(other.name, lines[0] or None).error(
        f"the file has {counted(other.count, 'line')}, but {source.name} has "
        f"{counted(source.count, 'line')}{hints}",
        "use one line per segment in every file; check for line breaks inside segments and truncated files",
    )


# Names of these columns in files of WMT, Google's MQM and Appraise.
_PLACES: Final = {
    **dict.fromkeys(("document", "document_id", "doc_id", "docid"), "document"),
    **dict.fromkeys(("segment", "segment_id", "seg_id", "segid"), "segment"),
}
_DESCRIBING: Final = frozenset({"domain", "id", "item_id"})
#: Columns with the name of the system in tables that have a row for each output.
_NAMES_OF_SYSTEMS: Final = frozenset(
    {"system", "system_id", "system_name", "model", "model_id", "model_name"},
)
_REFERENCE = re.compile(r"reference([1-9][0-9]{0,2})?")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Columns by content, counted from 0; `left_out` gives the reason for each ignored one."""

    names: tuple[str, ...]
    document: int | None
    segment: int | None
    source: int
    references: tuple[int, ...]
    systems: dict[str, int]
    left_out: dict[int, str]


def read_tsv_test_set(
    file: InputFile,
    omissions: Omissions | None = None,
) -> Iterator[SegmentTexts]:
    """Yield a segment for every line after the header.

    Columns: `source`, and optionally `document` (or `doc_id`), `segment` (or `seg_id`), `reference`, `reference2` …
    Every other column is a system, except columns of numbers if the sources are texts. Quotes around cells are
    removed if the whole file is quoted, as `table_rows` detects. Blank lines and empty last columns are skipped.

    Raises FormatError, with the number of the cell, for missing and repeated columns, for rows with another
    number of cells than the header, for empty cells, and for repeated documents and segments.
    """
    numeric: set[int] = set()
    rows = table_rows(file, numeric)
    line, header = first_row(file.name, rows)
    names = [name.strip() for name in header]
    while names and not names[-1]:
        names.pop()  # spreadsheets write empty columns at the end
    numeric_names = {names[column].lower() for column in numeric if column < len(names)}
    if "source" in numeric_names:
        numeric.clear()
    layout = _layout(file.name, line, names, numeric)
    if omissions is None:
        omissions = Omissions()
    else:
        for column, why in layout.left_out.items():
            part = f'{file.name}, column "{names[column]}"'
            omissions.left_out.append((part, why))
    counter = SegmentCounter(file.name)
    width = len(names)
    first: list[str] = []
    for number, (line, row) in enumerate(rows, 1):
        cells = row
        if not any(row[width:]):
            cells = row[:width]
        refuse_other_width(file.name, line, cells, names)
        if number == 1:
            first = cells
        elif number == 2:
            _refuse_row_for_each_output(file.name, line, layout, first, cells)
        yield _segment(file, line, layout, cells, counter, omissions)
    counter.refuse_nothing()


def _segment(
    file: InputFile,
    line: int,
    layout: _Layout,
    cells: list[str],
    counter: SegmentCounter,
    omissions: Omissions,
) -> SegmentTexts:
    def filled(column: int, label: str) -> str:
        location = Location(file.name, line, column + 1, layout.names[column])
        return filled_text(cells[column], label, location)

    document = file.plain_name
    if layout.document is not None:
        document = filled(layout.document, "the name of the document")
    segment_id = None
    if layout.segment is not None:
        segment_id = filled(layout.segment, "the segment's id")
    position, number = counter.add(document, segment_id, line)
    source = filled(layout.source, "the source")
    outputs = {}
    for system, column in layout.systems.items():
        outputs[system] = filled(column, f"the output of {system}")
        omissions.keeps(system, cells[column], outputs[system])
    return SegmentTexts(
        document=document,
        position=position,
        number=number,
        source=source,
        references=tuple(cells[column].strip() for column in layout.references),
        outputs=outputs,
        trimmed=omissions.trimmed(),
    )


def _layout(file: str, line: int, names: list[str], numeric: set[int]) -> _Layout:
    columns: dict[str, int] = {}
    references: dict[int, int] = {}
    systems: dict[str, int] = {}
    left_out: dict[int, str] = {}
    for column, name in enumerate(names):
        key = _PLACES.get(name.lower(), name.lower())
        reference = _REFERENCE.fullmatch(key)
        problem = None
        if key in _DESCRIBING:
            left_out[column] = "it describes the segment and is not a system"
        elif reference:
            index = int(reference.group(1) or 1)
            problem = _repeated_column_problem(references, index)
            references[index] = column
        elif key in {"document", "segment", "source"}:
            problem = _repeated_column_problem(columns, key)
            columns[key] = column
        elif column in numeric:
            left_out[column] = (
                "it contains only numbers; provide it as a separate plain text file to keep it"
            )
        else:
            problem = _repeated_column_problem(systems, name) or system_name_problem(
                name,
            )
            systems[name] = column
        if problem:
            location = Location(file, line, column + 1, name)
            raise location.error(
                problem,
                "give every column a unique name without commas",
            )
    _refuse_missing(file, line, columns, references)
    if left_out and not systems:
        _refuse_numbers_alone(file, line, [names[column] for column in left_out])
    return _Layout(
        names=tuple(names),
        document=columns.get("document"),
        segment=columns.get("segment"),
        source=columns["source"],
        references=tuple(references[index] for index in sorted(references)),
        systems=systems,
        left_out=left_out,
    )


def _refuse_numbers_alone(file: str, line: int, columns: list[str]) -> None:
    """Refuse a table all of whose outputs are numbers, which are taken for scores."""
    raise Location(file, line).error(
        f"the table has no column of texts besides the source: {named(columns)}",
        "name a column with the outputs of each system; give outputs that are numbers as plain text, a file for each",
    )


def _refuse_row_for_each_output(
    file: str,
    line: int,
    layout: _Layout,
    first: list[str],
    second: list[str],
) -> None:
    """Refuse a table whose first two rows name a system each, of one source or of one system."""
    for name, column in layout.systems.items():
        is_name = len(second[column].split()) == 1
        is_same_source = first[layout.source] == second[layout.source]
        is_repeated = is_same_source or first[column] == second[column]
        if name.lower() in _NAMES_OF_SYSTEMS and is_name and is_repeated:
            raise Location(file, line, column + 1, name).error(
                "the table has a row for each output, not a column for each system",
                f"turn the values of {name} into columns, for example with pivot in pandas",
            )


def _repeated_column_problem(columns: Container[object], name: object) -> str | None:
    """Return the problem of a name that a column before has, or None."""
    if name in columns:
        return "the column appears twice in the header"
    return None


def _refuse_missing(
    file: str,
    line: int,
    columns: dict[str, int],
    references: dict[int, int],
) -> None:
    if "source" not in columns:
        raise Location(file, line, field="source").error(
            "the header has no column source",
            "name the columns in the first line, separated by tabs: "
            "document, segment, source, reference and one for each system",
        )
    for index in range(1, len(references) + 1):
        if index not in references:
            name = "reference"
            if index > 1:
                name = f"reference{index}"
            raise Location(file, line, field=name).error(
                f"the header has no column {name}, but a later reference",
                "name the references reference, reference2, reference3 … without a gap",
            )


_SHAPE: Final = '{"source": "…", "references": […], "outputs": {…}} on every line'
_KEYS: Final = ("document", "segment", "source", "references", "outputs")


def read_jsonl_test_set(
    file: InputFile,
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    """Yield a segment for every line: `{"document", "segment", "source", "references", "outputs"}`.

    `source` is required. `document` and `segment` are in every line or in none. Missing, null and
    empty outputs are noted in `omissions`. Blank lines are skipped.

    Raises FormatError for lines that are not JSON objects (with the column), unknown and repeated
    keys, values of the wrong type, empty sources, and repeated documents and segments.
    """
    counter = SegmentCounter(file.name)
    first: _Line | None = None
    systems = SystemsSeen(omissions)
    for number, values in object_lines(file, _SHAPE):
        line = _Line(file, number, values)
        first = first or line
        if line.values.keys() != first.values.keys():
            line.compare(first)
        yield line.segment(counter, systems)
    counter.refuse_nothing()


class _Line:
    """One line, with its place for errors."""

    def __init__(self, file: InputFile, number: int, values: JSONObject) -> None:
        self._file = file
        self.number = number
        self.values = values
        for key in values:
            if key not in _KEYS:
                raise self.error(
                    f'the key "{key}" is unknown',
                    f"use only the keys {', '.join(_KEYS)}",
                )
        outputs = values.get("outputs", {})
        if not isinstance(outputs, dict):
            raise self.error(
                "the value is not an object",
                'write {"system": "text", …}',
                field="outputs",
            )
        self._outputs: JSONObject = outputs

    def error(self, problem: str, remedy: str, field: str | None = None) -> FormatError:
        return Location(self._file.name, self.number, field=field).error(
            problem,
            remedy,
        )

    def compare(self, first: "_Line") -> None:
        """Refuse a line that has other optional keys than the first."""
        for key in ("document", "segment"):
            remedy = f'use "{key}" in every line or in none'
            line = f"line {first.number}"
            if key in self.values and key not in first.values:
                problem = f'the line has a "{key}", but {line} has no "{key}"'
                raise self.error(problem, remedy, field=key)
            if key not in self.values and key in first.values:
                problem = f'the line has no "{key}", but {line} has a "{key}"'
                raise self.error(problem, remedy, field=key)

    def segment(self, counter: SegmentCounter, systems: SystemsSeen) -> SegmentTexts:
        document = self._file.plain_name
        if "document" in self.values:
            document = self._required_text(
                "document",
                self.values["document"],
                "the name of the document",
            )
        position, number = counter.add(document, self._segment_id(), self.number)
        location = Location(self._file.name, self.number, field="outputs")
        systems.add(document, self._outputs, location)
        references = self.values.get("references", [])
        if not isinstance(references, list):
            raise self.error(
                "the value is not a list",
                'write ["text", …]',
                field="references",
            )
        source = self._required_text("source", self.values.get("source"), "the source")
        reference_texts = [self._text("references", text) for text in references]
        outputs = {}
        for system, value in systems.in_order(self._outputs).items():
            text = raw_text_value("" if value is None else value, location)
            outputs[system] = systems.omissions.output(system, document, text, location)
        return SegmentTexts(
            document=document,
            position=position,
            number=number,
            source=source,
            references=tuple(reference_texts),
            outputs=outputs,
            trimmed=systems.omissions.trimmed(),
        )

    def _segment_id(self) -> str | None:
        if "segment" not in self.values:
            return None
        value = self.values["segment"]
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self._required_text("segment", value, "the segment's id")

    def _required_text(self, key: str, value: object, label: str) -> str:
        location = Location(self._file.name, self.number, field=key)
        return filled_text(self._text(key, value), label, location)

    def _text(self, key: str, value: object) -> str:
        location = Location(self._file.name, self.number, field=key)
        text = text_value(value, location)
        if key in _TEXT_KEYS:
            return whole_text(text)
        return one_line(text)


#: Keys of texts besides outputs, which keep their line breaks; ids and names have none.
_TEXT_KEYS: Final = frozenset({"source", "references"})
SNIFFED_BYTES: Final = 64 * 1024
_SGML_SET = re.compile(r"<(?:srcset|refset|tstset)[\s>]", re.IGNORECASE)
_XML_SET = re.compile(r"<dataset[\s>]")
_JSON_ARRAY = re.compile(r"\[\s*[\[{]")
_JSON_OBJECT = re.compile(r'\{\s*"')
# Matches keys, but not the same words in texts, where quotes are escaped.
_GENMT_KEY = re.compile(r'(?<!\\)"(?:doc_id|src_text|tgt_text|hypothesis)"\s*:')
#: A line of our JSON Lines, also with keys that are wrong, which its reader names.
_OUTPUTS_KEY = re.compile(r'(?<!\\)"outputs"\s*:\s*\{')
#: A campaign, or a list of campaigns.
PEARMUT_KEY = re.compile(
    r'(?:\[\s*)?\{\s*"(?:campaign_id"\s*:|info"\s*:|data_(?:welcome|random)"\s*:|data"\s*:\s*(?:\[|\{\s*"[^"]*"\s*:\s*\[))',
)


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
    def label(self) -> str:
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
        raise Location(file.name, 1).error(
            "it is a JSON array, not a test set",
            "write JSON Lines with one object per line, for example with: jq -c '.[]' OLD > NEW",
        )
    return format_of(file.plain_name.lower(), head), whole


def format_of(name: str, head: bytes) -> TestSetFormat:
    """Detect the format by the lowercase plain name and the first bytes, unpacked."""
    for ending, file_format in _ENDINGS.items():
        if name.endswith(ending):
            return file_format
    text = head_text(head)
    first_line = first_line_of(text)
    test_set_format = TestSetFormat.PLAIN
    if text.startswith("<") and _SGML_SET.search(text):
        test_set_format = TestSetFormat.SGML
    elif text.startswith("<") and _XML_SET.search(text):
        test_set_format = TestSetFormat.WMT_XML
    elif PEARMUT_KEY.match(text):
        test_set_format = TestSetFormat.PEARMUT
    elif _JSON_OBJECT.match(text):
        is_wmt = _GENMT_KEY.search(first_line) and not _OUTPUTS_KEY.search(first_line)
        if is_wmt:
            test_set_format = TestSetFormat.GENMT
        else:
            test_set_format = TestSetFormat.JSONL
    elif name.endswith(JSON_ENDINGS):
        test_set_format = TestSetFormat.JSONL
    elif "source" in _column_names(name, first_line):
        test_set_format = TestSetFormat.TSV
    return test_set_format


def _column_names(name: str, first_line: str) -> list[str]:
    """Return the names of all columns but the last. Commas separate columns only in a .csv: prose has them, too."""
    if name.endswith(".csv"):
        separator = separator_of(first_line)
    else:
        separator = "\t"
    return [cell.strip(' "').lower() for cell in first_line.split(separator)[:-1]]


def holds_source(name: str, head: bytes) -> bool:
    """Return whether a file has sources, by its lowercase plain name and the first bytes, unpacked."""
    first_line = first_line_of(head_text(head))
    return "source" in _column_names(name, first_line) or holds_key(head, "source")


def is_json_array(head: bytes) -> bool:
    """Return whether a file begins like a JSON array of objects or arrays, unless these are Pearmut campaigns."""
    text = head_text(head)
    is_array = _JSON_ARRAY.match(text) is not None
    return is_array and PEARMUT_KEY.match(text) is None


def holds_key(head: bytes, *keys: str) -> bool:
    """Return whether the first line of JSON has one of the keys."""
    text = head_text(head)
    first_line = first_line_of(text)
    return any(re.search(rf'(?<!\\)"{key}"\s*:', first_line) for key in keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """Options for reading the files of a test set.

    Without `file_format`, it is detected from the source. `languages` chooses one of several pairs in a file.
    `by_paragraph` splits WMT's JSON Lines into paragraphs, and `with_media` adds the files that their lines name.
    """

    file_format: TestSetFormat | None = None
    languages: tuple[str, str] | None = None
    by_paragraph: bool = False
    with_media: bool = False


def read_test_set(
    *,
    source: InputFile,
    references: Sequence[InputFile] = (),
    systems: Mapping[str, InputFile] | None = None,
    documents: InputFile | None = None,
    options: ReadingOptions = ReadingOptions(),
    omissions: Omissions | None = None,
) -> Iterator[SegmentTexts]:
    """Return an iterator over the segments of a test set in order, in bounded memory.

    Plain text and SGML have one file each for the source, every reference and every system; WMT's JSON
    Lines have one each for the source and every system; other formats are one file, given as `source`.
    `documents` belongs to plain text: a document name per line. With `omissions`, which collects them, segments
    that some systems lack are yielded; otherwise they are refused.

    Raises FormatError at the first error, here or while iterating; the caller must then undo what it did
    with earlier segments.
    """
    omitted = omissions
    if omitted is None:
        omitted = Omissions()
    systems = systems or {}
    _refuse_names(systems)
    file_format = options.file_format
    if file_format is None:
        file_format, source = detect_format(source)
    _refuse_mixture(source, file_format, references, systems, documents)
    if file_format is TestSetFormat.PLAIN:
        segments = read_plain_test_set(source, references, systems, documents, omitted)
    elif file_format is TestSetFormat.SGML:
        segments = read_sgml_test_set(source, references, systems, omitted)
    elif file_format is TestSetFormat.GENMT:
        segments = read_genmt_test_set(
            source,
            systems,
            options.languages,
            omissions=omitted,
            by_paragraph=options.by_paragraph,
            with_media=options.with_media,
        )
    elif file_format is TestSetFormat.TSV:
        segments = read_tsv_test_set(source, omitted)
    elif file_format is TestSetFormat.WMT_XML:
        segments = read_wmt_xml_test_set(source, options.languages, omitted)
    elif file_format is TestSetFormat.PEARMUT:
        segments = read_pearmut_campaign(source, omitted)
    else:
        segments = read_jsonl_test_set(source, omitted)
    if omissions is None:
        return complete(segments, omitted)
    return segments


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
        raise Location(documents.name).error(
            f"{source.name} is {file_format.label} and already names its documents",
            "remove the file of document names, or specify that the source is plain text",
        )
    others = list(references)
    if file_format in _ONE_FILE:
        others += systems.values()
    if others and file_format not in {TestSetFormat.PLAIN, TestSetFormat.SGML}:
        raise Location(others[0].name).error(
            f"{source.name} is {file_format.label} and already contains references and outputs",
            "provide only that file, or specify that the source is plain text",
        )
