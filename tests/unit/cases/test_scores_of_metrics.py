"""Scores of metrics belong to their segments, or their file is refused."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from campaign.formats import FormatError, InputFile
from campaign.formats.json_text import decode_object
from campaign.formats.metric_scores import read_evalset, read_metric_scores, segment_rows
from campaign.formats.streams import StoredFile
from protocols.spans.files.formats import read_spans_file

_FILES = Path(__file__).parents[2] / "data/cases/files"
_FROM_0 = _FILES / "92-metric-segments-from-0"
_FLOATS = _FILES / "94-metric-table-after-pandas"


def analysed(judgments: Path, **scores: Path) -> dict[str, Any]:
    """Return the data of the analysis `metrics` of files."""
    out = io.StringIO()
    named = [f"{name}={path}" for name, path in scores.items()]
    arguments = [str(judgments), "--option", "resamples=100", "--format", "json"]
    for each in named:
        arguments += ["--scores", each]
    call_command("analyse", "metrics", *arguments, stdout=out, stderr=io.StringIO())
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def refused(judgments: Path, **scores: Path) -> str:
    with pytest.raises(CommandError) as error:
        analysed(judgments, **scores)
    return str(error.value)


def stored(name: str, text: str) -> StoredFile:
    return StoredFile(name, lambda: io.BytesIO(text.encode()))


def by_line(segments: int, systems: str = "ABCD") -> str:
    """Return a file of segment scores."""
    return "".join(f"{system}\t{number}\n" for system in systems for number in range(segments))


def test_segment_0_is_refused_by_the_command() -> None:
    """Case 92."""
    message = refused(_FROM_0 / "j.jsonl", M=_FROM_0 / "zero.tsv")
    assert "zero.tsv, line 2" in message
    assert "segment 0" in message
    assert analysed(_FROM_0 / "j.jsonl", M=_FROM_0 / "right.tsv")["metrics"]


@pytest.mark.parametrize("segment", ["0", "0.0", "00"])
def test_segment_0_is_refused_in_every_table_of_scores(segment: str) -> None:
    for text in (
        f"system,segment,score\nA,{segment},1\n",
        f"system,doc,seg,score\nA,d,{segment},1\n",
    ):
        with pytest.raises(FormatError, match=r"line 2.*segment 0"):
            read_metric_scores([stored("m.csv", text)])


def test_a_line_for_each_segment_is_required_up_to_the_last_judged_one(tmp_path: Path) -> None:
    scores = tmp_path / "M.seg.score"
    scores.write_text(by_line(29))
    assert "M.seg.score, line 29" in refused(_FROM_0 / "j.jsonl", M=scores)
    scores.write_text(by_line(30))
    assert analysed(_FROM_0 / "j.jsonl", M=scores)["metrics"]


def test_scores_by_line_need_all_segments_of_the_test_set() -> None:
    (scores,) = read_metric_scores([stored("M.seg.score", by_line(2))])
    assert list(segment_rows(scores, last=2)) == [1, 2]
    with pytest.raises(FormatError, match="segments count up to 3"):
        segment_rows(scores, last=3)


def test_files_of_an_evalset_folder_without_texts_have_the_same_segments() -> None:
    files = {
        "human-scores/en-de.mqm.seg.score": by_line(3),
        "metric-scores/en-de/M-refA.seg.score": by_line(2),
    }
    with pytest.raises(
        FormatError, match=r"mqm\.seg\.score, line 3: 3 scores of each system, and M has 2"
    ):
        read_evalset("folder", [stored(*each) for each in files.items()])


def test_scores_of_a_table_after_pandas_are_those_before() -> None:
    """Case 94."""
    judgments = _FLOATS / "j.jsonl"
    floats = analysed(judgments, M=_FLOATS / "float.tsv")
    assert floats["metrics"] == analysed(judgments, M=_FROM_0 / "right.tsv")["metrics"]


def test_whole_numbers_of_json_and_of_mqm_may_be_floats() -> None:
    values = decode_object('{"a": 2.0, "b": 2.5, "c": -1.0, "d": 1e3}', file="f", shape="", line=1)
    assert [type(value) for value in values.values()] == [int, float, int, float]
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    row = "A\td\t1.0\t7.0\tr\tHi.\tHa.\tNo-error\tNo-error\n"
    _format, (judgment,), _losses = read_spans_file(
        InputFile("mqm.tsv", io.BytesIO((head + row).encode()))
    )
    assert judgment.segment == "7"
