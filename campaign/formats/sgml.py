"""WMT SGML test sets: files of documents and segments, aligned by their IDs.

The files look like XML but are not: the case of tags and attributes varies, ampersands are
bare, and entities are those of HTML. Therefore, they need their own tokenizer.
"""

import html
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.entities import html5
from typing import Final

from campaign.formats.errors import FormatError, Location, SurplusError
from campaign.formats.omissions import Omissions
from campaign.formats.records import SegmentTexts, one_line
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import MAX_LINE_BYTES, InputFile, text_of

#: Maximum size of a file, which is read whole.
MAX_BYTES: Final = 64 * 2**20
_SETS: Final = frozenset({"srcset", "refset", "tstset"})
_MAX_TAG: Final = 16 * 1024
# A quoted value may contain ">". The alternatives begin with different characters, so that
# matching always takes linear time.
_INSIDE_TAG = r"""(?:[^<>"']|"[^"]*"|'[^']*')*"""
_TAG = re.compile(rf"<!--.*?-->|<([/!?]?)([A-Za-z][\w:.-]*)({_INSIDE_TAG})>", re.DOTALL)
_UNFINISHED_TAG = re.compile(
    rf"""<(?:!(?:-(?:-.*)?)?|[/!?]?[A-Za-z]{_INSIDE_TAG}(?:"[^"]*|'[^']*)?|/)?\Z""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""(?<![\w:.-])([A-Za-z][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""",
)
_SEGMENT_ENDS = re.compile(
    r"<(/seg\s*>|seg(?=[\s>])|/?doc(?=[\s>])|/?(?:srcset|refset|tstset)(?=[\s>]))",
    re.IGNORECASE,
)
# Entities without a semicolon are text in these files: "AT&T" and "?a=1&copy=2".
_ENTITY = re.compile(
    r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|[A-Za-z][A-Za-z0-9]*);",
)


@dataclass(frozen=True, slots=True)
class SgmlSegment:
    """A segment that begins at `line`."""

    line: int
    document: str
    id: str
    text: str


def set_tag(text: str) -> str | None:
    """Return the first set tag in the beginning of a file: "srcset", "refset" or "tstset"."""
    for tag in _TAG.finditer(text):
        if tag.group(1) == "" and tag.group(2).lower() in _SETS:
            return tag.group(2).lower()
    return None


def sgml_segments(file: InputFile, sets: frozenset[str]) -> Iterator[SgmlSegment]:
    """Yield the segments in the order of the file.

    Tags other than those of sets, documents and segments are skipped outside segments and are text inside
    them. Entities are decoded, line breaks inside a segment become spaces, and texts are stripped.

    `sets` are the allowed set tags: a source given as an output would otherwise align perfectly.

    Raises FormatError for files that are longer than MAX_BYTES, truncated, or not of this structure.
    """
    read = _Text(file.name, text_of(file, MAX_BYTES))
    document: str | None = None
    document_start = position = 0
    while (tag := read.next_tag(position)) is not None:
        position = tag.end()
        slash = tag.group(1) or ""
        name = slash + (tag.group(2) or "").lower()
        location = read.location(tag.start())
        if name == "doc":
            document = _attribute("docid", "document", tag, location)
            document_start = tag.start()
        elif name == "/doc":
            document = None
        elif name == "/seg":
            raise read.location(tag.start(), with_column=True).error(
                "closing tag without an open segment",
                'write segments as <seg id="…">text</seg>',
            )
        elif name in _SETS and name not in sets:
            raise location.error(
                f"the file is a {name}, not a {' or '.join(sorted(sets))}",
                "specify the source (srcset), references (refset) and outputs (tstset) accordingly",
            )
        elif name == "seg":
            if document is None:
                raise read.location(tag.start(), with_column=True).error(
                    "the segment is not inside a document",
                    'put it between <doc docid="…"> and </doc>',
                )
            segment_id = _attribute("id", "segment", tag, location)
            end = read.segment_end(
                tag,
                f'the segment "{segment_id}" of the document "{document}"',
            )
            text = _decode_entities(read.text[position : end.start()], location).strip()
            yield SgmlSegment(read.line(tag.start()), document, segment_id, text)
            position = end.end()
    if document is not None:
        raise read.cut_off("document", document_start)


class _Text:
    """The text of a file, and the positions of its line breaks."""

    def __init__(self, file: str, text: str) -> None:
        self.text = text
        self._file = file
        self._breaks = [match.start() for match in re.finditer("\n", text)]

    def line(self, position: int) -> int:
        return bisect_left(self._breaks, position) + 1

    def location(self, position: int, *, with_column: bool = False) -> Location:
        column = None
        if with_column:
            column = position - self.text.rfind("\n", 0, position)
        return Location(self._file, self.line(position), column)

    def cut_off(self, element: str, start: int) -> FormatError:
        """Return the error for a file that ends inside something."""
        return self.location(len(self.text.rstrip("\n"))).error(
            f"the file ends inside the {element} that begins on line {self.line(start)}",
            "check that the transfer was complete",
        )

    def next_tag(self, position: int) -> re.Match[str] | None:
        """Return the next tag or comment, skipping bare "<"; None at the end."""
        while (start := self.text.find("<", position)) >= 0:
            tag = _TAG.match(self.text, start, start + _MAX_TAG)
            if tag:
                return tag
            if _UNFINISHED_TAG.match(self.text, start, start + _MAX_TAG):
                if start + _MAX_TAG < len(self.text):
                    raise self.location(start).error(
                        "the tag that begins here is never closed",
                        'close it with ">", and close the quotes inside it',
                    )
                raise self.cut_off("tag", start)
            position = start + 1
        return None

    def segment_end(self, tag: re.Match[str], called: str) -> re.Match[str]:
        """Return the end of the segment that begins with a tag."""
        end = _SEGMENT_ENDS.search(self.text, tag.end(), tag.end() + MAX_LINE_BYTES)
        if end is None and len(self.text) - tag.end() <= MAX_LINE_BYTES:
            raise self.cut_off("segment", tag.start())
        if end is None or not end.group(1).lower().startswith("/seg"):
            raise self.location(tag.start()).error(
                f"{called} is never closed",
                "write </seg> at its end",
            )
        return end


