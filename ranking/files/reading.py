"""Read files of judgments into the columns of the core; detect the format from a file's beginning."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, NamedTuple

import numpy as np

from campaign.formats import InputFile, Location, read_five_way_csv
from campaign.formats.errors import Loss, Losses
from campaign.formats.known_files import KEYS_OF_ANNOTATIONS, RANK, known_file_error
from campaign.formats.records import JudgedBlock
from campaign.formats.repeats import COUNTED_ONCE
from campaign.formats.streams import byte_chunks, first_line_of, head_text, peek
from ranking.files.appraise import read_appraise_xml
from ranking.files.arena import (
    NamedVotes,
    are_columns_of_votes,
    holds_votes,
    read_arena,
    read_arena_parquet,
)
from ranking.files.lines import read_jsonl, read_rank
from ranking.files.pairwise import read_pairwise_csv
from ranking.files.parquet_reading import MAGIC, opened, read_row_groups
from ranking.files.records import (
    MAX_CANDIDATES,
    NO_JUDGE,
    FileRead,
    InputFormat,
    JudgmentSelection,
    JudgmentsRead,
    ignored_documents,
)
from ranking.files.selecting import RowSources, one_language_pair, selected
from ranking.files.sources import ReadingProgress, Sources
from ranking.files.vocabulary import (
    Columns,
    Int32Array,
    Vocabulary,
    blocks_of,
    columns_of,
    joined,
    votes_in_order,
)

_SNIFFED_BYTES = 64 * 1024
_CSV_COLUMNS = frozenset({"srclang", "trglang", "srcindex", "segmentid", "judgeid"})
_SYSTEM_COLUMN = re.compile(r"system[0-9]+(id|rank|number)")
_RANK_CELLS = 5
_PAGE = re.compile("<(!doctype )?html", re.IGNORECASE)
#: Keys of scored judgments and test sets.
_KEYS_OF_OTHERS = ("annotation", "outputs", "src_text", "tgt_text", "hypothesis")


def detect_input_format(
    file: InputFile,
    accepted: Sequence[str] = tuple(InputFormat),
) -> tuple[InputFormat, InputFile]:
    """Detect the format from the first 64 KiB, regardless of the file's name; an error lists the `accepted` ones.

    Returns
    -------
    tuple of InputFormat and InputFile
        The format, and the file to read instead of `file`, whose beginning has been read.

    Raises
    ------
    FormatError
        If the file is empty, or its beginning matches none of the formats.
    """
    head, whole = peek(file, _SNIFFED_BYTES)
    if head.startswith(MAGIC):
        return InputFormat.PARQUET, whole
    text = head_text(head)
    if text:
        recognised = _format_of(text)
        if recognised is None:
            error = known_file_error(file.name, head, here=RANK)
            raise error or Location(file.name, 1).error(
                "the file is not in a known format of judgments",
                f"use one of {', '.join(accepted)}, or set --input-format",
            )
        return recognised, whole
    for _chunk in byte_chunks(whole):
        pass  # Damaged gzip may also decompress to nothing; this raises its error.
    raise Location(file.name).error(
        "the file is empty",
        "use a file of judgments as described in docs/formats-judgments.md",
    )


def _format_of(text: str) -> InputFormat | None:
    if text.startswith("<"):
        if _PAGE.match(text):
            return None
        return InputFormat.APPRAISE_XML
    first_line = first_line_of(text)
    if text.startswith("[") and '"model_a"' in text.partition("}")[0]:
        return InputFormat.ARENA_VOTES
    if text.startswith("{"):
        return _json_format_of(first_line)
    if re.search("rankingid", first_line, re.IGNORECASE):
        return InputFormat.PAIRWISE_CSV
    cells = re.split("[,;\t]", first_line.replace('"', "").lower())
    names = set(map(str.strip, cells))
    if are_columns_of_votes(names):
        return InputFormat.ARENA_VOTES
    if names & _CSV_COLUMNS or any(map(_SYSTEM_COLUMN.fullmatch, names)):
        return InputFormat.FIVE_WAY_CSV
    rank_cells = next(csv.reader((first_line,), delimiter="\t"))
    if len(rank_cells) == _RANK_CELLS and ":::" not in first_line:
        return InputFormat.RANK
    return None


def _json_format_of(first_line: str) -> InputFormat | None:
    if '"candidates"' in first_line:
        return InputFormat.JSONL
    if '"model_a"' in first_line:
        return InputFormat.ARENA_VOTES
    keys_of_others = (*_KEYS_OF_OTHERS, *KEYS_OF_ANNOTATIONS)
    is_other = any(f'"{key}"' in first_line for key in keys_of_others)
    if is_other:
        return None
    return InputFormat.JSONL


#: Returns the judgments of a file, and counts in `Losses` what it leaves out.
Reader = Callable[[InputFile, Losses], Iterator[JudgedBlock]]


def lossless(read: Callable[[InputFile], Iterator[JudgedBlock]]) -> Reader:
    """Return a reader that leaves nothing out."""

    def read_all(file: InputFile, _losses: Losses) -> Iterator[JudgedBlock]:
        return read(file)

    return read_all


def _five_way(file: InputFile) -> Iterator[JudgedBlock]:
    return read_five_way_csv(file.stream, file.name)


READERS: dict[InputFormat, Reader] = {
    InputFormat.FIVE_WAY_CSV: lossless(_five_way),
    InputFormat.PAIRWISE_CSV: read_pairwise_csv,
    InputFormat.APPRAISE_XML: lossless(read_appraise_xml),
    InputFormat.RANK: lossless(read_rank),
    InputFormat.JSONL: lossless(read_jsonl),
}


def read_judgments(
    names: Sequence[str],
    *,
    input_format: InputFormat | None = None,
    selection: JudgmentSelection | None = None,
    progress: ReadingProgress | None = None,
    in_memory: Mapping[str, bytes] | None = None,
) -> JudgmentsRead:
    """Read the judgments of one language pair from files of one format.

    A name refers to the same judge or system in all files.

    Parameters
    ----------
    names : sequence of str
        Plain, gzip or Parquet files, whatever their names; ``-`` is standard input.
    input_format : InputFormat, optional
        Detected from the beginning of the files if not given.
    selection : JudgmentSelection, optional
        Languages and judges; everything if not given.
    progress : callable, optional
        Called with the bytes read so far and the bytes of all files.
    in_memory : mapping of str to bytes, optional
        The content of names that are not files.

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
    selection = selection or JudgmentSelection()
    read = _read(Sources(names, progress=progress, in_memory=in_memory), input_format)
    vocabulary = read.vocabulary
    losses = read.losses
    languages = one_language_pair(vocabulary.languages, selection)
    sources = RowSources(tuple(file.name for file in read.files), read.file)
    judged, rest = selected(
        read.columns,
        vocabulary,
        languages,
        selection.exclude_judges,
        sources,
    )
    facts = rest.facts(read.files, selection)
    blocks = blocks_of(judged, rest.systems, vocabulary)
    return JudgmentsRead(
        blocks=blocks,
        duration_ms=judged.duration_ms,
        input_format=read.input_format,
        languages=languages,
        judges=sum(name != NO_JUDGE for name in blocks.judges),
        ignored_documents=ignored_documents(
            judged.document,
            used=blocks.document is not None,
        ),
        losses=(*losses, *rest.losses(read.files)),
        documents=tuple(vocabulary.documents),
        **facts,
    )


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
    tuple of Columns, Vocabulary, and losses: the content of the files that was not read
    """
    read = _read(Sources(names, progress=progress), input_format)
    return read.columns, read.vocabulary, read.losses


class _Read(NamedTuple):
    """Content of files of one format."""

    input_format: InputFormat
    files: list[FileRead]
    columns: Columns
    vocabulary: Vocabulary
    losses: tuple[Loss, ...]
    #: The number of the file of each row.
    file: Int32Array


def _read(sources: Sources, input_format: InputFormat | None) -> _Read:
    vocabulary = Vocabulary()
    losses = Losses()
    votes = NamedVotes()
    files: list[FileRead] = []
    columns: list[Columns] = []
    rows_of_files: list[int] = []
    holds_only_votes = True
    first: tuple[InputFormat, str] | None = None
    for name in sources.names:
        with sources.input(name) as (input_file, stream):
            if input_format is not None:
                file_format = input_format
                file = input_file
            else:
                file_format, file = detect_input_format(input_file)
            first = first or (file_format, file.name)
            if file_format is not first[0]:
                raise Location(file.name, 1).error(
                    f"the file is {file_format}, but {first[1]} is {first[0]}",
                    "use files of one format at a time",
                )
            again = partial(sources.seekable, name)
            if file_format is InputFormat.PARQUET:
                holds_only_votes &= holds_votes(file.name, again())
            else:
                holds_only_votes &= file_format is InputFormat.ARENA_VOTES
            parts = list(
                _columns(file_format, file, again, vocabulary, _Beside(losses, votes)),
            )
            files.append(FileRead(name, stream.sha256()))
        if not any(len(part) for part in parts):
            raise Location(file.name, 1).error(
                "the file has no judgments",
                "use a file with judgments",
            )
        columns += parts
        rows_of_files.append(sum(map(len, parts)))
    if first is None:
        raise ValueError("no file was specified")
    together = joined(columns)
    file_of_row = np.repeat(np.arange(len(files), dtype=np.int32), rows_of_files)
    if holds_only_votes:
        counts = votes.counted(losses, is_one_file=len(files) == 1)
        for number in _repeated_files(files):
            is_again = counts & (file_of_row == number)
            losses.add(COUNTED_ONCE, files[number].name, int(is_again.sum()))
            counts &= ~is_again
        file_of_row = file_of_row[counts]
        together = votes_in_order(together.take(counts), vocabulary)
    return _Read(first[0], files, together, vocabulary, losses.counted(), file_of_row)


def _repeated_files(files: Sequence[FileRead]) -> list[int]:
    """Return the numbers of the files with the bytes of an earlier one."""
    hashes = [file.sha256 for file in files]
    return [number for number, sha256 in enumerate(hashes) if sha256 in hashes[:number]]


class _Beside(NamedTuple):
    """Content of files beside their columns."""

    losses: Losses
    votes: NamedVotes


def _columns(
    input_format: InputFormat,
    file: InputFile,
    again: Callable[[], str | IO[bytes]],
    vocabulary: Vocabulary,
    beside: _Beside,
) -> Iterator[Columns]:
    """Yield the columns of a file; `again` opens it for readers that need to seek."""
    if input_format is InputFormat.PARQUET and not holds_votes(file.name, again()):
        with opened(file.name, again()) as parquet:
            yield from read_row_groups(parquet, vocabulary)
        return
    if input_format is InputFormat.PARQUET:
        rows = read_arena_parquet(file.name, again(), beside.losses, beside.votes)
    elif input_format is InputFormat.ARENA_VOTES:
        rows = read_arena(file, beside.losses, beside.votes)
    else:
        rows = READERS[input_format](file, beside.losses)
    yield from columns_of(_fitting(rows, file.name), vocabulary)


def _fitting(rows: Iterator[JudgedBlock], file: str) -> Iterator[JudgedBlock]:
    """Refuse judgments beyond the core's limits."""
    for row in rows:
        if len(row.candidates) > MAX_CANDIDATES:
            raise Location(file, row.line).error(
                f"the block shows {len(row.candidates)} candidates",
                f"use blocks of at most {MAX_CANDIDATES}",
            )
        yield row
