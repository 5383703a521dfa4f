"""Judgments of a five-way CSV, each with the block it was made on."""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from django.db import transaction

from annotation.importing.blocks import BlockWriter, KeyedRow
from annotation.models import HIT, Block, Candidate, CandidateOutput, Judgment, Skip
from annotation.services.judging.notifications import ranking_request
from campaign.database.copy import statistics_refresh
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import JudgmentsFile, LanguagePair, PlacedRow, rows_placed
from campaign.models import Judge, Output, Segment, TestSet

_BATCH: Final = 1_000
_NAMESPACE: Final = uuid.UUID("5e4ef7b0-6c2d-5d0e-9d0a-2f3f7f1c9a51")


@dataclass(frozen=True, slots=True)
class JudgmentsImported:
    """What an import did: rows that became judgments and skips, and rows known before."""

    judgments: int
    skips: int
    already_there: int


@transaction.atomic
def judgments_import(
    *,
    test_set: TestSet,
    files: Sequence[JudgmentsFile],
    languages: LanguagePair | None = None,
    progress: Callable[[int], None] | None = None,
) -> JudgmentsImported:
    """Import every row of `files`; of those `languages` chooses, if given.

    A row becomes a HIT of one block with its candidates as shown, and a
    judgment by a judge known by the file's name for them; a row without a
    label becomes a skip. A row that was imported before is left alone: it is
    known by its segment, judge, candidates, labels and by how many rows
    before it say the same.

    Holds the test set's judgment sequence until the transaction ends:
    judges' submissions to this test set wait that long. Memory grows by
    about 100 bytes a row. Once committed, the ranking is told.

    Raises FormatError for what a row says, ImportRefusedError for the whole.
    """
    writer = BlockWriter(test_set)
    judgments = skips = already_there = done = 0
    # Closed here, since a refusal leaves the reader in the middle of a file.
    with closing(
        rows_placed(files, languages=languages, known_systems=writer.system_ids)
    ) as placed:
        rows = _of_the_test_set(placed, test_set) if languages is None else placed
        for batch in _batches(_keyed(rows, test_set)):
            new = _not_there(batch)
            written = writer.write(new)
            judgments += written
            skips += len(new) - written
            already_there += len(batch) - len(new)
            done += len(batch)
            if progress:
                progress(done)
    if not done:
        chosen = f" of {languages}" if languages else ""
        raise ImportRefusedError(
            f"there is no judgment{chosen} in the input", "give a file with at least one"
        )
    statistics_refresh(
        Segment, Output, HIT, Block, Candidate, CandidateOutput, Judge, Judgment, Skip
    )
    if judgments:
        ranking_request(test_set_id=test_set.pk)
    return JudgmentsImported(judgments=judgments, skips=skips, already_there=already_there)


def _of_the_test_set(rows: Iterable[PlacedRow], test_set: TestSet) -> Iterator[PlacedRow]:
    """Refuse rows of other languages: they are judgments of other texts."""
    pair = LanguagePair(test_set.source_language, test_set.target_language)
    own = pair.tags
    for placed in rows:
        if placed.languages.tags != own:
            raise placed.error(
                f'the row is {placed.languages}, the test set "{test_set.name}" {pair}',
                "give a file of this test set, or choose the rows to import "
                "by their source and their target language",
                field="srclang",
            )
        yield placed


def _keyed(rows: Iterable[PlacedRow], test_set: TestSet) -> Iterator[KeyedRow]:
    """Give every row the id it has in every import of it into this test set.

    Only what an export keeps goes into the id, so that an exported file is
    known again too.
    """
    seen: Counter[bytes] = Counter()
    for placed in rows:
        row = placed.row
        content = json.dumps(
            [test_set.pk, row.source_index, row.judge.strip(), row.candidates, row.labels]
        )
        digest = blake2b(content.encode(), digest_size=16).digest()
        seen[digest] += 1
        yield KeyedRow(placed, uuid.uuid5(_NAMESPACE, f"{content} {seen[digest]}"))


def _batches(rows: Iterable[KeyedRow]) -> Iterator[list[KeyedRow]]:
    batch: list[KeyedRow] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _not_there(batch: list[KeyedRow]) -> list[KeyedRow]:
    ids = [row.client_id for row in batch]
    there = set(Judgment.objects.filter(client_id__in=ids).values_list("client_id", flat=True))
    there |= set(Skip.objects.filter(client_id__in=ids).values_list("client_id", flat=True))
    return [row for row in batch if row.client_id not in there]
