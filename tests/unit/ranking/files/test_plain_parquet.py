"""Parquet written without pyarrow: pyarrow reads it, and so do we."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

from ranking.files.parquet import plain_writing
from ranking.files.parquet.plain_writing import write_plain_parquet
from ranking.files.parquet.shards import row_groups_of
from ranking.files.parquet.thrift import I32, I64, Binary, ListOf, Struct, encoded
from ranking.files.parquet.writing import in_order_of_segments, write_parquet
from ranking.files.reading import read_columns, read_judgments

HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    "system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
)
ROWS = (
    'Czech,English,7,d,1,Žofie,A,"B,C",_ref,1,2,-1',
    "Czech,English,2,,2,bob,A,C,,3,3,-1",
    "Czech,English,300000,d,3,bob,_ref,B,A,5,-1,4",
)


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    path = tmp_path / "judgments.csv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in ROWS), encoding="utf-8")
    return path


def written(judgments: Path, to: Path) -> Path:
    columns, vocabulary = read_columns([str(judgments)])
    with to.open("wb") as file:
        write_plain_parquet(file, in_order_of_segments(columns), vocabulary)
    return to


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def test_pyarrow_reads_what_it_would_have_written(judgments: Path, tmp_path: Path) -> None:
    columns, vocabulary = read_columns([str(judgments)])
    theirs = tmp_path / "theirs.parquet"
    write_parquet(str(theirs), in_order_of_segments(columns), vocabulary)
    ours = written(judgments, tmp_path / "ours.parquet")
    assert rows_of(ours) == rows_of(theirs)
    assert rows_of(ours)[0]["documentId"] is None
    assert rows_of(ours)[1]["judgeId"] == "Žofie"
    # As text and numbers, whoever reads it.
    assert re.findall(r"optional binary .* judgeId \(String\)", str(_schema(ours)))


def _schema(path: Path) -> Any:
    return pyarrow.parquet.ParquetFile(path).schema


def test_released_judgments_are_the_same_in_both_formats(real_data: Path, tmp_path: Path) -> None:
    csv = real_data / "wmt12-cs-en" / "judgments.csv"
    parquet = written(csv, tmp_path / "judgments.parquet")
    one, other = read_judgments([str(csv)]), read_judgments([str(parquet)])
    assert np.array_equal(np.sort(one.blocks.key), np.sort(other.blocks.key))
    assert one.blank_labels == other.blank_labels


def test_row_groups_end_between_segments_and_say_which_they_hold(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_writing, "ROWS_OF_A_GROUP", 100)
    csv = real_data / "wmt12-cs-en" / "judgments.csv"
    groups = row_groups_of([str(written(csv, tmp_path / "judgments.parquet"))])
    assert len(groups) > 5
    assert all(one.last < other.first for one, other in pairwise(groups))
    assert sum(group.rows for group in groups) == len(rows_of(tmp_path / "judgments.parquet"))


def test_the_same_judgments_are_the_same_bytes(judgments: Path, tmp_path: Path) -> None:
    one, other = (written(judgments, tmp_path / name) for name in ("a.parquet", "b.parquet"))
    assert one.read_bytes() == other.read_bytes()


def test_thrift_as_its_specification_writes_it() -> None:
    assert encoded(I32(-1)) == b"\x01"
    assert encoded(I64(150)) == b"\xac\x02"
    assert encoded(Binary(b"ab")) == b"\x02ab"
    assert encoded(ListOf([I32(1), I32(2)])) == b"\x25\x02\x04"
    assert encoded(ListOf([I32(0)] * 15)) == b"\xf5\x0f" + b"\0" * 15
    # Field 1, then field 4: three further on.
    assert encoded(Struct({1: I32(1), 4: Struct({})})) == b"\x15\x02\x3c\x00\x00"
