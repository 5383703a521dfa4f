"""Scores of metrics belong to their segments, or their file is refused."""

import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from campaign.formats import FormatError, InputFile
from campaign.formats.evalset import read_evalset
from campaign.formats.json_text import decode_object
from campaign.formats.metric_scores import is_named_as_error_rate, segment_rows
from campaign.formats.score_files import read_metric_scores
from campaign.formats.streams import StoredFile
from protocols.spans.files.formats import read_spans_file
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.meta_evaluation import meta_evaluation
from ranking.core.metrics.people import Metric, people_of_scores

_FILES = Path(__file__).parents[2] / "data/cases/files"
_FROM_0 = _FILES / "92-metric-segments-from-0"
_FLOATS = _FILES / "94-metric-table-after-pandas"


def analysed(judgments: Path, *options: str, **scores: Path) -> dict[str, Any]:
    """Return the data of the analysis `metrics` of files."""
    out = io.StringIO()
    named = [f"{name}={path}" for name, path in scores.items()]
    arguments = [str(judgments), "--option", "resamples=100", "--format", "json"]
    for each in named:
        arguments += ["--scores", each]
    for option in options:
        arguments += ["--option", option]
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
    return "".join(
        f"{system}\t{number}\n" for system in systems for number in range(segments)
    )


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


def test_a_line_for_each_segment_is_required_up_to_the_last_judged_one(
    tmp_path: Path,
) -> None:
    scores = tmp_path / "M.seg.score"
    scores.write_text(by_line(29))
    assert "M.seg.score, line 29" in refused(_FROM_0 / "j.jsonl", M=scores)
    scores.write_text(by_line(30))
    assert analysed(_FROM_0 / "j.jsonl", M=scores)["metrics"]


def test_a_segment_after_the_last_source_text_is_refused(tmp_path: Path) -> None:
    source, scores = tmp_path / "source.txt", tmp_path / "M.tsv"
    source.write_text("".join(f"Text {number}.\n" for number in range(30)))
    rows = (_FROM_0 / "right.tsv").read_text()
    scores.write_text(rows)
    command = [
        "analyse",
        "metrics",
        str(_FROM_0 / "j.jsonl"),
        "--scores",
        f"M={scores}",
    ]
    command += ["--source-text", str(source), "--option", "resamples=100"]
    call_command(*command, stdout=io.StringIO(), stderr=io.StringIO())
    scores.write_text(f"{rows}A\t31\tM\t1\n")
    with pytest.raises(
        CommandError,
        match=r"M\.tsv, line 122.*segment 31 does not exist",
    ):
        call_command(*command, stdout=io.StringIO(), stderr=io.StringIO())


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
        FormatError,
        match=r"mqm\.seg\.score, line 3: 3 scores of each system, and M has 2",
    ):
        read_evalset("folder", [stored(*each) for each in files.items()])


def test_scores_of_a_table_after_pandas_are_those_before() -> None:
    """Case 94."""
    judgments = _FLOATS / "j.jsonl"
    floats = analysed(judgments, M=_FLOATS / "float.tsv")
    assert floats["metrics"] == analysed(judgments, M=_FROM_0 / "right.tsv")["metrics"]


def test_whole_numbers_of_json_and_of_mqm_may_be_floats() -> None:
    values = decode_object(
        '{"a": 2.0, "b": 2.5, "c": -1.0, "d": 1e3}',
        file="f",
        shape="",
        line=1,
    )
    assert [type(value) for value in values.values()] == [int, float, int, float]
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    row = "A\td\t1.0\t7.0\tr\tHi.\tHa.\tNo-error\tNo-error\n"
    _format, (judgment,), _losses = read_spans_file(
        InputFile("mqm.tsv", io.BytesIO((head + row).encode())),
    )
    assert judgment.segment == "7"


_GAPS = _FILES / "89-metric-lacks-the-hard-segments-of-one-system"


def by_name(answer: dict[str, Any]) -> dict[str, Any]:
    return {each["metric"]: each for each in answer["metrics"]}


def test_a_metric_that_lacks_segments_of_a_system_is_compared_on_common_ones() -> None:
    """Case 89."""
    gaps, full = _GAPS / "missing_segs.jsonl", _GAPS / "good.jsonl"
    found = by_name(analysed(_GAPS / "j.jsonl", M=gaps, full=full))
    assert (found["M"]["common"], found["full"]["common"]) == (10, None)
    figures = {name: figure["value"] for name, figure in found["M"]["systems"].items()}
    assert figures["pearson"] > 0.95
    assert figures["pairwise"] == 1.0
    assert figures["soft_pairwise"] > 0.9


