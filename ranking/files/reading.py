"""Files of judgments in, the columns of the core out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import IO

from campaign.formats import InputFile, Place
from campaign.formats.losses import Loss, Losses
from ranking.files.appraise import read_appraise_xml
from ranking.files.arena import holds_votes, read_arena, read_arena_parquet
from ranking.files.build import blocks_of
from ranking.files.detection import detect_input_format
from ranking.files.documents import ignored_documents
from ranking.files.five_way import read_five_way
from ranking.files.jsonl import read_jsonl
from ranking.files.pairwise import read_pairwise_csv
from ranking.files.parquet.opening import opened
from ranking.files.parquet.reading import read_row_groups
from ranking.files.rank_pairs import read_rank
from ranking.files.records import (
    MAX_CANDIDATES,
    NO_JUDGE,
    FileRead,
    InputFormat,
    JudgedBlock,
    JudgmentSelection,
    JudgmentsRead,
)
from ranking.files.selecting import one_language_pair, selected
from ranking.files.sources import ReadingProgress, Sources
from ranking.files.vocabulary import Columns, Vocabulary, columns_of, joined

READERS: dict[InputFormat, Callable[[InputFile], Iterator[JudgedBlock]]] = {
    InputFormat.FIVE_WAY_CSV: read_five_way,
    InputFormat.PAIRWISE_CSV: read_pairwise_csv,
    InputFormat.APPRAISE_XML: read_appraise_xml,
    InputFormat.RANK: read_rank,
    InputFormat.JSONL: read_jsonl,
}


def read_judgments(
    names: Sequence[str],
    *,
    input_format: InputFormat | None = None,
    selection: JudgmentSelection | None = None,
    progress: ReadingProgress | None = None,
    standard_input: IO[bytes] | None = None,
) -> JudgmentsRead:
    """Read the judgments of one language pair from files of one format.

    Judges and systems of the same name are the same in all files.

    Parameters
    ----------
    names : sequence of str
        Files, plain, gzip or Parquet whatever they are called; ``-`` is standard input.
    input_format : InputFormat, optional
        Told by how the files begin if not given.
    selection : JudgmentSelection, optional
        Languages and judges; everything if not given.
    progress : callable, optional
        Called with the bytes read so far and, if known, those of all files.
    standard_input : binary file, optional
        Read for ``-`` instead of the process's own.

    Returns
    -------
    JudgmentsRead
        The judged blocks with the reference, if it was shown; and what else the files say.

    Raises
    ------
    FormatError
        If a file is not in order, is empty, holds another format than the first, or only one
        system was judged.
    SelectionError
        If several language pairs are there and none was chosen (the message lists them), or what
        was chosen is not there.
    """
    reading = _read(names, input_format, progress, standard_input)
    return reading.result(selection or JudgmentSelection())


def read_columns(
    names: Sequence[str],
    *,
    input_format: InputFormat | None = None,
    progress: ReadingProgress | None = None,
    standard_input: IO[bytes] | None = None,
) -> tuple[Columns, Vocabulary, tuple[Loss, ...]]:
    """Read all judgments and skips of all language pairs, to be written in another format.

    Parameters and errors are those of `read_judgments`.

    Returns
    -------
    tuple of Columns, Vocabulary and what of the files was not read
    """
    reading = _read(names, input_format, progress, standard_input)
    return reading.columns(), reading.vocabulary, reading.losses.found()


def _read(
    names: Sequence[str],
    input_format: InputFormat | None,
    progress: ReadingProgress | None,
    standard_input: IO[bytes] | None,
) -> _Reading:
    sources = Sources(names, progress=progress, standard_input=standard_input)
    reading = _Reading(input_format, sources)
    for name in sources.names:
        reading.read(name)
    return reading


class _Reading:
    """The files read so far."""

    def __init__(self, input_format: InputFormat | None, sources: Sources) -> None:
        self._given = input_format
        self._first: tuple[InputFormat, str] | None = None
        self._sources = sources
        self.vocabulary = Vocabulary()
        self._columns: list[Columns] = []
        self._files: list[FileRead] = []
        self.losses = Losses()

    def read(self, name: str) -> None:
        with self._sources.input(name) as (given, stream):
            called = given.name
            found, file = self._detected(given)
            if found is InputFormat.PARQUET:
                sha256 = stream.sha256()
                parts = self._parts_of_parquet(called, name)
            else:
                rows = (
                    read_arena(file, self.losses)
                    if found is InputFormat.ARENA_VOTES
                    else READERS[found](file)
                )
                rows = _fitting(rows, called)
                parts = list(columns_of(rows, self.vocabulary))
                sha256 = stream.sha256()
        if not any(len(part) for part in parts):
            raise Place(called, 1).error("the file holds no judgment", "give a file with judgments")
        self._columns.extend(parts)
        self._files.append(FileRead(name, sha256))

    def _parts_of_parquet(self, called: str, name: str) -> list[Columns]:
        if holds_votes(called, self._sources.seekable(name)):
            votes = read_arena_parquet(called, self._sources.seekable(name), self.losses)
            return list(columns_of(votes, self.vocabulary))
        with opened(called, self._sources.seekable(name)) as parquet:
            return list(read_row_groups(parquet, self.vocabulary))

    def _detected(self, file: InputFile) -> tuple[InputFormat, InputFile]:
        found, whole = (self._given, file) if self._given is not None else detect_input_format(file)
        if self._first is None:
            self._first = found, file.name
        if found is not self._first[0]:
            raise Place(file.name, 1).error(
                f"the file is {found}, but {self._first[1]} is {self._first[0]}",
                "give files of one format at a time",
            )
        return found, whole

    def columns(self) -> Columns:
        """Return what was read, and keep none of it."""
        parts, self._columns = self._columns, []
        return joined(parts)

    def result(self, selection: JudgmentSelection) -> JudgmentsRead:
        if self._first is None:
            raise ValueError("no file was read")
        languages = one_language_pair(self.vocabulary.languages, selection)
        excluded = selection.exclude_judges
        judged, rest = selected(self.columns(), self.vocabulary, languages, excluded)
        found = rest.found(self._files, selection)
        judges, candidates = list(self.vocabulary.judges), list(self.vocabulary.candidates)
        blocks = blocks_of(judged, rest.systems, judges, candidates)
        return JudgmentsRead(
            blocks=blocks,
            duration_ms=judged.duration_ms,
            input_format=self._first[0],
            languages=languages,
            judges=sum(name != NO_JUDGE for name in blocks.judges),
            ignored_documents=ignored_documents(judged.document, used=blocks.document is not None),
            losses=self.losses.found(),
            documents=tuple(self.vocabulary.documents),
            **found,
        )


def _fitting(rows: Iterator[JudgedBlock], file: str) -> Iterator[JudgedBlock]:
    """Refuse what the core has no room for."""
    for row in rows:
        if len(row.candidates) > MAX_CANDIDATES:
            raise Place(file, row.line).error(
                f"the block shows {len(row.candidates)} candidates",
                f"give blocks of at most {MAX_CANDIDATES}",
            )
        yield row
