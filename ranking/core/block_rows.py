"""Build `Blocks` from rows, whether they come from the database or from a file."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ranking.core.blocks import MAX_LABEL, Blocks, UInt64Array
from ranking.core.content_key import content_key, judgment_content

_INT32_MAX = np.iinfo(np.int32).max
_MAX_CANDIDATES = np.iinfo(np.int8).max


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One judged block, with names.

    Attributes
    ----------
    judge : str
        The judge's pseudonym.
    segment : int
        Number of the segment in the test set.
    candidates : sequence of sequences of str
        The candidates in shown order, each the names of the systems it stands for.
    labels : sequence of int or None
        Label of each candidate, 1 best … 5 worst; None where it was left blank.
    """

    judge: str
    segment: int
    candidates: Sequence[Sequence[str]]
    labels: Sequence[int | None]


@dataclass
class _Columns:
    """The columns while they grow: flat arrays of machine numbers, not lists of objects."""

    judge: array[int] = field(default_factory=lambda: array("i"))
    segment: array[int] = field(default_factory=lambda: array("i"))
    key: array[int] = field(default_factory=lambda: array("Q"))
    # One entry per system shown: in which block, which system, which candidate, which label.
    block: array[int] = field(default_factory=lambda: array("q"))
    system: array[int] = field(default_factory=lambda: array("i"))
    position: array[int] = field(default_factory=lambda: array("b"))
    label: array[int] = field(default_factory=lambda: array("b"))


def blocks_from_rows(rows: Iterable[BlockRow], systems: Iterable[str]) -> Blocks:
    """Build the columns from rows, in one pass over them.

    Rows may come from a generator: only compact columns are kept, about 2 n bytes a block plus 14
    for each system shown. Systems and judges are sorted by name, so that neither the order of the
    rows nor that of `systems` shows in any result.

    Parameters
    ----------
    rows : iterable of BlockRow
        The judged blocks of one test set, as judged: with the reference if it was shown.
        Superseded judgments and skipped blocks do not belong here.
    systems : iterable of str
        Names of all systems to be ranked; each system of a row must be among them.

    Returns
    -------
    Blocks
        One row per judged block, in the order of `rows`.

    Raises
    ------
    ValueError
        If a row names an unknown system, shows a system twice, has a candidate that stands for no
        system, as many labels as it has not candidates, or a label outside 1 … 5. The message
        counts the rows from 1.
    """
    names = tuple(sorted(systems))
    index_of = {name: index for index, name in enumerate(names)}
    judge_of: dict[str, int] = {}
    columns = _Columns()
    for number, row in enumerate(rows, start=1):
        try:
            _append(columns, row, index_of, judge_of)
        except ValueError as error:
            raise ValueError(f"row {number}: {error}") from error

    count = len(columns.judge)
    labels = np.zeros((count, len(names)), dtype=np.int8)
    candidates = np.full((count, len(names)), -1, dtype=np.int8)
    block = np.asarray(columns.block, dtype=np.int64)
    system = np.asarray(columns.system, dtype=np.int64)
    labels[block, system] = np.asarray(columns.label, dtype=np.int8)
    candidates[block, system] = np.asarray(columns.position, dtype=np.int8)

    judges = tuple(sorted(judge_of))
    new_index = np.zeros(len(judges), dtype=np.int32)
    for index, name in enumerate(judges):
        new_index[judge_of[name]] = index
    blocks = Blocks(
        systems=names,
        labels=labels,
        candidates=candidates,
        judge=new_index[np.asarray(columns.judge, dtype=np.int64)],
        judges=judges,
        segment=np.asarray(columns.segment, dtype=np.int32),
        key=np.asarray(columns.key, dtype=np.uint64),
    )
    return _number_occurrences(blocks)


def _append(
    columns: _Columns, row: BlockRow, index_of: dict[str, int], judge_of: dict[str, int]
) -> None:
    if len(row.labels) != len(row.candidates):
        raise ValueError(f"{len(row.labels)} labels for {len(row.candidates)} candidates")
    if len(row.candidates) > _MAX_CANDIDATES:
        raise ValueError(f"more than {_MAX_CANDIDATES} candidates")
    if not 0 <= row.segment <= _INT32_MAX:
        raise ValueError(f"segment number {row.segment} is out of range")
    block = len(columns.judge)
    seen: set[str] = set()
    for position, (shown, label) in enumerate(zip(row.candidates, row.labels, strict=True)):
        if label is not None and not 1 <= label <= MAX_LABEL:
            raise ValueError(f"label {label} is not between 1 and {MAX_LABEL}")
        if not shown:
            raise ValueError(f"candidate {position + 1} stands for no system")
        for name in shown:
            if name not in index_of:
                raise ValueError(f"unknown system {name!r}")
            if name in seen:
                raise ValueError(f"system {name!r} is shown twice")
            seen.add(name)
            columns.block.append(block)
            columns.system.append(index_of[name])
            columns.position.append(position)
            columns.label.append(label or 0)
    columns.judge.append(judge_of.setdefault(row.judge, len(judge_of)))
    columns.segment.append(row.segment)
    columns.key.append(content_key(judgment_content(row.segment, row.judge, row.candidates)))


def _number_occurrences(blocks: Blocks) -> Blocks:
    """Give the second, third … judgment of equal content its own key."""
    first_keys, group, size = np.unique(blocks.key, return_inverse=True, return_counts=True)
    if len(first_keys) == len(blocks):
        return blocks
    key: UInt64Array = blocks.key.copy()
    repeated = np.flatnonzero(size[group] > 1)
    for rows in _by_group(repeated, group[repeated]):
        shown = [_shown(blocks, row) for row in rows]
        order = sorted(range(len(rows)), key=lambda i: shown[i][1])
        for occurrence, i in enumerate(order):
            judge = blocks.judges[int(blocks.judge[rows[i]])]
            content = judgment_content(int(blocks.segment[rows[i]]), judge, shown[i][0])
            key[rows[i]] = content_key(content, occurrence)
    return Blocks(
        systems=blocks.systems,
        labels=blocks.labels,
        candidates=blocks.candidates,
        judge=blocks.judge,
        judges=blocks.judges,
        segment=blocks.segment,
        key=key,
    )


def _by_group(
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    group: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for row, number in zip(rows.tolist(), group.tolist(), strict=True):
        groups.setdefault(number, []).append(row)
    return list(groups.values())


def _shown(blocks: Blocks, row: int) -> tuple[list[list[str]], list[int]]:
    """Return the candidates of a block in shown order, and their labels (0 for blank)."""
    positions = blocks.candidates[row]
    count = int(positions.max(initial=-1)) + 1
    candidates: list[list[str]] = [[] for _ in range(count)]
    labels = [0] * count
    for system in np.flatnonzero(positions >= 0).tolist():
        candidates[int(positions[system])].append(blocks.systems[system])
        labels[int(positions[system])] = int(blocks.labels[row, system])
    return candidates, labels
