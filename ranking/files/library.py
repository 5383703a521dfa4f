"""`quintet.read_judgments`: judged blocks for programs, from the files that commands read or from a DataFrame."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from campaign.formats import Place
from campaign.formats.five_way import FIXED_COLUMNS
from ranking.core.judged.blocks import Blocks
from ranking.core.words import member_of
from ranking.files import pairwise
from ranking.files.arena import COLUMNS as VOTE_COLUMNS
from ranking.files.reading import format_of_text
from ranking.files.reading import read_judgments as read_files
from ranking.files.records import InputFormat, JudgmentSelection
from ranking.files.references import REFERENCE_SYSTEM, reference_found

FileName = str | os.PathLike[str]
_FILE_NAMES: Final = (str, os.PathLike)

#: Name of a DataFrame in messages; they count its lines as those of the CSV that it would be.
_FRAME: Final = "DataFrame as CSV"
_TABLES: Final = (InputFormat.FIVE_WAY_CSV, InputFormat.PAIRWISE_CSV, InputFormat.ARENA_VOTES)
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
        A DataFrame (of pandas or polars) has the columns of a five-way or pairwise CSV, or of votes.
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
        in_memory = {_FRAME: _csv_of(judgments)}
        names = [_FRAME]
    else:
        in_memory = {}
        names = _names_of_files(judgments)
    read = read_files(
        names,
        input_format=input_format and member_of(InputFormat, "input_format", input_format),
        selection=selection,
        in_memory=in_memory,
    )
    if reference is None:
        return read.blocks
    named = None if reference == REFERENCE_SYSTEM else reference
    found = reference_found(read.blocks.systems, named, is_excluded=True)
    return read.blocks if found is None else read.blocks.without([found])


def _names_of_judges(given: Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _names_of_files(given: Any) -> list[str]:
    if isinstance(given, _FILE_NAMES):
        names = [given]
    elif isinstance(given, (list, tuple, Iterator)) and not hasattr(given, "read"):
        names = list(given)
    else:
        names = []
    if not names or not all(isinstance(name, _FILE_NAMES) for name in names):
        library = type(given).__module__.partition(".")[0]
        raise TypeError(
            "read_judgments takes the name of a file, several names, or a DataFrame of pandas or polars, "
            f"not {library}.{type(given).__name__}"
        )
    return [str(Path(name).expanduser()) for name in names]


def _is_frame(given: Any) -> bool:
    is_of_pandas = hasattr(given, "to_csv") and hasattr(getattr(given, "index", None), "names")
    is_written_as_csv = is_of_pandas or hasattr(given, "write_csv")
    return is_written_as_csv and hasattr(given, "columns")


def _csv_of(frame: Any) -> bytes:
    """Return a DataFrame as the CSV that its library writes, for the readers of files."""
    if not hasattr(frame, "to_csv"):
        text = frame.write_csv()
    elif any(name is not None for name in frame.index.names):
        text = frame.reset_index().to_csv(index=False)
    else:
        text = frame.to_csv(index=False)
    if format_of_text(text) not in _TABLES:
        columns = ", ".join(map(str, frame.columns))
        raise Place(_FRAME).error(f"its columns are {columns}", _COLUMNS_NEEDED)
    encoded: bytes = text.encode()
    return encoded
