"""Files in every format become the same columns."""

import gzip
import hashlib
from collections.abc import Callable

import numpy as np
import pytest

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.files.reading import read_judgments
from ranking.files.records import InputFormat, JudgmentSelection, SelectionError

MakeFile = Callable[..., str]

FIVE_WAY = """\
srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,system3Number,system3Id,system1rank,system2rank,system3rank
Czech,English,7,doc,7,ann,1,A,2,B,3,C,1,2,2
Czech,English,3,doc,3,bob,3,C,"1,2","A,B",,,1,3,-1
Czech,English,9,doc,9,bob,3,C,1,A,2,B,2,-1,-1
"""
PAIRWISE = """\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
Czech,English,7,7,ann,A,1,B,2,100
Czech,English,3,3,bob,C,1,A,3,101
Czech,English,7,7,ann,A,1,C,2,100
Czech,English,7,7,ann,B,2,C,2,100
Czech,English,3,3,bob,C,1,B,3,101
Czech,English,9,9,bob,C,2,A,-1,102
Czech,English,9,9,bob,C,2,B,-1,102
Czech,English,9,9,bob,A,-1,B,-1,102
"""
APPRAISE = """\
<?xml version='1.0' encoding='utf-8'?>
<results><HIT hit-id="1" source-language="Czech" block-id="-1" target-language="English">
<ranking-task id="7"><ranking-result duration="00:00:17.711000" user="ann">
  <translation system="A" rank="1"/><translation system="B" rank="2"/><translation system="C" rank="2"/>
</ranking-result></ranking-task>
<ranking-task id="3"><ranking-result duration="01:00:01" user="bob">
  <translation system="C" rank="1"/><translation system="A,B" rank="3"/>
</ranking-result></ranking-task>
<ranking-task id="9"><ranking-result user="bob">
  <translation system="C" rank="2"/><translation system="A" rank="-1"/><translation system="B" rank="-1"/>
</ranking-result></ranking-task>
<ranking-task id="4"><ranking-result duration="00:00:02" user="bob" skipped="true">
</ranking-result></ranking-task>
</HIT></results>
"""
JSONL = """\
{"source_language": "Czech", "target_language": "English", "segment": 7, "judge": "ann", "candidates": [["A"], ["B"], ["C"]], "labels": [1, 2, 2], "duration_ms": 17711}
{"source_language": "Czech", "target_language": "English", "segment": 3, "judge": "bob", "candidates": ["C", ["A", "B"]], "labels": [1, 3]}
{"source_language": "Czech", "target_language": "English", "segment": 9, "judge": "bob", "candidates": ["C", "A", "B"], "labels": [2, null, -1]}
"""
ROWS = [
    BlockRow("ann", 7, [["A"], ["B"], ["C"]], [1, 2, 2]),
    BlockRow("bob", 3, [["C"], ["A", "B"]], [1, 3]),
    BlockRow("bob", 9, [["C"], ["A"], ["B"]], [2, None, None]),
]


def assert_same(found: Blocks, expected: Blocks) -> None:
    assert (found.systems, found.judges) == (expected.systems, expected.judges)
    for name in ("labels", "candidates", "judge", "segment", "key"):
        np.testing.assert_array_equal(
            getattr(found, name),
            getattr(expected, name),
            err_msg=name,
        )


@pytest.mark.parametrize(
    ("content", "input_format"),
    [(FIVE_WAY, InputFormat.FIVE_WAY_CSV), (PAIRWISE, InputFormat.PAIRWISE_CSV), (APPRAISE, InputFormat.APPRAISE_XML), (JSONL, InputFormat.JSONL)],
)  # fmt: skip
def test_every_format_gives_the_blocks_and_keys_of_the_database(
    make_file: MakeFile,
    content: str,
    input_format: InputFormat,
) -> None:
    read = read_judgments([make_file(content)])
    assert read.input_format is input_format
    assert read.languages == ("Czech", "English")
    assert_same(read.blocks, blocks_from_rows(ROWS, "ABC"))
    assert (read.blank_labels, read.judges) == (2, 2)


def test_a_block_without_candidates_is_a_skip_and_durations_are_milliseconds(
    make_file: MakeFile,
) -> None:
    read = read_judgments([make_file(APPRAISE)])
    assert (len(read.blocks), read.skipped, read.skipped_by) == (3, 1, {"bob": 1})
    assert read.duration_ms.tolist() == [17_711, 3_601_000, -1]


def test_a_row_with_all_labels_blank_is_a_judged_block(make_file: MakeFile) -> None:
    read = read_judgments([make_file(FIVE_WAY.replace("2,-1,-1\n", "-1,-1,-1\n"))])
    assert (len(read.blocks), read.skipped, read.blank_labels) == (3, 0, 3)


