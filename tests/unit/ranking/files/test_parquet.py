"""Judgments in Parquet are the judgments of the other formats, however files and row groups are cut."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from campaign.formats import FormatError
from ranking.core.rankings.rank import rank
from ranking.files.parquet_writing import (
    cut_between_segments,
    in_order_of_segments,
    write_parquet,
)
from ranking.files.reading import read_columns, read_judgments
from ranking.files.records import InputFormat, JudgmentsRead
from tests.properties import examples
from tests.unit.ranking.files.test_build import five_way
from tests.unit.ranking.files.test_reading import APPRAISE, FIVE_WAY, JSONL, PAIRWISE

MakeFile = Callable[..., str]


def converted(name: str, to: Path) -> str:
    """Write a file of judgments as one Parquet file."""
    columns, vocabulary, _not_read = read_columns([name])
    write_parquet(str(to), in_order_of_segments(columns), vocabulary)
    return str(to)


def rows_of(read: JudgmentsRead) -> list[tuple[Any, ...]]:
    """Return all that is known of each judgment, in an order of their own."""
    blocks = read.blocks
    documents = (
        [None] * len(blocks) if blocks.document is None else blocks.document.tolist()
    )
    return sorted(
        zip(
            blocks.key.tolist(),
            blocks.segment.tolist(),
            [blocks.judges[judge] for judge in blocks.judge.tolist()],
            map(tuple, blocks.labels.tolist()),
            map(tuple, blocks.candidates.tolist()),
            read.duration_ms.tolist(),
            [document is not None for document in documents],
            strict=True,
        ),
    )


@pytest.mark.parametrize("content", [FIVE_WAY, PAIRWISE, APPRAISE, JSONL])
def test_every_format_keeps_all_that_reports_say(
    content: str,
    make_file: MakeFile,
    tmp_path: Path,
) -> None:
    name = make_file(content)
    before, after = (
        read_judgments([one]) for one in (name, converted(name, tmp_path / "j.parquet"))
    )
    assert after.input_format is InputFormat.PARQUET
    assert rows_of(after) == rows_of(before)
    for told in ("languages", "skipped", "skipped_by", "blank_labels", "judges"):
        assert getattr(after, told) == getattr(before, told)
    assert after.blocks.systems == before.blocks.systems


def test_files_without_judges_stay_without(make_file: MakeFile, tmp_path: Path) -> None:
    name = make_file("1\tcs-en\tA\tcs-en\tB\n2\tcs-en\tB\tcs-en\tC\n")
    after = read_judgments([converted(name, tmp_path / "j.parquet")])
    assert rows_of(after) == rows_of(read_judgments([name]))
    assert after.judges == 0


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, pa.Table]:
    """Judgments in a CSV, some of them twice, and the table of the same judgments."""
    folder = tmp_path_factory.mktemp("drawn")
    header, *rows = five_way(np.random.default_rng(1), 300).splitlines(keepends=True)
    name = folder / "judgments.csv"
    name.write_text(header + "".join(rows + rows[::7]), encoding="utf-8")
    return str(name), parquet.read_table(
        converted(str(name), folder / "judgments.parquet"),
    )


@pytest.mark.thorough
@examples(30)
@given(data=st.data())
def test_the_ranking_is_that_of_the_csv_however_rows_are_split(
    drawn: tuple[str, pa.Table],
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
) -> None:
    name, table = drawn
    folder = tmp_path_factory.mktemp("split")
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(len(table))
    table = table.take(order)
    # Equal rows are in one file: those of two files would count once.
    segments = np.array(table["srcIndex"])
    cuts = sorted(data.draw(st.sets(st.integers(2, int(segments.max())), max_size=4)))
    file_of_row = np.searchsorted(cuts, segments, side="right")
    files = []
    for number in range(len(cuts) + 1):
        files.append(str(folder / f"{number}.parquet"))
        parquet.write_table(
            table.filter(pa.array(file_of_row == number)),
            files[-1],
            row_group_size=data.draw(st.integers(1, 400)),
            use_dictionary=data.draw(st.booleans()),
            store_schema=data.draw(st.booleans()),
        )
    how: dict[str, Any] = {
        "resample": data.draw(st.sampled_from(["two_way", "blocks", "segments"])),
        "resamples": 50,
    }
    found = rank(read_judgments(files).blocks, **how)
    assert found == rank(read_judgments([name]).blocks, **how)


def columns(**changed: Any) -> dict[str, Any]:
    """Return two judgments as another program might write them."""
    given: dict[str, Any] = {
        "srclang": ["a", "a"],
        "trglang": ["b", "b"],
        "srcIndex": pa.array([1, 2], pa.int64()),
        "segmentId": ["1", "2"],
        "judgeId": ["ann", "bob"],
        "system1Id": ["A", "A,B"],
        "system2Id": ["B", "C"],
        "system1rank": [1, 2],
        "system2rank": [2, None],
    }
    return {
        name: value for name, value in (given | changed).items() if value is not None
    }


def written(tmp_path: Path, **changed: Any) -> str:
    name = str(tmp_path / "judgments.parquet")
    parquet.write_table(pa.table(columns(**changed)), name, row_group_size=1)
    return name


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"documentId": pa.nulls(2), "duration_ms": pa.nulls(2)},
        {"system2rank": pa.array([2, -1], pa.int8())},
        {"system3Id": ["", None], "system3rank": pa.nulls(2)},
        {"judgeId": pa.array(["ann", "bob"], pa.large_string())},
        {"judgeId": pa.array(["ann", "bob"]).dictionary_encode()},
        # polars numbers categories without a sign.
        {
            "judgeId": pa.DictionaryArray.from_arrays(
                pa.array([0, 1], pa.uint32()),
                ["ann", "bob"],
            ),
        },
        # DuckDB and Spark: DECIMAL(5, 0).
        {"srcIndex": pa.array([1, 2], pa.decimal128(5, 0))},
        {"srcIndex": pa.array([1, 2], pa.uint8())},
        {"judgeId": None, "JUDGEID": ["ann", "bob"]},
        {"system1Id": [" A ", "A , B"]},
    ],
)
def test_files_of_other_programs_are_read(
    changed: dict[str, Any],
    tmp_path: Path,
) -> None:
    read = read_judgments([written(tmp_path, **changed)])
    assert read.blocks.systems == ("A", "B", "C")
    assert read.blocks.labels.tolist() == [[1, 2, 0], [2, 2, 0]]
    assert read.blocks.candidates.tolist() == [[0, 1, -1], [0, 0, 1]]
    assert [read.blocks.judges[judge] for judge in read.blocks.judge.tolist()] == [
        "ann",
        "bob",
    ]
    assert read.blank_labels == 1


@pytest.mark.parametrize(
    ("changed", "line", "field", "problem"),
    [
        ({"srcIndex": None}, None, "srcIndex", "no column srcIndex"),
        ({"system2rank": None}, None, "system2rank", "no column system2rank"),
        ({"system4Id": ["D", "D"]}, None, "system3Id", "no column system3Id"),
        ({"comment": ["x", "y"]}, None, "comment", "unknown"),
        ({"SRCLANG": ["a", "a"]}, None, "SRCLANG", "twice"),
        ({"judgeId": [1, 2]}, 1, "judgeId", "not text"),
        ({"srcIndex": ["1", "2"]}, 1, "srcIndex", "not a whole number"),
        ({"system1rank": [1.0, 1.5]}, 2, "system1rank", "whole number"),
        ({"srcIndex": [1, 0]}, 2, "srcIndex", "whole number"),
        ({"srcIndex": [1, None]}, 2, "srcIndex", "whole number"),
        ({"srcIndex": [1, 2**31]}, 2, "srcIndex", "whole number"),
        (
            {"srcIndex": pa.array([1, 2**63], pa.uint64())},
            2,
            "srcIndex",
            "whole number",
        ),
        ({"srclang": ["a", None]}, 2, "srclang", "empty"),
        ({"trglang": ["b", " "]}, 2, "trglang", "empty"),
        ({"judgeId": ["ann", None]}, 2, "judgeId", "empty"),
        ({"judgeId": ["ann", "b" * 101]}, 2, "judgeId", "longer than 100"),
        ({"judgeId": ["ann", "b\x01b"]}, 2, "judgeId", "control character"),
        ({"documentId": ["d", "d\x01"]}, 2, "documentId", "control character"),
        ({"system1rank": [1, 6]}, 2, "system1rank", "not 1, 2, 3, 4, 5 or -1"),
        ({"system1rank": [1, 0]}, 2, "system1rank", "not 1, 2, 3, 4, 5 or -1"),
        (
            {"system1rank": pa.array([None, 2**64 - 1], pa.uint64())},
            *(2, "system1rank", "not 1, 2, 3, 4, 5 or -1"),
        ),
        (
            {"duration_ms": pa.array([1, 2**64 - 1], pa.uint64())},
            2,
            "duration_ms",
            "out of range",
        ),
        ({"system1rank": [1, 257]}, 2, "system1rank", "not 1, 2, 3, 4, 5 or -1"),
        ({"system1Id": ["A", None]}, 2, "system1rank", "has no system"),
        ({"system1Id": ["A", "A,,B"]}, 2, "system1Id", "empty"),
        ({"system1Id": ["A", "A,A"]}, 2, "system1Id", "A appears twice"),
        ({"system1Id": ["A", "B,C"]}, 2, "system1Id", "appears twice in the row"),
        ({"system1Id": ["A", "C"]}, 2, "system1Id", "appears twice in the row"),
        ({"duration_ms": [1, -1]}, 2, "duration_ms", "out of range"),
    ],
)
def test_invalid_cell_is_refused_with_row_and_column(
    changed: dict[str, Any],
    line: int | None,
    field: str,
    problem: str,
    tmp_path: Path,
) -> None:
    with pytest.raises(FormatError, match=problem) as refused:
        read_judgments([written(tmp_path, **changed)])
    assert (refused.value.line, refused.value.field) == (line, field)
    assert refused.value.remedy


def test_the_row_of_an_error_counts_through_the_row_groups(tmp_path: Path) -> None:
    name = str(tmp_path / "judgments.parquet")
    table = pa.concat_tables(
        [pa.table(columns())] * 9 + [pa.table(columns(judgeId=["ann", ""]))],
    )
    parquet.write_table(table, name, row_group_size=3)
    with pytest.raises(FormatError) as refused:
        read_judgments([name])
    assert refused.value.line == 20


def test_the_row_of_an_error_counts_through_what_is_decoded_at_a_time(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ranking.files.parquet_reading._ROWS_AT_A_TIME", 1)
    name = str(tmp_path / "judgments.parquet")
    table = pa.concat_tables(
        [pa.table(columns())] * 2 + [pa.table(columns(judgeId=["ann", ""]))],
    )
    parquet.write_table(table, name, row_group_size=9)
    with pytest.raises(FormatError) as refused:
        read_judgments([name])
    assert refused.value.line == 6


def test_places_left_empty_are_no_system_that_stands_twice(tmp_path: Path) -> None:
    slots: dict[str, Any] = {}
    for slot in range(3, 16):
        slots[f"system{slot}Id"] = slots[f"system{slot}rank"] = pa.nulls(2)
    assert len(read_judgments([written(tmp_path, **slots)]).blocks) == 2


@pytest.mark.parametrize("keep", [4, 100, -9, -200])
def test_a_damaged_file_is_refused(keep: int, tmp_path: Path) -> None:
    whole = Path(written(tmp_path))
    content = whole.read_bytes()
    whole.write_bytes(content[:keep])
    with pytest.raises(FormatError, match="not Parquet or is damaged"):
        read_judgments([str(whole)])


def test_pieces_end_where_a_segment_ends_after_enough_rows(tmp_path: Path) -> None:
    order = [3, 1, 1, 2, 2, 3, 1, 2]
    pairs = ["z", "z", "z", "y", "z", "z", "y", "y"]
    table = {
        name: value.take([0] * 8) if isinstance(value, pa.Array) else [value[0]] * 8
        for name, value in columns().items()
    }
    table |= {"srcIndex": order, "srclang": pairs}
    parquet.write_table(pa.table(table), str(tmp_path / "judgments.parquet"))
    found, vocabulary, _not_read = read_columns([str(tmp_path / "judgments.parquet")])
    found = in_order_of_segments(found)
    names = [source for source, _target in vocabulary.languages]
    # By language pair, in the order in which they were read, then by segment.
    assert [names[one] for one in found.language.tolist()] == ["z"] * 5 + ["y"] * 3
    assert found.segment.tolist() == [1, 1, 2, 3, 3, 1, 2, 2]

    def pieces(rows: int) -> list[tuple[int, int]]:
        return [(one.start, one.stop) for one in cut_between_segments(found, rows)]

    assert pieces(1) == [(0, 2), (2, 3), (3, 5), (5, 6), (6, 8)]
    assert pieces(2) == [(0, 2), (2, 5), (5, 8)]
    assert pieces(3) == [(0, 3), (3, 6), (6, 8)]
    assert pieces(9) == [(0, 8)]


def test_row_groups_end_where_a_segment_ends(
    make_file: MakeFile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ranking.files.parquet_writing.ROWS_OF_A_GROUP", 50)
    name = make_file(five_way(np.random.default_rng(1), 300))
    metadata = parquet.ParquetFile(converted(name, tmp_path / "j.parquet")).metadata
    place = metadata.schema.names.index("srcIndex")
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    limits = [
        (each.column(place).statistics.min, each.column(place).statistics.max)
        for each in groups
    ]
    assert [each.num_rows >= 50 for each in groups[:-1]] == [True] * (len(groups) - 1)
    assert len(groups) == 6
    assert all(one[1] < other[0] for one, other in itertools.pairwise(limits))
