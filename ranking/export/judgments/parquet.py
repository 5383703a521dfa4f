"""Parquet files that are sent while they are written: of judgments, and of any rows."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from campaign.database.copied_rows import Rows
from ranking.selectors.exported_columns import ExportedTask, JudgedPart

_TEXT: Final = pa.dictionary(pa.int32(), pa.string())
_KINDS: Final[Mapping[type, Any]] = {int: pa.int64(), bool: pa.bool_()}


class _Sink(io.RawIOBase):
    """Takes what is written until it is taken away."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        found, self._parts = b"".join(self._parts), []
        return found


def _written(schema: Any, tables: Iterable[Any]) -> Iterator[bytes]:
    sink = _Sink()
    # Without Arrow's own schema: columns are text for whoever reads them.
    with parquet.ParquetWriter(sink, schema, compression="zstd", store_schema=False) as writer:
        for table in tables:
            if len(table):
                writer.write_table(table, row_group_size=len(table))
            yield sink.taken()
    yield sink.taken()


def judgments_parquet(
    exported: ExportedTask, parts: Iterable[JudgedPart], *, slots: int
) -> Iterator[bytes]:
    """Yield a Parquet file of judgments with the columns of the five-way CSV, a row group a part."""
    texts = [("srclang", _TEXT), ("trglang", _TEXT), ("srcIndex", pa.int32())]
    texts += [("documentId", _TEXT), ("judgeId", _TEXT), ("duration_ms", pa.int64())]
    systems = [(f"system{slot}Id", _TEXT) for slot in range(1, slots + 1)]
    ranks = [(f"system{slot}rank", pa.int8()) for slot in range(1, slots + 1)]
    schema = pa.schema([*texts, *systems, *ranks])
    return _written(schema, (_judgments(exported, part, schema, slots) for part in parts))


def _judgments(exported: ExportedTask, part: JudgedPart, schema: Any, slots: int) -> Any:
    test_set = exported.task.test_set
    all_same = np.zeros(len(part), dtype=np.int32)
    numbers = np.array([each.number for each in exported.segments], dtype=np.int32)
    documents = list(dict.fromkeys(each.document for each in exported.segments))
    place = {name: at for at, name in enumerate(documents)}
    document = np.array([place[each.document] for each in exported.segments], dtype=np.int32)
    names = [",".join(exported.systems[one] for one in each) for each in exported.candidates]
    columns = [
        _dictionary(all_same, [test_set.source_language]),
        _dictionary(all_same, [test_set.target_language]),
        pa.array(numbers[part.segment]),
        _dictionary(document[part.segment], documents),
        _dictionary(part.judge, exported.judges),
        pa.array(part.duration_ms, mask=part.duration_ms < 0),
    ]
    columns += [_dictionary(_place(part.candidate, slot, -1), names) for slot in range(slots)]
    for slot in range(slots):
        label = _place(part.label, slot, 0)
        columns.append(pa.array(label, mask=label == 0))
    return pa.Table.from_arrays(columns, schema=schema)


def _place(column: Any, place: int, fill: int) -> Any:
    if place < column.shape[1]:
        return np.ascontiguousarray(column[:, place])
    return np.full(len(column), fill, dtype=column.dtype)


def _dictionary(numbers: Any, texts: Sequence[str]) -> Any:
    indices = pa.array(numbers.astype(np.int32), mask=numbers < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(texts, type=pa.string()))


def rows_parquet(columns: Mapping[str, type], batches: Iterable[Rows]) -> Iterator[bytes]:
    """Yield a Parquet file of rows, a row group a batch. JSON and times are in columns of text."""
    schema = pa.schema([(name, _KINDS.get(kind, pa.string())) for name, kind in columns.items()])
    return _written(schema, (pa.Table.from_pydict(batch, schema=schema) for batch in batches))
