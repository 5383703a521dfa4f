"""Columns of a five-way CSV say what its rows say, some rows at a time."""

import io

import pytest

from campaign.formats import FiveWayNames, FormatError, read_five_way_columns

_HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,"
    "system2Id,system3Number,system3Id,system1rank,system2rank,system3rank\n"
)
_ROWS = [
    'Czech,English,7,d,s1, judge01 ,"3,7","A, B",,,20,C,1,,-1\n',
    "Czech,English,8,-1,s2,judge02,,C,,A,,B,1,2,5\n",
    "cs,en,9,e,s3,judge01,,,,C,,,,3,\n",
]


def test_names_are_numbered_across_batches_and_rows_filled_up() -> None:
    names = FiveWayNames()
    content = io.BytesIO((_HEADER + "".join(_ROWS)).encode())
    first, second = read_five_way_columns(content, "f", names=names, rows_at_once=2)

    assert names.pairs == [("Czech", "English"), ("cs", "en")]
    assert names.judges == ["judge01", "judge02"]
    assert names.candidates == [("A", "B"), ("C",), ("A",), ("B",)]
    assert first.lines.tolist() == [2, 3]
    assert first.candidates.tolist() == [[0, 1, -1], [1, 2, 3]]
    assert first.labels.tolist() == [[1, 0, 0], [1, 2, 5]]
    assert first.documents == ["d", ""]
    # A place before the first system is left out.
    assert (second.candidates.tolist(), second.labels.tolist()) == ([[1]], [[3]])
    assert (second.pairs.tolist(), second.judges.tolist()) == ([1], [0])


def test_what_is_wrong_with_a_row_is_said_of_its_line() -> None:
    content = io.BytesIO((_HEADER + _ROWS[0] + "cs,en,0,d,s,j,,A,,,,,1,,\n").encode())
    with pytest.raises(FormatError) as refused:
        list(read_five_way_columns(content, "f", names=FiveWayNames({"A", "B", "C"})))
    assert (refused.value.line, refused.value.field) == (3, "srcIndex")
