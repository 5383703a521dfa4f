"""WMT SGML test sets: files of documents and segments, aligned by their ids.

The files look like XML and are not: the case of tags and attributes varies, ampersands
stand bare, entities are HTML's. So this is a tokenizer of its own.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.entities import html5
from typing import Final

from campaign.formats.errors import FormatError, Place, SurplusError
from campaign.formats.omissions import Omissions
from campaign.formats.records import SegmentTexts, one_line
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import MAX_LINE_BYTES, InputFile, text_of

#: Longest file: it is read whole.
MAX_BYTES: Final = 64 * 2**20
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

    Raises FormatError for files that are longer than MAX_BYTES, cut off or of another structure.
    """
    read = _Text(file.name, text_of(file, MAX_BYTES))
    document: str | None = None
    document_start = position = 0
    while (tag := read.next_tag(position)) is not None:
        position = tag.end()
        name, place = ((tag.group(1) or "") + (tag.group(2) or "")).lower(), read.place(tag.start())
        if name == "doc":
            document = _attribute("docid", "document", tag, place)
            document_start = tag.start()
        elif name == "/doc":
            document = None
        elif name == "/seg":
            raise read.place(tag.start(), with_column=True).error(
                "closing tag without an open segment",
                'write segments as <seg id="…">text</seg>',
            )
        elif name in _SETS and name not in sets:
            raise place.error(
                f"the file is a {name}, not a {' or '.join(sorted(sets))}",
                "specify the source (srcset), references (refset) and outputs (tstset) accordingly",
            )
        elif name == "seg":
            if document is None:
                raise read.place(tag.start(), with_column=True).error(
                    "the segment is not inside a document",
                    'put it between <doc docid="…"> and </doc>',
                )
            segment_id = _attribute("id", "segment", tag, place)
            end = read.segment_end(tag, f'the segment "{segment_id}" of the document "{document}"')
            text = _decoded(read.text[position : end.start()], place).strip()
            yield SgmlSegment(read.line(tag.start()), document, segment_id, text)
            position = end.end()
    if document is not None:
        raise read.cut_off("document", document_start)


class _Text:
    """The text of a file, and where its lines end."""

    def __init__(self, file: str, text: str) -> None:
        self.text = text
        self._file = file
        self._breaks = [found.start() for found in re.finditer("\n", text)]

    def line(self, position: int) -> int:
        return bisect_left(self._breaks, position) + 1

    def place(self, position: int, *, with_column: bool = False) -> Place:
        column = position - self.text.rfind("\n", 0, position) if with_column else None
        return Place(self._file, self.line(position), column)

    def cut_off(self, what: str, start: int) -> FormatError:
        """Return the error for a file that ends inside something."""
        return self.place(len(self.text.rstrip("\n"))).error(
            f"the file ends inside the {what} that begins on line {self.line(start)}",
            "check that the transfer was complete",
        )

    def next_tag(self, position: int) -> re.Match[str] | None:
        """Return the next tag or comment, past any bare "<"; None at the end."""
        while (start := self.text.find("<", position)) >= 0:
            tag = _TAG.match(self.text, start, start + _MAX_TAG)
            if tag:
                return tag
            if _UNFINISHED_TAG.match(self.text, start, start + _MAX_TAG):
                if start + _MAX_TAG < len(self.text):
                    raise self.place(start).error(
                        "the tag that begins here is never closed",
                        'close it with ">", and close the quotes inside it',
                    )
                raise self.cut_off("tag", start)
            position = start + 1
        return None

    def segment_end(self, tag: re.Match[str], called: str) -> re.Match[str]:
        """Return the end of the segment that a tag opens."""
        end = _SEGMENT_ENDS.search(self.text, tag.end(), tag.end() + MAX_LINE_BYTES)
        if end is None and len(self.text) - tag.end() <= MAX_LINE_BYTES:
            raise self.cut_off("segment", tag.start())
        if end is None or not end.group(1).lower().startswith("/seg"):
            raise self.place(tag.start()).error(
                f"{called} is never closed", "write </seg> at its end"
            )
        return end


def _attribute(name: str, what: str, tag: re.Match[str], place: Place) -> str:
    for found in _ATTRIBUTE.finditer(tag.group(3)):
        if found.group(1).lower() == name:
            value = found.group(2) or found.group(3) or found.group(4) or ""
            if decoded := _decoded(value, place).strip():
                return decoded
    raise Place(place.file, place.line, field=name).error(
        f"the {what} has no {name}", f'give it one: {name}="…"'
    )


