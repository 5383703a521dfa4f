"""The five-way CSV: what is read and what is refused."""

import io
from dataclasses import replace

import pytest

from campaign.formats import FormatError, JudgedBlock, read_five_way_csv

_HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,"
    "system2Id,system3Number,system3Id,system1rank,system2rank,system3rank\n"
)
_ROW = JudgedBlock(
    source_language="Czech",
    target_language="English",
    segment=7,
    document="d",
    segment_id="s1",
    judge="judge01",
    candidates=(("A", "B"), ("C",)),
    labels=(1, None),
    system_numbers=((3, 7), (20,)),
)


def _read(content: str | bytes) -> list[JudgedBlock]:
    data = content.encode() if isinstance(content, str) else content
    return list(read_five_way_csv(io.BytesIO(data), "j.csv"))


def test_a_row_is_a_block_with_its_candidates_as_shown() -> None:
    assert _read(
        _HEADER + 'Czech,English,7,d,s1,judge01,"3,7","A, B",,,20,C,1,,-1\n',
    ) == [_ROW]


def test_line_number_does_not_distinguish_rows() -> None:
    rows = _read("\r\n" + _HEADER + "\na,b,1,d,s,j,1,A,2,B,3,C,1,2,3\n" * 2)
    assert [row.line for row in rows] == [4, 6]
    assert rows[0] == rows[1]


def test_columns_are_found_by_name_in_any_case_and_order() -> None:
    content = (
        "\ufeffSYSTEM2RANK,system1RANK,System2ID,system1id,JUDGEID,segmentid,documentID, srcindex ,"
        "TrgLang,srclang\n3,1,C,A,judge01,s1,d,7,English,Czech\n"
    )
    expected = replace(
        _ROW,
        candidates=(("A",), ("C",)),
        labels=(1, 3),
        system_numbers=((), ()),
    )
    assert _read(content) == [expected]


@pytest.mark.parametrize("systems", [2, 3, 5, 12])
def test_any_number_of_systems_from_two_makes_a_row(systems: int) -> None:
    header = "srclang,trglang,srcIndex,documentId,segmentId,judgeId"
    header += "".join(f",system{n}Id,system{n}rank" for n in range(1, systems + 1))
    row = "a,b,1,d,s,j" + "".join(f",S{n},{n % 5 + 1}" for n in range(1, systems + 1))
    (block,) = _read(f"{header}\n{row}\n")
    assert block.candidates == tuple((f"S{n}",) for n in range(1, systems + 1))
    assert block.labels == tuple(n % 5 + 1 for n in range(1, systems + 1))


