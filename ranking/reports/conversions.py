"""Files that were written, as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.formats import number_format

from campaign.formats.errors import Loss
from ranking.code_version import code_version
from ranking.reports.inputs import not_read_data, not_read_notes
from ranking.reports.tables import Column, Report, Table


@dataclass(frozen=True, slots=True)
class FileWritten:
    """A file of judgments: its size in rows and bytes, and the numbers of its segments."""

    name: str
    rows: int
    bytes: int
    first_segment: int
    last_segment: int


def conversion_report(written: Sequence[FileWritten], not_read: Sequence[Loss]) -> Report:
    """Report the files written, and the data lost from those read."""
    rows = sum(file.rows for file in written)
    return Report(
        notes=[f"{number_format(rows)} judgments and skips in Parquet.", *not_read_notes(not_read)],
        tables=[
            Table.of(
                written,
                name="files",
                title="Files",
                columns=(
                    Column("name", "File", is_text=True),
                    Column("rows", "Rows"),
                    Column("bytes", "Bytes"),
                    Column("first_segment", "First segment"),
                    Column("last_segment", "Last segment"),
                ),
            )
        ],
        data={
            "files": written,
            **not_read_data(not_read),
            "version": code_version(),
        },
    )