def metric_of_rows(*rows: list[float], **more: Any) -> Metric:
    values = np.array(rows)
    systems = tuple("ABCDEFG"[: values.shape[1]])
    segments = np.arange(1, len(values) + 1)
    return Metric(name="M", systems=systems, segments=segments, values=values, **more)


def test_scores_of_systems_are_means_over_the_segments_that_all_have() -> None:
    nan = np.nan
    gapped = metric_of_rows(
        [1, 2, nan],
        [3, 5, nan],
        [9, nan, nan],
        of_systems=np.array([7, nan, nan]),
    )
    assert gapped.on_common_segments.segments.tolist() == [1, 2]
    np.testing.assert_equal(gapped.on_common_segments.scores, [2, 3.5, nan])
    # Scores that a file gives whole systems stay.
    given = metric_of_rows([1, 2], [3, nan], of_systems=np.array([7.0, 8.0]))
    assert given.on_common_segments.scores.tolist() == [7, 8]
    apart = metric_of_rows([1, nan], [nan, 2])
    assert np.isnan(apart.on_common_segments.scores).all()


def test_people_without_a_common_segment_have_segment_figures_alone() -> None:
    nan = np.nan
    human = metric_of_rows([1, 2, nan], [nan, 2, 3], [3, nan, 4], is_human=True)
    side = partial(people_of_scores, human, Drawing(resamples=20))
    found = meta_evaluation(side, [metric_of_rows([1, 2, 3], [1, 2, 3], [2, 3, 4])])
    assert (found["people"]["missing"], found["people"]["common"]) == (3, 0)
    (metric,) = found["metrics"]
    assert metric["systems"] == {}
    assert metric["segments"]["acc_eq"].value == 1.0


