"""WMT SGML test sets: files of documents and segments, aligned by their ids.

The files look like XML and are not: the case of tags and attributes varies, ampersands
stand bare, entities are HTML's. So this is a tokenizer of its own, over lines.
"""

from collections.abc import Iterator, Mapping, Sequence

from campaign.formats.errors import FormatError, Place, SurplusError
from campaign.formats.omissions import Omissions
from campaign.formats.records import SegmentTexts
from campaign.formats.segments import Follower, SegmentCounter, filled_text
from campaign.formats.sgml_segments import SgmlSegment, sgml_segments
from campaign.formats.streams import InputFile


def read_sgml_test_set(
    source: InputFile,
    references: Sequence[InputFile],
    systems: Mapping[str, InputFile],
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    """Yield the segments in the source's order, each with what the other files have for it.

    A segment is found by document and id, so the other files may order theirs differently;
    memory is bounded where they do not. The systems are called as `systems` calls them:
    the `sysid` inside the files is known to differ.

    Outputs that are missing or empty are noted in `omissions`.

    Raises FormatError for a segment that a reference lacks, that another file has beyond the
    source or twice, for empty sources, and for files that are cut off.
    """
    counter = SegmentCounter(source.name)
    reference_files = [_Follower(file) for file in references]
    system_files = {system: _Follower(file) for system, file in systems.items()}
    for segment in sgml_segments(source, frozenset({"srcset"})):
        position, number = counter.place(segment.document, segment.id, segment.line)
        yield SegmentTexts(
            document=segment.document,
            position=position,
            number=number,
            source=filled_text(
                segment.text, f"the source{_of(segment)}", Place(source.name, segment.line)
            ),
            references=tuple(_reference(file, segment, source) for file in reference_files),
            outputs={
                system: _output(omissions, system, file, segment, source)
                for system, file in system_files.items()
            },
        )
    counter.refuse_nothing()
    for file in (*reference_files, *system_files.values()):
        file.refuse_rest(source)


def _reference(file: "_Follower", segment: SgmlSegment, source: InputFile) -> str:
    found = file.take(segment)
    if found is None:
        raise file.lacking(segment, source)
    return found.text


def _output(
    omissions: Omissions, system: str, file: "_Follower", segment: SgmlSegment, source: InputFile
) -> str:
    """Return the output for a segment; what is missing or empty is noted, and "" here."""
    found = file.take(segment)
    if found is None:
        omissions.lacks(segment.document, system, file.lacking(segment, source))
        return ""
    place = Place(file.file.name, found.line)
    return omissions.output(system, segment.document, found.text, place, of=_of(segment))


def _of(segment: SgmlSegment) -> str:
    return f" (document {segment.document}, segment {segment.id})"


class _Follower(Follower[tuple[str, str], SgmlSegment]):
    """A file that is read as far as the source asks."""

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self._segments = sgml_segments(file, frozenset({"refset", "tstset"}))
        self._counter = SegmentCounter(file.name)
        self._line: int | None = None

    def take(self, wanted: SgmlSegment) -> SgmlSegment | None:
        """Return the segment with the document and the id of `wanted`, if any, and take it out."""
        # A document is in one piece, so what it lacked when it was left will not come.
        return self.found(
            (wanted.document, wanted.id), is_over=lambda: self._counter.has_left(wanted.document)
        )

    def lacking(self, wanted: SgmlSegment, source: InputFile) -> FormatError:
        """Return the error for a segment that was looked for and is not there."""
        return Place(self.file.name, self._line).error(
            f'the document "{wanted.document}" lacks the segment "{wanted.id}" '
            f"({source.name}, line {wanted.line}), looked for up to here",
            "give every file the same documents and segments as the source",
        )

    def refuse_rest(self, source: InputFile) -> None:
        """Raise FormatError if a segment is left that the source did not ask for."""
        for surplus in self.rest():
            raise SurplusError(
                self.file.name,
                f'the document "{surplus.document}" has the segment "{surplus.id}", '
                f"which {source.name} has not",
                "give every file the same documents and segments as the source",
                line=surplus.line,
            )

    def next(self) -> tuple[tuple[str, str], SgmlSegment] | None:
        """Return the next segment, and its document and id."""
        segment = next(self._segments, None)
        if segment is None:
            return None
        self._line = segment.line
        self._counter.place(segment.document, segment.id, segment.line)
        return (segment.document, segment.id), segment
