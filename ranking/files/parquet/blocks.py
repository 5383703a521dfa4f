"""Judgments of a Parquet file one by one, for importers."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile

from campaign.formats import InputFile
from campaign.formats.streams import byte_chunks
from ranking.files.parquet.opening import opened
from ranking.files.parquet.reading import read_row_groups
from ranking.files.records import JudgedBlock
from ranking.files.vocabulary import Columns, Vocabulary


def read_parquet(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a judgment or skip for every row; `line` is its place in the file, from 1.

    Raises
    ------
    FormatError
        As `read_row_groups` words it.
    """
    vocabulary = Vocabulary()
    # Its footer is read first, so the file must be one that can be read from anywhere.
    with TemporaryFile() as whole:
        for chunk in byte_chunks(file):
            whole.write(chunk)
        whole.seek(0)
        with opened(file.name, whole) as parquet:
            before = 0
            for columns in read_row_groups(parquet, vocabulary):
                yield from _blocks(columns, vocabulary, before)
                before += len(columns)


def _blocks(columns: Columns, vocabulary: Vocabulary, before: int) -> Iterator[JudgedBlock]:
    languages, judges = list(vocabulary.languages), list(vocabulary.judges)
    candidates, documents = list(vocabulary.candidates), list(vocabulary.documents)
    for row in range(len(columns)):
        shown = [
            (one, label)
            for one, label in zip(columns.candidate[row], columns.label[row], strict=True)
            if one >= 0
        ]
        duration, document = int(columns.duration_ms[row]), int(columns.document[row])
        source, target = languages[columns.language[row]]
        yield JudgedBlock(
            line=before + row + 1,
            source_language=source,
            target_language=target,
            segment=int(columns.segment[row]),
            judge=judges[columns.judge[row]],
            candidates=tuple(candidates[one] for one, _label in shown),
            labels=tuple(int(label) or None for _one, label in shown),
            duration_ms=duration if duration >= 0 else None,
            document=documents[document] if document >= 0 else "",
        )
