"""Plain text: one file each for the source, every reference and every system; one segment per line."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from campaign.formats.errors import FormatError, Place
from campaign.formats.omissions import Omissions, named
from campaign.formats.records import SegmentTexts, counted
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import CarriageReturns, InputFile, text_lines

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
        position, number = counter.place(document, None, line)
        yield SegmentTexts(
            document=document,
            position=position,
            number=number,
            source=filled_text(row[0], "the source", Place(source.name, line)),
            references=tuple(text.strip() for text in row[1:first_output]),
            outputs={
                system: omissions.output(system, document, text, Place(file.name, line))
                for (system, file), text in zip(systems.items(), row[first_output:], strict=False)
            },
        )
    counter.refuse_nothing()
    if documents is not None and any(domains.values()):
        omissions.left_out.append((documents.name, "the domains before the names of documents"))


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
    place = Place(file.name, line)
    remedy = "name a document on every line"
    document = filled_text(name, "the name of the document", place, remedy)
    if domains.setdefault(document, domain) != domain:
        raise place.error(
            f'the document "{document}" is of the domain "{domain}", and before of '
            f'"{domains[document]}"',
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
    places: list[tuple[int, str]] = []
    for reader in (other, source):
        blank = [str(line) for line in reader.blank if line not in source.blank or reader is source]
        if blank and reader.count == max(source.count, other.count):
            places.append((int(blank[0]), f"; blank lines in {reader.name}: {named(blank)}"))
        # If all lines end so (old Mac files), it is no hint.
        if reader.returns.first and reader.returns.count < reader.count - 1:
            line = reader.returns.first
            said = f"; a carriage return alone ends line {line} of {reader.name}"
            places.append((line, said))
    line = next((line for line, _said in places), min(other.count, source.count + 1))
    return Place(other.name, line or None).error(
        f"the file has {counted(other.count, 'line')}, but {source.name} has "
        f"{counted(source.count, 'line')}{''.join(said for _line, said in places)}",
        "use one line per segment in every file; check for line breaks inside segments and truncated files",
    )