def _decoded(text: str, place: Place) -> str:
    def entity(found: re.Match[str]) -> str:
        decimal, hexadecimal = found.groups()
        if not (decimal or hexadecimal):
            # Not unescape(): it reads "&notit;" as "¬it;".
            return html5.get(found.group()[1:], found.group())
        code = int(decimal) if decimal else int(hexadecimal, 16)
        if (code < 0x20 and code not in {0x09, 0x0A, 0x0D}) or code == 0x7F:
            raise place.error(
                f"{found.group()} is a control character, which is not allowed in text",
                "remove it",
            )
        return html.unescape(found.group())

    return one_line(_ENTITY.sub(entity, text))


def read_sgml_test_set(
    source: InputFile,
    references: Sequence[InputFile],
    systems: Mapping[str, InputFile],
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    """Yield the segments in the source's order, each with what the other files have for it.

    A segment is found by document and id, so the other files may order theirs differently. The systems are
    called as `systems` calls them: the `sysid` inside the files is known to differ.

    Outputs that are missing or empty are noted in `omissions`.

    Raises FormatError for a segment that a reference lacks, that another file has beyond the
    source or twice, for empty sources, and for files that are cut off.
    """
    counter = SegmentCounter(source.name)
    segments = list(sgml_segments(source, frozenset({"srcset"})))
    reference_files = [_Translation(file) for file in references]
    system_files = {system: _Translation(file) for system, file in systems.items()}
    for segment in segments:
        position, number = counter.place(segment.document, segment.id, segment.line)
        of = f" (document {segment.document}, segment {segment.id})"
        place = Place(source.name, segment.line)
        yield SegmentTexts(
            document=segment.document,
            position=position,
            number=number,
            source=filled_text(segment.text, f"the source{of}", place),
            references=tuple(_reference(file, segment, source) for file in reference_files),
            outputs={
                system: _output(omissions, system, file, segment, source, of)
                for system, file in system_files.items()
            },
        )
    counter.refuse_nothing()
    for file in (*reference_files, *system_files.values()):
        file.refuse_rest(source)


def _reference(file: "_Translation", segment: SgmlSegment, source: InputFile) -> str:
    found = file.take(segment)
    if found is None:
        raise file.lacking(segment, source)
    return found.text


def _output(
    omissions: Omissions,
    system: str,
    file: "_Translation",
    segment: SgmlSegment,
    source: InputFile,
    of: str,
) -> str:
    """Return the output for a segment; a missing or empty one is noted, and "" here."""
    found = file.take(segment)
    if found is None:
        omissions.lacks(segment.document, system, file.lacking(segment, source))
        return ""
    return omissions.output(
        system, segment.document, found.text, Place(file.name, found.line), of=of
    )


class _Translation:
    """The segments of a reference or an output that the source did not ask for yet."""

    def __init__(self, file: InputFile) -> None:
        self.name = file.name
        self._left: dict[tuple[str, str], SgmlSegment] = {}
        self._last_lines: dict[str, int] = {}
        counter = SegmentCounter(file.name)
        for segment in sgml_segments(file, frozenset({"refset", "tstset"})):
            counter.place(segment.document, segment.id, segment.line)
            self._left[segment.document, segment.id] = segment
            self._last_lines[segment.document] = segment.line

    def take(self, wanted: SgmlSegment) -> SgmlSegment | None:
        """Return the segment with the document and the id of `wanted`, if any, and take it out."""
        return self._left.pop((wanted.document, wanted.id), None)

    def lacking(self, wanted: SgmlSegment, source: InputFile) -> FormatError:
        """Return the error for a segment that is not there."""
        return Place(self.name, self._last_lines.get(wanted.document)).error(
            f'the document "{wanted.document}" is missing the segment "{wanted.id}" '
            f"({source.name}, line {wanted.line}), looked for up to here",
            "use the same documents and segments as the source in every file",
        )

    def refuse_rest(self, source: InputFile) -> None:
        """Raise FormatError if a segment is left that the source did not ask for."""
        for surplus in self._left.values():
            raise SurplusError(
                self.name,
                f'the document "{surplus.document}" has the segment "{surplus.id}", '
                f"which {source.name} does not",
                "use the same documents and segments as the source in every file",
                line=surplus.line,
            )
