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
    is_new_language = np.diff(columns.language) != 0
    is_new_segment = np.diff(columns.segment) != 0
    changes = np.flatnonzero(is_new_language | is_new_segment) + 1
    start = 0
    while start < len(columns):
        later = changes[np.searchsorted(changes, start + rows) :]
        end = len(columns)
        if len(later):
            end = int(later[0])
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
        path,
        table.schema,
        compression="zstd",
        store_schema=False,
    ) as writer:
        for rows in cut_between_segments(columns, ROWS_OF_A_GROUP):
            part = table.slice(rows.start, rows.stop - rows.start)
            writer.write_table(part, row_group_size=max(1, len(part)))


def _table(columns: Columns, vocabulary: Vocabulary) -> pa.Table:
    import pyarrow as pa

    # At least two places, which readers require.
    columns = columns.widened(max(2, columns.candidate.shape[1]))
    candidates = list(map(",".join, vocabulary.candidates))
    sources = []
    targets = []
    for source, target in vocabulary.languages:
        sources.append(source)
        targets.append(target)
    cells: dict[str, Any] = {
        "srclang": _texts(columns.language, sources),
        "trglang": _texts(columns.language, targets),
        "srcIndex": pa.array(columns.segment),
    }
    if (columns.document >= 0).any():
        cells["documentId"] = _texts(columns.document, list(vocabulary.documents))
    if list(vocabulary.judges) != [NO_JUDGE]:
        cells["judgeId"] = _texts(columns.judge, list(vocabulary.judges))
    is_untimed = columns.duration_ms < 0
    if not is_untimed.all():
        cells["duration_ms"] = pa.array(columns.duration_ms, mask=is_untimed)
    for slot, numbers in enumerate(columns.candidate.T, 1):
        cells[f"system{slot}Id"] = _texts(numbers, candidates)
    for slot, ranks in enumerate(columns.label.T, 1):
        values = np.ascontiguousarray(ranks)
        cells[f"system{slot}rank"] = pa.array(values, mask=values == 0)
    if True in vocabulary.best_worst:
        cells[BEST_WORST] = pa.array(np.ones(len(columns), dtype=np.int8))
    return pa.table(cells)


def _texts(numbers: npt.NDArray[np.int32], texts: list[str]) -> Any:
    """Return the texts with these numbers, dictionary-encoded; null for -1."""
    import pyarrow as pa

    is_text = numbers >= 0
    used, codes = np.unique(numbers[is_text], return_inverse=True)
    indices = np.full(len(numbers), -1, dtype=np.int32)
    indices[is_text] = codes
    used_texts = [texts[number] for number in used.tolist()]
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, mask=~is_text),
        pa.array(used_texts, type=pa.string()),
    )