def _attribute(name: str, element: str, tag: re.Match[str], location: Location) -> str:
    for match in _ATTRIBUTE.finditer(tag.group(3)):
        attribute, *quoted_or_bare = match.groups(default="")
        if attribute.lower() == name:
            value = _decode_entities("".join(quoted_or_bare), location).strip()
            if value:
                return value
    raise Location(location.file, location.line, field=name).error(
        f"the {element} has no {name}",
        f'add one: {name}="…"',
    )


def _decode_entities(text: str, location: Location) -> str:
    def entity(match: re.Match[str]) -> str:
        written = match.group()
        decimal, hexadecimal = match.groups()
        if decimal:
            code = int(decimal)
        elif hexadecimal:
            code = int(hexadecimal, 16)
        else:
            # Not unescape(): it reads "&notit;" as "¬it;".
            return html5.get(written[1:], written)
        is_break_or_tab = code in {0x09, 0x0A, 0x0D}
        if code == 0x7F or (code < 0x20 and not is_break_or_tab):
            raise location.error(
                f"{written} is a control character, which is not allowed in text",
                "remove it",
            )
        return html.unescape(written)

    return one_line(_ENTITY.sub(entity, text))


def read_sgml_test_set(
    source: InputFile,
    references: Sequence[InputFile],
    systems: Mapping[str, InputFile],
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    """Yield the segments in the order of the source, each with its references and outputs.

    Segments are matched by document and ID, so the other files may have another order. Names of systems are
    those of `systems`: the `sysid` inside the files may differ.

    Missing and empty outputs are noted in `omissions`.

    Raises FormatError for segments that a reference lacks, for surplus and repeated segments, for empty
    sources, and for truncated files.
    """
    counter = SegmentCounter(source.name)
    segments = list(sgml_segments(source, frozenset({"srcset"})))
    reference_files = [_Translation(file) for file in references]
    system_files = {system: _Translation(file) for system, file in systems.items()}
    for segment in segments:
        position, number = counter.add(segment.document, segment.id, segment.line)
        of = f" (document {segment.document}, segment {segment.id})"
        location = Location(source.name, segment.line)
        source_text = filled_text(segment.text, f"the source{of}", location)
        reference_texts = []
        for file in reference_files:
            reference = file.take(segment)
            if reference is None:
                raise file.lacking(segment, source)
            reference_texts.append(reference.text)
        outputs = {}
        for system, file in system_files.items():
            output = file.take(segment)
            if output is None:
                error = file.lacking(segment, source)
                omissions.lacks(segment.document, system, error)
                outputs[system] = ""
            else:
                location = Location(file.name, output.line)
                outputs[system] = omissions.output(
                    system,
                    segment.document,
                    output.text,
                    location,
                    of=of,
                )
        yield SegmentTexts(
            document=segment.document,
            position=position,
            number=number,
            source=source_text,
            references=tuple(reference_texts),
            outputs=outputs,
            trimmed=omissions.trimmed(),
        )
    counter.refuse_nothing()
    for file in (*reference_files, *system_files.values()):
        file.refuse_rest(source)


class _Translation:
    """Segments of a reference or a system that are not yet matched with the source."""

    def __init__(self, file: InputFile) -> None:
        self.name = file.name
        self._unmatched: dict[tuple[str, str], SgmlSegment] = {}
        self._last_lines: dict[str, int] = {}
        counter = SegmentCounter(file.name)
        for segment in sgml_segments(file, frozenset({"refset", "tstset"})):
            counter.add(segment.document, segment.id, segment.line)
            self._unmatched[segment.document, segment.id] = segment
            self._last_lines[segment.document] = segment.line

    def take(self, segment: SgmlSegment) -> SgmlSegment | None:
        """Remove and return the segment with the document and ID of a source segment, if there is one."""
        return self._unmatched.pop((segment.document, segment.id), None)

    def lacking(self, segment: SgmlSegment, source: InputFile) -> FormatError:
        """Return the error for a missing segment."""
        return Location(self.name, self._last_lines.get(segment.document)).error(
            f'the document "{segment.document}" is missing the segment "{segment.id}" '
            f"({source.name}, line {segment.line}), looked for up to here",
            "use the same documents and segments as the source in every file",
        )

    def refuse_rest(self, source: InputFile) -> None:
        """Raise FormatError if a segment matches none of the source."""
        for surplus in self._unmatched.values():
            raise SurplusError(
                self.name,
                f'the document "{surplus.document}" has the segment "{surplus.id}", '
                f"which {source.name} does not",
                "use the same documents and segments as the source in every file",
                line=surplus.line,
            )
