"""WMT XML test sets (2021 and later): documents that hold source, references and outputs."""

from collections.abc import Iterator, Mapping, Sequence

from campaign.formats.errors import FormatError, Place
from campaign.formats.omissions import Omissions, SystemsSeen
from campaign.formats.records import SegmentTexts, counted
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import InputFile
from campaign.formats.wmt.language_pairs import PairChoice
from campaign.formats.wmt.xml_documents import XmlDocument, XmlSegment, XmlVersion, xml_documents

_SAME_SEGMENTS = "give every translation of a document the segments of its source, in their order"


def read_wmt_xml_test_set(
    file: InputFile, languages: tuple[str, str] | None, omissions: Omissions
) -> Iterator[SegmentTexts]:
    """Yield the segments of every document, with what each `ref` and `hyp` has for them.

    References are in the order in which the file first has their translators, so the first
    documents may have fewer than the last. `languages` chooses among several pairs. Documents
    without a segment, and outputs that are missing or empty, are noted in `omissions`. Memory
    holds one document.

    Raises FormatError for a document without source, for segments that an output has beyond
    the source, has twice or has in another order, for empty sources, and for several language
    pairs among which nothing chooses.
    """
    choice = PairChoice(file.name, languages)
    counter = SegmentCounter(file.name)
    translators: dict[str, None] = {}
    systems = SystemsSeen(omissions)
    for document in xml_documents(file):
        source = _source(file, document)
        # A source alone is of every pair that it begins.
        versions = [
            version
            for version in (*document.references, *document.outputs)
            if choice.takes(source.language, version.language, version.line)
        ]
        if not versions and (document.references or document.outputs):
            continue
        references = [each for each in document.references if each in versions]
        outputs = {each.name: each for each in document.outputs if each in versions}
        if choice.undecided:
            continue  # only the pairs that there are matter now
        if source.segments:
            called = f'the document "{document.name}" (line {document.line})'
            systems.add(document.name, outputs, Place(file.name, document.line), called)
        else:
            left = f'{file.name}, line {document.line}: document "{document.name}"'
            omissions.left_out.append((left, "it has no segment"))
        translators.update(dict.fromkeys(each.name for each in references))
        yield from _segments(
            file, document, source, references, outputs, tuple(translators), counter, systems
        )
    choice.finish()
    counter.refuse_nothing()


def _source(file: InputFile, document: XmlDocument) -> XmlVersion:
    if document.source is None:
        raise Place(file.name, document.line).error(
            f'the document "{document.name}" has no source',
            'write its source as <src lang="…"> before its translations',
        )
    return document.source


def _segments(
    file: InputFile,
    document: XmlDocument,
    source: XmlVersion,
    references: Sequence[XmlVersion],
    outputs: Mapping[str, XmlVersion],
    translators: tuple[str, ...],
    counter: SegmentCounter,
    systems: SystemsSeen,
) -> Iterator[SegmentTexts]:
    _refuse_disorder(file, document, source)
    whole: dict[str, XmlVersion] = {}
    for name, output in outputs.items():
        error = _incomplete(file, document, source, output)
        if error is None:
            whole[name] = output
        else:
            systems.omissions.lacks(document.name, name, error)
    by_translator = {
        each.name: {key: found.text for key, found in _by_id(file, document, source, each).items()}
        for each in references
    }
    for index, segment in enumerate(source.segments):
        position, number = counter.place(document.name, segment.id, segment.line)
        yield SegmentTexts(
            document=document.name,
            position=position,
            number=number,
            source=filled_text(
                segment.text,
                f"the source{_of(document, segment)}",
                Place(file.name, segment.line),
            ),
            references=tuple(
                by_translator.get(name, {}).get(segment.id, "") for name in translators
            ),
            outputs={
                name: systems.omissions.output(
                    name,
                    document.name,
                    version.segments[index].text,
                    Place(file.name, version.segments[index].line),
                    of=_of(document, version.segments[index]),
                )
                for name in systems.names
                if (version := whole.get(name))
            },
        )


def _of(document: XmlDocument, segment: XmlSegment) -> str:
    return f" (document {document.name}, segment {segment.id})"


def _refuse_disorder(file: InputFile, document: XmlDocument, source: XmlVersion) -> None:
    """Refuse a source whose numbers fall: what was cut and pasted there is aligned by nothing."""
    last: XmlSegment | None = None
    for segment in source.segments:
        if not (segment.id.isascii() and segment.id.isdigit()):
            continue
        if last is not None and int(segment.id[:18]) < int(last.id[:18]):
            raise Place(file.name, segment.line).error(
                f'the segment "{segment.id}" of the document "{document.name}" comes after the '
                f'segment "{last.id}" (line {last.line})',
                "put the segments in the order of their ids",
            )
        last = segment


def _incomplete(
    file: InputFile, document: XmlDocument, source: XmlVersion, output: XmlVersion
) -> FormatError | None:
    """Return the error for a segment that an output lacks; raise it for other differences."""
    found = _by_id(file, document, source, output)
    for segment in source.segments:
        if segment.id not in found:
            return Place(file.name, output.line).error(
                f'{output.called} has no segment "{segment.id}" of the document '
                f'"{document.name}" (source: line {segment.line}); it has '
                f"{counted(len(output.segments), 'segment')} of {len(source.segments):,}",
                _SAME_SEGMENTS,
            )
    for there, here in zip(source.segments, output.segments, strict=True):
        if there.id != here.id:
            raise Place(file.name, here.line).error(
                f'{output.called} has the segment "{here.id}" of the document '
                f'"{document.name}" where the source has "{there.id}" (line {there.line})',
                _SAME_SEGMENTS,
            )
    return None


def _by_id(
    file: InputFile, document: XmlDocument, source: XmlVersion, version: XmlVersion
) -> dict[str, XmlSegment]:
    """Return segments by id, which need not be all; refuse one that comes twice or that the source has not."""
    wanted = {segment.id for segment in source.segments}
    found: dict[str, XmlSegment] = {}
    for segment in version.segments:
        place, called = (
            Place(file.name, segment.line),
            f'"{segment.id}" of the document "{document.name}"',
        )
        if segment.id in found:
            raise place.error(
                f"{version.called} has the segment {called} twice, first on line {found[segment.id].line}",
                "remove one of the two, or number them differently",
            )
        if segment.id not in wanted:
            raise place.error(
                f"{version.called} has a segment {called}, which the source (line {source.line}) has not",
                _SAME_SEGMENTS,
            )
        found[segment.id] = segment
    return found
