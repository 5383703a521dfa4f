"""Checks of segments shared by all readers of test sets: order and texts."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

from campaign.formats.errors import Place
from campaign.formats.records import MAX_DOCUMENT_NAME, unseen_problem
from campaign.formats.streams import InputFile

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")


class SegmentCounter:
    """Number the segments of one file and refuse documents and segments that come twice.

    Memory grows with the documents, and with the segments of the current document only
    where their ids are not consecutive numbers.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._documents: set[str] = set()
        self._document: str | None = None
        self._ids = _SeenIds()
        self._position = 0
        self._number = 0

    def place(self, document: str, segment_id: str | None, line: int) -> tuple[int, int]:
        """Return the position in the document and the number in the file, both from 1.

        Raises FormatError where the document was left before, or holds `segment_id` already.
        """
        place = Place(self._file, line)
        if document != self._document:
            if document in self._documents:
                raise place.error(
                    f'the document "{document}" appears again after another document',
                    "keep the segments of a document together, and use a unique name or file for every document of the test set and every system",
                )
            if len(document) > MAX_DOCUMENT_NAME:
                raise place.error(
                    f'the document name "{document[:20]}…" is longer than '
                    f"{MAX_DOCUMENT_NAME} characters",
                    "use a shorter document name",
                )
            if problem := unseen_problem(document, "document name"):
                raise place.error(problem, "remove that character from the name")
            self._documents.add(document)
            self._document = document
            self._ids = _SeenIds()
            self._position = 0
        if segment_id is not None and not self._ids.add(segment_id):
            raise place.error(
                f'the document "{document}" has the segment "{segment_id}" twice',
                "remove one of the two, or number them differently",
            )
        self._position += 1
        self._number += 1
        return self._position, self._number

    def has_left(self, document: str) -> bool:
        """Tell whether the document was read and another one begun."""
        return document in self._documents and document != self._document

    def refuse_nothing(self) -> None:
        """Raise FormatError if there was no segment at all."""
        if self._number == 0:
            raise Place(self._file).error(
                "the file contains no segments", "provide a file with at least one segment"
            )


class Follower(ABC, Generic[Key, Found]):
    """A file read in step with the source; items that come too early wait."""

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self._waiting: dict[Key, Found] = {}

    @abstractmethod
    def next(self) -> tuple[Key, Found] | None:
        """Return the next item of the file, and its key."""

    def found(
        self,
        wanted: Key,
        is_kept: Callable[[Found], bool] = lambda _found: True,
        is_over: Callable[[], bool] = lambda: False,
    ) -> Found | None:
        """Remove and return the item with a key; None if there is none, or `is_over` says that it will not come."""
        if wanted in self._waiting:
            return self._waiting.pop(wanted)
        while not is_over() and (each := self.next()) is not None:
            key, found = each
            if key == wanted:
                return found
            if is_kept(found):
                self._waiting[key] = found
        return None

    def rest(self) -> Iterator[Found]:
        """Yield the items that were not requested."""
        yield from self._waiting.values()
        yield from (found for _key, found in iter(self.next, None))


class _SeenIds:
    """A set of ids in which a run of consecutive numbers costs two integers."""

    def __init__(self) -> None:
        self._first = 0
        self._last = -1
        self._others: set[str] = set()

    def add(self, segment_id: str) -> bool:
        """Add the id; False if it was there."""
        number = _canonical_number(segment_id)
        if number is None:
            return self._add_other(segment_id)
        if self._first <= number <= self._last:
            return False
        if self._last < self._first:
            self._first = self._last = number
            return True
        if number == self._last + 1 and segment_id not in self._others:
            self._last = number
            return True
        return self._add_other(segment_id)

    def _add_other(self, segment_id: str) -> bool:
        if segment_id in self._others:
            return False
        self._others.add(segment_id)
        return True


def _canonical_number(segment_id: str) -> int | None:
    """Read the id as a number if that number is written exactly so: "7", but not "07"."""
    if len(segment_id) < 19 and segment_id.isascii() and segment_id.isdigit():
        number = int(segment_id)
        return number if str(number) == segment_id else None
    return None


def filled_text(
    text: str,
    what: str,
    place: Place,
    remedy: str = "fill it in, or remove the segment from the source, the references and every system",
) -> str:
    """Return the text without white space at its ends; raise FormatError if nothing is left."""
    stripped = text.strip()
    if not stripped:
        raise place.error(f"{what} is empty", remedy)
    return stripped
