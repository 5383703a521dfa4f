"""Arena votes, repeated rows, and whole numbers that Parquet keeps as doubles."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from django.core.management import call_command

from campaign.formats import FormatError
from campaign.formats.errors import Loss
from campaign.formats.repeats import COUNTED_ONCE
from ranking.core.counting.counts import tally
from ranking.files.reading import read_judgments

_CASES = Path(__file__).parents[2] / "data/cases"
_ANNOTATORS = _CASES / "files/117-arena-votes-of-annotators"
_VOTES = _CASES / "files/48-arena-votes/votes.csv"


def test_arena_votes_are_blocks_of_two_and_other_columns_are_counted() -> None:
    """Case 48."""
    read = read_judgments([str(_VOTES)])
    assert (len(read.blocks), read.judges, read.blocks.systems) == (
        3,
        2,
        ("alpha", "beta", "gamma"),
    )
    assert [(loss.what, loss.count) for loss in read.losses] == [
        ('column "turn"', 3),
        ('column "language"', 3),
    ]


@pytest.mark.parametrize("name", ["annotator.jsonl", "annotator.csv", "nojudge.csv"])
def test_votes_of_different_people_about_one_question_all_count(name: str) -> None:
    """Case 117: alpha wins two of three votes on each of ten questions."""
    read = read_judgments([str(_ANNOTATORS / name)])
    assert tally(read.blocks).wins.tolist() == [[0, 20], [10, 0]]
    assert {loss.what for loss in read.losses} == {'column "question_id"'}
    assert read.judges == (0 if name == "nojudge.csv" else 3)


def _wins(folder: Path, *votes: dict[str, Any]) -> list[list[int]]:
    file = folder / "votes.jsonl"
    pair = {"model_a": "A", "model_b": "B"}
    file.write_text("\n".join(json.dumps({**pair, **vote}) for vote in votes))
    return tally(read_judgments([str(file)]).blocks).wins.tolist()  # type: ignore[no-any-return]


def test_vote_without_judge_is_a_repeat_only_if_all_of_it_is_equal(
    tmp_path: Path,
) -> None:
    vote = {"question_id": 7, "winner": "model_a", "tstamp": 5, "language": "en"}
    assert _wins(tmp_path, vote, vote) == [[0, 1], [0, 0]]
    for other in ({"tstamp": 5.5}, {"language": "de"}, {"winner": "model_b"}):
        assert sum(map(sum, _wins(tmp_path, vote, {**vote, **other}))) == 2
    named = {"vote_id": 0, "winner": "model_a"}
    assert _wins(tmp_path, named, named) == [[0, 1], [0, 0]]


@pytest.mark.parametrize("column", ["question_id", "turn", "judge"])
@pytest.mark.parametrize("zero", [0, "0"])
def test_zero_of_a_vote_is_a_value(
    column: str,
    zero: object,
    tmp_path: Path,
) -> None:
    """The votes differ in this column alone; equal ones are repeats."""
    vote = {
        "question_id": 1,
        "turn": 1,
        "judge": "ann",
        "tstamp": 1_000,
        "winner": "model_a",
    }
    zeros = {**vote, column: zero}
    for votes in ([vote, zeros], [vote, zeros, zeros]):
        assert _wins(tmp_path, *votes) == [[0, 2], [0, 0]]
    earlier = {**vote, "tstamp": zero, "winner": "model_b"}
    assert _wins(tmp_path, vote, earlier) == [[0, 1], [0, 0]]


def test_arena_votes_of_json_lines_equal_those_of_csv(tmp_path: Path) -> None:
    lines = tmp_path / "votes.jsonl"
    frame = pd.read_csv(_VOTES)
    lines.write_text("\n".join(map(json.dumps, frame.to_dict("records"))))
    ours, theirs = (read_judgments([str(name)]).blocks for name in (lines, _VOTES))
    assert (ours.segment == theirs.segment).all()
    assert ours.judges == theirs.judges


def test_arena_votes_of_parquet_equal_those_of_csv(tmp_path: Path) -> None:
    frame = pd.read_csv(_VOTES)
    frame.loc[1, "language"] = None
    file = tmp_path / "votes.parquet"
    frame.assign(conversation=[["Hello"], [], None]).to_parquet(file)
    read, theirs = (read_judgments([str(name)]) for name in (file, _VOTES))
    assert (read.blocks.judges, read.blocks.systems) == (
        theirs.blocks.judges,
        theirs.blocks.systems,
    )
    assert (tally(read.blocks).wins == tally(theirs.blocks).wins).all()
    assert [(loss.what, loss.count, loss.first) for loss in read.losses] == [
        ('column "turn"', 3, "line 1"),
        ('column "language"', 2, "line 1"),
        ('column "conversation"', 2, "line 1"),
    ]
    frame.loc[2, "winner"] = "nobody"
    frame.to_parquet(file)
    with pytest.raises(FormatError, match=r'line 3 \(field "winner"\)'):
        read_judgments([str(file)])


def test_converted_votes_are_read_back_and_what_they_lack_is_reported(
    tmp_path: Path,
) -> None:
    to = tmp_path / "votes.parquet"
    report = StringIO()
    call_command("convert_judgments", str(_VOTES), to=to, format="json", stdout=report)
    assert [loss["what"] for loss in json.loads(report.getvalue())["not_read"]] == [
        'column "turn"',
        'column "language"',
    ]
    again, votes = (read_judgments([str(name)]).blocks for name in (to, _VOTES))
    assert (again.systems, len(again)) == (votes.systems, len(votes))


@pytest.mark.parametrize("winner", ["", "alpha", "model_c"])
def test_vote_for_no_known_winner_is_refused(tmp_path: Path, winner: str) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(f"model_a,model_b,winner\nA,B,model_a\nA,B,{winner}\n")
    with pytest.raises(FormatError, match='line 3 \\(field "winner"\\)'):
        read_judgments([str(file)])


def test_repeats_in_five_way_csv_still_count(tmp_path: Path) -> None:
    """Judges of WMT were given blocks again on purpose, and released files have no times."""
    head, *rows = (_CASES / "rankings/dup.csv").read_text().splitlines(keepends=True)
    file = tmp_path / "judgments.csv"
    file.write_text("".join([head, *rows[1:]]))
    read = read_judgments([str(file)])
    assert (read.repeated, len(read.blocks), read.losses) == (19, 39, ())
    other = read_judgments([str(_CASES / "rankings/onejudge.csv")])
    assert other.repeated == 0


def test_five_way_csv_that_holds_its_rows_twice_is_read_once() -> None:
    name = str(_CASES / "rankings/dup.csv")
    read = read_judgments([name])
    assert (read.repeated, len(read.blocks)) == (0, 20)
    assert read.losses == (Loss(COUNTED_ONCE, 20, name),)


def test_whole_doubles_of_parquet_are_read_and_fractions_refused(
    tmp_path: Path,
) -> None:
    frame = pd.read_csv(_CASES / "files/44-five-way-after-pandas/ok.csv")
    doubles = [name for name in frame if name.endswith("rank") or name == "srcIndex"]
    frame[doubles] = frame[doubles].astype("float64")
    frame[["documentId", "segmentId"]] = frame[["documentId", "segmentId"]].astype(str)
    frame.index += 3
    file = tmp_path / "j.parquet"
    frame.iloc[::2].to_parquet(file)
    whole = read_judgments([str(file)])
    assert len(whole.blocks) == len(frame.iloc[::2])
    frame.loc[5, "system2rank"] = 2.5
    frame.to_parquet(file)
    with pytest.raises(
        FormatError,
        match=r'line 3 \(field "system2rank"\): the value is not a whole',
    ):
        read_judgments([str(file)])
