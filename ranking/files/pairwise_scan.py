"""The pairwise CSV, fast: read by pyarrow, then the rows of each ``rankingID`` put together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from campaign.formats import InputFile
from ranking.files.five_way import (
    languages_of,
    plain_candidate,
    plain_judge,
    plain_label,
    plain_segment,
)
from ranking.files.pairwise import COLUMNS
from ranking.files.scan import CodedColumn, CodedColumns, NotPlainError, scan_whole
from ranking.files.vocabulary import Columns, Vocabulary

#: What is the same in all rows of a ranking.
_OF_THE_BLOCK = ("srclang", "trglang", "srcindex", "segmentid", "judgeid")


def scan_pairwise(file: InputFile, vocabulary: Vocabulary) -> Iterator[Columns]:
    """Yield the columns of a large file, or raise NotPlainError.

    Whatever this accepts, `read_pairwise_csv` accepts, with the same meaning.
    """
    # In one go: the rows of a ranking may stand anywhere.
    yield _blocks(scan_whole(file, _check_header), vocabulary)


def _check_header(header: list[str]) -> None:
    if sorted(header) != sorted(name.lower() for name in COLUMNS):
        raise NotPlainError


def _blocks(columns: CodedColumns, vocabulary: Vocabulary) -> Columns:
    ranking = columns["rankingid"]
    if not all(name and name == name.strip() for name in ranking.texts):
        raise NotPlainError  # the strict reader strips them
    blocks, first, block = _numbered(ranking)
    candidate, group, label = _gathered(columns, block, blocks, vocabulary)
    _collapse(candidate, group, label, vocabulary)
    used = max(1, int((candidate >= 0).any(axis=0).sum()))
    judge = columns["judgeid"].mapped(lambda name: vocabulary.judge(plain_judge(name)))
    return Columns(
        language=languages_of(columns["srclang"], columns["trglang"], vocabulary)[first],
        judge=judge[first],
        segment=columns["srcindex"].mapped(plain_segment)[first],
        candidate=np.ascontiguousarray(candidate[:, :used]),
        label=np.ascontiguousarray(label[:, :used]),
        duration_ms=np.full(blocks, -1, dtype=np.int64),
        document=np.full(blocks, -1, dtype=np.int32),
    )


def _one_system(name: str) -> tuple[str, ...]:
    systems = plain_candidate(name)
    if len(systems) != 1:
        raise NotPlainError
    return systems


def _numbered(
    ranking: CodedColumn,
) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the number of blocks, the first row of each, and the block of each row."""
    rows, names = len(ranking.code), len(ranking.texts)
    first_row = np.full(names, rows, dtype=np.int64)
    np.minimum.at(first_row, ranking.code, np.arange(rows))
    first = np.sort(first_row)
    number = np.empty(names, dtype=np.int64)
    number[ranking.code[first]] = np.arange(names)
    return names, first, number[ranking.code]


def _gathered(
    columns: CodedColumns, block: npt.NDArray[np.int64], blocks: int, vocabulary: Vocabulary
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    from ranking.files.pairwise_kernel import MAX_SYSTEMS, gather

    def candidate_of(name: str) -> int:
        return vocabulary.candidate(_one_system(name))

    shown = np.column_stack([columns[f"system{place}id"].mapped(candidate_of) for place in (1, 2)])
    rank = np.column_stack(
        [columns[f"system{place}rank"].mapped(plain_label, np.int8) for place in (1, 2)]
    )
    same = np.column_stack([columns[name].code for name in _OF_THE_BLOCK])
    shape = (blocks, MAX_SYSTEMS)
    candidate = np.full(shape, -1, dtype=np.int32)
    group = np.zeros(shape, dtype=np.int8)
    label = np.zeros(shape, dtype=np.int8)
    size = np.bincount(block, minlength=blocks)
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(size)])
    rows = np.argsort(block, kind="stable")
    if not gather(start, rows, same, shown, rank, candidate, group, label):
        raise NotPlainError
    return candidate, group, label


def _collapse(
    candidate: npt.NDArray[np.int32],
    group: npt.NDArray[np.int8],
    label: npt.NDArray[np.int8],
    vocabulary: Vocabulary,
) -> None:
    """Make one candidate of the systems of a group, in place."""
    shown = (candidate >= 0).sum(axis=1)
    distinct = group.max(axis=1) + 1
    names = list(vocabulary.candidates)
    for row in np.flatnonzero(distinct < shown).tolist():
        together: list[tuple[str, ...]] = [()] * int(distinct[row])
        labels = [0] * len(together)
        for place in range(int(shown[row])):
            into = int(group[row, place])
            together[into] += names[candidate[row, place]]
            labels[into] = int(label[row, place])
        candidate[row], label[row] = -1, 0
        candidate[row, : len(together)] = [vocabulary.candidate(one) for one in together]
        label[row, : len(together)] = labels
