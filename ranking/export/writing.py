"""Write exports in each format, and run the job that stores them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain, combinations, islice, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from xml.sax.saxutils import quoteattr

from annotation.export.five_way import judged_rows, judgments_written, skipped_rows
from campaign.export.downloads import csv_line
from campaign.formats import JudgedBlock
from campaign.formats.five_way import BEST_WORST, BLANK, five_way_header, five_way_line
from campaign.formats.tables import csv_row, neutral
from campaign.models import Job, JobKind, Task
from campaign.selectors.exported_files import FileStorageError
from campaign.services.exported_files import exported_file_keep
from campaign.services.jobs import JobProgress, handles
from ranking.export.asked import Export, ExportRefusedError, requested_export
from ranking.export.evalset import evalset_files
from ranking.export.everything import everything_bytes
from ranking.export.kinds import EVERYTHING, WITH_SKIPS, ExportFormat
from ranking.export.rows import ROWS, Columns, Part, Row, json_line, rows_in_table
from ranking.export.zips import Sink, ZipBytes, line_bytes
from ranking.files.pairwise import COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa


#: Called with the progress of a file: the number of row positions written, and the total.
Progress = Callable[[int, int], None]
#: Judgments converted to lines at a time, and rows per row group of Parquet.
_AT_ONCE: Final = 1 << 13
_ROW_GROUP: Final = 1 << 15
#: Pearmut assigns documents dynamically, and collects errors with a score.
_PEARMUT: Final = {"assignment": "dynamic", "protocol": "ESA"}


def _ignore_progress(_completed: int, _total: int) -> None:
    """Ignore progress."""


def export_bytes(
    export: Export,
    *,
    progress: Progress = _ignore_progress,
    has_marks: bool = False,
) -> Iterator[bytes]:
    """Yield the file; apart from answers, at most tens of thousands of rows are in memory at a time.

    With `has_marks`, the CSV files in a zip begin with a byte order mark, for spreadsheets.
    """
    if export.answers is not None:
        return iter(["".join(export.answers.lines).encode()])
    if export.kind.name == EVERYTHING:
        return everything_bytes(export, part_bytes=export_bytes, has_marks=has_marks)
    if export.file_format == ExportFormat.EVALSET:
        return _folder_bytes(export)
    if export.kind.name in ROWS:
        return _rows_bytes(export, progress)
    return _judged_bytes(export, progress)


def _folder_bytes(export: Export) -> Iterator[bytes]:
    """Yield a zip of a folder; the same data gives the same bytes."""
    written = ZipBytes()
    for name, lines in evalset_files(task=export.task, watermark=export.watermark):
        yield from written.entry(name, map(line_bytes, lines))
    yield written.end()


@handles(JobKind.EXPORT, ExportRefusedError, FileStorageError)
def _export(job: Job, progress: JobProgress) -> dict[str, object]:
    parameters = dict(job.parameters)
    task = Task.objects.select_related("test_set__campaign").get(
        pk=parameters.pop("task"),
    )
    export = requested_export(task=task, **parameters)
    file = exported_file_keep(
        task=task,
        content=export_bytes(export, progress=progress),
        by=job.asked_by,
        kind=export.kind.name,
        file_format=export.file_format,
        name=export.file_name[-300:],
        after=export.after,
        until=export.until,
        watermark=export.watermark,
        names_people=export.kind.names_people,
    )
    result: dict[str, object] = {
        "file": file.pk,
        "sha256": file.digest,
        "bytes": file.size,
    }
    if export.answers is not None:
        result["losses"] = list(map(asdict, export.answers.losses))
    return result


class _Lines(NamedTuple):
    """Text format of judgments: the tail, and functions for the head and each row (given the number of candidates)."""

    head: Callable[[Export], str]
    row: Callable[[JudgedBlock, int], str]
    tail: str = ""


def _judged_bytes(export: Export, progress: Progress) -> Iterator[bytes]:
    rows = judged_rows(
        task=export.task,
        judgments=judgments_written(task=export.task, watermark=export.watermark),
        after=export.after,
        until=export.until,
    )
    if export.file_format == ExportFormat.PARQUET:
        yield from _judged_parquet(export, _batches(export, rows, _ROW_GROUP, progress))
        return
    lines = _LINES[export.file_format]
    if not export.after:
        yield lines.head(export).encode()
    for batch in _batches(export, rows, _AT_ONCE, progress):
        written = [lines.row(row, export.slots) for row in batch]
        yield "".join(written).encode()
    if export.kind.name == WITH_SKIPS:
        for row in skipped_rows(export.task):
            yield lines.row(row, export.slots).encode()
    if export.until == export.watermark:
        yield lines.tail.encode()


def _batches(
    export: Export,
    rows: Iterator[JudgedBlock],
    size: int,
    progress: Progress,
) -> Iterator[list[JudgedBlock]]:
    total = export.until - export.after
    while batch := list(islice(rows, size)):
        progress(batch[-1].line - export.after, total)
        yield batch


_KEYS: Final = (
    "source_language",
    "target_language",
    "segment",
    "document",
    "segment_id",
    "judge",
    "candidates",
    "labels",
    "duration_ms",
)


def _json_line(row: JudgedBlock, _slots: int) -> str:
    """Return a judgment as a JSON object that the file commands can read."""
    line = {key: getattr(row, key) for key in _KEYS}
    if row.best_worst:
        line["best_worst"] = True
    return _json(line) + "\n"


def _pairwise_lines(row: JudgedBlock, _slots: int) -> str:
    """Return a line for every comparison of two systems in a block."""
    block = [
        neutral(row.source_language),
        neutral(row.target_language),
        row.segment,
        neutral(row.segment_id),
        neutral(row.judge),
    ]
    candidates = []
    for systems, label in zip(row.candidates, row.labels, strict=True):
        rank = _rank(label)
        candidates.append([(neutral(system), rank) for system in systems])
    lines = []
    for one, other in combinations(candidates, 2):
        for left, right in product(one, other):
            # Of the others than the best and the worst, no pair was compared.
            if not row.best_worst or left[1] != right[1]:
                lines.append(csv_row([*block, *left, *right, row.line]))
    return "".join(lines)


def _best_worst_header(export: Export) -> str:
    items = [f"Item{slot}" for slot in range(1, export.slots + 1)]
    return csv_row(["segment", "judge", *items, "BestItem", "WorstItem"])


def _best_worst_line(row: JudgedBlock, slots: int) -> str:
    """Return a line with the systems shown, the best and the worst, as the scripts for best-worst scaling read it."""
    candidates = [neutral(",".join(systems)) for systems in row.candidates]
    by_label = dict(zip(row.labels, candidates, strict=True))
    items = [*candidates, *[""] * (slots - len(candidates))]
    return csv_row([row.segment, neutral(row.judge), *items, by_label[1], by_label[3]])


def _hit(row: JudgedBlock, _slots: int) -> str:
    """Return a HIT in the results XML of Appraise."""
    source = quoteattr(row.source_language)
    target = quoteattr(row.target_language)
    duration = ""
    if row.duration_ms is not None:
        seconds, milliseconds = divmod(row.duration_ms, 1000)
        minutes, seconds = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        duration = f' duration="{hours:02}:{minutes:02}:{seconds:02}.{milliseconds:03}"'
    translations = []
    for systems, label in zip(row.candidates, row.labels, strict=True):
        name = quoteattr(",".join(systems))
        translations.append(
            f'        <translation system={name} rank="{_rank(label)}"/>\n',
        )
    return (
        f"  <HIT source-language={source} target-language={target}>\n"
        f'    <ranking-task id="{row.segment}">\n'
        f"      <ranking-result user={quoteattr(row.judge)}{duration}>\n"
        f"{''.join(translations)}      </ranking-result>\n    </ranking-task>\n  </HIT>\n"
    )


def _rank(label: int | None) -> str:
    if label is None:
        return BLANK
    return str(label)


def _no_head(_export: Export) -> str:
    return ""


def _five_way_head(export: Export) -> str:
    return five_way_header(export.slots, best_worst=export.best_worst)


def _pairwise_head(_export: Export) -> str:
    return csv_row(COLUMNS)


def _appraise_head(_export: Export) -> str:
    return '<?xml version="1.0" encoding="UTF-8"?>\n<results>\n'


#: Text formats of judgments.
_LINES: Final[Mapping[str, _Lines]] = {
    ExportFormat.FIVE_WAY_CSV: _Lines(_five_way_head, five_way_line),
    ExportFormat.PAIRWISE_CSV: _Lines(_pairwise_head, _pairwise_lines),
    ExportFormat.JSONL: _Lines(_no_head, _json_line),
    ExportFormat.BEST_WORST_CSV: _Lines(_best_worst_header, _best_worst_line),
    ExportFormat.APPRAISE_XML: _Lines(_appraise_head, _hit, "</results>\n"),
}


def _rows_bytes(export: Export, progress: Progress) -> Iterator[bytes]:
    batches = _batches_with_progress(export, progress)
    if export.file_format == ExportFormat.PEARMUT:
        yield from _pearmut_campaign(export, batches)
    elif export.file_format == ExportFormat.JSONL:
        for batch in batches:
            yield "".join(map(json_line, batch)).encode()
    else:
        yield from _table_bytes(export, batches)


def _table_bytes(export: Export, batches: Iterable[Sequence[Row]]) -> Iterator[bytes]:
    """Yield rows as CSV or Parquet."""
    rows = ROWS[export.kind.name]
    columns = rows.columns(export.task, export.slots)

    def table_rows(batch: Sequence[Row]) -> list[list[Any]]:
        table_rows: list[list[Any]] = []
        for row in batch:
            table_rows += rows_in_table(rows, export.task, columns, row)
        return table_rows

    cells = map(table_rows, batches)
    if export.file_format == ExportFormat.PARQUET:
        yield from _rows_parquet(columns, cells)
        return
    if not export.after:
        yield csv_line(columns).encode()
    for batch in cells:
        yield "".join(map(csv_line, batch)).encode()


def _batches_with_progress(
    export: Export,
    progress: Progress,
) -> Iterator[Sequence[Row]]:
    total = max(0, export.until - export.after)
    completed = 0
    part = Part(export.after, export.until, export.watermark)
    for batch in ROWS[export.kind.name].read(export.task, part):
        completed += len(batch)
        progress(min(completed, total), total)
        yield batch


def _pearmut_campaign(
    export: Export,
    batches: Iterable[Sequence[Row]],
) -> Iterator[bytes]:
    """Yield a campaign of Pearmut, or a part of it, from the rows of texts."""
    segments = ROWS["texts"].every(export.task)
    positions = dict(
        segments.filter(number__gt=export.after).values_list("number", "position"),
    )
    earlier = segments.filter(number__lte=export.after).order_by("number")
    document = earlier.values_list("document__name", flat=True).last()
    if document is None:
        # Pearmut names files by the campaign's id.
        name = _json(export.task.test_set.name.replace("/", "-"))
        yield f'{{"campaign_id": {name}, "info": {_json(_PEARMUT)}, "data": ['.encode()
    for batch in batches:
        written = []
        for row in batch:
            if document is None:
                written.append("[")
            elif row["document"] == document:
                written.append(", ")
            else:
                written.append("],\n[")
            written.append(_pearmut_item(row, positions[row["segment"]]))
            document = row["document"]
        yield "".join(written).encode()
    if export.until != export.watermark:
        return
    if document is None:
        yield b"]}\n"
    else:
        yield b"]]}\n"


def _pearmut_item(row: Row, position: int) -> str:
    item = {"item_id": f"{row['document']}_###_{position}"}
    if row["source"] is not None:
        item["src"] = row["source"]
    if row["references"]:
        item["ref"] = row["references"][0]
    if row["outputs"] is not None:
        item["tgt"] = row["outputs"]
    return _json(item)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _judged_parquet(
    export: Export,
    batches: Iterable[list[JudgedBlock]],
) -> Iterator[bytes]:
    """Yield judgments with the columns of the five-way CSV and the elapsed time."""
    import pyarrow as pa

    slots = export.slots
    fields = [
        ("srclang", pa.string()),
        ("trglang", pa.string()),
        ("srcIndex", pa.int32()),
        ("documentId", pa.string()),
        ("judgeId", pa.string()),
        ("duration_ms", pa.int64()),
    ]
    fields += [(f"system{slot}Id", pa.string()) for slot in range(1, slots + 1)]
    fields += [(f"system{slot}rank", pa.int8()) for slot in range(1, slots + 1)]
    if export.best_worst:
        fields.append((BEST_WORST, pa.int8()))

    def row_group(batch: list[JudgedBlock]) -> list[list[Any]]:
        return [_cells(row, slots) for row in batch]

    return _parquet(pa.schema(fields), map(row_group, batches))


def _cells(row: JudgedBlock, slots: int) -> list[Any]:
    empty = [None] * (slots - len(row.candidates))
    cells = [
        row.source_language,
        row.target_language,
        row.segment,
        row.document,
        row.judge,
        row.duration_ms,
        *map(",".join, row.candidates),
        *empty,
        *row.labels,
        *empty,
    ]
    if row.best_worst:
        cells.append(1)
    return cells


def _rows_parquet(
    columns: Columns,
    batches: Iterable[list[list[Any]]],
) -> Iterator[bytes]:
    """Yield rows, with times in columns of text."""
    import pyarrow as pa

    kinds = {int: pa.int64(), bool: pa.bool_(), float: pa.float64()}
    fields = []
    for name, kind in columns.items():
        fields.append((name, kinds.get(kind, pa.string())))
    return _parquet(pa.schema(fields), _row_groups(chain.from_iterable(batches)))


def _row_groups(rows: Iterator[list[Any]]) -> Iterator[list[list[Any]]]:
    while group := list(islice(rows, _ROW_GROUP)):
        yield group


def _parquet(
    schema: "pa.Schema",
    groups: Iterable[Iterable[Iterable[Any]]],
) -> Iterator[bytes]:
    """Yield a Parquet file while writing it; each of `groups` has the rows of a row group, cells in schema order."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = Sink()
    # Omit Arrow's own schema, so that all readers see text columns.
    with parquet.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        store_schema=False,
    ) as writer:
        for rows in groups:
            columns = list(zip(*rows, strict=True))
            if columns:
                arrays = []
                for column, field in zip(columns, schema, strict=True):
                    arrays.append(pa.array(column, type=field.type))
                table = pa.Table.from_arrays(arrays, schema=schema)
                writer.write_table(table, row_group_size=len(table))
            yield sink.pop_content()
    yield sink.pop_content()
