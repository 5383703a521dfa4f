"""Find the segment that a row of a file refers to; shared by all readers, writers, importers and scorers.

A segment is identified by its document and its position there, and confirmed by its text. `KnownSegments` finds
it in a known test set. Without a test set, names in the files identify segments, and `SegmentTexts` checks that
each name has one text.
"""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, NoReturn

from campaign.formats.errors import Losses, ProblemError
from campaign.formats.media_names import without_files
from campaign.formats.tables import whole_name
from campaign.texts.media import MARK_BEGINS

#: Separates document and position in an ID; WMT 2026 uses the longer form.
MARK: Final = "_#_"
_MARKS: Final = re.compile("_###_|_#_")
_PARTS: Final = re.compile("(.+)(?:_###_|_#_)(.+?)")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
#: Tables have spaces in place of characters that no cell can hold.
_BLANKS: Final = str.maketrans("\t\r\n", "   ")
_CLOSEST: Final = 3


class SegmentProblem(ProblemError):  # noqa: N818  # becomes an error of the file or the input, which knows where it is
    """The segment of a row cannot be determined."""


class SegmentName(NamedTuple):
    """A row's reference to its segment.

    Attributes
    ----------
    segment : str
        A number, or an ID of document, `MARK` and position.
    document : str
        Empty if the row has none.
    source : str, optional
    has_output_texts : bool
        Whether outputs have texts, which the caller compares with those of the segment.
    is_number : bool
        Whether the format numbers segments within the test set even if it names documents.
    """

    segment: str
    document: str = ""
    source: str | None = None
    has_output_texts: bool = False
    is_number: bool = False

    @property
    def has_texts(self) -> bool:
        """True if the row has a text that would reveal a wrong segment."""
        return self.source is not None or self.has_output_texts


@dataclass(frozen=True, slots=True)
class KnownSegment:
    """A segment of a test set: key, number within the test set, document, and position in it, from 1."""

    key: int
    number: int
    document: str
    position: int

    @property
    def description(self) -> str:
        """The segment in errors."""
        return f'{self.number} (number {self.position} of "{self.document}")'