def test_a_row_without_any_label_is_handed_out() -> None:
    (row,) = _read(_HEADER + "a,b,1,d,s,j,1,A,2,B,3,C,-1,-1,\n")
    assert row.labels == (None, None, None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("\n\n", "j.csv: the file is empty."),
        (_HEADER.replace("judgeId", "annotator"), 'j.csv, line 1, column 6 (field "annotator"): the column is unknown.'),
        (_HEADER.replace("judgeId,", ""), 'j.csv, line 1 (field "judgeId"): the header has no column judgeId.'),
        (_HEADER.replace("system2Id", "system4Id"), 'j.csv, line 1 (field "system2Id"): the header has no column system2Id.'),
        (_HEADER.replace(",system3rank", ""), 'j.csv, line 1 (field "system3rank"): the header has no column system3rank.'),
        (
            "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system1rank\n",
            'j.csv, line 1 (field "system2Id"): the header has no column system2Id.',
        ),
        (_HEADER.replace("segmentId", "SRCINDEX"), ('j.csv, line 1, column 5 (field "SRCINDEX"): the column appears twice in the header.')),
        (
            ("srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"),
            'j.csv, line 1, column 10 (field "rankingID"): this is the pairwise CSV format of WMT15 and later, with several rows per block.',
        ),
        (_HEADER + "a,b,1,d,s,j,1,A,2,B,3,C,1,2\n", "j.csv, line 2: the row has 14 cells, the header 15."),
        (_HEADER + "a,b,1,d,s,j,1,A,2,B,3,C,1,2,3,\n", "j.csv, line 2: the row has 16 cells, the header 15."),
        (_HEADER + 'a,b,1,d,s,j,1,"A,2,B,3,C,1,2,3\n', ("j.csv, line 2: a quoted cell continues on the next line.")),
        (_HEADER + "a,b,1,d,s, ,1,A,2,B,3,C,1,2,3\n", 'j.csv, line 2, column 6 (field "judgeId"): the cell is empty.'),
        (
            _HEADER + f"a,b,1,d,s,{'j' * 101},1,A,2,B,3,C,1,2,3\n",
            'j.csv, line 2, column 6 (field "judgeId"): the name of the judge is longer than 100 characters.',
        ),
        (_HEADER + ",b,1,d,s,j,1,A,2,B,3,C,1,2,3\n", 'j.csv, line 2, column 1 (field "srclang"): the cell is empty.'),
        (_HEADER + "a,b,0,d,s,j,1,A,2,B,3,C,1,2,3\n", "j.csv, line 2, column 3 (field \"srcIndex\"): the segment number '0' is not a whole number of 1 or more."),
        (_HEADER + "a,b,1,d,s,j,1,A,2,B,3,C,1,6,3\n", "j.csv, line 2, column 14 (field \"system2rank\"): the rank '6' is not 1, 2, 3, 4, 5 or -1."),
        (_HEADER + "a,b,1,d,s,j,1,A,2,B,3,C,1,2.5,3\n", "j.csv, line 2, column 14 (field \"system2rank\"): the rank '2.5' is not 1, 2, 3, 4, 5 or -1."),
        (_HEADER + "a,b,1,d,s,j,1,A,2,,3,C,1,2,3\n", "j.csv, line 2, column 14 (field \"system2rank\"): the rank '2' does not belong to a system."),
        (_HEADER + "a,b,1,d,s,j,,,,,,,-1,-1,-1\n", ('j.csv, line 2, column 8 (field "system1Id"): the row has no systems.')),
        (_HEADER + "a,b,1,d,s,j,1,A,2,B,3,A,1,2,3\n", ('j.csv, line 2, column 12 (field "system3Id"): the system A appears twice in the block.')),
        (_HEADER + 'a,b,1,d,s,j,,"A,B",2,B,3,C,1,2,3\n', ('j.csv, line 2, column 10 (field "system2Id"): the system B appears twice in the block.')),
        (_HEADER + 'a,b,1,d,s,j,,"A,,B",2,C,3,D,1,2,3\n', 'j.csv, line 2, column 8 (field "system1Id"): the name of a system is empty.'),
        (_HEADER + "a,b,1,d,s,j,1,A\tB,2,C,3,D,1,2,3\n", "j.csv, line 2, column 8 (field \"system1Id\"): the system name 'A\\tB' contains a tab."),
        (_HEADER + 'a,b,1,d,s,j,1,"A,B",2,C,3,D,1,2,3\n', 'j.csv, line 2, column 7 (field "system1Number"): the cell has 1 number for 2 systems.'),
        (_HEADER + "a,b,1,d,s,j,x,A,2,C,3,D,1,2,3\n", "j.csv, line 2, column 7 (field \"system1Number\"): the system number 'x' is not an integer."),
        (_HEADER + "a,b,1,d,s,j\0,1,A,2,B,3,C,1,2,3\n", ("j.csv, line 2, column 12: the control character U+0000 (NUL) is not allowed in text.")),
        (_HEADER.encode() + b"a,b,1,d,s,j\xf6,1,A,2,B,3,C,1,2,3\n", ("j.csv, line 2, column 12: the byte 0xF6 is not UTF-8.")),
    ],
)  # fmt: skip
def test_errors_name_file_line_cell_field_and_remedy(
    content: str | bytes,
    message: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        _read(content)
    assert str(caught.value).startswith(f"{message} What to do: ")


@pytest.mark.parametrize(
    "index",
    ["", "-1", "1.5", "１", "1_0", "2147483648", "9" * 5000],
)
def test_a_source_index_is_a_decimal_number_the_database_can_hold(index: str) -> None:
    with pytest.raises(FormatError, match="is not a whole number of 1 or more"):
        _read(_HEADER + f"a,b,{index},d,s,j,1,A,2,B,3,C,1,2,3\n")
