"""WMT XML test sets (2021 and later): documents that hold source, references and outputs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NoReturn
from xml.parsers import expat

from campaign.formats.errors import FormatError, Location
from campaign.formats.file_names import PairChoice
from campaign.formats.omissions import Omissions, SystemsSeen
from campaign.formats.records import (
    CONTROL,
    SegmentTexts,
    counted,
    one_line,
    system_name_problem,
)
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import InputFile, text_lines

MAX_DOCUMENT_CHARACTERS: Final = 64 * 1024 * 1024
_EMPTY_SEGMENT: Final = 100  # approximate memory of a segment without its characters
_MAX_DEPTH: Final = 32
_VERSIONS: Final = frozenset({"src", "ref", "hyp"})


@dataclass(frozen=True, slots=True)
class XmlSegment:
    """A `seg` that begins at `line`."""

    line: int
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class XmlVersion:
    """A `src`, `ref` or `hyp`; `name` is the translator or system."""

    kind: str
    line: int
    language: str
    name: str
    segments: list[XmlSegment] = field(default_factory=list)

    @property
    def called(self) -> str:
        """The name used in errors."""
        if self.kind == "hyp":
            return f"the output of {self.name}"
        if self.kind == "ref":
            return f"the reference {self.name}".rstrip()
        return "the source"


@dataclass(slots=True)
class XmlDocument:
    """A `doc` that begins at `line`."""

    line: int
    name: str
    versions: list[XmlVersion] = field(default_factory=list)


def xml_documents(file: InputFile) -> Iterator[XmlDocument]:
    """Yield the documents in the file's order.

    Document types are refused, and with them all entities except XML's own five. Unknown elements are
    skipped outside segments.

    Raises FormatError, with the line, if the file is not XML or not in this format.
    """
    parser = _Parser(file)
    for line in text_lines(file):
        yield from parser.feed(f"{line}\n")
    yield from parser.feed("", final=True)


class _Parser:
    """Build documents from the events of the XML parser."""

    def __init__(self, file: InputFile) -> None:
        self._file = file
        # The lines were checked to be UTF-8, whatever the XML declaration says.
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        # Entities could expand a small file to gigabytes or read other files.
        self._parser.StartDoctypeDeclHandler = self._refuse_document_type
        self._parser.EntityDeclHandler = self._refuse_document_type
        self._open: list[str] = []
        self._document: XmlDocument | None = None
        self._version: XmlVersion | None = None
        self._segment: tuple[int, str] | None = None
        self._text: list[str] = []
        self._characters_in_document = 0
        self._documents: list[XmlDocument] = []

    def feed(self, text: str, *, final: bool = False) -> list[XmlDocument]:
        try:
            self._parser.Parse(text.encode(), final)
        except expat.ExpatError as error:
            raise Location(self._file.name, error.lineno, error.offset + 1).error(
                f"the file is not valid XML ({expat.ErrorString(error.code)})",
                "write & as &amp; and < as &lt; in texts, close every element, and check that the transfer was complete",
            ) from error
        documents = self._documents
        self._documents = []
        return documents

    def _refuse(self, problem: str, remedy: str, field: str | None = None) -> NoReturn:
        raise Location(
            self._file.name,
            self._parser.CurrentLineNumber,
            field=field,
        ).error(problem, remedy)

    def _refuse_document_type(self, name: str, *_declaration: object) -> NoReturn:
        self._refuse(
            f"the file declares a document type or an entity ({name})",
            "remove the <!DOCTYPE …> and write characters as themselves",
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open and tag != "dataset":
            self._refuse(
                f"the file is XML, but its root is {tag}, not dataset",
                "provide a test set in the XML format used by WMT since 2021",
            )
        if len(self._open) >= _MAX_DEPTH:
            self._refuse("elements are nested too deeply", "nest them as WMT does")
        if self._segment is not None:
            self._refuse(
                f"the segment has an element {tag} inside",
                "use only text inside segments",
            )
        self._open.append(tag)
        if tag == "doc":
            self._start_document(attributes)
        elif tag in _VERSIONS:
            self._start_version(tag, attributes)
        elif tag == "seg":
            self._start_segment(attributes)

    def _start_document(self, attributes: dict[str, str]) -> None:
        if self._document is not None:
            self._refuse(
                "a document is inside another document",
                "close the previous one: </doc>",
            )
        name = self._attribute(attributes, "id", "document")
        self._document = XmlDocument(self._parser.CurrentLineNumber, name)
        self._characters_in_document = 0

    def _start_version(self, kind: str, attributes: dict[str, str]) -> None:
        document = self._document
        if document is None or self._version is not None:
            self._refuse(
                f"a {kind} is outside a document or inside another translation",
                "put each src, ref and hyp directly inside a doc",
            )
        name = attributes.get("translator", "").strip()
        if kind == "hyp":
            name = self._attribute(attributes, "system", "hyp")
            problem = system_name_problem(name)
            if problem:
                self._refuse(problem, "rename the system in every document", "system")
        # WMT's own tools have used both names.
        language = (attributes.get("lang") or attributes.get("language") or "").strip()
        version = XmlVersion(kind, self._parser.CurrentLineNumber, language, name)
        for other in document.versions:
            same = (other.name, other.language) == (name, language)
            if other.kind == kind and (same or kind == "src"):
                self._refuse(
                    f'the document "{document.name}" has {version.called} twice, '
                    f"first on line {other.line}",
                    "remove one of the two, or name them differently",
                )
        document.versions.append(version)
        self._version = version

    def _start_segment(self, attributes: dict[str, str]) -> None:
        if self._version is None:
            self._refuse(
                "a segment is outside a source, reference or output",
                "put it into a src, ref or hyp",
            )
        segment_id = self._attribute(attributes, "id", "segment")
        self._segment = (self._parser.CurrentLineNumber, segment_id)
        self._text = []
        self._characters_in_document += _EMPTY_SEGMENT

    def _attribute(self, attributes: dict[str, str], name: str, element: str) -> str:
        value = one_line(attributes.get(name, "")).strip()
        if not value:
            self._refuse(f"the {element} has no {name}", f'add one: {name}="…"', name)
        if CONTROL.search(value):
            self._refuse(f"the {name} contains a control character", "remove it", name)
        return value

    def _characters(self, text: str) -> None:
        if self._segment is None:
            if not text.isspace() and self._version is not None:
                self._refuse(
                    f"the text {text.strip()[:40]!r} is outside a segment",
                    'write segments as <seg id="…">text</seg>',
                )
            return
        self._text.append(text)
        self._characters_in_document += len(text)
        if self._characters_in_document > MAX_DOCUMENT_CHARACTERS:
            self._refuse(
                f"the document is longer than {MAX_DOCUMENT_CHARACTERS:,} characters",
                "split it into several documents",
            )

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "seg" and self._version is not None and self._segment is not None:
            line, segment_id = self._segment
            text = one_line("".join(self._text)).strip()
            damage = CONTROL.search(text)
            if damage:
                self._refuse(
                    f"the character U+{ord(damage.group()):04X}, written as an entity, is not allowed in text",
                    "remove it",
                )
            self._version.segments.append(XmlSegment(line, segment_id, text))
            self._segment = None
        elif tag in _VERSIONS:
            self._version = None
        elif tag == "doc" and self._document is not None:
            self._documents.append(self._document)
            self._document = None


_SAME_SEGMENTS = "use the segments of the source, in the same order, in every translation of a document"


def read_wmt_xml_test_set(
    file: InputFile,
    languages: tuple[str, str] | None,
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    """Yield the segments of every document, each with its references and outputs.

    References are in the order in which their translators first appear, so the first documents may have
    fewer than the last. `languages` chooses one of several pairs. Documents without segments, and missing
    or empty outputs, are noted in `omissions`. Memory holds one document.

    Raises FormatError for a document without a source, for segments of an output that are unknown,
    repeated or in another order, for empty sources, and for several language pairs without a choice.
    """
    choice = PairChoice(file.name, languages)
    counter = SegmentCounter(file.name)
    translators: dict[str, None] = {}
    systems = SystemsSeen(omissions)
    for document in xml_documents(file):
        source = _source(file, document)
        aligned = _Aligned(file, document, source)
        has_translations = False
        for version in document.versions:
            # A source without translations belongs to every pair with its language.
            if version is source or not choice.takes(
                source.language,
                version.language,
                version.line,
            ):
                continue
            has_translations = True
            if version.kind == "ref":
                aligned.references[version.name] = version
            elif version.kind == "hyp":
                aligned.outputs[version.name] = version
        if not has_translations and len(document.versions) > 1:
            continue
        if choice.undecided:
            continue  # only the list of pairs matters now
        if source.segments:
            called = f'the document "{document.name}" (line {document.line})'
            location = Location(file.name, document.line)
            systems.add(document.name, aligned.outputs, location, called)
        else:
            part = f'{file.name}, line {document.line}: document "{document.name}"'
            omissions.left_out.append((part, "it has no segment"))
        translators |= dict.fromkeys(aligned.references)
        yield from aligned.segments(translators, counter, systems)
    choice.finish()
    counter.refuse_nothing()


def _source(file: InputFile, document: XmlDocument) -> XmlVersion:
    for version in document.versions:
        if version.kind == "src":
            return version
    raise Location(file.name, document.line).error(
        f'the document "{document.name}" has no source',
        'write its source as <src lang="…"> before its translations',
    )


@dataclass(frozen=True, slots=True)
class _Aligned:
    """A document, and its translations of the chosen language pair by name."""

    file: InputFile
    document: XmlDocument
    source: XmlVersion
    references: dict[str, XmlVersion] = field(default_factory=dict)
    outputs: dict[str, XmlVersion] = field(default_factory=dict)

    def segments(
        self,
        translators: Iterable[str],
        counter: SegmentCounter,
        systems: SystemsSeen,
    ) -> Iterator[SegmentTexts]:
        """Yield the segments with references by the translators, and outputs in the order of the systems."""
        self._refuse_disorder()
        name = self.document.name
        omissions = systems.omissions
        outputs = systems.in_order(self._complete_outputs(omissions))
        references = {}
        for translator, reference in self.references.items():
            references[translator] = self._segments_by_id(reference)
        for index, segment in enumerate(self.source.segments):
            position, number = counter.add(name, segment.id, segment.line)
            source = filled_text(
                segment.text,
                f"the source{self._segment_suffix(segment)}",
                Location(self.file.name, segment.line),
            )
            reference_texts = []
            for translator in translators:
                translated = references.get(translator, {}).get(segment.id)
                reference_texts.append(translated.text if translated else "")
            texts = {}
            for system, version in outputs.items():
                output = version.segments[index]
                texts[system] = omissions.output(
                    system,
                    name,
                    output.text,
                    Location(self.file.name, output.line),
                    of=self._segment_suffix(output),
                )
            yield SegmentTexts(
                document=name,
                position=position,
                number=number,
                source=source,
                references=tuple(reference_texts),
                outputs=texts,
                trimmed=omissions.trimmed(),
            )

    def _segment_suffix(self, segment: XmlSegment) -> str:
        return f" (document {self.document.name}, segment {segment.id})"

    def _refuse_disorder(self) -> None:
        """Refuse a source whose segment numbers decrease: moved text cannot be aligned."""
        last: XmlSegment | None = None
        for segment in self.source.segments:
            if not (segment.id.isascii() and segment.id.isdigit()):
                continue
            if last is not None and int(segment.id[:18]) < int(last.id[:18]):
                raise Location(self.file.name, segment.line).error(
                    f'the segment "{segment.id}" of the document "{self.document.name}" comes after the '
                    f'segment "{last.id}" (line {last.line})',
                    "put the segments in the order of their IDs",
                )
            last = segment

    def _complete_outputs(self, omissions: Omissions) -> dict[str, XmlVersion]:
        """Return the outputs that have every segment; note the others as missing."""
        outputs = {}
        for name, output in self.outputs.items():
            error = self._incomplete(output)
            if error is None:
                outputs[name] = output
            else:
                omissions.lacks(self.document.name, name, error)
        return outputs

    def _incomplete(self, output: XmlVersion) -> FormatError | None:
        """Return an error if the output lacks a segment; raise an error for any other difference."""
        segments = self._segments_by_id(output)
        for segment in self.source.segments:
            if segment.id not in segments:
                return Location(self.file.name, output.line).error(
                    f'{output.called} has no segment "{segment.id}" of the document '
                    f'"{self.document.name}" (source: line {segment.line}); it has '
                    f"{counted(len(output.segments), 'segment')} of {len(self.source.segments):,}",
                    _SAME_SEGMENTS,
                )
        pairs = zip(self.source.segments, output.segments, strict=True)
        for expected, segment in pairs:
            if expected.id != segment.id:
                raise Location(self.file.name, segment.line).error(
                    f'{output.called} has the segment "{segment.id}" of the document '
                    f'"{self.document.name}" where the source has "{expected.id}" (line {expected.line})',
                    _SAME_SEGMENTS,
                )
        return None

    def _segments_by_id(self, version: XmlVersion) -> dict[str, XmlSegment]:
        """Return the segments by ID; some may be missing. Refuse a repeated one, and one that the source lacks."""
        source_ids = {segment.id for segment in self.source.segments}
        segments: dict[str, XmlSegment] = {}
        for segment in version.segments:
            location = Location(self.file.name, segment.line)
            called = f'"{segment.id}" of the document "{self.document.name}"'
            if segment.id in segments:
                first = segments[segment.id]
                raise location.error(
                    f"{version.called} has the segment {called} twice, first on line {first.line}",
                    "remove one of the two, or number them differently",
                )
            if segment.id not in source_ids:
                raise location.error(
                    f"{version.called} has a segment {called}, which the source (line {self.source.line}) does not have",
                    _SAME_SEGMENTS,
                )
            segments[segment.id] = segment
        return segments
