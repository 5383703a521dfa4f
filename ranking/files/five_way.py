"""The five-way CSV: the reader of `campaign.formats`, as rows of judged blocks."""

from __future__ import annotations

from collections.abc import Iterator

from campaign.formats import InputFile, read_five_way_csv
from ranking.files.records import JudgedBlock


def read_five_way(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a judgment or skip for every row; errors as `read_five_way_csv` words them."""
    for row in read_five_way_csv(file.stream, file.name):
        yield JudgedBlock(
            line=row.line,
            source_language=row.source_language.strip(),
            target_language=row.target_language.strip(),
            segment=row.source_index,
            judge=row.judge.strip(),
            candidates=row.candidates,
            labels=row.labels,
            document=row.document,
        )
