"""A test set of which only judgments are known: documents, segments and systems, no texts."""

# ruff: noqa: PT028  # ruff takes `test_set_…` for test functions

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
from django.db import transaction

from campaign.formats import FiveWayColumns
from campaign.formats.records import unseen_problem
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import JudgmentsFile, LanguagePair, columns_placed
from campaign.importing.test_sets import REFERENCE_SYSTEM, test_set_create
from campaign.models import Campaign, Document, Segment, System, SystemKind, TestSet

_MAX_POSITION: Final = 2**31 - 1


@transaction.atomic
def test_set_without_texts_create(
    *,
    campaign: Campaign,
    name: str,
    files: Sequence[JudgmentsFile],
    languages: LanguagePair | None = None,
    reference_system: str | None = REFERENCE_SYSTEM,
) -> TestSet:
    """Create the test set that the judgments in `files` are about.

    Segments are numbered as in the files (srcIndex), with gaps where nothing
    was judged. A system called `reference_system` is marked as the reference.
    Memory grows with the segments and systems, not with the judgments.

    Raises FormatError, LanguageTagError when the files name a language that
    nobody knows, or ImportRefusedError when they hold several language pairs
    and `languages` chooses none of them.
    """
    content = _content(files, languages)
    pair = _only_pair(content.pairs, languages)
    test_set = test_set_create(
        campaign=campaign,
        name=name,
        source_language=pair.tags.source,
        target_language=pair.tags.target,
    )
    systems = [
        System(
            test_set=test_set,
            name=system,
            kind=SystemKind.REFERENCE if system == reference_system else SystemKind.SYSTEM,
        )
        for system in content.systems
    ]
    System.objects.bulk_create(systems)
    _documents_create(test_set, content)
    return test_set


@dataclass(slots=True)
class _Content:
    """What the files are about; a dict as an ordered set keeps the systems as they come."""

    pairs: Counter[LanguagePair] = field(default_factory=Counter)
    systems: dict[str, None] = field(default_factory=dict)
    # Segment number → (document, id in the document).
    segments: dict[int, tuple[str, str]] = field(default_factory=dict)

    def add(self, columns: FiveWayColumns) -> None:
        pairs_before = set(self.pairs)
        counts = np.bincount(columns.pairs, minlength=len(columns.names.pairs))
        for pair, count in zip(columns.names.pairs, counts.tolist(), strict=True):
            if count:
                self.pairs[LanguagePair(*pair)] += count
        for candidate in _in_order(columns.candidates[columns.candidates >= 0]):
            self.systems.update(dict.fromkeys(columns.names.candidates[candidate]))
        self._add_segments(columns, pairs_before)

    def _add_segments(self, columns: FiveWayColumns, pairs_before: set[LanguagePair]) -> None:
        places = zip(
            columns.source_index.tolist(), columns.documents, columns.segment_ids, strict=True
        )
        first_rows: dict[tuple[int, str, str], int] = {}
        for row, place in enumerate(places):
            first_rows.setdefault(place, row)
        for (number, document, segment_id), row in first_rows.items():
            here = document.strip(), segment_id.strip()
            if problem := unseen_problem(document, "document name"):
                raise columns.error(
                    row, problem, "write the name without that character", field="documentId"
                )
            there = self.segments.setdefault(number, here)
            if here == there:
                continue
            pairs = {LanguagePair(*columns.names.pairs[n]) for n in set(columns.pairs[: row + 1])}
            if len(pairs | pairs_before) == 1:
                raise columns.error(
                    row,
                    f'segment {number} is "{here[1]}" of "{here[0]}" here, '
                    f'"{there[1]}" of "{there[0]}" in a row before',
                    "import files of one test set, or correct the row",
                    field="srcIndex",
                )


def _in_order(numbers: npt.NDArray[np.int64]) -> list[int]:
    """Return the different numbers in the order in which they come."""
    different, first = np.unique(numbers, return_index=True)
    return [int(each) for each in different[np.argsort(first)]]


def _content(files: Sequence[JudgmentsFile], languages: LanguagePair | None) -> _Content:
    content = _Content()
    # Closed here, since a refusal leaves the reader in the middle of a file.
    with closing(columns_placed(files, languages=languages)) as parts:
        for columns in parts:
            content.add(columns)
    return content


def _only_pair(pairs: Counter[LanguagePair], languages: LanguagePair | None) -> LanguagePair:
    if not pairs:
        chosen = f" of {languages}" if languages else ""
        raise ImportRefusedError(
            f"there is no judgment{chosen} in the input", "give a file with at least one"
        )
    if len({pair.tags for pair in pairs}) > 1:
        listed = ", ".join(f"{pair} ({count:,})" for pair, count in sorted(pairs.items()))
        raise ImportRefusedError(
            f"the input holds several language pairs: {listed}",
            "choose one by its source and its target language; each makes a test set of its own",
        )
    return next(iter(pairs))


def _documents_create(test_set: TestSet, content: _Content) -> None:
    documents: dict[str, list[tuple[int, str]]] = {}
    for number, (document, segment_id) in sorted(content.segments.items()):
        documents.setdefault(document or test_set.name, []).append((number, segment_id))
    rows = [
        Document(test_set=test_set, name=name, position=position)
        for position, name in enumerate(documents, 1)
    ]
    Document.objects.bulk_create(rows)
    Segment.objects.bulk_create(
        (
            Segment(test_set=test_set, document=row, number=number, position=position)
            for row in rows
            for number, position in _positions(documents[row.name])
        ),
        batch_size=2_000,
    )


def _positions(segments: list[tuple[int, str]]) -> list[tuple[int, int]]:
    """Return the position in its document of each segment, by the segment's number.

    The ids in the file are the positions if they can be; else the segments
    known of the document are counted.
    """
    ids = [id_ for _number, id_ in segments]
    numeric = [int(id_) for id_ in ids if id_.isascii() and id_.isdigit() and len(id_) <= 10]
    if len(numeric) == len(set(numeric)) == len(ids) and all(
        1 <= position <= _MAX_POSITION for position in numeric
    ):
        positions = numeric
    else:
        positions = list(range(1, len(ids) + 1))
    return [(number, position) for (number, _id), position in zip(segments, positions, strict=True)]
