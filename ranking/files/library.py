"""`quintet.read_judgments`: judged blocks for programs, from the files that commands read or from a DataFrame."""

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from campaign.formats import FormatError, InputFile, Location
from campaign.formats.five_way import FIXED_COLUMNS, is_five_way_column
from ranking.core.judged.blocks import Blocks
from ranking.core.words import member_of
from ranking.files import pairwise
from ranking.files.arena import COLUMNS as VOTE_COLUMNS
from ranking.files.reading import detect_input_format
from ranking.files.reading import read_judgments as read_files
from ranking.files.records import InputFormat, JudgmentSelection
from ranking.files.references import REFERENCE_SYSTEM, judged_reference

FileName = str | os.PathLike[str]
_FILE_NAMES: Final = (str, os.PathLike)

#: Names of a DataFrame in messages; they count its lines as those of the file that it would be.
_AS_CSV: Final = "DataFrame as CSV"
_AS_JSON_LINES: Final = "DataFrame as JSON Lines"
_TABLES: Final = (
    InputFormat.FIVE_WAY_CSV,
    InputFormat.PAIRWISE_CSV,
    InputFormat.ARENA_VOTES,
)
_PAIRWISE_COLUMNS: Final = frozenset(map(str.lower, pairwise.COLUMNS))
_COLUMNS_NEEDED: Final = (
    f"use the columns of a five-way CSV ({', '.join(FIXED_COLUMNS)}, system1Id, system1rank, system2Id, system2rank, …), "
    f"of a pairwise CSV ({', '.join(pairwise.COLUMNS)}), or of votes ({', '.join(VOTE_COLUMNS)}); for any other table, "
    "build the blocks with blocks_from_rows"
)


def read_judgments(
    judgments: FileName | Iterable[FileName] | Any,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    exclude_judges: Iterable[str] = (),
    reference: str | None = REFERENCE_SYSTEM,
    input_format: InputFormat | None = None,
) -> Blocks:
    """Read judgments for `rank` and `measure_agreement`.

    Files and options are those of the command `quintet rank`, which gives the same ranking.

    Parameters
    ----------
    judgments : file name, several file names, or DataFrame
        A DataFrame (of pandas or polars) has the columns of a five-way or pairwise CSV, or of votes; its other
        columns are not read.
    source_language, target_language : str, optional
        As the judgments spell them; needed if there are several language pairs.
    exclude_judges : iterable of str
        Judges whose judgments are left out.
    reference : str or None
        System that is left out as the reference, if it is there; None keeps all systems.
    input_format : InputFormat, optional
        Or its name, such as "jsonl"; detected if not given.

    Returns
    -------
    Blocks

    Raises
    ------
    FormatError
        If a file cannot be read, or judgments are malformed. The message names the line and a remedy.
    SelectionError
        If nothing is selected, or there are several language pairs.
    TypeError
        If `judgments` is something else.
    """
    selection = JudgmentSelection(
        source=source_language,
        target=target_language,
        exclude_judges=_names_of_judges(exclude_judges),
    )
    if _is_frame(judgments):
        in_memory = _file_of(judgments)
        names = list(in_memory)
    else:
        in_memory = {}
        names = _names_of_files(judgments)
    if input_format is not None:
        input_format = member_of(InputFormat, "input_format", input_format)
    read = read_files(
        names,
        input_format=input_format,
        selection=selection,
        in_memory=in_memory,
    )
    if reference is None:
        return read.blocks
    if reference == REFERENCE_SYSTEM:
        named = None
    else:
        named = reference
    reference_system = judged_reference(read.blocks.systems, named, is_excluded=True)
    if reference_system is None:
        return read.blocks
    return read.blocks.without([reference_system])


def _names_of_judges(names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    return tuple(names)


def _names_of_files(source: Any) -> list[str]:
    if isinstance(source, _FILE_NAMES):
        names = [source]
    elif isinstance(source, (list, tuple, Iterator)) and not hasattr(source, "read"):
        names = list(source)
    else:
        names = []
    if not names or not all(isinstance(name, _FILE_NAMES) for name in names):
        library = type(source).__module__.partition(".")[0]
        raise TypeError(
            "read_judgments takes the name of a file, several names, or a DataFrame of pandas or polars, "
            f"not {library}.{type(source).__name__}",
        )
    return [str(Path(name).expanduser()) for name in names]


def _is_frame(source: Any) -> bool:
    is_of_pandas = hasattr(source, "to_csv") and hasattr(
        getattr(source, "index", None),
        "names",
    )
    is_written_as_csv = is_of_pandas or hasattr(source, "write_csv")
    return is_written_as_csv and hasattr(source, "columns")


def _file_of(frame: Any) -> dict[str, bytes]:
    """Return the file that its library writes of a DataFrame, by its name in messages, for the readers of files."""
    is_of_pandas = hasattr(frame, "to_csv")
    if is_of_pandas and any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    names = [str(name) for name in frame.columns]
    input_format = _format_of_columns(names)
    if input_format is InputFormat.ARENA_VOTES:
        # Conversations have line breaks, which cells of a CSV must not have here.
        if is_of_pandas:
            lines = frame.to_json(orient="records", lines=True)
        else:
            lines = frame.write_ndjson()
        return {_AS_JSON_LINES: lines.encode()}
    is_pairwise = input_format is InputFormat.PAIRWISE_CSV
    if is_pairwise:
        is_read = _is_pairwise_column
    else:
        is_read = is_five_way_column
    # Programs add columns of their own.
    table = frame[[name for name in frame.columns if is_read(str(name))]]
    if is_of_pandas:
        text = table.to_csv(index=False)
    else:
        text = table.write_csv()
    return {_AS_CSV: text.encode()}


def _format_of_columns(names: list[str]) -> InputFormat:
    """Return the format of a table with these columns. Raises FormatError if judgments have others."""
    header = InputFile("DataFrame", io.BytesIO(",".join(names).encode()))
    refusal = Location("DataFrame").error(
        f"its columns are {', '.join(names)}",
        _COLUMNS_NEEDED,
    )
    try:
        input_format, _file = detect_input_format(header)
    except FormatError as error:
        raise refusal from error
    if input_format not in _TABLES:
        raise refusal
    return input_format


def _is_pairwise_column(name: str) -> bool:
    return name.lower() in _PAIRWISE_COLUMNS
