"""`from quintet import read_judgments`: files and DataFrames become the blocks that commands rank."""

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from campaign.formats import FormatError
from ranking.core import (
    BlockRow,
    Model,
    blocks_from_rows,
    measure_agreement,
    plan_budget,
    rank,
)
from ranking.files.library import read_judgments
from ranking.files.reading import read_judgments as read_files

MakeFile = Callable[..., str]

HEADER = "srclang,trglang,srcIndex,documentId,segmentId,judgeId"
#: The third system is blank once, so that pandas reads its ranks as floats.
FIVE_WAY = f"""\
{HEADER},system1Id,system2Id,system3Id,system1rank,system2rank,system3rank
Czech,English,7,doc,7,ann,A,B,_ref,1,2,2
Czech,English,3,doc,3,bob,_ref,"A,B",,1,3,
Czech,English,9,doc,9,bob,_ref,A,B,2,-1,-1
"""
PAIRWISE = """\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
Czech,English,7,7,ann,A,1,B,2,100
Czech,English,7,7,ann,A,1,C,2,100
Czech,English,7,7,ann,B,2,C,2,100
"""
VOTES = "model_a,model_b,winner,judge,turn\nA,B,model_a,ann,1\nB,A,tie,bob,1\n"


def frame_of(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


@pytest.mark.parametrize(
    "text",
    [FIVE_WAY, PAIRWISE, VOTES],
    ids=["five-way", "pairwise", "votes"],
)
def test_data_frame_is_ranked_as_its_file(make_file: MakeFile, text: str) -> None:
    expected = rank(read_judgments(make_file(text)))
    assert rank(read_judgments(frame_of(text))) == expected
    assert expected.systems[0].system == "A"


def test_named_index_of_a_data_frame_is_a_column() -> None:
    frame = frame_of(FIVE_WAY)
    assert rank(read_judgments(frame.set_index("judgeId"))) == rank(
        read_judgments(frame),
    )


@pytest.mark.parametrize(
    "text",
    [FIVE_WAY, PAIRWISE, VOTES],
    ids=["five-way", "pairwise", "votes"],
)
def test_further_columns_of_a_data_frame_are_not_read(text: str) -> None:
    frame = frame_of(text)
    further = frame.assign(seconds=1.5).reset_index()
    assert rank(read_judgments(further)) == rank(read_judgments(frame))
    talk = frame.assign(conversation="one\ntwo")
    assert rank(read_judgments(talk)) == rank(read_judgments(frame))


def test_several_files_are_one_set_of_judgments(make_file: MakeFile) -> None:
    lines = FIVE_WAY.splitlines(keepends=True)
    parts = [
        make_file(lines[0] + "".join(lines[1:3]), "a"),
        make_file(lines[0] + lines[3], "b"),
    ]
    whole = rank(read_judgments(Path(make_file(FIVE_WAY))))
    assert rank(read_judgments(Path(name) for name in parts)) == whole


def test_reference_is_left_out_unless_it_is_kept(make_file: MakeFile) -> None:
    name = make_file(FIVE_WAY)
    read = read_files([name]).blocks
    assert rank(read_judgments(name)) == rank(read.without(["_ref"]))
    assert rank(read_judgments(name, reference=None)) == rank(read)
    assert rank(read_judgments(name, reference="A")) == rank(read.without(["A"]))


def test_judges_and_languages_are_selected() -> None:
    both = frame_of(FIVE_WAY + FIVE_WAY.partition("\n")[2].replace("English", "German"))
    chosen = read_judgments(both, target_language="German", exclude_judges="bob")
    assert chosen.judges == ("ann",)
    with pytest.raises(ValueError, match="Czech to English, Czech to German"):
        read_judgments(both)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("no.csv", "no.csv: the file cannot be read"),
        (frame_of(FIVE_WAY).drop(columns="srcIndex"), "no column srcIndex"),
        (
            frame_of(FIVE_WAY).assign(system1rank=7),
            r"DataFrame as CSV, line 2, .*'7' is not",
        ),
        (
            frame_of(FIVE_WAY).rename(columns={"judgeId": "annotator"}),
            "no column judgeId",
        ),
        (
            pd.DataFrame({"judge": ["a"], "score": [1]}),
            "its columns are judge, score.*judgeId",
        ),
    ],
)
def test_unusable_judgments_are_refused_with_their_place(
    given: Any,
    message: str,
) -> None:
    with pytest.raises(FormatError, match=message):
        read_judgments(given)


@pytest.mark.parametrize(
    ("given", "type_name"),
    [
        (3, "builtins.int"),
        ([], "builtins.list"),
        (b"a.csv", "builtins.bytes"),
        ({"a": 1}, "builtins.dict"),
        ([frame_of(FIVE_WAY)], "builtins.list"),
        (io.StringIO(FIVE_WAY), "_io.StringIO"),
        (frame_of(FIVE_WAY)["judgeId"], "pandas.Series"),
    ],
)
def test_other_arguments_are_refused_by_their_type(given: Any, type_name: str) -> None:
    with pytest.raises(
        TypeError,
        match=f"or a DataFrame of pandas or polars, not {type_name}",
    ):
        read_judgments(given)


@pytest.mark.parametrize("function", [rank, measure_agreement])
def test_computing_from_a_file_names_the_call_that_reads_it(function: Any) -> None:
    with pytest.raises(TypeError, match=r"\(read_judgments\('wmt12.csv'\)\)"):
        function("wmt12.csv")
    with pytest.raises(TypeError, match="not DataFrame"):
        function(frame_of(FIVE_WAY))


def test_planning_from_a_file_names_the_model_that_it_takes() -> None:
    with pytest.raises(TypeError, match=r"Model\(systems=15, noise=10.0\), not str"):
        plan_budget("wmt12.csv", targets=[0.5])
    assert plan_budget(Model(systems=15, noise=10.0), targets=[0.5], experiments=2).rows


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("ann", 1, [["A"], ["B"]], [1, 2]), "row 1: expected a BlockRow, got tuple"),
        (
            BlockRow("ann", 1, [["A"], ["B"]], [1.0, float("nan")]),
            "label 1.0 is not a whole",
        ),
    ],
)
def test_rows_of_other_types_are_refused_by_number(row: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        blocks_from_rows([row], "AB")


def test_ranking_is_printed_as_a_table(make_file: MakeFile) -> None:
    lines = str(rank(read_judgments(make_file(VOTES)))).splitlines()
    rows = [line.split() for line in lines[2:4]]
    assert [row[3:] for row in rows] == [["A", "1:0:1"], ["B", "0:1:1"]]
    # Two judgments are too few for a range.
    assert {row[1] for row in rows} == {"–"}


def test_program_in_the_checkout_ranks_a_file_without_django(
    make_file: MakeFile,
) -> None:
    program = (
        "import sys\n"
        "from quintet import rank, read_judgments\n"
        "rank(read_judgments(sys.argv[1]))\n"
        "sys.exit(bool({'django', 'pandas', 'launcher'} & set(sys.modules)))\n"
    )
    checkout = Path(__file__).parents[4]
    command = [sys.executable, "-c", program, make_file(FIVE_WAY)]
    assert subprocess.run(command, check=False, cwd=checkout).returncode == 0