def test_missing_human_scores_are_reported(tmp_path: Path) -> None:
    human = by_line(3).replace("A\t0", "A\tNone")
    for name, text in {
        "human-scores/en-de.mqm.seg.score": human,
        "metric-scores/en-de/M-refA.seg.score": by_line(3),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    out = io.StringIO()
    call_command("analyse", "metrics", str(tmp_path), stdout=out, stderr=io.StringIO())
    assert "1 of 12 outputs" in out.getvalue()
    assert "mqm does not score all systems on the same segments" in out.getvalue()


def test_unjudged_segments_are_reported_and_can_be_left_out(
    tmp_path: Path,
) -> None:
    scores = tmp_path / "M.seg.score"
    scores.write_text(by_line(35))
    judgments = _FROM_0 / "j.jsonl"
    assert by_name(analysed(judgments, M=scores))["M"]["unjudged"] == 5
    judged = by_name(analysed(judgments, "segments=judged", M=scores))["M"]
    assert (judged["unjudged"], judged["scores"]["A"]) == (0, 14.5)


_TER = _FILES / "91-error-rate-without-its-direction"


def test_a_metric_whose_sign_is_plainly_wrong_is_warned_about_and_turned_round() -> (
    None
):
    """Case 91."""
    judgments, scores = _TER / "j.jsonl", _TER / "TER.jsonl"
    command = ["analyse", "metrics", str(judgments), "--scores", f"TER={scores}"]
    command += ["--option", "resamples=100", "--format", "json"]
    answers = []
    for more in ([], ["--lower-is-better", "TER"]):
        out = io.StringIO()
        call_command(*command, *more, stdout=out, stderr=io.StringIO())
        answers += json.loads(out.getvalue())["metrics"]
    assert [answer["doubt"] for answer in answers] == ["correlation", ""]
    assert answers[1]["systems"]["pearson"]["value"] > 0.99
    with pytest.raises(CommandError, match="M is not a name of --scores"):
        call_command(*command, "--lower-is-better", "M", stdout=io.StringIO())


def test_lower_is_better_does_not_overrule_a_file(tmp_path: Path) -> None:
    turned = tmp_path / "TER.jsonl"
    line = '{"system": "A", "segment": 1, "score": 1, "higher_is_better": true}'
    turned.write_text(line)
    command = ["analyse", "metrics", str(_TER / "j.jsonl")]
    command += ["--scores", f"TER={turned}", "--lower-is-better", "TER"]
    with pytest.raises(CommandError, match=r"TER\.jsonl, line 1 .*higher_is_better"):
        call_command(*command, stdout=io.StringIO(), stderr=io.StringIO())


@pytest.mark.parametrize(
    "name",
    ["TER", "WER (v1)", "HTER-2", "characTER", "Word error rate"],
)
def test_error_rates_are_known_by_name(name: str) -> None:
    assert is_named_as_error_rate(name)


@pytest.mark.parametrize(
    "name",
    ["COMET", "BLEU per segment", "Terrier", "personal", "chrF"],
)
def test_other_names_are_not_those_of_error_rates(name: str) -> None:
    assert not is_named_as_error_rate(name)


@pytest.mark.parametrize(
    ("table", "scores"),
    [
        ('"","system","segment","score"\n"1","A",1,0.5\n"2","A",2,NA\n', [0.5, np.nan]),
        ("system;segment;score\nA;1;0,5\nA;2;-1,25E-2\n", [0.5, -0.0125]),
        ("system\tsegment\tscore\nA\t1\t,5\nA\t2\t1\n", [0.5, 1]),
        ("system\tsegment\tscore\nA\t1\t0,813\nA\t2\t1\n", [0.813, 1]),
        ("system;segment;score\nA;1;72,345\nA;2;1\n", [72.345, 1]),
    ],
)
def test_scores_of_r_and_of_spreadsheets_with_a_decimal_comma_are_read(
    table: str,
    scores: list[float],
) -> None:
    """tidyverse/readr#928: write_csv2 separates by semicolons, and writes NA for a missing number."""
    (metric,) = read_metric_scores([stored("m.csv", table)])
    assert metric.values[:, 0].tolist() == pytest.approx(scores, nan_ok=True)


@pytest.mark.parametrize("score", ["1_0", '"0,5"', '"1,234"', "1.234.5", "50%"])
def test_number_that_could_be_misread_is_no_score(score: str) -> None:
    """float() reads 1_0 as 10."""
    with pytest.raises(FormatError, match="is not a score"):
        read_metric_scores([stored("m.csv", f"system,segment,score\nA,1,{score}\n")])


def test_comma_between_tabs_that_could_separate_thousands_is_refused() -> None:
    with pytest.raises(FormatError, match=r"line 2.*is not a score"):
        read_metric_scores([stored("m.tsv", "system\tsegment\tscore\nA\t1\t1,234\n")])


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("scores", [("950,3", "1.084"), ("1.084", "950,3")])
def test_points_and_commas_in_one_column_of_scores_are_refused(
    separator: str,
    scores: tuple[str, str],
) -> None:
    """FlexMeasures/flexmeasures#141: a point that separates thousands was read as a decimal point."""
    rows = [("system", "segment", "score")]
    rows += [("A", str(number), score) for number, score in enumerate(scores, 1)]
    table = "".join(separator.join(row) + "\n" for row in rows)
    with pytest.raises(FormatError, match=r"line 3.*line 2"):
        read_metric_scores([stored("m.csv", table)])


def test_blank_lines_of_a_score_file_are_passed_over() -> None:
    (metric,) = read_metric_scores([stored("M.seg.score", "A\t1\nA\t2\n\n")])
    assert metric.values.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (
            '{\n    "alpha.de": [\n        {\n            "src": "a"',
            "JSON of comet-score",
        ),
        ('{"alpha.de": [{"COMET": 0.83}]}\n', "JSON of comet-score"),
        ('{"source": "a", "hypothesis": "b", "prediction": 1.5}\n', "MetricX"),
    ],
)
def test_what_metrics_write_is_named_with_the_way_to_convert_it(
    content: str,
    name: str,
) -> None:
    """Unbabel/COMET#31 shows the first; neither names systems and segments."""
    with pytest.raises(FormatError, match=name) as error:
        read_metric_scores([stored("m.json", content)])
    assert "jq -c" in error.value.remedy


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("segment,COMET,BLEU\n1,0.8,30\n", "no column system.*frame.melt"),
        ("system,COMET,BLEU\nA,0.8,30\n", "no column score.*frame.melt"),
        ('"system" "segment" "score"\n"1" "A" 1\n', "separated by spaces"),
        ("0.52\n-0.1\n0.3\n", "a list of numbers"),
        ('{\n "name": "BLEU",\n "score": 34.5,\n', "the JSON of sacrebleu"),
        (
            "chrF2|nrefs:1|case:mixed|eff:yes = 45.2\nchrF2|nrefs:1 = 35.2\n",
            "what sacrebleu prints",
        ),
    ],
)
def test_other_tables_of_scores_are_named_with_what_to_write(
    content: str,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=problem):
        read_metric_scores([stored("m.csv", content)])
