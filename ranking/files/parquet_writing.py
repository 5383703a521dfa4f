"""Write judgments as Parquet, sorted by segment, so that shards of whole segments can be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from optional_packages import extra_require
from ranking.files.records import NO_JUDGE
from ranking.files.vocabulary import Columns, Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa

Int64Array = npt.NDArray[np.int64]

#: A row group ends at the first segment boundary after this many rows.
ROWS_OF_A_GROUP = 1 << 16


def in_order_of_segments(columns: Columns) -> Columns:
    """Return judgments sorted by language pair and segment; the order within a segment stays."""
    return columns.rows(np.lexsort((columns.segment, columns.language)))


def cut_between_segments(columns: Columns, rows: int) -> Iterator[slice]:
    """Yield slices that end at a segment boundary, each of at least `rows` rows except the last.

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

    names = _Names(vocabulary)
    table = names.table(columns)
    # Without Arrow's own schema: all readers see text columns.
    with parquet.ParquetWriter(
        path, table.schema, compression="zstd", store_schema=False
    ) as writer:
        for rows in cut_between_segments(columns, ROWS_OF_A_GROUP):
            part = table.slice(rows.start, rows.stop - rows.start)
            writer.write_table(part, row_group_size=max(1, len(part)))


class _Names:
    """Texts for the numbers of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._pairs = list(vocabulary.languages)
        self._judges = list(vocabulary.judges)
        self._documents = list(vocabulary.documents)
        self._candidates = [",".join(systems) for systems in vocabulary.candidates]

    def table(self, columns: Columns) -> pa.Table:
        import pyarrow as pa

        found: dict[str, Any] = {
            "srclang": _texts(columns.language, [source for source, _target in self._pairs]),
            "trglang": _texts(columns.language, [target for _source, target in self._pairs]),
            "srcIndex": pa.array(columns.segment),
        }
        if (columns.document >= 0).any():
            found["documentId"] = _texts(columns.document, self._documents)
        if self._judges != [NO_JUDGE]:
            found["judgeId"] = _texts(columns.judge, self._judges)
        if (columns.duration_ms >= 0).any():
            missing = columns.duration_ms < 0
            found["duration_ms"] = pa.array(columns.duration_ms, mask=missing)
        slots = max(2, columns.candidate.shape[1])
        for place in range(slots):
            found[f"system{place + 1}Id"] = _texts(
                _at(columns.candidate, place, -1), self._candidates
            )
        for place in range(slots):
            label = _at(columns.label, place, 0)
            found[f"system{place + 1}rank"] = pa.array(label, mask=label == 0)
        return pa.table(found)


def _at(column: npt.NDArray[Any], place: int, fill: int) -> npt.NDArray[Any]:
    if place < column.shape[1]:
        return np.ascontiguousarray(column[:, place])
    return np.full(len(column), fill, dtype=column.dtype)


def _texts(numbers: npt.NDArray[np.int32], texts: list[str]) -> Any:
    """Return texts for numbers as a dictionary of those that occur; nothing for -1."""
    import pyarrow as pa

    used = np.unique(numbers[numbers >= 0])
    place = np.full(len(texts) + 1, -1, dtype=np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    indices = place[numbers]
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, mask=indices < 0),
        pa.array([texts[one] for one in used.tolist()], type=pa.string()),
    )
