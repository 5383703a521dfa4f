"""The five-way CSV: the strict reader of `campaign.formats`, and the same fast."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from campaign.formats import InputFile, read_five_way_csv, system_name_problem
from campaign.formats.records import MAX_JUDGE_NAME
from ranking.files.records import JudgedBlock
from ranking.files.scan import CodedColumn, CodedColumns, NotPlainError, scan
from ranking.files.vocabulary import Columns, Vocabulary, systems_table

_FIXED = frozenset({"srclang", "trglang", "srcindex", "documentid", "segmentid", "judgeid"})
_SLOT_COLUMN = re.compile(r"system([1-9][0-9]?)(number|id|rank)")
_NUMBERS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")
_SEGMENT = re.compile(r"[0-9]{1,9}")
_LABELS = {"": 0, "-1": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5}


def read_five_way(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a judgment or skip for every row; errors as `read_five_way_csv` words them."""
    for row in read_five_way_csv(file.stream, file.name):
        yield JudgedBlock(
            line=row.line,
            source_language=row.source_language,
            target_language=row.target_language,
            segment=row.source_index,
            judge=row.judge,
            candidates=row.candidates,
            labels=row.labels,
            document=row.document,
        )


def scan_five_way(file: InputFile, vocabulary: Vocabulary) -> Iterator[Columns]:
    """Yield the columns of a large file, or raise NotPlainError.

    Whatever this accepts, `read_five_way` accepts, with the same meaning.
    """
    for columns in scan(file, _check_header):
        yield _numbered(columns, vocabulary)


def _check_header(header: list[str]) -> None:
    slots = _slots(header)
    required = _FIXED | {f"system{slot}{what}" for slot in slots for what in ("id", "rank")}
    allowed = required | {f"system{slot}number" for slot in slots}
    names = set(header)
    if len(slots) < 2 or len(names) != len(header) or not required <= names <= allowed:
        raise NotPlainError


def _slots(names: Iterable[str]) -> range:
    found = filter(None, map(_SLOT_COLUMN.fullmatch, names))
    return range(1, max((int(match.group(1)) for match in found), default=0) + 1)


def _numbered(columns: CodedColumns, vocabulary: Vocabulary) -> Columns:
    def candidate_of(text: str) -> int:
        return vocabulary.candidate(plain_candidate(text)) if text else -1

    slots = _slots(columns)
    candidate = np.column_stack([columns[f"system{slot}id"].mapped(candidate_of) for slot in slots])
    label = np.column_stack(
        [columns[f"system{slot}rank"].mapped(plain_label, np.int8) for slot in slots]
    )
    shown = candidate >= 0
    if not shown.any(axis=1).all() or (label[~shown] > 0).any():
        raise NotPlainError
    _refuse_odd_numbers(columns, candidate, vocabulary)
    _refuse_repeated(candidate, vocabulary)
    return Columns(
        language=languages_of(columns["srclang"], columns["trglang"], vocabulary),
        judge=columns["judgeid"].mapped(lambda name: vocabulary.judge(plain_judge(name))),
        segment=columns["srcindex"].mapped(plain_segment),
        candidate=candidate,
        label=label,
        duration_ms=np.full(len(label), -1, dtype=np.int64),
        document=columns["documentid"].mapped(vocabulary.document),
    )


def _refuse_odd_numbers(
    columns: CodedColumns, candidate: npt.NDArray[np.int32], vocabulary: Vocabulary
) -> None:
    """Raise NotPlainError unless a cell has a number for each system of its candidate, or none."""
    systems = np.array([*map(len, vocabulary.candidates), 0], dtype=np.int32)  # -1 has none
    for place, slot in enumerate(_slots(columns)):
        if number := columns.get(f"system{slot}number"):
            count = number.mapped(_count_of_numbers)
            if ((count > 0) & (count != systems[candidate[:, place]])).any():
                raise NotPlainError


def _count_of_numbers(text: str) -> int:
    if text and not _NUMBERS.fullmatch(text):
        raise NotPlainError
    return text.count(",") + 1 if text else 0


def _refuse_repeated(candidate: npt.NDArray[np.int32], vocabulary: Vocabulary) -> None:
    """Raise NotPlainError if a row shows a system twice, alone or collapsed."""
    systems = {name for shown in vocabulary.candidates for name in shown}
    table = systems_table([*vocabulary.candidates, ()], systems)
    rows, places = candidate.shape
    shown = np.sort(table[candidate].reshape(rows, places * table.shape[1]), axis=1)
    if ((shown[:, 1:] == shown[:, :-1]) & (shown[:, 1:] >= 0)).any():
        raise NotPlainError


def languages_of(
    source: CodedColumn, target: CodedColumn, vocabulary: Vocabulary
) -> npt.NDArray[np.int32]:
    """Assign a number to the pair of languages of each row; raise NotPlainError if one is blank."""
    numbers = np.empty(len(source.code), dtype=np.int32)
    left = np.ones(len(numbers), dtype=np.bool_)
    # There is one pair, or a few: a pass for each is less than sorting.
    while left.any():
        row = int(left.argmax())
        one, other = source.code[row], target.code[row]
        same = left & (source.code == one) & (target.code == other)
        pair = filled_name(source.texts[one]), filled_name(target.texts[other])
        numbers[same] = vocabulary.language(pair)
        left &= ~same
    return numbers


def plain_label(text: str) -> int:
    """Read a rank, 0 where blank; raise NotPlainError where the strict reader might complain."""
    if text not in _LABELS:
        raise NotPlainError
    return _LABELS[text]


def plain_segment(text: str) -> int:
    """Read a segment's number; raise NotPlainError where the strict reader might complain."""
    if not _SEGMENT.fullmatch(text) or int(text) == 0:
        raise NotPlainError
    return int(text)


def filled_name(name: str) -> str:
    """Take a name that is not blank, else raise NotPlainError."""
    if not name.strip():
        raise NotPlainError
    return name


def plain_judge(name: str) -> str:
    """Take a judge's name; raise NotPlainError where the strict reader would complain."""
    if len(name) > MAX_JUDGE_NAME:
        raise NotPlainError
    return filled_name(name)


def plain_candidate(text: str) -> tuple[str, ...]:
    """Split "A,B"; raise NotPlainError where the strict reader would complain."""
    systems = tuple(name.strip() for name in text.split(","))
    if len(set(systems)) != len(systems) or any(map(system_name_problem, systems)):
        raise NotPlainError
    return systems
