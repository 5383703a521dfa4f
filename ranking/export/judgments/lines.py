"""Judgments as lines of text, put together from pieces that are written once and taken by their numbers.

A file of a million judgments says few things again and again: segments, judges, candidates, labels. Each of them is put
into its piece once; numpy takes the pieces of thousands of rows at a time.
"""

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from campaign.formats.five_way import BLANK
from campaign.formats.five_way_writer import five_way_header
from campaign.formats.formulas import neutral
from ranking.selectors.exported_columns import ExportedTask, JudgedPart

Texts = npt.NDArray[np.object_]

#: In codes of labels: no candidate at this place. 0 is blank.
NO_CANDIDATE: Final = 6
_CODES: Final = 7


def csv_cells(*texts: str) -> str:
    """Return texts as cells of a CSV file that no spreadsheet computes, with a comma after each."""
    buffer = io.StringIO()
    # Beside an empty cell, so that an empty text is not put in quotes.
    csv.writer(buffer, lineterminator="").writerow([*map(neutral, texts), ""])
    return buffer.getvalue()


class Pieces:
    """Texts by number, of which more may come."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._array = texts_of([])

    def of(self, known: Sequence[Any], written: Callable[[Any], str]) -> Texts:
        """Return an array of the pieces of everything known, those that are new among them."""
        if len(known) > len(self._texts):
            self._texts.extend(written(each) for each in known[len(self._texts) :])
            self._array = texts_of(self._texts)
        return self._array


def texts_of(texts: Iterable[str]) -> Texts:
    return np.array(list(texts), dtype=np.object_)


def joined(columns: Sequence[Texts]) -> bytes:
    """Return the texts of columns, row after row."""
    return "".join(np.stack(columns, axis=1).ravel().tolist()).encode()


class LabelPieces:
    """The pieces of all labels of a block; `written` gets them as codes, once for each row of labels there is."""

    def __init__(self, written: Callable[[tuple[int, ...]], str]) -> None:
        self._written = cache(written)

    def of(self, part: JudgedPart) -> Texts:
        """Return for each row its piece."""
        codes = np.where(part.candidate < 0, NO_CANDIDATE, part.label).astype(np.int64)
        _known, first, place = np.unique(
            codes @ _powers(codes.shape[1]), return_index=True, return_inverse=True
        )
        return texts_of(self._written(tuple(row)) for row in codes[first].tolist())[place]


def _powers(width: int) -> npt.NDArray[np.int64]:
    return _CODES ** np.arange(width, dtype=np.int64)


def by_candidate(pieces: Texts, candidate: npt.NDArray[Any], missing: str) -> Texts:
    """Return for each row the piece of its candidate at one place; `missing` where there is none."""
    with_none = np.append(pieces, texts_of([missing]))
    return with_none[np.where(candidate < 0, len(pieces), candidate)]


class LinesWriter(ABC):
    """Writes the judgments of a task; a format each is a subclass."""

    def __init__(self, exported: ExportedTask, *, slots: int) -> None:
        self.exported = exported
        self.slots = slots
        self._segments, self._judges = Pieces(), Pieces()

    def head(self) -> bytes:
        """Return how the file begins."""
        return b""

    def tail(self) -> bytes:
        """Return how the file ends."""
        return b""

    @abstractmethod
    def body(self, part: JudgedPart) -> bytes:
        """Return the lines of a part."""

    def _languages(self) -> tuple[str, str]:
        test_set = self.exported.task.test_set
        return test_set.source_language, test_set.target_language

    def _of_rows(self, part: JudgedPart) -> list[Texts]:
        """Return the pieces of segment and judge of each row."""
        segments = self._segments.of(self.exported.segments, self._segment)
        judges = self._judges.of(self.exported.judges, self._judge)
        return [segments[part.segment], judges[part.judge]]

    @abstractmethod
    def _segment(self, segment: Any) -> str:
        """Return the piece of a segment."""

    @abstractmethod
    def _judge(self, judge: str) -> str:
        """Return the piece of a judge."""

    def _names(self, candidate: tuple[int, ...]) -> list[str]:
        return [self.exported.systems[place] for place in candidate]


class FiveWayCsv(LinesWriter):
    """The five-way CSV: byte for byte what `write_five_way_csv` writes of the same rows."""

    def __init__(self, exported: ExportedTask, *, slots: int) -> None:
        super().__init__(exported, slots=slots)
        self._candidates = Pieces()
        self._of_labels = LabelPieces(self._labels)

    def head(self) -> bytes:
        return five_way_header(self.slots).encode()

    def body(self, part: JudgedPart) -> bytes:
        candidates = self._candidates.of(self.exported.candidates, self._candidate)
        columns = self._of_rows(part)
        columns += [
            by_candidate(candidates, part.candidate[:, place], ",,")
            for place in range(part.candidate.shape[1])
            if place < self.slots
        ]
        missing = self.slots - part.candidate.shape[1]
        if missing > 0:
            columns.append(np.full(len(part), ",," * missing, dtype=np.object_))
        return joined([*columns, self._of_labels.of(part)])

    def _segment(self, segment: Any) -> str:
        number, position = str(segment.number), str(segment.position)
        return csv_cells(*self._languages(), number, segment.document, position)

    def _judge(self, judge: str) -> str:
        return csv_cells(judge)

    def _candidate(self, candidate: tuple[int, ...]) -> str:
        numbers = ",".join(str(place + 1) for place in candidate)
        return csv_cells(numbers, ",".join(self._names(candidate)))

    def _labels(self, codes: tuple[int, ...]) -> str:
        ranks = [BLANK if code in {0, NO_CANDIDATE} else str(code) for code in codes]
        ranks = (ranks + [BLANK] * self.slots)[: self.slots]
        return ",".join(ranks) + "\n"
