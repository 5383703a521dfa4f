"""WMT SGML test sets: files of documents and segments, aligned by their ids.

The files look like XML and are not: the case of tags and attributes varies, ampersands
stand bare, entities are HTML's. So this is a tokenizer of its own, over lines.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.entities import html5
from typing import Final

from campaign.formats.errors import FormatError, Place, SurplusError
from campaign.formats.omissions import Omissions
from campaign.formats.records import SegmentTexts, one_line
from campaign.formats.segments import Follower, SegmentCounter, filled_text
from campaign.formats.streams import MAX_LINE_BYTES, InputFile, text_lines

_SETS: Final = frozenset({"srcset", "refset", "tstset"})
_MAX_TAG: Final = 16 * 1024
# A quoted value may hold ">". The alternatives begin with different characters, so that
# matching takes linear time whatever the file holds.
_INSIDE_TAG = r"""(?:[^<>"']|"[^"]*"|'[^']*')*"""
_TAG = re.compile(rf"<!--.*?-->|<([/!?]?)([A-Za-z][\w:.-]*)({_INSIDE_TAG})>", re.DOTALL)
_UNFINISHED_TAG = re.compile(
    rf"""<(?:!(?:-(?:-.*)?)?|[/!?]?[A-Za-z]{_INSIDE_TAG}(?:"[^"]*|'[^']*)?|/)?\Z""", re.DOTALL
)
_ATTRIBUTE = re.compile(r"""([A-Za-z][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_SEGMENT_ENDS = re.compile(
    r"<(/seg\s*>|seg(?=[\s>])|/?doc(?=[\s>])|/?(?:srcset|refset|tstset)(?=[\s>]))", re.IGNORECASE
)
# Entities without their semicolon stay: "AT&T" and "?a=1&copy=2" are text in these files.
_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|[A-Za-z][A-Za-z0-9]*);")


@dataclass(frozen=True, slots=True)
class SgmlSegment:
    """A segment as its file has it; `line` is where it begins."""

    line: int
    document: str
    id: str
    text: str


def set_tag(text: str) -> str | None:
    """Return the first tag of a set in a file's beginning: "srcset", "refset" or "tstset"."""
    for tag in _TAG.finditer(text):
        if tag.group(1) == "" and tag.group(2).lower() in _SETS:
            return tag.group(2).lower()
    return None


def sgml_segments(file: InputFile, sets: frozenset[str]) -> Iterator[SgmlSegment]:
    """Yield the segments in the file's order.

    Tags other than the set's, the document's and the segment's are passed over outside
    segments and are text inside them. Entities are decoded, line breaks inside a segment
    become spaces, white space at the ends goes.

    `sets` are the tags the file may open with: the source is a "srcset", and handing it in
    as a system's output is a mistake that would align perfectly.
    """
    parser = _Parser(file, sets)
    number = 0
    for number, text in enumerate(text_lines(file), 1):
        yield from parser.feed(number, text)
    parser.close(number)


def _find_boundary(text: str, position: int) -> re.Match[str] | None:
    """Search for the end of a segment; by "<" first, which is many times faster."""
    start = text.find("<", position)
    while start >= 0:
        boundary = _SEGMENT_ENDS.match(text, start)
        if boundary:
            return boundary
        start = text.find("<", start + 1)
    return None


class _Parser:
    def __init__(self, file: InputFile, sets: frozenset[str]) -> None:
        self._file = file
        self._sets = sets
        self._line = 0
        self._unfinished = ""  # a tag that goes on in the next line
        self._unfinished_line = 0
        self._document: str | None = None
        self._document_line = 0
        self._segment_id: str | None = None
        self._segment_line = 0
        self._content: list[str] = []
        self._content_length = 0

    def feed(self, line: int, text: str) -> Iterator[SgmlSegment]:
        """Take one line and yield the segments that end on it."""
        self._line = line
        if self._unfinished:
            text = f"{self._unfinished}\n{text}"
        position: int | None = 0
        while position is not None:
            if self._segment_id is None:
                position = self._pass_tag(text, position)
            else:
                end = self._segment_end(text, position)
                position = end
                if end is not None:
                    yield self._segment()

    def close(self, line: int) -> None:
        """Raise FormatError if the file ends in the middle of something."""
        for what, opened in (
            ("tag", self._unfinished_line if self._unfinished else 0),
            ("segment", self._segment_line if self._segment_id is not None else 0),
            ("document", self._document_line if self._document is not None else 0),
        ):
            if opened:
                raise Place(self._file.name, line).error(
                    f"the file ends inside the {what} that begins on line {opened}",
                    "check that the transfer was complete",
                )

    def _pass_tag(self, text: str, position: int) -> int | None:
        """Find the next tag and return where to go on; None when the line is used up."""
        start = text.find("<", position)
        if start < 0:
            self._forget_unfinished()
            return None
        tag = _TAG.match(text, start)
        if tag:
            if tag.group(1) in {"", "/"} and tag.group(2):
                self._take_tag(tag.group(1) + tag.group(2).lower(), tag.group(3), text, start)
            self._forget_unfinished()
            return tag.end()
        if _UNFINISHED_TAG.match(text, start):
            self._keep_unfinished(text[start:])
            return None
        self._forget_unfinished()
        return start + 1  # a bare "<" between the segments

    def _forget_unfinished(self) -> None:
        self._unfinished = ""
        self._unfinished_line = 0

    def _keep_unfinished(self, text: str) -> None:
        if not self._unfinished_line:
            self._unfinished_line = self._line
        if len(text) > _MAX_TAG:
            raise Place(self._file.name, self._unfinished_line).error(
                "the tag that begins here is never closed",
                'close it with ">", and close the quotes inside it',
            )
        self._unfinished = text

    def _take_tag(self, tag: str, attributes: str, text: str, start: int) -> None:
        if tag == "seg":
            self._open_segment(attributes, text, start)
        elif tag == "doc":
            self._document = self._attribute("docid", "document", attributes)
            self._document_line = self._line
        elif tag == "/doc":
            self._document = None
        elif tag == "/seg":
            raise Place(self._file.name, self._line, self._column(text, start)).error(
                "closing tag without an open segment",
                'write segments as <seg id="…">text</seg>',
            )
        elif tag in _SETS and tag not in self._sets:
            raise Place(self._file.name, self._line).error(
                f"the file is a {tag}, not a {' or '.join(sorted(self._sets))}",
                "specify the source (srcset), references (refset) and outputs (tstset) accordingly",
            )

    def _open_segment(self, attributes: str, text: str, start: int) -> None:
        if self._document is None:
            raise Place(self._file.name, self._line, self._column(text, start)).error(
                "the segment is not inside a document", 'put it between <doc docid="…"> and </doc>'
            )
        self._segment_id = self._attribute("id", "segment", attributes)
        self._segment_line = self._line
        self._content = []
        self._content_length = 0

    def _attribute(self, name: str, what: str, attributes: str) -> str:
        for found in _ATTRIBUTE.finditer(attributes):
            if found.group(1).lower() == name:
                value = found.group(2) or found.group(3) or found.group(4) or ""
                if decoded := self._decoded(value).strip():
                    return decoded
        raise Place(self._file.name, self._line, field=name).error(
            f"the {what} has no {name}", f'give it one: {name}="…"'
        )

    def _segment_end(self, text: str, position: int) -> int | None:
        """Collect the segment's text; return where it ends, None if not in this line."""
        boundary = _find_boundary(text, position)
        piece = text[position:] if boundary is None else text[position : boundary.start()]
        self._content.append(piece)
        self._content_length += len(piece) + 1
        if boundary is None and self._content_length <= MAX_LINE_BYTES:
            return None
        if boundary is None or not boundary.group(1).lower().startswith("/seg"):
            raise Place(self._file.name, self._segment_line).error(
                f'the segment "{self._segment_id}" of the document "{self._document}" '
                "is never closed",
                "write </seg> at its end",
            )
        return boundary.end()

    def _segment(self) -> SgmlSegment:
        document, segment_id = self._document, self._segment_id
        assert document is not None  # noqa: S101  # a segment opens inside a document only
        assert segment_id is not None  # noqa: S101
        text = self._decoded("\n".join(self._content)).strip()
        self._segment_id = None
        return SgmlSegment(self._segment_line, document, segment_id, text)

    def _decoded(self, text: str) -> str:
        if "&" in text:
            text = _ENTITY.sub(self._entity, text)
        return one_line(text)

    def _entity(self, found: re.Match[str]) -> str:
        decimal, hexadecimal = found.groups()
        if decimal or hexadecimal:
            code = int(decimal) if decimal else int(hexadecimal, 16)
            if (code < 0x20 and code not in {0x09, 0x0A, 0x0D}) or code == 0x7F:
                raise Place(self._file.name, self._line).error(
                    f"{found.group()} is a control character, which is not allowed in text",
                    "remove it",
                )
            return html.unescape(found.group())
        # Not unescape(): it reads "&notit;" as "¬it;".
        return html5.get(found.group()[1:], found.group())

    def _column(self, text: str, start: int) -> int:
        return start - (text.rfind("\n", 0, start) + 1) + 1


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
    """Return the output for a segment; a missing or empty one is noted, and "" here."""
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
        # A document is contiguous, so its missing segments will not follow later.
        return self.found(
            (wanted.document, wanted.id), is_over=lambda: self._counter.has_left(wanted.document)
        )

    def lacking(self, wanted: SgmlSegment, source: InputFile) -> FormatError:
        """Return the error for a segment that was looked for and is not there."""
        return Place(self.file.name, self._line).error(
            f'the document "{wanted.document}" is missing the segment "{wanted.id}" '
            f"({source.name}, line {wanted.line}), looked for up to here",
            "use the same documents and segments as the source in every file",
        )

    def refuse_rest(self, source: InputFile) -> None:
        """Raise FormatError if a segment is left that the source did not ask for."""
        for surplus in self.rest():
            raise SurplusError(
                self.file.name,
                f'the document "{surplus.document}" has the segment "{surplus.id}", '
                f"which {source.name} does not",
                "use the same documents and segments as the source in every file",
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