def test_rank_files_compare_two_systems_and_name_no_judge(make_file: MakeFile) -> None:
    read = read_judgments([make_file("4\tcs-en\tA\tcs-en\tB\n9\tcs-en\tC\tcs-en\tA\n")])
    assert read.input_format is InputFormat.RANK
    assert read.languages == ("cs", "en")
    assert (read.judges, len(read.blocks)) == (0, 2)
    assert read.blocks.labels.tolist() == [[1, 2, 0], [2, 0, 1]]


def test_gzip_is_read_and_the_hash_is_that_of_the_file_as_stored(
    make_file: MakeFile,
) -> None:
    packed = gzip.compress(FIVE_WAY.encode())
    name = make_file(packed, "whatever.bin")
    read = read_judgments([name])
    assert_same(read.blocks, blocks_from_rows(ROWS, "ABC"))
    assert read.files[0].name == name
    assert read.files[0].sha256 == hashlib.sha256(packed).hexdigest()


def test_several_files_are_one_set_of_judgments(make_file: MakeFile) -> None:
    header, *rows = FIVE_WAY.splitlines(keepends=True)
    names = [
        make_file(header + row, f"{number}.csv") for number, row in enumerate(rows)
    ]
    read = read_judgments(names)
    assert_same(read.blocks, blocks_from_rows(ROWS, "ABC"))
    assert [file.name for file in read.files] == names


def test_several_language_pairs_without_a_choice_are_listed(
    make_file: MakeFile,
) -> None:
    name = make_file(FIVE_WAY + "German,English,1,d,1,eve,1,X,2,Y,,,1,2,-1\n")
    with pytest.raises(SelectionError, match="Czech to English, German to English"):
        read_judgments([name])
    read = read_judgments([name], selection=JudgmentSelection(source="German"))
    assert (read.blocks.systems, read.blocks.judges) == (("X", "Y"), ("eve",))
    with pytest.raises(
        SelectionError,
        match="they contain Czech to English, German to English",
    ):
        read_judgments([name], selection=JudgmentSelection(source="german"))


def test_excluded_judges_leave_their_systems_behind(make_file: MakeFile) -> None:
    name = make_file(FIVE_WAY)
    read = read_judgments([name], selection=JudgmentSelection(exclude_judges=("bob",)))
    assert (read.blocks.judges, read.blocks.systems, len(read.blocks)) == (
        ("ann",),
        tuple("ABC"),
        1,
    )
    with pytest.raises(
        SelectionError,
        match="judge 'bop' not found; choose from ann, bob",
    ):
        read_judgments([name], selection=JudgmentSelection(exclude_judges=("bop",)))


def test_documents_are_read_where_every_block_names_one_and_there_are_two(
    make_file: MakeFile,
) -> None:
    def documents(content: str, **chosen: str) -> list[int] | None:
        selection = JudgmentSelection(exclude_judges=tuple(chosen.values()))
        found = read_judgments(
            [make_file(content)],
            selection=selection,
        ).blocks.document
        return None if found is None else found.tolist()

    assert documents(FIVE_WAY) is None
    two = FIVE_WAY.replace("3,doc,3", "3,other,3")
    assert documents(two) == [0, 1, 0]
    assert documents(two, exclude="bob") is None
    assert documents(two.replace("9,doc,9", "9,,9")) is None
    # A segment is of one document: this one is said to be of two.
    assert documents(FIVE_WAY.replace("3,doc,3", "9,other,3")) is None
    assert documents(PAIRWISE) is None
    assert documents(JSONL) is None
    lines = JSONL.splitlines()
    names = ['"news 1"', "17", '"news 1"']
    with_documents = [
        line.replace('"segment"', f'"document": {name}, "segment"')
        for line, name in zip(lines, names, strict=True)
    ]
    assert documents("\n".join(with_documents)) == [0, 1, 0]
    assert documents("\n".join([*with_documents[:2], lines[2]])) is None
    nothing = with_documents[2].replace('"news 1"', "null")
    assert documents("\n".join([*with_documents[:2], nothing])) is None


def test_documents_are_those_of_the_language_pair(make_file: MakeFile) -> None:
    other = FIVE_WAY.splitlines()[1].replace("English", "German").replace("doc", "")
    content = FIVE_WAY.replace("3,doc,3", "3,other,3") + other + "\n"
    found = read_judgments(
        [make_file(content)],
        selection=JudgmentSelection(target="English"),
    ).blocks
    assert found.document is not None
    assert found.document.tolist() == [0, 1, 0]
