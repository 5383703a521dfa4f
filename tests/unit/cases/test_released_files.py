"""Files with judgments as WMT, Appraise, Google and LMSYS release them, in inputs of our own."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from campaign.formats import FormatError, InputFile
from campaign.formats.score_files import read_metric_scores
from campaign.formats.streams import StoredFile, text_lines
from campaign.formats.tables import table_rows
from protocols.spans.files.formats import SpansFormat, read_spans, read_spans_file
from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity, Span
from ranking.core.counting.counts import tally
from ranking.files.reading import detect_input_format, read_judgments

_FILES = Path(__file__).parents[2] / "data/cases/files"
_HEADER = "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd\n"
_ROW = "ann,A,5,TGT,eng,deu,80,d,False,[],10,20\n"


def _file(content: str) -> InputFile:
    return InputFile("f", io.BytesIO(content.encode()))


def _read(content: str) -> tuple[list[ScoredJudgment], dict[str, int]]:
    _format, judgments, losses = read_spans_file(_file(content))
    return judgments, {loss.what: loss.count for loss in losses}


def _segments(judgments: list[ScoredJudgment]) -> dict[str, set[tuple[str, str]]]:
    segments: dict[str, set[tuple[str, str]]] = {}
    for judgment in judgments:
        (system,) = judgment.outputs[0].systems
        segments.setdefault(system, set()).add((judgment.document, judgment.segment))
    return segments


def test_systems_share_segments_if_their_documents_are_named_after_them() -> None:
    """Case 70."""
    read = read_spans(
        [str(_FILES / "70-appraise-document-names-carry-the-system/s.csv")],
    )
    segments = _segments(list(read.judgments))
    assert segments["alpha"] == segments["beta"]
    assert len(segments["alpha"]) == 4
    assert {loss.what: loss.count for loss in read.losses} == {
        "names of systems at the end of names of documents (name#system)": 4,
        "numbers that count within a batch (replaced by the place in the document)": 16,
    }


@pytest.mark.parametrize(
    "ending",
    ["#duplicate1", "#A#duplicate12", "#dup", "#incomplete"],
)
def test_rows_that_fill_up_a_batch_are_left_out(ending: str) -> None:
    judgments, losses = _read(_ROW + _ROW.replace(",d,", f",d{ending},"))
    assert len(judgments) == 1
    assert losses == {"rows that fill up a batch (#duplicate, #dup, #incomplete)": 1}
    assert _read(_ROW.replace(",d,", ",d#dupont,"))[1] == {}


@pytest.mark.parametrize(("name", "usual"), [("wmt25", 0), ("mixed", 1), ("mixed2", 1)])
def test_rows_with_a_source_id_are_read_in_any_order(name: str, usual: int) -> None:
    """Case 95."""
    folder = _FILES / "95-appraise-rows-of-another-layout-first"
    read = read_spans([str(folder / f"{name}.csv")])
    document = "en-de_DE_#_news_#_visit"
    rows = [
        (judgment.segment, judgment.outputs[0].systems[0], judgment.outputs[0].score)
        for judgment in read.judgments
        if judgment.document == document
    ]
    assert rows == [
        (f"{document}_#_{number}", system, 70 + number)
        for number in (1, 2)
        for system in ("alpha", "beta")
    ]
    assert len(read.judgments) == 4 + usual


def test_only_the_first_line_can_be_a_header() -> None:
    judgments, losses = _read(_HEADER + _ROW)
    assert (len(judgments), losses) == (1, {})
    with pytest.raises(FormatError, match=r"line 2 .*not an item type"):
        _read(_HEADER + _HEADER + _ROW)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (_HEADER, "the file has a header and no rows"),
        (
            "ann,corpus,d,f.tsv::1.2,4,TGT,eng\n",
            "line 1: the row is from Appraise's assessment of",
        ),
        ("sep=,\n" + _ROW, "line 1: the line sep=, is an instruction for Excel"),
    ],
)
def test_rows_that_are_no_scores_of_outputs_are_refused_by_name(
    content: str,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=problem):
        read_spans_file(_file(content), SpansFormat.APPRAISE_CSV)


def test_scores_that_a_spreadsheet_separated_by_semicolons_are_read() -> None:
    (judgment,), losses = _read(_ROW.replace(",", ";"))
    assert ([judgment], losses) == _read(_ROW)
    spans = json.dumps(
        [{"start_i": 0, "end_i": n, "severity": "minor"} for n in range(9)],
    )
    quoted = '"' + spans.replace('"', '""') + '"'
    (judgment,), _losses = _read(_ROW.replace(",", ";").replace("[]", quoted))
    assert len(judgment.outputs[0].spans or ()) == 9


def test_points_and_commas_in_one_column_of_appraise_are_refused() -> None:
    row = "ann;{system};{segment};TGT;eng;deu;{score};d;False\n"
    first = row.format(system="A", segment=1, score="80,5")
    second = row.format(system="A", segment=2, score="1.084")
    with pytest.raises(FormatError, match=r"line 2.*line 1"):
        _read(first + second)


def _mqm_row(system: str, score: int, error_type: str) -> str:
    spans = json.dumps(
        [{"start_i": 0, "end_i": 3, "severity": "minor", "error_type": error_type}],
    )
    quoted = '"' + spans.replace('"', '""') + '"'
    return f"ann,{system},5,TGT,eng,deu,{score},d,False,{quoted},10,20\n"


@pytest.mark.parametrize(
    ("score", "category", "expected"),
    [(0, "Style", None), (0, "", 0), (1, "Style", 1)],
)
def test_scores_of_0_throughout_are_no_scores_if_errors_have_categories(
    score: int,
    category: str,
    expected: int | None,
) -> None:
    judgments, _losses = _read(
        _mqm_row("A", score, category) + _mqm_row("B", score, category),
    )
    assert [judgment.outputs[0].score for judgment in judgments] == [expected, expected]


@pytest.mark.parametrize("tail", ["None,error-in-source", "None,error-in-source,10,20"])
def test_errors_of_the_source_alone_are_counted(tail: str) -> None:
    (judgment,), losses = _read(f"ann,A,5,TGT,eng,deu,80,{tail}\n")
    assert (judgment.outputs[0].score, losses) == (80, {"kinds of errors": 1})


def test_released_human_scores_of_wmt25_are_read() -> None:
    """Case 96."""
    read = read_spans([str(_FILES / "96-wmt25-released-human-scores/humeval.jsonl")])
    assert [(loss.what, loss.count) for loss in read.losses] == [
        ("names of annotators that the file lacks (numbered instead)", 6),
    ]
    scores = [
        (
            judgment.segment,
            judgment.judge,
            judgment.outputs[0].systems,
            judgment.outputs[0].score,
        )
        for judgment in read.judgments
    ]
    assert scores == [
        ("news/visit_#_1", "annotator 1", ("alpha",), 90),
        ("news/visit_#_1", "annotator 2", ("alpha",), 80),
        ("news/visit_#_1", "annotator 1", ("beta",), 40),
        ("news/visit_#_1", "annotator 2", ("beta",), 50),
        ("news/visit_#_2", "annotator 1", ("alpha",), 95),
        ("news/visit_#_2", "annotator 1", ("beta",), 55),
    ]
    first = read.judgments[2]
    assert (first.source_language, first.target_language) == ("en", "de_DE")
    assert first.source == "The museum opens at nine."
    assert first.outputs[0] == ScoredOutput(
        ("beta",),
        40,
        (Span(0, 7, Severity.MAJOR), Span(None, None, Severity.MINOR)),
        "Museum öffnet neun.",
    )


def _wmt_line(
    scores: Any,
    text: str = "Museum.",
    name: str = "en-de_#_news_#_visit_#_0",
) -> str:
    values = {
        "doc_id": name,
        "src_text": "S.",
        "tgt_text": {"A": text},
        "scores": {"A": scores},
    }
    return json.dumps(values) + "\n"


def test_answers_of_two_waves_are_those_of_two_annotators() -> None:
    waves = {
        "human1": 70,
        "errors1": [],
        "annotator1": "ann",
        "human2": 50,
        "annotator2": "bea",
    }
    listed = [
        {"score": 70, "errors": [], "annotator": "ann", "protocol": "ESA"},
        {"score": 50, "annotator": "bea", "times": ["10.5", "20"]},
    ]
    for scores in (waves, listed):
        judgments, losses = _read(_wmt_line(scores))
        assert [
            (judgment.judge, judgment.outputs[0].score, judgment.outputs[0].spans)
            for judgment in judgments
        ] == [("ann", 70, ()), ("bea", 50, None)]
        assert losses == {}
    assert (judgments[1].started_at, judgments[1].ended_at) == (10.5, 20)


def test_spans_of_wmt_count_as_browsers_do_and_stay_inside_their_text() -> None:
    errors = [
        {"start_i": 3, "end_i": 5, "severity": "minor"},
        {"start_i": 4, "end_i": 40, "severity": "major"},
        {"start_i": 90, "end_i": 91, "severity": "major"},
    ]
    (judgment,), losses = _read(
        _wmt_line({"human": 9, "errors": errors}, text="😀 abc"),
    )
    spans = [(span.start, span.end) for span in judgment.outputs[0].spans or ()]
    assert spans == [(2, 5), (3, 5), (4, 5)]
    assert losses["spans that end after their text (shortened)"] == 2


def test_lines_of_wmt_without_a_number_count_within_their_document() -> None:
    name = "en-de_#_news_#_visit"
    judgments, _losses = _read(_wmt_line({"human": 9}, name=name) * 2)
    assert [judgment.segment for judgment in judgments] == [
        "news/visit_#_1",
        "news/visit_#_2",
    ]


@pytest.mark.parametrize(
    ("scores", "key"),
    [
        ({"human": 101}, "scores.A.score"),
        ({"errors": []}, "scores.A.score"),
        ([1], "scores.A[0]"),
        ({"human": 1, "times": ["a", "b"]}, "scores.A.times"),
        ({"human": 1, "times": [1]}, "scores.A.times"),
        ({"human": 1, "errors": {}}, "scores.A.errors"),
    ],
)
def test_damaged_answers_of_wmt_are_refused_with_their_key(
    scores: Any,
    key: str,
) -> None:
    with pytest.raises(FormatError) as error:
        _read(_wmt_line(scores))
    assert (error.value.line, error.value.field) == (1, key)


_MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


@pytest.mark.parametrize(
    "row",
    ["A\td\t1\t1\tr\tHi.\tHallo<v>.</v>\tSource error/-\tMinor\n", "A\td\t1\tHi.\tHallo.\tSource error\tMinor\t\n"],
)  # fmt: skip
def test_list_of_errors_of_the_source_is_refused_by_name(row: str) -> None:
    with pytest.raises(
        FormatError,
        match="line 2: the file lists errors of the source only",
    ):
        _read(_MQM + row)


def test_spaces_that_only_marked_texts_end_with_make_no_other_text() -> None:
    rows = [
        "A\td\t1\t1\tr\t<v>Hi. </v>\tHallo.\tAccuracy/Omission\tMajor",
        "A\td\t1\t1\tr\tHi.\t<v>Hallo. </v>\tStyle\tMinor",
        "A\td\t1\t1\ts\tHi.\tHallo. \tNo-error\tNo-error",
    ]
    (first, second), losses = _read(_MQM + "\n".join(rows))
    assert (first.source, first.outputs[0].text, second.outputs[0].text) == (
        "Hi.",
        "Hallo.",
        "Hallo.",
    )
    spans = [(span.start, span.end) for span in first.outputs[0].spans or ()]
    assert spans == [(0, 3), (0, 6)]
    assert "texts that changed between two errors" not in losses


_POINTER = (
    "version https://git-lfs.github.com/spec/v1\noid sha256:1b0b\nsize 102922129\n"
)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (_POINTER, "a pointer of Git LFS"),
        (
            "Username,Password,URL\nann,secret,http://a/\n",
            "Appraise accounts and passwords",
        ),
        (
            "HITId WorkerId Input.src\nA\tB\tcs\tREF\t1\n",
            "crowd-sourced direct assessment",
        ),
        ("SYS SID RAW.SCR Z.SCR N \nA.1 2 3 4 5\n", "segment scores"),
        ("SYS SEGID RAW.SCR Z.SCR N SID\nA.1 d::1 3 4 5 6\n", "segment scores"),
        ("74 0.133 1370 1711 A.2 \n", "a ranking of WMT's direct assessment"),
        ("74 -0.133 1370 1711 A.2 A\n", "a ranking of WMT's direct assessment"),
        (" A.2 B.6 \nA.2 - 0.08* \nB.6 -0.08 - \n", "tests between systems"),
        ("A.2 B.6\nA.2 0.12 1.7e-05\nB.6 0.9 0.1\n", "tests between systems"),
        ("SRC TRG WINS TOTAL CLUSTER_START\nzu xh 4 5 1\n", "clusters"),
        (
            "hit wid src trg item work.seconds\n3X\tM1\tru\ten\tad\t6\n",
            "work of WMT's crowd",
        ),
        ("wid hit.count mean.bad.ref\nM0649 4 47.9\n", "work of WMT's crowd"),
        ("M0805\t0.2387603\t-0.726327 \t18\n", "work of WMT's crowd"),
        ('[1] "M1407"\n[1] 61.01064\n', "work of WMT's crowd"),
        (
            "LP DATA SID BETTER WORSE\ncs-en newstest 6 A.1 B.2\n",
            "better and worse outputs",
        ),
        ("LP SID BETTER WORSE\ncs-en 6 A.1 B.2\n", "better and worse outputs"),
        ("M\ten-zh\tnewstest\tref\tA.7\tdoc\t1\t0.54\n", "WMT's metrics task"),
        ("M\ten-zh\tnewstest\tref\tA.7\t-1e-3\n", "WMT's metrics task"),
        ("account,annotated_by_group,crowd\ndeu01,uedin,x\n", "accounts"),
        ("engjpn1418,engjpn1606\nengjpn141d,engjpn1606\n", "accounts"),
        ('[{"items": [{"itemID": 1}], "task": {}}]', "a batch of tasks for Appraise"),
        ("system mqm_avg_score seg_id\nA -1.0 1\n", "average MQM scores"),
        (
            "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tscore\n",
            "scalar quality metrics",
        ),
        ("AIRC\tNone\nAIRC\t-5\n", "scores without judges"),
        (
            "ann,a.txt,7,eng,deu,80,10.5,20.5,3,1,Hi.,Hallo.,Hallo.\n",
            "WMT21's contrastive",
        ),
        ('{"doc_id": "d", "src_text": "S.", "tgt_text": {}}\n', "a test set"),
        ("<!DOCTYPE html>\n<html>", "a web page"),
        ("PK\x03\x04\x14", "an Excel workbook"),
        ("x" * 257 + "ustar\x0000", "a tar archive"),
        ("sep=;\na;b\n", "instruction for Excel"),
        ('[{"a": 1}]', "a JSON array"),
    ],
)
def test_file_without_judgments_is_refused_by_name(head: str, name: str) -> None:
    with pytest.raises(FormatError, match=name):
        read_spans_file(_file(head))
    with pytest.raises(FormatError, match=name):
        detect_input_format(_file(head))


@pytest.mark.parametrize(
    ("file", "content", "name"),
    [
        ("s.csv", "SYS SID RAW.SCR Z.SCR N \nA.1 2 3 4 5\n", "name the columns"),
        ("s.tsv", "system mqm_avg_score seg_id\nA -1.0 1\n", "name the columns"),
        (
            "M.seg.score",
            "M\ten-zh\tnewstest\tref\tA.7\td\t1\t0.54\n",
            "name the columns",
        ),
        ("s.txt", "A\t0.5\nA\t0.6\n", r"a name that ends in \.seg\.score"),
        ("s.csv", "sys,seg\nA,1\n", "no column score"),
    ],
)
def test_scores_in_another_layout_are_named_where_scores_of_metrics_are_asked_for(
    file: str,
    content: str,
    name: str,
) -> None:
    stored = StoredFile(file, lambda: io.BytesIO(content.encode()))
    with pytest.raises(FormatError, match=name):
        read_metric_scores([stored])


@pytest.mark.parametrize("missing", ["rater", "doc_id", "target"])
def test_column_that_a_table_of_mqm_lacks_is_named(missing: str) -> None:
    with pytest.raises(FormatError, match=f"no column {missing}"):
        read_spans_file(_file(_MQM.replace(missing, "x", 1)))


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (_ROW, "scores of Appraise"),
        (_MQM, "MQM"),
        ('{"user_id": "ann", "annotation": []}', "error spans"),
    ],
)
def test_scored_judgments_are_named_where_rankings_are_asked_for(
    head: str,
    name: str,
) -> None:
    with pytest.raises(FormatError, match=f"a file of .*{name}.*analyse spans"):
        detect_input_format(_file(head))


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("srclang,trglang,srcIndex,judgeId,system1Id,system1rank\n", "rankings"),
        ('{"model_a": "x", "model_b": "y", "winner": "tie"}\n', "arena votes"),
        ('{"segment": 1, "judge": "a", "candidates": [], "labels": []}\n', "rankings"),
    ],
)
def test_rankings_are_named_where_scores_are_asked_for(head: str, name: str) -> None:
    with pytest.raises(FormatError, match=f"a file of {name}.*rank_judgments"):
        read_spans_file(_file(head))


def test_pointer_of_git_lfs_is_refused_as_a_text() -> None:
    with pytest.raises(FormatError, match="Git LFS"):
        list(text_lines(_file(_POINTER)))


@pytest.mark.parametrize("line", ["sep=;", '"sep=,"', "SEP=\t", "\ufeffsep=;"])
def test_line_for_excel_is_named_in_every_table(line: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"line 1: .* is an instruction for Excel"):
        list(table_rows(_file(f"{line}\na;b\n")))
    path = tmp_path / "judgments.csv"
    path.write_text(f"{line}\nmodel_a;model_b;winner\nx;y;tie\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"line 1: .* is an instruction for Excel"):
        read_judgments([str(path)])


_VOTES = _FILES / "110-arena-votes-as-one-json-array"


def test_votes_of_an_array_equal_those_of_lines() -> None:
    """Case 110."""
    array, lines = (
        read_judgments([str(_VOTES / f"clean_battle.{end}")])
        for end in ("json", "jsonl")
    )
    assert (array.blocks.segment == lines.blocks.segment).all()
    assert (array.blocks.judges, array.losses) == (lines.blocks.judges, lines.losses)
    assert [
        (loss.what, loss.count) for loss in array.losses if "column" not in loss.what
    ] == [("votes of judges who knew the models (anony is false)", 1)]


def test_votes_that_pandas_wrote_by_column_are_refused_by_name() -> None:
    with pytest.raises(
        FormatError,
        match="an object for each column, as pandas writes it",
    ):
        read_judgments([str(_VOTES / "pandas.json")])


def test_vote_about_a_model_and_itself_is_counted_apart(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nx,y,tie\nx,x,model_a\n")
    read = read_judgments([str(path)])
    assert len(read.blocks) == 1
    assert [(loss.what, loss.count) for loss in read.losses] == [
        ("votes about a model and itself", 1),
    ]


def test_winner_may_be_marked_in_one_of_three_columns(tmp_path: Path) -> None:
    path, usual = tmp_path / "votes.csv", tmp_path / "usual.csv"
    path.write_text(
        "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,x,y,1,0,0\n2,y,x,0,1,0\n3,x,y,0,0,1\n",
    )
    usual.write_text("model_a,model_b,winner\nx,y,model_a\ny,x,model_b\nx,y,tie\n")
    ours, theirs = (read_judgments([str(name)]).blocks for name in (path, usual))
    assert (tally(ours).wins == tally(theirs).wins).all()
    path.write_text(
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,1,0,1\n",
    )
    with pytest.raises(FormatError, match="the vote has 2 winners"):
        read_judgments([str(path)])


_PAIRWISE = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"


@pytest.mark.parametrize(
    "joined",
    ["newstest2016.a+newstest2016.b", '"newstest2016.a,newstest2016.b"'],
)
def test_collapsed_comparisons_of_wmt16_count_for_each_system(
    joined: str,
    tmp_path: Path,
) -> None:
    """A name with a plus sign was a system of its own."""
    collapsed, expanded = tmp_path / "collapsed.csv", tmp_path / "expanded.csv"
    row = "ron,eng,1,1,judge1,{},{},{},{},7\n"
    c, d = "newstest2016.c", "newstest2016.d"
    rows = [
        row.format(joined, 1, c, 2),
        row.format(d, 3, joined, 1),
        row.format(c, 2, d, 3),
    ]
    collapsed.write_text(_PAIRWISE + "".join(rows))
    rows = [
        *(
            row.format(f"newstest2016.{name}", 1, other, rank)
            for name in "ab"
            for other, rank in ((c, 2), (d, 3))
        ),
        row.format(c, 2, d, 3),
    ]
    expanded.write_text(_PAIRWISE + "".join(rows))
    ours, theirs = (
        read_judgments([str(path)]).blocks for path in (collapsed, expanded)
    )
    assert ours.systems == theirs.systems
    assert (tally(ours).wins == tally(theirs).wins).all()


@pytest.mark.parametrize(
    "name",
    ["R2L+Back", "newstest2016.a+b", "newstest2016.a+newstest2017.b"],
)
def test_other_names_with_a_plus_sign_are_kept(name: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(f"model_a,model_b,winner\n{name},y,tie\n")
    assert name in read_judgments([str(path)]).blocks.systems


def test_results_of_all_language_pairs_of_wmt16_are_read(tmp_path: Path) -> None:
    path = tmp_path / "wmt16.xml"
    path.write_text(
        '<wmt16-results><HIT source-language="ron" target-language="eng" hit-id="1" block-id="-1">'
        '<ranking-task id="1"><ranking-result user="ann"><translation system="a" rank="1" />'
        '<translation system="b,c" rank="2" /></ranking-result></ranking-task></HIT></wmt16-results>',
    )
    assert read_judgments([str(path)]).blocks.systems == ("a", "b", "c")
