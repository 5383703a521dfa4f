"""Parquet files counted shard by shard give the ranking of all judgments at once, bit for bit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from campaign.formats import FormatError
from ranking.core.counting.resampling import LEVELS
from ranking.core.methods.registry import counts_method_named
from ranking.core.rankings.counted_judgments import (
    effective_units,
    effective_units_of_sizes,
)
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import rank, rank_judged
from ranking.core.rankings.shard_counts import CountOptions
from ranking.files.counting import (
    JudgmentsCounted,
    ShardRequest,
    count_files,
    count_part,
    cut_into_shards,
    row_groups_of,
)
from ranking.files.reading import read_judgments
from ranking.files.records import JudgmentSelection, SelectionError
from tests.properties import examples

SYSTEMS = ["A", "B", "C", "d", "e f", "_ref"]
KINDS = ((False, False), (True, False), (True, True))
METHODS = ["expected_wins", "bradley_terry", "geq_all_in_block"]


Result = TypeVar("Result")


def table_of(rows: list[tuple[int, int, list[int], list[int]]]) -> pa.Table:
    """Return judgments: segment, judge, systems and labels; a place may be empty."""

    def name(systems: list[int], place: int) -> str | None:
        return SYSTEMS[systems[place]] if place < len(systems) else None

    columns: dict[str, Any] = {
        "srclang": ["x"] * len(rows),
        "trglang": ["y"] * len(rows),
        "srcIndex": pa.array([segment for segment, *_ in rows], pa.int32()),
        "judgeId": [f"judge {judge}" for _, judge, *_ in rows],
    }
    for place in range(3):
        columns[f"system{place + 1}Id"] = [
            name(systems, place) for _, _, systems, _ in rows
        ]
        columns[f"system{place + 1}rank"] = pa.array(
            [
                labels[place] if place < len(systems) else None
                for _, _, systems, labels in rows
            ],
            pa.int8(),
        )
    columns["system1Id"] = pa.array(columns["system1Id"], pa.string())
    return pa.table(columns)


judged_rows = st.lists(
    st.tuples(
        st.integers(1, 12),
        st.integers(0, 3),
        st.lists(st.integers(0, 5), unique=True, max_size=3),
        st.lists(st.sampled_from([-1, 1, 2, 3]), min_size=3, max_size=3),
    ),
    min_size=1,
    max_size=60,
)


def write(folder: Path, table: pa.Table, data: st.DataObject) -> list[str]:
    """Write a table into files, some of them empty of some segments, sorted or not."""
    if data.draw(st.booleans()):
        table = table.sort_by("srcIndex")
    # Equal judgments are told apart wherever they stand.
    table = pa.concat_tables([table, table.slice(0, len(table) // 3)]).combine_chunks()
    cuts = sorted(
        data.draw(st.sets(st.integers(1, max(1, len(table) - 1)), max_size=3)),
    )
    names = []
    for number, (start, end) in enumerate(
        zip([0, *cuts], [*cuts, len(table)], strict=True),
    ):
        if end > start:
            names.append(str(folder / f"{number}.parquet"))
            size = data.draw(st.integers(1, 30))
            parquet.write_table(
                table.slice(start, end - start),
                names[-1],
                row_group_size=size,
                write_statistics=data.draw(st.integers(0, 5)) > 0,
            )
    return names


def count(names: list[str], options: RangeOptions, **how: Any) -> JudgmentsCounted:
    selection = how.pop("selection", JudgmentSelection())
    counts = CountOptions(KINDS, options.keeps, options.resamples, 7)
    return count_files(names, ShardRequest(selection, "_ref", counts), **how)


def outcome(work: Callable[[], Result]) -> tuple[Result | None, str]:
    """Return what work returns, or in which words it refuses."""
    try:
        return work(), ""
    except (FormatError, SelectionError) as error:
        return None, f"{type(error).__name__}: {error}"


@pytest.mark.thorough
@examples(60)
@given(rows=judged_rows, data=st.data())
def test_rankings_are_those_of_all_judgments_at_once(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, int, list[int], list[int]]],
    data: st.DataObject,
) -> None:
    names = write(tmp_path_factory.mktemp("files"), table_of(rows), data)
    how: dict[str, Any] = {
        "resample": data.draw(st.sampled_from(LEVELS)),
        "resamples": 40,
    }
    method = data.draw(
        st.sampled_from(METHODS[:2] if how["resample"] == "pairs" else METHODS),
    )
    shard_rows = data.draw(st.integers(1, 20))
    read, refused = outcome(lambda: read_judgments(names))
    found, also_refused = outcome(
        lambda: count(names, RangeOptions(**how), rows=shard_rows),
    )
    assert also_refused == refused
    if read is None or found is None:
        return
    ranked = read.blocks.without({"_ref"}.intersection(read.blocks.systems))
    expected = rank(ranked, method, seed=7, **how)
    chosen = counts_method_named(method)
    counted = found.counts.counted(chosen)
    ranking = rank_judged(
        counted,
        chosen,
        chosen.complete({}),
        RangeOptions(**how),
        seed=7,
    )
    assert repr(ranking) == repr(expected)
    for told in (
        "files",
        "languages",
        "skipped",
        "skipped_by",
        "blank_labels",
        "judges",
    ):
        assert getattr(found, told) == getattr(read, told)
    assert found.systems == read.blocks.systems


def files_of_segments(folder: Path, segments: list[list[int]]) -> list[str]:
    """Write a file of row groups, each with judgments of the segments given."""
    names = [str(folder / f"{number}.parquet") for number in range(len(segments))]
    for judge, (name, numbers) in enumerate(zip(names, segments, strict=True)):
        parquet.write_table(
            table_of([(one, judge, [0, 1], [1, 2, 3]) for one in numbers]),
            name,
        )
    return names


@pytest.mark.parametrize(
    ("segments", "shards"),
    [
        # In order, and no segment in two files.
        ([[1, 1], [2, 3], [4, 5]], [(0, 1), (2, 3), (4, 2**31 - 1)]),
        # A segment that goes on in the next file would be read by both: too much of so little.
        ([[1, 2], [2, 3]], [(0, 2**31 - 1)]),
        ([[1, 2, 2, 2, 2, 2, 2, 2], [2, 3], [4, 4]], [(0, 3), (4, 2**31 - 1)]),
        # Segments from everywhere.
        ([[1, 9], [2, 8], [1, 9]], [(0, 2**31 - 1)]),
        ([[4, 5], [1, 1], [2, 3]], [(0, 1), (2, 3), (4, 2**31 - 1)]),
    ],
)
def test_shards_end_between_segments(
    segments: list[list[int]],
    shards: list[tuple[int, int]],
    tmp_path: Path,
) -> None:
    groups = row_groups_of(files_of_segments(tmp_path, segments))
    found = cut_into_shards(groups, rows=2)
    assert [(shard.first, shard.last) for shard in found] == shards


def test_a_row_group_of_two_shards_is_read_by_both_and_counted_once(
    tmp_path: Path,
) -> None:
    names = files_of_segments(tmp_path, [[1] * 9, [1, 2], [2] * 9])
    first, second = cut_into_shards(row_groups_of(names), rows=9)
    assert [[name for name, _ in shard.groups] for shard in (first, second)] == [
        names[:2],
        names[1:],
    ]
    counts = CountOptions(KINDS, None, 1, 0)
    wanted = ShardRequest(JudgmentSelection(), None, counts)
    found = [count_part(wanted, shard).counts for shard in (first, second)]
    assert [part.blocks for part in found if part is not None] == [10, 10]


def test_a_row_group_without_statistics_is_read_by_all_shards(tmp_path: Path) -> None:
    names = files_of_segments(tmp_path, [[1] * 90, [2] * 90, [3] * 90])
    unknown = str(tmp_path / "unknown.parquet")
    table = table_of([(one, 9, [0, 1], [1, 2, 3]) for one in (1, 2, 3)])
    parquet.write_table(table, unknown, write_statistics=False)
    shards = cut_into_shards(row_groups_of([*names, unknown]), rows=90)
    assert len(shards) == 3
    wanted = ShardRequest(JudgmentSelection(), None, CountOptions(KINDS, None, 1, 0))
    found = [count_part(wanted, shard).counts for shard in shards]
    assert [part.blocks for part in found if part is not None] == [91, 91, 91]


def test_a_row_group_that_says_no_segment_is_refused_in_words(tmp_path: Path) -> None:
    [name] = files_of_segments(tmp_path, [[1, 2]])
    table = parquet.read_table(name)
    place = table.schema.get_field_index("srcIndex")
    parquet.write_table(
        table.set_column(place, "srcIndex", pa.nulls(2, pa.int32())),
        name,
    )
    with pytest.raises(FormatError, match="whole number") as refused:
        count([name], RangeOptions(resample="blocks", resamples=20))
    assert (refused.value.line, refused.value.field) == (1, "srcIndex")


@pytest.mark.parametrize(
    ("documents", "ignored"),
    [
        (["a", "a", "b", "b", "c", "c"], False),
        # Named by some blocks alone; one for all; two of one segment; none by the first.
        (["a", "a", None, "b", "c", "c"], True),
        (["a"] * 6, True),
        (["a/b", "a", "b", "b", "c", "c"], True),
        ([None, "a", "b", "b", "c", "c"], True),
    ],
)
def test_documents_are_counted_over_shards(
    documents: list[str | None],
    ignored: bool,
    tmp_path: Path,
) -> None:
    """Segment by segment; "a/b" is one document for the first judge, another for the second."""
    rows = [
        (segment, judge, [judge, judge + 1, 4 if segment % 2 else 5], [1, 2, 3])
        for segment in range(1, 7)
        for judge in range(2 if segment % 2 else 3)
    ]
    named = [(documents[segment - 1] or "").split("/") for segment, *_ in rows]
    column = [
        (each[judge % len(each)] or None)
        for each, (_, judge, *_) in zip(named, rows, strict=True)
    ]
    name = str(tmp_path / "documents.parquet")
    table = table_of(rows).append_column("documentId", pa.array(column, pa.string()))
    parquet.write_table(table, name, row_group_size=3)
    options = RangeOptions(resample="blocks", resamples=30)
    read, found = read_judgments([name]), count([name], options, rows=5)
    assert found.ignored_documents == read.ignored_documents
    assert (found.ignored_documents is not None) == ignored
    method = counts_method_named("expected_wins")
    counted = found.counts.counted(method)
    ranking = rank_judged(counted, method, {}, options, seed=7)
    blocks = read.blocks.without({"_ref"})
    assert effective_units_of_sizes(counted.sizes) == effective_units(blocks, method)
    assert repr(ranking) == repr(rank(blocks, resample="blocks", resamples=30, seed=7))
