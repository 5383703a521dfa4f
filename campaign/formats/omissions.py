"""Omissions and warnings of an import: documents not covered by all systems, suspicious names and texts."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from itertools import combinations
from typing import Final, TypeVar

from campaign.formats.errors import FormatError, Location, SurplusError
from campaign.formats.json_text import JSONObject, whole_text
from campaign.formats.records import SegmentTexts, counted, system_name_problem
from campaign.formats.segments import filled_text
from campaign.texts.normalisation import text_to_the_eye

_NAMED = 10
T = TypeVar("T")


@dataclass(slots=True)
class Omissions:
    """Collects what readers leave out.

    `left_out` lists omissions (a file, or a place in it) with their reasons. `uncovered` lists systems with
    missing outputs by document; `first` is the error for the first of them. `warnings` are sentences about
    suspicious content. `settings` is the JSON that a campaign file of another tool has besides texts. `media` has what
    the file of each mark in a text was called. `moved` has the numbers of segments, by system, in whose outputs positions
    changed when blanks were removed. Memory grows with the documents, the files and these outputs.
    """

    left_out: list[tuple[str, str]] = field(default_factory=list)
    uncovered: dict[str, dict[str, None]] = field(default_factory=dict)
    first: FormatError | None = None
    warnings: list[str] = field(default_factory=list)
    settings: JSONObject | None = None
    media: dict[str, str] = field(default_factory=dict)
    moved: dict[str, list[int]] = field(default_factory=dict)
    _trimmed: dict[str, bool] = field(default_factory=dict)

    def lacks(self, document: str, system: str, error: FormatError) -> None:
        """Note that a system lacks an output in the document."""
        self.first = self.first or error
        self.uncovered.setdefault(document, {}).setdefault(system)

    def output(
        self,
        system: str,
        document: str,
        text: str,
        location: Location,
        *,
        of: str = "",
    ) -> str:
        """Return the stripped output; note an empty one as missing. `of` describes the segment for errors."""
        kept = whole_text(text)
        try:
            filled_text(kept, f"the output of {system}{of}", location)
        except FormatError as error:
            self.lacks(document, system, error)
            return ""
        self.keeps(system, text, kept)
        return kept

    def keeps(self, system: str, text: str, kept: str) -> None:
        """Note what is kept of an output in a file."""
        if kept != text:
            self._trimmed[system] = not text.startswith(kept)

    def trimmed(self) -> tuple[tuple[str, bool], ...]:
        """Return the `SegmentTexts.trimmed` of the outputs since the last call."""
        trimmed = tuple(self._trimmed.items())
        self._trimmed.clear()
        return trimmed

    def refuse_uncovered(self, documents: int) -> None:
        """Raise FormatError if a document is not covered by all systems; `documents` is the number of all."""
        if self.first is None:
            return
        problem = self.first.problem
        remedy = self.first.remedy
        uncovered = len(self.uncovered)
        if documents > 1:
            problem += (
                f"; not covered by all systems: {counted(uncovered, 'document')} of "
                f"{documents:,} ({named(list(self.uncovered))})"
            )
        if documents > uncovered:
            remedy += ", or import only the documents that all systems cover (--common-documents)"
        first = self.first
        location = Location(first.file, first.line, first.column, first.field)
        raise location.error(problem, remedy)


@dataclass(slots=True)
class SystemsSeen:
    """Systems seen so far in formats where each document names its own.

    `names` maps each system to the place where it first appeared; `first` is the place of the first document.
    """

    omissions: Omissions
    names: dict[str, str] = field(default_factory=dict)
    first: str = ""
    _documents: dict[str, None] = field(default_factory=dict)

    def add(
        self,
        document: str,
        systems: Collection[str],
        location: Location,
        called: str = "",
    ) -> None:
        """Note the systems that this document or an earlier one lacks; `called` is the place for errors."""
        here = called or "the line"
        called = called or f"line {location.line}"
        remedy = "provide outputs of the same systems everywhere, or remove the system"
        for system in systems:
            if system in self.names:
                continue
            name_problem = system_name_problem(system)
            if name_problem:
                raise location.error(name_problem, "rename the system everywhere")
            problem = f"{here} has an output of {system}, but {self.first} does not"
            error = location.error(problem, remedy)
            for earlier in self._documents:
                self.omissions.lacks(earlier, system, error)
            self.names[system] = called
        for system, first_place in self.names.items():
            if system not in systems:
                problem = f"{here} has no output of {system}, but {first_place} does"
                self.omissions.lacks(document, system, location.error(problem, remedy))
        self.first = self.first or called
        self._documents.setdefault(document)

    def in_order(self, texts: Mapping[str, T]) -> dict[str, T]:
        """Return what systems have in the order in which they first appeared."""
        return {name: texts[name] for name in self.names if name in texts}


def complete(
    segments: Iterator[SegmentTexts],
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    """Yield segments until a system lacks an output; at the end, refuse documents that not all systems cover.

    Missing outputs are reported before surplus ones: a wrong ID often causes both.
    """
    documents = 0
    document: str | None = None
    try:
        for segment in segments:
            documents += segment.document != document
            document = segment.document
            if omissions.first is None:
                yield segment
    except SurplusError:
        omissions.refuse_uncovered(documents)
        raise
    omissions.refuse_uncovered(documents)


def named(names: Collection[str]) -> str:
    """Return the first names, and the number of the others."""
    listed = ", ".join(list(names)[:_NAMED])
    if len(names) <= _NAMED:
        return listed
    return f"{listed} and {len(names) - _NAMED:,} more"


_ENTITY: Final = re.compile(r"&(#[0-9]+;|#[xX][0-9a-fA-F]+;|[A-Za-z][A-Za-z0-9]+;)")
_FENCE: Final = "```"
#: Names of a missing value that programs write in place of a text.
_MISSING_VALUES: Final = frozenset(
    {"nan", "NaN", "NULL", "null", "None", "\\N", "<NA>", "NA"},
)
_REPLACEMENT: Final = "\ufffd"
#: How workbooks escape characters that XML does not have, such as carriage returns.
_WORKBOOK_ESCAPE: Final = re.compile(r"_x[0-9A-F]{4}_")
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]{2,40}")
#: First letters of UTF-8 that was read as Windows-1252, of Latin letters, quotation marks and Cyrillic.
_MISREAD_FIRST: Final = "ÂÃÅÐÑ"
_SHEET_ERROR: Final = re.compile(r"#(?:NAME\?|REF!|DIV/0!|VALUE!|NUM!|NULL!|N/A)")


def noticed(
    segments: Iterator[SegmentTexts],
    omissions: Omissions,
    reference_system: str | None,
) -> Iterator[SegmentTexts]:
    """Yield the segments; at the end, add the warnings to `omissions`.

    The first reference is compared as `reference_system`. Memory grows with the pairs of systems.
    """
    alike = Counter[tuple[str, str]]()
    marks = Counter[str]()
    first: dict[str, str] = {}
    systems: dict[str, None] = {}
    trimmed = 0
    first_trimmed = ""
    for segment in segments:
        outputs = dict(segment.outputs)
        if reference_system and segment.references and segment.references[0]:
            outputs[reference_system] = segment.references[0]
        systems |= dict.fromkeys(outputs)
        alike.update(_look_alikes(outputs))
        location = f'segment {segment.number:,} (document "{segment.document}")'
        for whose, text in _texts(segment):
            for mark in _marks(text):
                marks[mark] += 1
                first.setdefault(mark, f"{location}, {whose}")
        for system, is_moved in segment.trimmed:
            trimmed += 1
            first_trimmed = first_trimmed or f"{location}, the output of {system}"
            if is_moved:
                omissions.moved.setdefault(system, []).append(segment.number)
        yield segment
    omissions.warnings += _names_alike(systems)
    for (one, two), count in alike.most_common():
        omissions.warnings.append(
            f"{one} and {two} look the same in {counted(count, 'segment')} "
            "but are stored as different texts",
        )
    if trimmed:
        omissions.warnings.append(
            f"blanks before and after {counted(trimmed, 'output')} are removed, so positions of errors count "
            f"without them, first in {first_trimmed}",
        )
    for mark, first_place in first.items():
        texts = counted(marks[mark], "text")
        omissions.warnings.append(f"{mark} in {texts}, first in {first_place}")


def _look_alikes(outputs: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of systems whose texts differ but look the same."""
    if len(set(outputs.values())) == 1:
        return
    systems_by_look: dict[str, list[str]] = {}
    for system, text in outputs.items():
        systems_by_look.setdefault(text_to_the_eye(text), []).append(system)
    for same in systems_by_look.values():
        for one, two in combinations(sorted(same), 2):
            if outputs[one] != outputs[two]:
                yield one, two