class KnownSegments:
    """The segments of a test set, by every name that a row may give them."""

    def __init__(self, test_set: str, segments: Iterable[KnownSegment]) -> None:
        self._test_set = test_set
        self._by_number: dict[int, KnownSegment] = {}
        self._by_position: dict[tuple[str, int], KnownSegment] = {}
        self._lengths = Counter[str]()
        for segment in segments:
            self._by_number[segment.number] = segment
            self._by_position[segment.document, segment.position] = segment
            self._lengths[segment.document] += 1
        self._documents = set(self._lengths)

    def numbered(self, number: int) -> KnownSegment:
        """Return the segment with a number within the test set."""
        return self._by_number[number]

    def refuse_unknown_document(self, name: str) -> None:
        """Raise SegmentProblem for a document that the test set does not have."""
        self._document(name)

    def refuse_other_length(self, name: str, segments: int) -> None:
        """Raise SegmentProblem for a document with another number of segments, whose places may be others."""
        document = self._document(name)
        length = self._lengths[document]
        if length != segments:
            raise SegmentProblem(
                f'the document "{name}" has {segments} segments in the file, and {length} in the test set',
                f"name its segments {segment_id(name, 'position')}, or remove its rows",
            )

    def candidates(self, name: SegmentName) -> list[KnownSegment]:
        """Return the segments that match the names of a row; none if only its source text can tell.

        Raises SegmentProblem for an unknown document, position or number.
        """
        in_id, position = id_parts(name.segment)
        document = self._document(name.document)
        if in_id and _NUMBER.fullmatch(position):
            document_in_id = self._document(in_id)
            if document and document_in_id != document:
                raise SegmentProblem(
                    f'the segment {name.segment} is not in the document "{name.document}"',
                    "correct the segment or the document",
                )
            return self._existing(
                name,
                self._segments_near_position(name, document_in_id, int(position)),
            )
        if not _NUMBER.fullmatch(name.segment):
            return []
        number = int(name.segment)
        numbered = self._by_number.get(number)
        if not document:
            return self._existing(name, [numbered])
        is_elsewhere = numbered is not None and numbered.document != document
        if name.is_number:
            if numbered is not None and is_elsewhere:
                raise SegmentProblem(
                    f'segment {number} is in the document "{numbered.document}", but the row says "{document}"',
                    "number segments consecutively through the test set, or provide the file for this test set",
                )
            return self._existing(name, [numbered])
        candidates = self._segments_near_position(name, document, number)
        if not is_elsewhere:
            candidates.insert(0, numbered)
        return self._existing(name, candidates)

    def _segments_near_position(
        self,
        name: SegmentName,
        document: str,
        position: int,
    ) -> list[KnownSegment | None]:
        """Return the segment at a position in a document, and the next one, because some tools count from 0.

        Only a source text can tell the two apart.
        """
        segments = [self._by_position.get((document, position))]
        if name.source is not None:
            segments.append(self._by_position.get((document, position + 1)))
        return segments

    def choose(
        self,
        name: SegmentName,
        candidates: Iterable[KnownSegment],
        sources: Mapping[int, str | None],
    ) -> KnownSegment:
        """Return the segment of a row from its candidates, or from the segments with its source text.

        `sources` are the texts of all candidates by key. Raises SegmentProblem if none matches, or several do.
        """
        possible = list(candidates)
        document = self._document(name.document)
        fitting = []
        for segment in possible:
            is_in_document = not document or segment.document == document
            if is_in_document and same_text(name.source, sources.get(segment.key)):
                fitting.append(segment)
        if not possible:
            self._refuse_unknown(name)
        if not fitting:
            raise SegmentProblem(
                f"the source text differs from that of segment {possible[0].number}",
                "provide the judgments of these texts, or import the texts that were judged",
            )
        if len(fitting) > 1:
            descriptions = [segment.description for segment in fitting[:_CLOSEST]]
            remedy = f"name it {segment_id('document', 'position')}"
            if name.source is None:
                remedy += ", or add its source text"
            raise SegmentProblem(
                f"segment {name.segment} could be any of {' and '.join(descriptions)}",
                remedy,
            )
        (chosen,) = fitting
        if self._is_by_position_alone(name, chosen) and not name.has_texts:
            raise SegmentProblem(
                f"it is unclear whether segment {name.segment} is number {chosen.position} of the document "
                f'"{chosen.document}" or a position in a batch',
                f"name it {segment_id(chosen.document, str(chosen.position))}, or add the texts",
            )
        return chosen

    @staticmethod
    def _is_by_position_alone(name: SegmentName, segment: KnownSegment) -> bool:
        if not _NUMBER.fullmatch(name.segment):
            return False
        return int(name.segment) != segment.number

    def _existing(
        self,
        name: SegmentName,
        segments: Iterable[KnownSegment | None],
    ) -> list[KnownSegment]:
        candidates = [
            segment for segment in dict.fromkeys(segments) if segment is not None
        ]
        if not candidates:
            self._refuse_unknown(name)
        return candidates

    def _refuse_unknown(self, name: SegmentName) -> NoReturn:
        segment = name.segment
        if name.document:
            segment = f'{segment} of the document "{name.document}"'
        last = max(self._by_number, default=0)
        raise SegmentProblem(
            f'the test set "{self._test_set}" has no segment {segment}; its last is {last}',
            "identify segments by their number in the test set, by document and position, or by unique source texts",
        )

    def _document(self, name: str) -> str:
        """Return the name of a document in the test set; empty if none is given."""
        if not name or name in self._documents:
            return name
        # Test sets from Pearmut campaigns have slashes in place of these marks.
        document = _MARKS.sub("/", name)
        if document not in self._documents:
            closest = difflib.get_close_matches(
                name,
                self._documents,
                _CLOSEST,
                cutoff=0.3,
            )
            suggestions = closest or sorted(self._documents)[:_CLOSEST]
            raise SegmentProblem(
                f'the test set "{self._test_set}" has no document "{name}"',
                "provide the file of this test set, or correct the name; closest names: "
                + ", ".join(suggestions),
            )
        return document


