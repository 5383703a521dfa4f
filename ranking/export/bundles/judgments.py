"""The judgments of a bundle, in the formats that `rank_judgments` reads."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from annotation.export import judged_rows, most_candidates
from annotation.models.judgment import JudgmentQuerySet
from campaign.formats import FiveWayRow, write_five_way_csv
from optional_packages import has_extra
from ranking.export.bundles.frozen import FrozenResult, Progress
from ranking.files.parquet.writing import in_order_of_segments, write_parquet
from ranking.files.reading import read_columns


def judgments_write(frozen: FrozenResult, path: Path, progress: Progress) -> None:
    """Write the judgments that count as five-way CSV, a few thousand in memory at a time."""
    _csv_write(frozen, frozen.counted, path, progress)


def left_out_write(frozen: FrozenResult, path: Path, progress: Progress) -> None:
    """Write the judgments of judges who are left out, if there are any."""
    if frozen.left_out and frozen.not_counted.exists():
        _csv_write(frozen, frozen.not_counted, path, progress)


def parquet_write(judgments: Path, path: Path) -> None:
    """Write a file of judgments as Parquet, some 100 bytes of memory a judgment, where something can write it."""
    if has_extra("parquet"):
        columns, vocabulary, _not_read = read_columns([str(judgments)])
        write_parquet(str(path), in_order_of_segments(columns), vocabulary)


def _csv_write(
    frozen: FrozenResult, judgments: JudgmentQuerySet, path: Path, progress: Progress
) -> None:
    rows = judged_rows(task=frozen.task, judgments=judgments, names=frozen.names)
    slots = max(most_candidates(judgments), 5)
    with path.open("w", encoding="utf-8", newline="") as file:
        for line in write_five_way_csv(_told(rows, frozen, progress), slots=slots):
            file.write(line)


def _told(
    rows: Iterator[FiveWayRow], frozen: FrozenResult, progress: Progress
) -> Iterator[FiveWayRow]:
    for done, row in enumerate(rows):
        if done % 500 == 0:
            progress(done, 2 * frozen.watermark)
        yield _by_name(row) if frozen.hides_a_name else row


def _by_name(row: FiveWayRow) -> FiveWayRow:
    """Return a row with its candidates by what they are called, as `labelled_run` has them."""
    by_name = sorted(
        zip(row.candidates, row.labels, row.system_numbers, strict=True), key=lambda each: each[0]
    )
    candidates, labels, numbers = zip(*by_name, strict=True) if by_name else ((), (), ())
    return replace(row, candidates=candidates, labels=labels, system_numbers=numbers)
