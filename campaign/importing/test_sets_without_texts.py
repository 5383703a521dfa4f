"""Create a test set from judgments alone: documents, segments and systems without texts."""

# ruff: noqa: PT028  # ruff takes `test_set_…` for test functions

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from django.db import transaction

from campaign.formats import JudgedBlock
from campaign.formats.errors import Location
from campaign.formats.five_way import five_way_blocks
from campaign.formats.isolation import isolated_items
from campaign.formats.records import unseen_problem
from campaign.formats.streams import StoredFile
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import LanguagePair
from campaign.importing.test_sets import REFERENCE_SYSTEM, test_set_create
from campaign.models import Campaign, Document, Segment, System, SystemKind, TestSet

_MAX_POSITION: Final = 2**31 - 1


@transaction.atomic
def test_set_without_texts_create(
    *,
    campaign: Campaign,
    name: str,
    files: Sequence[StoredFile],
    languages: LanguagePair | None = None,
    reference_system: str | None = REFERENCE_SYSTEM,
) -> TestSet:
    """Create the test set of the judgments in `files`.

    Segments are numbered as in the files (srcIndex), with gaps for segments without judgments. The system
    `reference_system` is marked as the reference. Memory grows with the segments and systems, not with the
    judgments.

    Raises FormatError, LanguageTagError for an unknown language in the files, and ImportRefusedError for
    several language pairs without a choice.
    """
    content = _content(files, languages)
    pair = _only_pair(content.pairs, languages)
    test_set = test_set_create(
        campaign=campaign,
        name=name,
        source_language=pair.tags.source,
        target_language=pair.tags.target,
    )
    systems = []
    for system in content.systems:
        kind = SystemKind.SYSTEM
        if system == reference_system:
            kind = SystemKind.REFERENCE
        systems.append(System(test_set=test_set, name=system, kind=kind))
    System.objects.bulk_create(systems)
    _documents_create(test_set, content)
    return test_set


@dataclass(slots=True)
class _Content:
    """Content of the files, with the systems in order of appearance."""

    pairs: Counter[LanguagePair] = field(default_factory=Counter)
    systems: dict[str, None] = field(default_factory=dict)
    # Segment number → (document, ID in the document).
    segments: dict[int, tuple[str, str]] = field(default_factory=dict)

    def add(self, row: JudgedBlock, pair: LanguagePair, file: str) -> None:
        self.pairs[pair] += 1
        for systems in row.candidates:
            self.systems.update(dict.fromkeys(systems))
        document = row.document.strip()
        segment_id = row.segment_id.strip()
        problem = unseen_problem(document, "document name")
        if problem:
            raise Location(file, row.line, field="documentId").error(
                problem,
                "remove that character from the name",
            )
        first_document, first_id = self.segments.setdefault(
            row.segment,
            (document, segment_id),
        )
        is_same = document == first_document and segment_id == first_id
        # With several language pairs, one must be chosen first.
        if not is_same and len(self.pairs) == 1:
            raise Location(file, row.line, field="srcIndex").error(
                f'segment {row.segment} is "{segment_id}" of "{document}" here, '
                f'"{first_id}" of "{first_document}" in a row before',
                "import files of a single test set, or correct the row",
            )


def _content(files: Sequence[StoredFile], languages: LanguagePair | None) -> _Content:
    content = _Content()
    for file in files:
        with isolated_items(
            file.name,
            file.size(),
            partial(five_way_blocks, file),
        ) as rows:
            for row in rows:
                pair = LanguagePair(row.source_language, row.target_language)
                if languages is None or pair.tags == languages.tags:
                    content.add(row, pair, file.name)
    return content


def _only_pair(
    pairs: Counter[LanguagePair],
    languages: LanguagePair | None,
) -> LanguagePair:
    if not pairs:
        problem = "the input contains no judgments"
        if languages:
            problem = f"{problem} of {languages}"
        raise ImportRefusedError(problem, "provide a file with at least one")
    if len({pair.tags for pair in pairs}) > 1:
        counts = [f"{pair} ({count:,})" for pair, count in sorted(pairs.items())]
        listed = ", ".join(counts)
        raise ImportRefusedError(
            f"the input contains several language pairs: {listed}",
            "choose a source and target language; each pair becomes its own test set",
        )
    return next(iter(pairs))


def _documents_create(test_set: TestSet, content: _Content) -> None:
    documents: dict[str, list[tuple[int, str]]] = {}
    for number, (document, segment_id) in sorted(content.segments.items()):
        documents.setdefault(document or test_set.name, []).append((number, segment_id))
    rows = []
    for position, name in enumerate(documents, 1):
        rows.append(Document(test_set=test_set, name=name, position=position))
    Document.objects.bulk_create(rows)
    segments = []
    for row in rows:
        segments_of_document = documents[row.name]
        positions = _positions([id_ for _number, id_ in segments_of_document])
        for (number, _id), position in zip(
            segments_of_document,
            positions,
            strict=True,
        ):
            segments.append(
                Segment(
                    test_set=test_set,
                    document=row,
                    number=number,
                    position=position,
                ),
            )
    Segment.objects.bulk_create(segments, batch_size=2_000)


def _positions(ids: Sequence[str]) -> Sequence[int]:
    """Return the positions of segments in their document.

    IDs are used as positions if they are distinct positive integers; otherwise the known segments are counted.
    """
    positions = set()
    for id_ in ids:
        if id_.isascii() and id_.isdigit() and len(id_) <= 10:
            position = int(id_)
            if 1 <= position <= _MAX_POSITION:
                positions.add(position)
    if len(positions) == len(ids):
        return [int(id_) for id_ in ids]
    return range(1, len(ids) + 1)
