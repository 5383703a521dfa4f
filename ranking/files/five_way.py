"""The five-way CSV: the strict reader of `campaign.formats`, and the same fast."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from campaign.formats import InputFile, read_five_way_csv, system_name_problem
from campaign.formats.records import MAX_JUDGE_NAME
from ranking.files.records import JudgedBlock
from ranking.files.scan import ColumnLayout, Names, NotPlainError, Scanned, scan
from ranking.files.vocabulary import Columns, Vocabulary, systems_table

_NAMES = ("srclang", "trglang", "judgeid", "documentid")
_PASSED_OVER = "segmentid"
_SLOT_COLUMN = re.compile(r"system([1-9][0-9]?)(number|id|rank)")


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
    for scanned in scan(file, _layout):
        yield _columns(scanned, vocabulary)


def _layout(header: list[str]) -> ColumnLayout:
    from ranking.files.scan_kernel import IGNORED, INDEX, NUMBER, OPTIONAL, RANK, SYSTEM, TEXT

    slot_kinds = {"id": SYSTEM, "rank": RANK, "number": NUMBER}
    found = [_SLOT_COLUMN.fullmatch(name) for name in header]
    slots = max((int(match.group(1)) for match in found if match), default=0)
    required = {"srcindex", *_NAMES, _PASSED_OVER}
    required |= {f"system{slot}{what}" for slot in range(1, slots + 1) for what in ("id", "rank")}
    if slots < 2 or len(set(header)) != len(header) or not required <= set(header):
        raise NotPlainError
    kinds, places = [], []
    for name, match in zip(header, found, strict=True):
        if match:
            kinds.append(slot_kinds[match.group(2)])
            places.append(int(match.group(1)) - 1)
        elif name in _NAMES:
            kinds.append(OPTIONAL if name == "documentid" else TEXT)
            places.append(slots + _NAMES.index(name))
        elif name in required:
            kinds.append(INDEX if name == "srcindex" else IGNORED)
            places.append(0)
        else:
            raise NotPlainError
    return ColumnLayout(
        kinds=np.array(kinds, dtype=np.int64),
        places=np.array(places, dtype=np.int64),
        slots=slots,
        texts=slots + len(_NAMES),
    )


def _columns(scanned: Scanned, vocabulary: Vocabulary) -> Columns:
    slots = scanned.ranks.shape[1]
    systems = scanned.texts[:, :slots]
    source, target, judge, document = scanned.texts[:, slots:].T
    names = scanned.names
    languages = languages_of(source, target, names, vocabulary)
    candidate = numbers_of(systems, names, lambda name: vocabulary.candidate(plain_candidate(name)))
    refuse_repeated(candidate, vocabulary)
    return Columns(
        language=languages,
        judge=numbers_of(judge, names, lambda name: vocabulary.judge(plain_judge(name))),
        segment=scanned.index,
        candidate=candidate,
        label=scanned.ranks,
        duration_ms=np.full(len(scanned.index), -1, dtype=np.int64),
        document=numbers_of(document, names, vocabulary.document),
    )


def languages_of(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    names: Names,
    vocabulary: Vocabulary,
) -> npt.NDArray[np.int32]:
    """Assign a number to the pair of languages of each row; raise NotPlainError if one is blank."""
    numbers = np.empty(len(source), dtype=np.int32)
    left = np.ones(len(source), dtype=np.bool_)
    # There is one pair, or a few: a pass for each is less than sorting.
    while left.any():
        row = int(left.argmax())
        same = left & (source == source[row]) & (target == target[row])
        pair = filled_name(names[source[row]]), filled_name(names[target[row]])
        numbers[same] = vocabulary.language(pair)
        left &= ~same
    return numbers


def numbers_of(
    column: npt.NDArray[np.int32], names: Names, number: Callable[[str], int]
) -> npt.NDArray[np.int32]:
    """Replace the numbers of names in one chunk by those of the vocabulary; -1 stays."""
    used = np.zeros(len(names) + 1, dtype=np.bool_)
    used[column] = True  # -1 marks the last
    table = np.full(len(names) + 1, -1, dtype=np.int32)
    for one in np.flatnonzero(used[:-1]).tolist():
        table[one] = number(names[one])
    replaced: npt.NDArray[np.int32] = table[column]
    return replaced


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


def refuse_repeated(candidate: npt.NDArray[np.int32], vocabulary: Vocabulary) -> None:
    """Raise NotPlainError if a row shows a system twice, alone or collapsed."""
    from ranking.files.five_way_kernel import shows_twice

    names = {name for systems in vocabulary.candidates for name in systems}
    if names and shows_twice(candidate, systems_table(vocabulary.candidates, sorted(names))):
        raise NotPlainError
