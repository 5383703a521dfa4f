"""What is wrong with a file is told with its place: file, line and field."""

import gzip
from collections.abc import Callable

import pytest

from campaign.formats import FormatError
from ranking.files.reading import read_judgments
from ranking.files.records import InputFormat

MakeFile = Callable[..., str]

FIVE_WAY = """\
srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,system1rank,system2rank
a,b,1,d,1,ann,A,B,1,2
a,b,2,d,2,ann,A,B,2,1
"""
PAIRWISE = """\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
a,b,1,1,ann,A,1,B,2,7
a,b,1,1,ann,A,1,C,3,7
a,b,1,1,ann,B,2,C,3,7
"""
APPRAISE = """\
<results><HIT source-language="a" target-language="b">
<ranking-task id="1">
<ranking-result user="ann" duration="00:00:09">
<translation system="A" rank="1"/>
<translation system="B" rank="2"/>
</ranking-result></ranking-task></HIT></results>
"""
JSONL = (
    '{"source_language": "a", "target_language": "b", "segment": 1, "judge": "ann", '
    '"candidates": [["A"], ["B"]], "labels": [1, 2]}\n'
)
RANK = "1\ta-b\tA\ta-b\tB\n"


@pytest.mark.parametrize(
    ("content", "line", "field", "problem"),
    [
        (FIVE_WAY.replace("B,2,1", "B,7,1"), 3, "system1rank", "'7' is not 1, 2, 3, 4, 5 or -1"),
        (FIVE_WAY.replace("B,2,1", "B,NaN,1"), 3, "system1rank", "'NaN'"),
        (FIVE_WAY.replace("judgeId,", "", 1), 1, "judgeId", "no column judgeId"),
        (FIVE_WAY.replace("A,B,2", "A,A,2"), 3, "system2Id", "twice"),
        (FIVE_WAY.replace("b,2,d", "b,nan,d"), 3, "srcIndex", "integer|whole number"),
        (FIVE_WAY.splitlines()[0], 1, None, "no judgment"),
        (FIVE_WAY + PAIRWISE, 4, None, "10 cells|srcIndex|whole number"),
        (PAIRWISE.replace("A,1,B,2", "A,1,B,7"), 2, "system2rank", "'7' is not"),
        (PAIRWISE.replace("rankingID", "rankingId2"), 1, "rankingId2", "unknown"),
        (PAIRWISE.replace("judgeID,", ""), 1, "judgeID", "no column judgeID"),
        (PAIRWISE.replace("B,2,C,3", "B,4,C,3"), 4, "system1rank", "another rank in an earlier row"),
        (PAIRWISE.replace("ann,B", "bob,B"), 4, "judgeID", "'ann' in line 2 and 'bob' here"),
        (PAIRWISE.replace("B,2,C,3", "C,3,A,1"), 4, "rankingID", "compares C and A twice"),
        (PAIRWISE.replace("A,1,B,2", "A,1,A,1"), 2, "system2Id", "twice"),
        (PAIRWISE.rsplit("a,b", 1)[0], 2, "rankingID", "omit pairs of its systems"),
        (APPRAISE.replace('rank="2"', 'rank="7"'), 5, "rank", "'7' is not"),
        (APPRAISE.replace('rank="2"', ""), 5, "rank", "missing"),
        (APPRAISE.replace('system="B"', 'system="A,B"'), 5, "system", "twice"),
        (APPRAISE.replace('user="ann"', ""), 3, "user", "missing"),
        (APPRAISE.replace('id="1"', 'id="x"'), 2, "id", "integer|whole number"),
        (APPRAISE.replace("00:00:09", "soon"), 3, "duration", "'soon'"),
        (APPRAISE.replace("</HIT>", ""), 6, None, "XML"),
        (APPRAISE[:120], 3, None, "XML"),
        ("<hits><hit/></hits>", 1, None, "before judging"),
        ('<!DOCTYPE results [<!ENTITY a "b">]><results/>', 1, None, "declares the entity a"),
        (JSONL + JSONL.replace("2]}", "7]}"), 2, "labels", "7 is not"),
        (JSONL + JSONL.replace("2]}", "NaN]}"), 2, "labels", "nan is not"),
        (JSONL + JSONL.replace("2]}", "true]}"), 2, "labels", "True is not"),
        (JSONL + JSONL.replace('"judge": "ann", ', ""), 2, "judge", "missing"),
        (JSONL + JSONL.replace('["B"]', '["A"]'), 2, "candidates", "twice"),
        (JSONL + JSONL.replace('"segment": 1', '"segment": 0'), 2, "segment", "out of range"),
        (JSONL + JSONL.replace(", 2]}", "]}"), 2, "labels", "1 labels for 2 candidates"),
        (JSONL + "{", 2, None, "JSON"),
        (RANK + RANK.replace("1", "x"), 2, "segment", "integer|whole number"),
        (RANK + "1\ta-b\tA\ta-c\tB\n", 2, "pair", "different language pairs"),
        (RANK + "1\ta-b\tA\ta-b\tA\n", 2, "sysWorse", "twice"),
        (RANK + "1\ta-b\tA\n", 2, None, "3 cells"),
        (RANK + RANK.replace("a-b", "ab"), 2, "pair", "language pair"),
        ("hello\n", 1, None, "known format"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_their_place(
    make_file: MakeFile,
    content: str,
    line: int,
    field: str | None,
    problem: str,
) -> None:
    name = make_file(content)
    with pytest.raises(FormatError, match=problem) as refused:
        read_judgments([name])
    assert (refused.value.file, refused.value.line) == (name, line)
    if field is not None:
        assert refused.value.field == field
    assert refused.value.remedy


def test_a_truncated_gzip_is_refused(make_file: MakeFile) -> None:
    packed = gzip.compress((FIVE_WAY + (FIVE_WAY.splitlines()[1] + "\n") * 50).encode())
    with pytest.raises(FormatError, match=r"ends too early|damaged"):
        read_judgments([make_file(packed[:-20])])
    with pytest.raises(FormatError, match=r"ends too early|damaged"):
        read_judgments([make_file(packed[:11])])


def test_files_of_two_formats_are_refused_by_name(make_file: MakeFile) -> None:
    names = [make_file(FIVE_WAY, "one.csv"), make_file(PAIRWISE, "two.csv")]
    with pytest.raises(
        FormatError,
        match=r"is pairwise-csv, but .*one.csv is five-way-csv",
    ) as found:
        read_judgments(names)
    assert found.value.file == names[1]


def test_a_file_of_one_system_is_refused(make_file: MakeFile) -> None:
    name = make_file(
        FIVE_WAY.replace("A,B,1,2", "A,,1,-1").replace("A,B,2,1", "A,,2,-1"),
    )
    with pytest.raises(FormatError, match="the only system is A") as found:
        read_judgments([name])
    assert (found.value.file, found.value.line, found.value.field) == (
        name,
        1,
        "system",
    )


def test_a_format_that_was_named_is_believed(make_file: MakeFile) -> None:
    with pytest.raises(FormatError, match="XML"):
        read_judgments([make_file(FIVE_WAY)], input_format=InputFormat.APPRAISE_XML)
