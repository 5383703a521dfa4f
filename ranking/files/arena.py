"""Read votes of chatbot arenas (``model_a``, ``model_b``, ``winner``) from CSV, JSON or Parquet.

Votes of a judge who knew the models (``anony`` is false) are left out, as in the arena's own ranking, and so are
votes about a model and itself.
"""

from collections.abc import Collection, Hashable, Iterator
from datetime import datetime
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from campaign.formats import InputFile
from campaign.formats.cells import (
    Refuse,
    judge_of,
    refuse_at,
    refuse_rounded,
    systems_of,
)
from campaign.formats.errors import Losses
from campaign.formats.json_text import JSONObject
from campaign.formats.records import JudgedBlock
from campaign.formats.repeats import Submission, counted_submissions
from campaign.formats.streams import peek
from campaign.formats.tables import is_index, read_table, refuse_repeated_columns
from ranking.files.labels import array_objects, json_objects
from ranking.files.parquet_reading import refusing_damage
from ranking.files.records import NO_JUDGE

MODELS: Final = ("model_a", "model_b")
COLUMNS: Final = (*MODELS, "winner")
#: Columns that are 1 for the winner, in place of a column with its name.
_WINNER_COLUMNS: Final = {
    "winner_model_a": "model_a",
    "winner_model_b": "model_b",
    "winner_tie": "tie",
}
#: Columns that name a question or a conversation, and its parts; and the time of a vote.
_QUESTIONS: Final = ("id", "vote_id", "battle_id", "question_id", "conversation_id")
_PARTS: Final = ("turn",)
_TIMES: Final = ("tstamp", "timestamp")
#: Columns that may name the judge, by precedence.
_JUDGES: Final = (
    "judge",
    "judge_id",
    "judge_hash",
    "annotator",
    "annotator_id",
    "rater",
    "rater_id",
    "evaluator",
    "evaluator_id",
    "assessor",
    "assessor_id",
    "worker",
    "worker_id",
    "workerid",
    "participant",
    "participant_id",
    "prolific_pid",
    "user",
    "user_id",
    "username",
)
#: Names of votes, and not of questions about which several people may vote.
_VOTES: Final = ("vote_id", "battle_id")
#: False for a vote of a judge who knew the models.
_ANONYMOUS: Final = "anony"
_OF_VOTE: Final = (*COLUMNS, *_WINNER_COLUMNS, _ANONYMOUS)
_READ: Final = (*_OF_VOTE, *_JUDGES, *_QUESTIONS, *_PARTS, *_TIMES)
_ROWS_AT_A_TIME: Final = 1 << 12
_TIE: Final = (1, 1)
#: Ranks of the two models. Two bad answers are a tie, as in the arena's own ranking.
_WINNERS: Final = {
    "model_a": (1, 2),
    "model_b": (2, 1),
    "tie": _TIE,
    "tie (bothbad)": _TIE,
    "both_bad": _TIE,
    "bothbad": _TIE,
    # MT-Bench: a judge asked in both orders gave two answers.
    "tie (inconsistent)": _TIE,
}


class NamedVotes:
    """The votes read so far, by the questions that they name, to find repeats.

    Without the name of a question, equal votes are different ones.
    """

    def __init__(self) -> None:
        self._number = 0
        self._submissions: dict[int, Submission] = {}

    def add(self, file: str, line: int, values: JSONObject, block: JudgedBlock) -> None:
        """Add the next vote."""
        number = self._number
        self._number += 1
        names = [_cell(values.get(name)) for name in _QUESTIONS]
        if not any(names):
            return
        for column, name in zip(_QUESTIONS, names, strict=True):
            refuse_rounded(name, column, refuse_at(file, line))
        models = tuple(sorted(block.candidates))
        parts = [_cell(values.get(name)) for name in _PARTS]
        times = [value for name in _TIMES if _cell(value := values.get(name))]
        about: tuple[Hashable, ...] = (*names, *parts, block.judge, models)
        if block.judge == NO_JUDGE:
            is_named = times or any(_cell(values.get(name)) for name in _VOTES)
            if not is_named:
                return
            # Another vote may be somebody else's, unless all of it is equal.
            about = (*about, repr(sorted(values.items())))
        self._submissions[number] = Submission(
            about=about,
            answer=tuple(sorted(zip(block.candidates, block.labels, strict=True))),
            file=file,
            line=line,
            ended_at=_seconds(times[0]) if times else None,
        )

    def counted(self, losses: Losses, *, is_one_file: bool) -> npt.NDArray[np.bool_]:
        """Return which votes count, in the order in which they were added."""
        counts = np.ones(self._number, dtype=np.bool_)
        numbers = list(self._submissions)
        submissions = list(self._submissions.values())
        counts[numbers] = counted_submissions(
            submissions,
            losses,
            None,
            is_one_file=is_one_file,
        )
        return counts


def _cell(value: object) -> str:
    """Return a cell as text; empty if there is none, which pandas writes as NaN. 0 is a value."""
    if value is None or value != value:
        return ""
    return str(value).strip()


def _seconds(time: object) -> float | None:
    """Return a time as seconds since 1970; None if it is in no known form."""
    if isinstance(time, datetime):
        return time.timestamp()
    try:
        return float(str(time))
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(str(time)).timestamp()
    except ValueError:
        return None