class DocumentColumn:
    """Documents named in a file whose segments are numbered within the test set.

    WMT's releases have the name of the test set in this column (``cs-en.test``). If a file contains a single name
    that is not a document of the test set, it is ignored and counted as a loss.
    """

    def __init__(self, file: str, segments: KnownSegments, losses: Losses) -> None:
        self._file = file
        self._segments = segments
        self._losses = losses
        self._names: set[str] = set()
        self._refuse_unknown: Callable[[], NoReturn] | None = None

    def document(
        self,
        name: str,
        line: int,
        refuse: Callable[[str, str], NoReturn],
    ) -> str:
        """Return the document of a row; empty if there is none or the name is ignored.

        `refuse` raises the error of the row for a problem and a remedy, possibly later, when another row has a
        second name.
        """
        if name and name not in self._names:
            self._names.add(name)
            try:
                self._segments.refuse_unknown_document(name)
            except SegmentProblem as error:
                self._refuse_unknown = self._refuse_unknown or partial(
                    refuse,
                    error.problem,
                    error.remedy,
                )
        if self._refuse_unknown is None or not name:
            return name
        if len(self._names) > 1:
            self._refuse_unknown()
        self._losses.add(
            f'"{name}", which is not a document of the test set, was read as the name of a test set because it is the only name',
            f"{self._file}, line {line}",
        )
        return ""


def document_named(cell: str) -> str:
    """Return the document in a cell; empty also for -1, as in old files of WMT."""
    name = whole_name(cell.strip())
    if name == "-1":
        return ""
    return name


def segment_id(document: str, segment: str) -> str:
    """Return the ID of a segment for formats with a single name; `id_parts` splits it again."""
    if not document or segment.startswith(f"{document}{MARK}"):
        return segment
    document_in_id, _position = id_parts(segment)
    if document_in_id == document:
        return segment
    return f"{document}{MARK}{segment}"


def id_parts(name: str) -> tuple[str, str]:
    """Split an ID into document and segment; the document is empty if there is none."""
    parts = _PARTS.fullmatch(name)
    if parts:
        return (parts[1], parts[2])
    return ("", name)


def same_text(text: str | None, there: str | None) -> bool:
    """Return whether a text matches the known one; spaces match tabs and line breaks, and None matches anything.

    The names of files match any marks of as many files, or of none beside words: only an import knows the files.
    """
    if text is None or there is None or text == there:
        return True
    if text.translate(_BLANKS) == there.translate(_BLANKS):
        return True
    if MARK_BEGINS not in there:
        return False
    words, files = without_files(text)
    known_words, known_files = without_files(there)
    is_as_many = files == known_files or (files == 0 and words != "")
    return words == known_words and is_as_many


class SegmentTexts:
    """Texts of files without a test set: one source per segment, one output per segment and system."""

    def __init__(self) -> None:
        self._first_texts: dict[tuple[str, str, str | None], tuple[str, str]] = {}

    def check(
        self,
        document: str,
        segment: str,
        location: str,
        source: str | None,
        outputs: Iterable[tuple[str, str | None]],
    ) -> None:
        """Record the texts of a row at `location`, outputs by system. Raises SegmentProblem for a different text."""
        for system, text in ((None, source), *outputs):
            if text is None:
                continue
            key = (document, segment, system)
            first_text, first_location = self._first_texts.setdefault(
                key,
                (text, location),
            )
            if not same_text(text, first_text):
                what = f"source of segment {segment}"
                if system is not None:
                    what = f"output of {system} of segment {segment}"
                if document:
                    what = f'{what} of the document "{document}"'
                raise SegmentProblem(
                    f"the {what} differs from {first_location}",
                    "use different names for different segments, or provide judgments of a single version of the texts",
                )
