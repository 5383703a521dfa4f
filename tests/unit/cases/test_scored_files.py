"""MQM and Appraise in the layouts that were released; a row with a cell more or less is refused."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile
from campaign.formats.errors import Loss
from campaign.formats.known_files import ANALYSE_SPANS, RANK, known_file_error
from protocols.frame.scale.rating_records import rating_objects
from protocols.spans.files.formats import (
    SpansFormat,
    read_spans,
    read_spans_file,
)
from protocols.spans.records import ScoredJudgment, Severity

_FILES = Path(__file__).parents[2] / "data/cases/files"
_HEAD = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
_ROWS = [
    "A\td\t1\t1\tr\tHi.\t<v>Ha</v>.\tStyle\tMajor",
    "A\td\t1\t1\tr\tHi.\tHallo<v>.</v>\tStyle\tMinor",
]


def _read(content: str) -> tuple[SpansFormat, list[ScoredJudgment], tuple[Loss, ...]]:
    return read_spans_file(InputFile("f", io.BytesIO(content.encode())))


def test_mqm_row_short_of_a_cell_in_the_middle_is_refused() -> None:
    """Case 06."""
    with pytest.raises(FormatError, match="line 4: the row has 8 cells, the header 9"):
        read_spans([str(_FILES / "06-mqm-rows-lack-cells-in-the-middle/mqm.tsv")])


@given(row=st.integers(0, 1), cell=st.integers(0, 8), is_more=st.booleans())
def test_mqm_row_with_a_cell_more_or_less_is_refused(
    row: int,
    cell: int,
    is_more: bool,
) -> None:
    cells = _ROWS[row].split("\t")
    if is_more:
        cells.insert(cell, "")
    else:
        del cells[cell]
    rows = [*_ROWS[:row], "\t".join(cells), *_ROWS[row + 1 :]]
    with pytest.raises(
        FormatError,
        match=f"line {row + 2}: the row has {len(cells)} cells",
    ):
        _read(_HEAD + "\n".join(rows))


def test_mqm_of_marot_is_read_and_its_other_columns_are_counted() -> None:
    """Case 07."""
    read = read_spans([str(_FILES / "07-mqm-marot-header/mqm.tsv")])
    severities = [
        [s.severity for s in j.outputs[0].spans or ()] for j in read.judgments
    ]
    assert severities == [[Severity.MAJOR], []]
    assert [(loss.what, loss.count) for loss in read.losses] == [
        ("cells of other columns", 2),
    ]


def test_mqm_errors_in_a_target_that_the_rater_changed_count() -> None:
    _format, (judgment,), losses = _read(_HEAD + "\n".join(_ROWS))
    (output,) = judgment.outputs
    assert [span.severity for span in output.spans or ()] == [
        Severity.MAJOR,
        Severity.MINOR,
    ]
    assert output.text is None
    assert [loss.what for loss in losses] == ["texts that changed between two errors"]


def test_mqm_segments_of_two_documents_stay_apart() -> None:
    """Case 55."""
    read = read_spans(
        [str(_FILES / "55-mqm-same-segment-number-in-two-documents/mqm.tsv")],
    )
    assert len({(j.document, j.segment) for j in read.judgments}) == 2


def test_appraise_pairs_with_kinds_of_errors_keep_their_scores() -> None:
    """Case 08."""
    read = read_spans([str(_FILES / "08-appraise-pairwise-with-error-kinds/s.csv")])
    assert [judgment.outputs[0].score for judgment in read.judgments] == [
        40,
        60,
        70,
        30,
    ]
    assert [(loss.what, loss.count) for loss in read.losses] == [("kinds of errors", 2)]


_HEADER = "user,system,itemID,type,src,tgt,score,document,is_document,start,end\n"


@pytest.mark.parametrize("header", ["", _HEADER])
def test_appraise_as_wmt22_released_it(header: str) -> None:
    rows = "u,A,5,TGT,eng,deu,80,doc1,False,10.5,20.5\nu,A,6,TGT,eng,deu,70,doc1,True,20.5,30.5\n"
    _format, (judgment,), losses = _read(header + rows)
    assert (judgment.document, judgment.segment, judgment.outputs[0].score) == (
        "doc1",
        "5",
        80,
    )
    assert (judgment.started_at, judgment.ended_at) == (10.5, 20.5)
    assert [loss.what for loss in losses] == ["scores of whole documents"]


@pytest.mark.parametrize(
    ("tail", "has_batch"),
    [("10.5,20.5,1,2", True), ("kind,None,10.5,20.5", False)],
)
def test_appraise_rows_of_eleven_cells_are_told_apart_by_content(
    tail: str,
    has_batch: bool,
) -> None:
    _format, (judgment,), losses = _read(f"u,A,5,TGT,eng,deu,80,{tail}\n")
    assert (judgment.started_at, judgment.ended_at) == (10.5, 20.5)
    assert [loss.what for loss in losses] == [
        "numbers of batch and item" if has_batch else "kinds of errors",
    ]


def test_appraise_row_of_eleven_cells_that_fits_no_layout_is_refused() -> None:
    with pytest.raises(FormatError, match="line 1"):
        _read("u,A,5,TGT,eng,deu,80,10.5,20.5,batch,x\n")


def test_appraise_spans_as_python_literals() -> None:
    spans = "\"[{'start_i': 0, 'end_i': 4, 'severity': 'major', 'error_type': None}]\""
    _format, (judgment,), _losses = _read(f"u,A,5,TGT,eng,deu,80,d,False,{spans},1,2\n")
    (span,) = judgment.outputs[0].spans or ()
    assert (span.start, span.end, span.severity, span.category) == (
        0,
        5,
        Severity.MAJOR,
        "",
    )


@pytest.mark.parametrize("name", ["marot", "marot-meta", "marot-noheader"])
def test_files_of_marot_are_read(name: str) -> None:
    """Case 129: globalSegId may be a constant, the header is optional, and rows of references have no rater."""
    read = read_spans([str(_FILES / "129-marot" / f"{name}.tsv")])
    assert read.input_format == SpansFormat.MQM_TSV
    assert [
        (row.document, row.segment, row.outputs[0].systems) for row in read.judgments
    ] == [
        ("d1", "1", ("A",)),
        ("d1", "1", ("B",)),
        ("d1", "2", ("A",)),
        ("d1", "2", ("B",)),
    ]
    left_out = {loss.what: loss.count for loss in read.losses}
    assert left_out.get("rows without a rater") == (1 if name == "marot-meta" else None)


def test_error_without_a_rater_is_refused() -> None:
    with pytest.raises(FormatError, match="rater"):
        _read(_HEAD + "A\td\t1\t1\t\tHi.\tHa.\tStyle\tMinor\n")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("122-bio-mqm/bio.tsv", "a table of bio-MQM"),
        ("123-summeval/summeval.jsonl", "the released file of SummEval"),
    ],
)
def test_files_of_other_layouts_are_named(path: str, name: str) -> None:
    with pytest.raises(FormatError, match=name):
        read_spans([str(_FILES / path)])
    with pytest.raises(FormatError, match=name), (_FILES / path).open("rb") as stream:
        list(rating_objects(InputFile(path, stream)))


@pytest.mark.parametrize(
    "path",
    sorted(path for path in _FILES.rglob("*") if path.is_file()),
    ids=str,
)
def test_no_reader_of_judgments_recommends_itself(path: Path) -> None:
    head = path.read_bytes()[:65536]
    for here in (ANALYSE_SPANS, RANK):
        error = known_file_error(path.name, head, here=here)
        assert error is None or error.remedy != here


def test_table_with_severities_is_not_sent_to_the_command_that_refuses_it() -> None:
    content = "seg\tseverity\nx\tMajor\n"
    with pytest.raises(FormatError) as refused:
        _read(content)
    assert ANALYSE_SPANS not in str(refused.value)
