"""The pairwise CSV, fast: the compiled pass, then the rows of each ``rankingID`` put together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from campaign.formats import InputFile
from ranking.files.five_way import languages_of, numbers_of, plain_candidate, plain_judge
from ranking.files.pairwise import COLUMNS
from ranking.files.scan import ColumnLayout, Names, NotPlainError, Scanned, scan
from ranking.files.vocabulary import Columns, Vocabulary

_TEXTS = ("system1id", "system2id", "srclang", "trglang", "judgeid", "segmentid", "rankingid")
_RANKS = ("system1rank", "system2rank")


def scan_pairwise(file: InputFile, vocabulary: Vocabulary) -> Iterator[Columns]:
    """Yield the columns of a large file, or raise NotPlainError.

    Whatever this accepts, `read_pairwise_csv` accepts, with the same meaning.
    """
    # In one go: the rows of a ranking may stand anywhere.
    for scanned in scan(file, _layout, at_a_time=None):
        yield _columns(scanned, vocabulary)


def _layout(header: list[str]) -> ColumnLayout:
    from ranking.files.scan_kernel import INDEX, RANK, SYSTEM, TEXT

    if sorted(header) != sorted(name.lower() for name in COLUMNS):
        raise NotPlainError
    kinds, places = [], []
    for name in header:
        if name in _RANKS:
            kinds.append(RANK)
            places.append(_RANKS.index(name))
        elif name == "srcindex":
            kinds.append(INDEX)
            places.append(0)
        else:
            places.append(_TEXTS.index(name))
            kinds.append(SYSTEM if places[-1] < len(_RANKS) else TEXT)
    return ColumnLayout(
        kinds=np.array(kinds, dtype=np.int64),
        places=np.array(places, dtype=np.int64),
        slots=len(_RANKS),
        texts=len(_TEXTS),
    )


def _columns(scanned: Scanned, vocabulary: Vocabulary) -> Columns:
    names, texts = scanned.names, scanned.texts
    _refuse_blanks(texts[:, -1], names)
    blocks, first, block = _numbered(texts[:, -1], len(names))
    system, group, label = _gathered(scanned, block, blocks)
    source, target, judge = texts[first, 2:5].T
    candidate = numbers_of(system, names, lambda name: vocabulary.candidate(_one_system(name)))
    _collapse(candidate, group, label, vocabulary)
    used = max(1, int((candidate >= 0).any(axis=0).sum()))
    return Columns(
        language=languages_of(source, target, names, vocabulary),
        judge=numbers_of(judge, names, lambda name: vocabulary.judge(plain_judge(name))),
        segment=scanned.index[first],
        candidate=np.ascontiguousarray(candidate[:, :used]),
        label=np.ascontiguousarray(label[:, :used]),
        duration_ms=np.full(blocks, -1, dtype=np.int64),
        document=np.full(blocks, -1, dtype=np.int32),
    )


def _refuse_blanks(ranking: npt.NDArray[np.int32], names: Names) -> None:
    """Leave names with white space beyond ASCII to the strict reader, which strips it."""
    if names.are_ascii:
        return
    if any(names[one] != names[one].strip() for one in np.unique(ranking).tolist()):
        raise NotPlainError


def _one_system(name: str) -> tuple[str, ...]:
    systems = plain_candidate(name)
    if len(systems) != 1:
        raise NotPlainError
    return systems


def _numbered(
    ranking: npt.NDArray[np.int32], names: int
) -> tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the number of blocks, the first row of each, and the block of each row."""
    first_row = np.full(names, len(ranking), dtype=np.int64)
    np.minimum.at(first_row, ranking, np.arange(len(ranking)))
    first = np.sort(first_row[first_row < len(ranking)])
    number = np.empty(names, dtype=np.int64)
    number[ranking[first]] = np.arange(len(first))
    return len(first), first, number[ranking]


def _gathered(
    scanned: Scanned, block: npt.NDArray[np.int64], blocks: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    from ranking.files.pairwise_kernel import MAX_SYSTEMS, gather

    shape = (blocks, MAX_SYSTEMS)
    system = np.full(shape, -1, dtype=np.int32)
    group = np.zeros(shape, dtype=np.int8)
    label = np.zeros(shape, dtype=np.int8)
    size = np.bincount(block, minlength=blocks)
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(size)])
    rows = np.argsort(block, kind="stable")
    if not gather(start, rows, scanned.index, scanned.texts, scanned.ranks, system, group, label):
        raise NotPlainError
    return system, group, label


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
