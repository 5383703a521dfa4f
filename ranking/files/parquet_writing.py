"""Write judgments as Parquet, sorted by segment, so that shards of whole segments can be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from campaign.formats.five_way import BEST_WORST
from optional_packages import extra_require
from ranking.files.records import NO_JUDGE
from ranking.files.vocabulary import Columns, Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa

#: A row group ends at the first segment boundary after this many rows.
ROWS_OF_A_GROUP = 1 << 16


def in_order_of_segments(columns: Columns) -> Columns:
    """Return judgments sorted by language pair and segment; the order within a segment is kept."""
    return columns.rows(np.lexsort((columns.segment, columns.language)))


def cut_between_segments(columns: Columns, rows: int) -> Iterator[slice]:
    """Yield slices that end at segment boundaries, each with at least `rows` rows except the last.

    Parameters
    ----------
    columns : Columns
        From `in_order_of_segments`.
    rows : int
    """
    both = np.stack([columns.language, columns.segment])
    changes = np.flatnonzero((both[:, 1:] != both[:, :-1]).any(axis=0)) + 1
    ends = np.append(changes, len(columns))
    start = 0
    while start < len(columns):
        end = int(ends[min(int(np.searchsorted(ends, start + rows)), len(ends) - 1)])
        yield slice(start, end)
        start = end


def write_parquet(path: str, columns: Columns, vocabulary: Vocabulary) -> None:
    """Write judgments and skips into one file, with the columns of the five-way CSV.

    Parameters
    ----------
    path : str
    columns : Columns
        From `in_order_of_segments`.
    vocabulary : Vocabulary

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    extra_require("parquet", "Parquet files")
    from pyarrow import parquet

    table = _table(columns, vocabulary)
    # Omit Arrow's own schema, so that all readers see text columns.
    with parquet.ParquetWriter(
        path, table.schema, compression="zstd", store_schema=False
    ) as writer:
        for rows in cut_between_segments(columns, ROWS_OF_A_GROUP):
            part = table.slice(rows.start, rows.stop - rows.start)
            writer.write_table(part, row_group_size=max(1, len(part)))


def _table(columns: Columns, vocabulary: Vocabulary) -> pa.Table:
    import pyarrow as pa

    places = ((0, 0), (0, max(0, 2 - columns.candidate.shape[1])))
    candidate = np.pad(columns.candidate, places, constant_values=-1)
    label = np.pad(columns.label, places)
    candidates = [",".join(systems) for systems in vocabulary.candidates]
    columns_of_table: dict[str, Any] = {
        "srclang": _texts(
            columns.language, [source for source, _target in vocabulary.languages]
        ),
        "trglang": _texts(
            columns.language, [target for _source, target in vocabulary.languages]
        ),
        "srcIndex": pa.array(columns.segment),
    }
    if (columns.document >= 0).any():
        columns_of_table["documentId"] = _texts(
            columns.document, list(vocabulary.documents)
        )
    if list(vocabulary.judges) != [NO_JUDGE]:
        columns_of_table["judgeId"] = _texts(columns.judge, list(vocabulary.judges))
    if (columns.duration_ms >= 0).any():
        columns_of_table["duration_ms"] = pa.array(
            columns.duration_ms, mask=columns.duration_ms < 0
        )
    for slot, numbers in enumerate(candidate.T, 1):
        columns_of_table[f"system{slot}Id"] = _texts(numbers, candidates)
    for slot, ranks in enumerate(label.T, 1):
        columns_of_table[f"system{slot}rank"] = pa.array(
            np.ascontiguousarray(ranks), mask=ranks == 0
        )
    if True in vocabulary.best_worst:
        columns_of_table[BEST_WORST] = pa.array(np.ones(len(columns), dtype=np.int8))
    return pa.table(columns_of_table)


def _texts(numbers: npt.NDArray[np.int32], texts: list[str]) -> Any:
    """Return the texts with these numbers, dictionary-encoded; null for -1."""
    import pyarrow as pa

    used, places = np.unique(numbers[numbers >= 0], return_inverse=True)
    indices = np.full(len(numbers), -1, dtype=np.int32)
    indices[numbers >= 0] = places
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, mask=indices < 0),
        pa.array([texts[one] for one in used.tolist()], type=pa.string()),
    )