def _names_alike(systems: dict[str, None]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for name in systems:
        groups.setdefault(text_to_the_eye(name).casefold(), []).append(name)
    for names in groups.values():
        if len(names) > 1:
            difference = "differ only in case"
            if len(set(map(text_to_the_eye, names))) == 1:
                difference = "look the same but are different names"
            yield f"the names of the systems {' and '.join(names)} {difference}"


def _texts(segment: SegmentTexts) -> Iterator[tuple[str, str]]:
    yield "the source", segment.source
    for number, text in enumerate(segment.references, 1):
        yield f"reference {number}", text
    for system, text in segment.outputs.items():
        yield f"the output of {system}", text


def _has_entities(text: str) -> bool:
    if "&" not in text:
        return False
    names = _ENTITY.findall(text)
    return any(name.startswith("#") or name in html5 for name in names)


def _is_misread(text: str) -> bool:
    """Return whether a text has UTF-8 that was read as Windows-1252, such as Ã¼ for ü."""
    for letters in _NON_ASCII.findall(text):
        if len(letters) < 3 and letters[0] not in _MISREAD_FIRST:
            continue  # "É»" are two characters that follow each other in French
        try:
            letters.encode("cp1252").decode("utf-8")
        except UnicodeError:
            continue
        return True
    return False


def _marks(text: str) -> Iterator[str]:
    if not text.isascii():
        if _REPLACEMENT in text:
            yield "replacement characters (\ufffd), which stand for lost letters,"
        if _is_misread(text):
            yield "letters in a wrong encoding (as Ã¼ for ü)"
    if "_x" in text and _WORKBOOK_ESCAPE.search(text):
        yield "escapes of a workbook (as _x000D_)"
    if _has_entities(text):
        yield "HTML entities (as &lt; or &quot;)"
    if _FENCE in text:
        yield "code fences (```)"
    if "#" in text and _SHEET_ERROR.search(text):
        yield "errors of a spreadsheet (as #NAME? or #REF!)"
    if text in _MISSING_VALUES:
        yield "the name of a missing value (as nan or NULL) in place of a text"
