"""The bytes of what is exported, part by part."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from campaign.database.copied_rows import Rows
from ranking.export.judgments.asked import Export, Told
from ranking.export.judgments.kinds import ExportFormat
from ranking.export.judgments.lines import FiveWayCsv, LinesWriter
from ranking.export.judgments.marked_lines import AppraiseXml, JudgmentLines, PairwiseCsv
from ranking.export.judgments.pearmut import pearmut_campaign
from ranking.export.judgments.row_lines import CsvRows, JsonRows
from ranking.export.judgments.rows import ROWS
from ranking.export.judgments.tables import tables
from ranking.selectors.exported_columns import exported_task

_WRITERS: Final[dict[ExportFormat, Callable[..., LinesWriter]]] = {
    ExportFormat.FIVE_WAY_CSV: FiveWayCsv,
    ExportFormat.PAIRWISE_CSV: PairwiseCsv,
    ExportFormat.JSONL: JudgmentLines,
    ExportFormat.APPRAISE_XML: AppraiseXml,
}
_ROWS_WRITERS: Final[dict[ExportFormat, type[JsonRows] | type[CsvRows]]] = {
    ExportFormat.JSONL: JsonRows,
    ExportFormat.CSV: CsvRows,
}
#: So many judgments are put into lines at a time: enough for numpy, and little memory where each becomes ten lines.
_LINES_AT_ONCE: Final = 1 << 13


def written(export: Export, told: Told) -> Iterator[bytes]:
    """Yield the file, see `export_bytes`."""
    if export.kind.name in ROWS:
        yield from _rows_bytes(export, told)
    elif export.file_format is ExportFormat.PARQUET:
        from ranking.export.judgments.parquet import judgments_parquet

        exported = exported_task(task=export.task, watermark=export.watermark)
        parts = exported.parts(after=export.after, until=export.until)
        yield from judgments_parquet(exported, _telling(export, parts, told), slots=export.slots)
    else:
        yield from _lines_bytes(export, told)


def _lines_bytes(export: Export, told: Told) -> Iterator[bytes]:
    exported = exported_task(task=export.task, watermark=export.watermark)
    writer = _WRITERS[export.file_format](exported, slots=export.slots)
    if not export.after:
        yield writer.head()
    parts = exported.parts(after=export.after, until=export.until)
    for part in _telling(export, parts, told):
        for some in part.slices(_LINES_AT_ONCE):
            yield writer.body(some)
    if export.until == export.watermark:
        yield writer.tail()


def _telling(export: Export, parts: Iterator[Any], told: Told) -> Iterator[Any]:
    total = max(0, export.until - export.after)
    for part in parts:
        if len(part):
            told(int(part.number[-1]) - export.after, total)
        yield part


def _rows_bytes(export: Export, told: Told) -> Iterator[bytes]:
    columns = ROWS[export.kind.name].columns
    batches = _counted(export, tables(export), told)
    if export.file_format is ExportFormat.PEARMUT:
        yield from pearmut_campaign(export, batches)
        return
    if export.file_format is ExportFormat.PARQUET:
        from ranking.export.judgments.parquet import rows_parquet

        yield from rows_parquet(columns, batches)
        return
    writer = _ROWS_WRITERS[export.file_format](columns)
    if not export.after:
        yield writer.head()
    for rows in batches:
        yield writer.body(rows)


def _counted(export: Export, batches: Iterator[Rows], told: Told) -> Iterator[Rows]:
    total = max(0, export.until - export.after)
    done = 0
    for batch in batches:
        done += len(next(iter(batch.values())))
        told(min(done, total), total)
        yield batch