def read_arena(
    file: InputFile,
    losses: Losses,
    votes: NamedVotes,
) -> Iterator[JudgedBlock]:
    """Yield a block of two for every vote. Each vote is its own segment, because each had its own prompt.

    Votes have no language pair. Other content of the file is counted in `losses`, by column. The blocks are also
    added to `votes`, which finds repeats.

    Raises
    ------
    FormatError
        With line and field.
    """
    head, whole = peek(file, 64)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"[":
        rows = array_objects(whole)
    elif start == b"{":
        rows = json_objects(whole)
    else:
        rows = _rows(whole)
    for number, (line, values, refuse) in enumerate(rows, 1):
        block = _block(line, number, values, refuse, losses)
        if block is not None:
            votes.add(file.name, line, values, block)
            yield block


def are_columns_of_votes(names: Collection[str]) -> bool:
    """Return whether a table with these columns has votes."""
    has_winner = "winner" in names or set(_WINNER_COLUMNS) <= set(names)
    return has_winner and set(MODELS) <= set(names)


def holds_votes(name: str, source: str | IO[bytes]) -> bool:
    """Return whether a Parquet file has the columns of votes."""
    with refusing_damage(name):
        from pyarrow import parquet

        return are_columns_of_votes(parquet.read_schema(source).names)


def read_arena_parquet(
    name: str,
    source: str | IO[bytes],
    losses: Losses,
    votes: NamedVotes,
) -> Iterator[JudgedBlock]:
    """Yield the same blocks as `read_arena`; errors give the row, counted from 1, as line."""
    row = 0
    with refusing_damage(name):
        from pyarrow import parquet

        stored = parquet.ParquetFile(source)
        refuse_repeated_columns(name, None, stored.schema_arrow.names, _READ)
        for batch in stored.iter_batches(batch_size=_ROWS_AT_A_TIME):
            columns: dict[str, list[Any]] = {}
            for field, column in zip(batch.schema.names, batch.columns, strict=True):
                if field in _READ:
                    columns[field] = column.to_pylist()
                else:
                    # Only check whether unused fields, such as conversations, are present.
                    is_there = column.is_valid().to_pylist()
                    columns[field] = [value or None for value in is_there]
            for cells in zip(*columns.values(), strict=True):
                row += 1
                values = dict(zip(columns, cells, strict=True))
                block = _block(row, row, values, refuse_at(name, row), losses)
                if block is not None:
                    votes.add(name, row, values, block)
                    yield block


def _rows(file: InputFile) -> Iterator[tuple[int, JSONObject, Refuse]]:
    table = read_table(file)
    columns = []
    for column, title in table.columns():
        is_read = title.lower() in _READ
        columns.append((column, title.lower() if is_read else title))
    names = [name for _column, name in columns]
    refuse_repeated_columns(file.name, table.line, names, _READ)
    for line, cells in table.rows():
        values = {name: cells[column] for column, name in columns}
        yield line, values, refuse_at(file.name, line)


def _block(
    line: int,
    number: int,
    values: JSONObject,
    refuse: Refuse,
    losses: Losses,
) -> JudgedBlock | None:
    model_a = _text(values, "model_a", refuse)
    model_b = _text(values, "model_b", refuse)
    if str(values.get(_ANONYMOUS)).strip().lower() == "false":
        losses.add(
            "votes of judges who knew the models (anony is false)",
            f"line {line}",
        )
        return None
    if model_a.strip() == model_b.strip():
        losses.add("votes about a model and itself", f"line {line}")
        return None
    winner = _winner(values, refuse)
    labels = _WINNERS.get(winner.strip().lower())
    if labels is None:
        refuse(
            "winner",
            f"{winner!r} is not a winner",
            f"write one of {', '.join(_WINNERS)}",
        )
    names: set[str] = set()
    candidates = []
    for name, model in (("model_a", model_a), ("model_b", model_b)):
        candidates.append(systems_of(model, name, names, refuse))
        if len(candidates[-1]) > 1:
            refuse(
                name,
                "a vote compares two models",
                "write a model's name without a comma",
            )
    judge_column = next(
        (name for name in _JUDGES if _cell(values.get(name))),
        "judge",
    )
    judge = NO_JUDGE
    judge_cell = values.get(judge_column)
    if isinstance(judge_cell, list):
        # MT-Bench: the model that judged and its prompt.
        judge_cell = " ".join(map(str, judge_cell))
    if _cell(judge_cell):
        judge = judge_of(_cell(judge_cell), judge_column, refuse)
    for name, value in values.items():
        is_read = name in _OF_VOTE or name == judge_column or is_index(name)
        if not is_read and _cell(value):
            losses.add(f'column "{name}"', f"line {line}")
    return JudgedBlock(
        line=line,
        source_language="",
        target_language="",
        segment=number,
        judge=judge,
        candidates=tuple(candidates),
        labels=labels,
    )


def _winner(values: JSONObject, refuse: Refuse) -> str:
    if "winner" in values:
        return _text(values, "winner", refuse)
    winners = []
    for column, winner in _WINNER_COLUMNS.items():
        cell = str(values.get(column)).strip().lower()
        if cell in ("1", "1.0", "true"):
            winners.append(winner)
    if len(winners) != 1:
        refuse(
            "winner",
            f"the vote has {len(winners)} winners",
            f"write 1 in one of {', '.join(_WINNER_COLUMNS)}, and 0 in the others",
        )
    return winners[0]


def _text(values: JSONObject, name: str, refuse: Refuse) -> str:
    value = values.get(name)
    if isinstance(value, bytes):
        # Parquet of Spark and Impala may store texts without saying that they are.
        value = value.decode()
    if not isinstance(value, str) or not value.strip():
        refuse(
            name,
            "the text is missing",
            "provide model_a, model_b and winner for every vote",
        )
    return value
