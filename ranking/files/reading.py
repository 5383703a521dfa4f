"""Read files of judgments into the columns of the core; detect the format from a file's beginning."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence

from campaign.formats import InputFile, Place
from campaign.formats.errors import Loss, Losses
from campaign.formats.streams import byte_chunks, peek
from ranking.files.appraise import read_appraise_xml
from ranking.files.arena import COLUMNS, holds_votes, read_arena, read_arena_parquet
from ranking.files.lines import read_five_way, read_jsonl, read_rank
from ranking.files.pairwise import read_pairwise_csv
from ranking.files.parquet_reading import MAGIC, opened, read_row_groups
from ranking.files.records import (
    MAX_CANDIDATES,
    NO_JUDGE,
    FileRead,
    InputFormat,
    JudgedBlock,
    JudgmentSelection,
    JudgmentsRead,
    ignored_documents,
)
from ranking.files.selecting import one_language_pair, selected
from ranking.files.sources import ReadingProgress, Sources
from ranking.files.vocabulary import Columns, Vocabulary, blocks_of, columns_of, joined

_SNIFFED_BYTES = 64 * 1024
_CSV_COLUMNS = frozenset({"srclang", "trglang", "srcindex", "segmentid", "judgeid"})
_SYSTEM_COLUMN = re.compile(r"system[0-9]+(id|rank|number)")
_RANK_CELLS = 5


def detect_input_format(file: InputFile) -> tuple[InputFormat, InputFile]:
    """Detect the format from the first 64 KiB, independent of the file's name.

    Returns
    -------
    tuple of InputFormat and InputFile
        The format, and the file to read instead of `file`, whose beginning has been read.

    Raises
    ------
    FormatError
        If the file is empty, or does not begin like any of the formats.
    """
    head, whole = peek(file, _SNIFFED_BYTES)
    if head.startswith(MAGIC):
        return InputFormat.PARQUET, whole
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text:
        found = _format_of(text)
        if found is None:
            raise Place(file.name, 1).error(
                "the file is not in a known format of judgments",
                f"use one of {', '.join(InputFormat)}, or set --input-format",
            )
        return found, whole
    for _chunk in byte_chunks(whole):
        pass  # Damaged gzip also decompresses to nothing; this raises its error.
    raise Place(file.name).error(
        "the file is empty", "use a file of judgments as described in docs/formats-judgments.md"
    )


def _format_of(text: str) -> InputFormat | None:
    if text.startswith("<"):
        return InputFormat.APPRAISE_XML
    first_line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    if text.startswith("{"):
        is_vote = '"model_a"' in first_line and '"candidates"' not in first_line
        return InputFormat.ARENA_VOTES if is_vote else InputFormat.JSONL
    if re.search("rankingid", first_line, re.IGNORECASE):
        return InputFormat.PAIRWISE_CSV
    names = {name.strip().lower() for name in re.split("[,;\t]", first_line.replace('"', ""))}
    if names >= set(COLUMNS):
        return InputFormat.ARENA_VOTES
    if names & _CSV_COLUMNS or any(map(_SYSTEM_COLUMN.fullmatch, names)):
        return InputFormat.FIVE_WAY_CSV
    if len(next(csv.reader((first_line,), delimiter="\t"))) == _RANK_CELLS:
        return InputFormat.RANK
    return None


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
) -> JudgmentsRead:
    """Read the judgments of one language pair from files of one format.

    Judges and systems of the same name are the same in all files.

    Parameters
    ----------
    names : sequence of str
        Files, plain, gzip or Parquet whatever they are called; ``-`` is standard input.
    input_format : InputFormat, optional
        Detected from the beginning of the files if not given.
    selection : JudgmentSelection, optional
        Languages and judges; everything if not given.
    progress : callable, optional
        Called with the bytes read so far and the bytes of all files.

    Returns
    -------
    JudgmentsRead
        The judged blocks, including the reference if it was shown, and the other content of the files.

    Raises
    ------
    FormatError
        If a file is malformed, empty, or in another format than the first, or if only one
        system was judged.
    SelectionError
        If there are several language pairs and none was selected (the message lists them), or if
        the selection matches nothing.
    """
    reading = _read(names, input_format, progress)
    return reading.result(selection or JudgmentSelection())


def read_columns(
    names: Sequence[str],
    *,
    input_format: InputFormat | None = None,
    progress: ReadingProgress | None = None,
) -> tuple[Columns, Vocabulary, tuple[Loss, ...]]:
    """Read all judgments and skips of all language pairs, to be written in another format.

    Parameters and errors are those of `read_judgments`.

    Returns
    -------
    tuple of Columns, Vocabulary and the losses: content of the files that was not read
    """
    reading = _read(names, input_format, progress)
    return reading.columns(), reading.vocabulary, reading.losses.found()


def _read(
    names: Sequence[str],
    input_format: InputFormat | None,
    progress: ReadingProgress | None,
) -> _Reading:
    sources = Sources(names, progress=progress)
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
            raise Place(called, 1).error("the file has no judgments", "use a file with judgments")
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
        """Return the columns read, and release them."""
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
    """Refuse judgments beyond the core's limits."""
    for row in rows:
        if len(row.candidates) > MAX_CANDIDATES:
            raise Place(file, row.line).error(
                f"the block shows {len(row.candidates)} candidates",
                f"use blocks of at most {MAX_CANDIDATES}",
            )
        yield row
