"""Test sets as tab-separated values."""

from collections.abc import Callable

import pytest

from campaign.formats import FormatError, InputFile, SegmentTexts, read_test_set

MakeFile = Callable[[str, str | bytes], InputFile]


def _read(make_file: MakeFile, content: str | bytes) -> list[SegmentTexts]:
    return list(read_test_set(source=make_file("up/set.tsv", content)))


def test_columns_are_found_by_name_and_the_rest_are_systems(
    make_file: MakeFile,
) -> None:
    content = (
        "Reference2\tA\tSource\tdocument\tB b\treference\tsegment\n"
        'R1\ta1\ts"1\td\t"b1"\tr1\t7\n'
        "\n"
        "\ta2\ts2\td\tb2\tr2\tx\r\n"
        "R3\ta3\ts3\te\tb3\tr3\t7"
    )
    assert _read(make_file, content) == [
        SegmentTexts("d", 1, 1, 's"1', ("r1", "R1"), {"A": "a1", "B b": '"b1"'}),
        SegmentTexts("d", 2, 2, "s2", ("r2", ""), {"A": "a2", "B b": "b2"}),
        SegmentTexts("e", 1, 3, "s3", ("r3", "R3"), {"A": "a3", "B b": "b3"}),
    ]


def test_documents_and_segments_may_be_missing(make_file: MakeFile) -> None:
    assert _read(make_file, "source\tA\ns\ta\n") == [
        SegmentTexts("set.tsv", 1, 1, "s", (), {"A": "a"}),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ("up/set.tsv: the file is empty.")),
        ("source\tA\n", ("up/set.tsv: the file contains no segments.")),
        ("document\tsrc\tA\n", ('up/set.tsv, line 1 (field "source"): the header has no column source.')),
        ("source\tA\tB\tA\n", ('up/set.tsv, line 1, column 4 (field "A"): the column appears twice in the header.')),
        ("source\tA\tSOURCE\n", 'up/set.tsv, line 1, column 3 (field "SOURCE"): the column appears twice in the header.'),
        ("source\treference\treference1\n", 'up/set.tsv, line 1, column 3 (field "reference1"): the column appears twice in the header.'),
        ("source\tA,B\n", "up/set.tsv, line 1, column 2 (field \"A,B\"): the system name 'A,B' contains a comma."),
        ("source\t\tA\n", 'up/set.tsv, line 1, column 2 (field ""): the name of a system is empty.'),
        ("source\treference\treference3\n", 'up/set.tsv, line 1 (field "reference2"): the header has no column reference2, but a later reference.'),
        ("source\tA\ns\ta\n\ns\ta\tb\n", ("up/set.tsv, line 4: the row has 3 cells, the header 2.")),
        ("source\tA\ns\n", ("up/set.tsv, line 2: the row has 1 cell, the header 2.")),
        ("source\tA\ns\ta\ns\t \n", 'up/set.tsv, line 3, column 2 (field "A"): the output of A is empty.'),
        ("A\tSource\na\t\n", 'up/set.tsv, line 2, column 2 (field "Source"): the source is empty.'),
        ("document\tsource\n\ts\n", ('up/set.tsv, line 2, column 1 (field "document"): the name of the document is empty.')),
        ("segment\tsource\n\ts\n", 'up/set.tsv, line 2, column 1 (field "segment"): the segment\'s id is empty.'),
        ("document\tsegment\tsource\nd\t1\ta\nd\t2\tb\nd\t1\tc\n", ('up/set.tsv, line 4: the document "d" has the segment "1" twice.')),
        ("document\tsource\nd\ta\ne\tb\nd\tc\n", ('up/set.tsv, line 4: the document "d" appears again after another document.')),
        ("source\tA\ns\ta\0\n", ("up/set.tsv, line 2, column 4: the control character U+0000 (NUL) is not allowed in text.")),
        (b"source\tA\ns\t\xe4\n", ("up/set.tsv, line 2, column 3: the byte 0xE4 is not UTF-8.")),
    ],
)  # fmt: skip
def test_errors_name_file_line_cell_and_remedy(
    make_file: MakeFile,
    content: str | bytes,
    message: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        _read(make_file, content)
    assert str(caught.value).startswith(f"{message} What to do: ")


@pytest.mark.parametrize(
    ("ids", "repeated"),
    [
        ("1 2 3 2", "2"), ("5 6 7 5", "5"), ("a b a", "a"), ("3 1 2 1", "1"), ("3 9 4 9", "9"),
        ("1 3 2 3", "3"), ("01 01", "01"), ("2 3 1 4 1", "1"), ("1 3 2 1", "1"),
    ],
)  # fmt: skip
def test_a_segment_id_that_comes_again_is_found_in_any_order(
    make_file: MakeFile,
    ids: str,
    repeated: str,
) -> None:
    rows = "".join(f"{number}\ttext\n" for number in ids.split())
    with pytest.raises(FormatError) as caught:
        _read(make_file, "segment\tsource\n" + rows)
    assert (
        caught.value.problem
        == f'the document "set.tsv" has the segment "{repeated}" twice'
    )
    assert caught.value.line == len(ids.split()) + 1


@pytest.mark.parametrize(
    "ids",
    ["1 2 3", "01 1 001", "3 2 1 4", "1 3 2", "9 10 a 11", "1 3 2 4"],
)
def test_different_segment_ids_are_not_taken_for_each_other(
    make_file: MakeFile,
    ids: str,
) -> None:
    rows = "".join(f"{number}\ttext\n" for number in ids.split())
    assert len(_read(make_file, "segment\tsource\n" + rows)) == len(ids.split())


@pytest.mark.parametrize(
    "content",
    [
        "source\tsystem\toutput\nOne.\tM11\tA b.\nOne.\tM12\tB c.\n",
        "doc_id\tModel_ID\tsource\tsummary\nd\tM11\tOne.\tA b.\ne\tM11\tTwo.\tB c.\n",
    ],
)
def test_table_with_a_row_for_each_output_is_refused(
    make_file: MakeFile,
    content: str,
) -> None:
    with pytest.raises(FormatError, match=r"line 3.*a row for each output"):
        _read(make_file, content)


def test_system_may_be_called_system(make_file: MakeFile) -> None:
    content = "source\tbaseline\tsystem\nOne.\tEins.\tEins.\nTwo.\tZwei.\tZwei.\n"
    segments = _read(make_file, content)
    assert [list(segment.outputs) for segment in segments] == [
        ["baseline", "system"],
    ] * 2


def test_column_of_ids_is_no_system(make_file: MakeFile) -> None:
    [segment] = _read(make_file, "id\tsource\tA\tB\nq-7\tOne.\tEins.\tEin.\n")
    assert list(segment.outputs) == ["A", "B"]


def test_quoted_cells_have_line_breaks_where_segments_are_counted(
    make_file: MakeFile,
) -> None:
    texts = 'segment,source,A,B\n1,one,"eins\n\n=""1"",",x\n2,two,zwei,"y\nz"\n'
    rows = _read(make_file, texts)
    assert [row.outputs for row in rows] == [
        {"A": 'eins\n\n="1",', "B": "x"},
        {"A": "zwei", "B": "y\nz"},
    ]


@pytest.mark.parametrize(
    "rows",
    [
        '1,one,"eins\n2,two,zwei\n3,three,drei"\n',
        '1,one,"eins\n2,two,zwei"\n3,three,drei\n',
        '1,one,"eins\n3,three,drei\n',
        '1,one,5" eins\n2,two,"zwei\n',
    ],
)
def test_unclosed_quote_swallows_no_row(make_file: MakeFile, rows: str) -> None:
    texts = _read(make_file, f"segment,source,A\n{rows}")
    assert len(texts) == rows.count("\n")
