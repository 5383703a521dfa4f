"""Checks of segments shared by all readers of test sets: order and texts."""

from campaign.formats.errors import Location
from campaign.formats.records import MAX_DOCUMENT_NAME, unseen_problem


class SegmentCounter:
    """Numbers the segments of a file, and refuses repeated documents and segments.

    Memory grows with the documents, and with the segments of the current document.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._documents: set[str] = set()
        self._document: str | None = None
        self._ids: set[str] = set()
        self._position = 0
        self._number = 0

    def add(self, document: str, segment_id: str | None, line: int) -> tuple[int, int]:
        """Return the position in the document and the number in the file, both from 1.

        Raises FormatError if the document was left before, or already has `segment_id`.
        """
        location = Location(self._file, line)
        if document != self._document:
            if document in self._documents:
                raise location.error(
                    f'the document "{document}" appears again after another document',
                    "keep the segments of a document together, and use a unique name or file for every document of the test set and every system",
                )
            if len(document) > MAX_DOCUMENT_NAME:
                raise location.error(
                    f'the document name "{document[:20]}…" is longer than '
                    f"{MAX_DOCUMENT_NAME} characters",
                    "use a shorter document name",
                )
            if problem := unseen_problem(document, "document name"):
                raise location.error(problem, "remove that character from the name")
            self._documents.add(document)
            self._document = document
            self._ids = set()
            self._position = 0
        if segment_id is not None:
            if segment_id in self._ids:
                raise location.error(
                    f'the document "{document}" has the segment "{segment_id}" twice',
                    "remove one of the two, or number them differently",
                )
            self._ids.add(segment_id)
        self._position += 1
        self._number += 1
        return self._position, self._number

    def refuse_nothing(self) -> None:
        """Raise FormatError if there was no segment."""
        if self._number == 0:
            raise Location(self._file).error(
                "the file contains no segments",
                "provide a file with at least one segment",
            )


def filled_text(
    text: str,
    label: str,
    location: Location,
    remedy: str = "fill it in, or remove the segment from the source, the references and every system",
) -> str:
    """Return the stripped text; raise FormatError if it is empty."""
    stripped = text.strip()
    if not stripped:
        raise location.error(f"{label} is empty", remedy)
    return stripped
