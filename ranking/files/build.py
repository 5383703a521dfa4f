"""From numbered columns to the `Blocks` of the core, with the content keys of the database."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judged.content_key import (
    CONTENT_KEY_VERSION,
    judgment_content,
    number_occurrences,
)
from ranking.core.judged.documents import several_documents
from ranking.files.vocabulary import Candidate, Columns, systems_table

#: From this many blocks on the compiled way is faster, loading it included.
COMPILED_FROM = 50_000
#: The kernel that hashes contents reads eight bytes as one number, the first of them the lowest.
IS_POSSIBLE = sys.byteorder == "little"


def blocks_of(
    columns: Columns, systems: Sequence[str], judges: Sequence[str], candidates: Sequence[Candidate]
) -> Blocks:
    """Build the core's columns.

    Parameters
    ----------
    columns : Columns
        N judged blocks.
    systems : sequence of str
        All systems to be ranked.
    judges, candidates : sequences
        What the numbers of `columns` stand for.

    Returns
    -------
    Blocks
        The same, whichever way they were built.
    """
    if len(columns) < COMPILED_FROM or not IS_POSSIBLE:
        blocks = blocks_from_rows(_rows(columns, judges, candidates), systems)
        return replace(blocks, document=several_documents(columns.document, blocks.segment))
    return compiled_blocks(columns, tuple(sorted(systems)), judges, candidates)


def _rows(
    columns: Columns, judges: Sequence[str], candidates: Sequence[Candidate]
) -> Iterator[BlockRow]:
    for judge, segment, shown, labels in zip(
        columns.judge.tolist(),
        columns.segment.tolist(),
        columns.candidate.tolist(),
        columns.label.tolist(),
        strict=True,
    ):
        yield BlockRow(
            judge=judges[judge],
            segment=segment,
            candidates=[candidates[one] for one in shown if one >= 0],
            labels=[label or None for one, label in zip(shown, labels, strict=True) if one >= 0],
        )


def compiled_blocks(
    columns: Columns,
    systems: tuple[str, ...],
    judges: Sequence[str],
    candidates: Sequence[Candidate],
) -> Blocks:
    """Build the columns in compiled code; `systems` are sorted."""
    from ranking.files.key_kernel import spread

    count = len(columns)
    labels = np.zeros((count, len(systems)), dtype=np.int8)
    shown = np.full((count, len(systems)), -1, dtype=np.int8)
    spread(columns.candidate, columns.label, systems_table(candidates, systems), labels, shown)
    names, judge = _sorted_judges(columns.judge, judges)

    def describe(row: int) -> tuple[bytes, list[int]]:
        places = np.flatnonzero(columns.candidate[row] >= 0)
        content = judgment_content(
            int(columns.segment[row]),
            judges[columns.judge[row]],
            [candidates[one] for one in columns.candidate[row, places].tolist()],
        )
        return content, columns.label[row, places].tolist()

    return Blocks(
        systems=systems,
        labels=labels,
        candidates=shown,
        judge=judge,
        judges=names,
        segment=columns.segment,
        key=number_occurrences(_keys(columns, judges, candidates), describe),
        document=several_documents(columns.document, columns.segment),
    )


def _sorted_judges(
    judge: npt.NDArray[np.int32], judges: Sequence[str]
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Keep the judges that occur, sorted by name as `blocks_from_rows` does."""
    present = np.bincount(judge, minlength=len(judges)).nonzero()[0].tolist()
    order = sorted(present, key=lambda one: judges[one])
    new_index = np.zeros(len(judges), dtype=np.int32)
    new_index[order] = np.arange(len(order), dtype=np.int32)
    return tuple(judges[one] for one in order), new_index[judge]


def _keys(
    columns: Columns, judges: Sequence[str], candidates: Sequence[Candidate]
) -> npt.NDArray[np.uint64]:
    from ranking.files.key_kernel import blake2b_start, hash_contents

    of_judges = [_text(name) for name in judges]
    of_candidates = [
        struct.pack("<I", len(one)) + b"".join(map(_text, sorted(one))) for one in candidates
    ]
    ends = np.cumsum([0, *map(len, of_judges), *map(len, of_candidates)], dtype=np.int64)
    longest = (
        16 + max(map(len, of_judges)) + columns.candidate.shape[1] * max(map(len, of_candidates))
    )
    keys = np.empty(len(columns), dtype=np.uint64)
    hash_contents(
        blake2b_start(f"quintet-key-v{CONTENT_KEY_VERSION}".encode()),
        columns.segment,
        columns.judge,
        columns.candidate,
        np.frombuffer(b"".join([*of_judges, *of_candidates]), dtype=np.uint8),
        ends[: len(of_judges) + 1],
        ends[len(of_judges) :],
        longest,
        keys,
    )
    return keys


def _text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack("<I", len(encoded)) + encoded
