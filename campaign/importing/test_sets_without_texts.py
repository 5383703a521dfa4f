"""Create a test set from judgments alone: documents, segments and systems without texts."""

# ruff: noqa: PT028  # ruff takes `test_set_…` for test functions

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from django.db import transaction

from campaign.formats import FormatError, JudgedBlock
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
        systems.append(
            System(
                test_set=test_set,
                name=system,
                kind=SystemKind.REFERENCE
                if system == reference_system
                else SystemKind.SYSTEM,
            )
        )
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
        here = row.document.strip(), row.segment_id.strip()
        there = self.segments.setdefault(row.segment, here)
        refused = partial(FormatError, file, line=row.line)
        if problem := unseen_problem(here[0], "document name"):
            raise refused(
                problem, "remove that character from the name", field="documentId"
            )
        # With several language pairs, one must be chosen first.
        if here != there and len(self.pairs) == 1:
            raise refused(
                f'segment {row.segment} is "{here[1]}" of "{here[0]}" here, '
                f'"{there[1]}" of "{there[0]}" in a row before',
                "import files of a single test set, or correct the row",
                field="srcIndex",
            )


def _content(files: Sequence[StoredFile], languages: LanguagePair | None) -> _Content:
    content = _Content()
    for file in files:
        with isolated_items(
            file.name, file.size(), partial(five_way_blocks, file)
        ) as rows:
            for row in rows:
                pair = LanguagePair(row.source_language, row.target_language)
                if languages is None or pair.tags == languages.tags:
                    content.add(row, pair, file.name)
    return content


def _only_pair(
    pairs: Counter[LanguagePair], languages: LanguagePair | None
) -> LanguagePair:
    if not pairs:
        chosen = f" of {languages}" if languages else ""
        raise ImportRefusedError(
            f"the input contains no judgments{chosen}",
            "provide a file with at least one",
        )
    if len({pair.tags for pair in pairs}) > 1:
        listed = ", ".join(
            f"{pair} ({count:,})" for pair, count in sorted(pairs.items())
        )
        raise ImportRefusedError(
            f"the input contains several language pairs: {listed}",
            "choose a source and target language; each pair becomes its own test set",
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
    """Return the number of each segment with its position in the document.

    IDs are used as positions if they are distinct positive integers; otherwise the known segments are counted.
    """
    ids = [id_ for _number, id_ in segments]
    numeric = [
        int(id_) for id_ in ids if id_.isascii() and id_.isdigit() and len(id_) <= 10
    ]
    if len(numeric) == len(set(numeric)) == len(ids) and all(
        1 <= position <= _MAX_POSITION for position in numeric
    ):
        positions = numeric
    else:
        positions = list(range(1, len(ids) + 1))
    return [
        (number, position)
        for (number, _id), position in zip(segments, positions, strict=True)
    ]
