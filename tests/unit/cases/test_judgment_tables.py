"""Judgment files after pandas and spreadsheets say what they said before, and no row lacks a cell unnoticed."""

import csv
import io
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile, read_five_way_csv
from campaign.formats.errors import Losses
from ranking.files.pairwise import read_pairwise_csv
from ranking.files.reading import read_judgments
from tests.properties import examples

_CASES = Path(__file__).parents[2] / "data/cases"
_FIVE_WAY = (_CASES / "files/44-five-way-after-pandas/ok.csv").read_text()
_PAIRWISE = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
    "en,de,1,1,ann,A,1,B,2,7\nen,de,1,1,ann,A,1,C,3,7\nen,de,1,1,ann,B,2,C,3,7\nen,de,2,2,bob,A,1,B,-1,8\n"
)
_TABLES = pytest.mark.parametrize("content", [_FIVE_WAY, _PAIRWISE])


def _stream(content: str) -> io.BytesIO:
    return io.BytesIO(content.encode())


def _blocks(content: str) -> list[tuple[object, ...]]:
    if "rankingID" in content:
        found = list(read_pairwise_csv(InputFile("t.csv", _stream(content)), Losses()))
        return [
            (each.segment, each.judge, each.candidates, each.labels) for each in found
        ]
    rows = read_five_way_csv(_stream(content), "t.csv")
    return [(row.segment, row.judge, row.candidates, row.labels) for row in rows]


def _written(rows: list[list[str]], separator: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


@_TABLES
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
def test_pandas_round_trip_keeps_the_blocks(
    content: str,
    separator: str,
    index: bool,
    quoting: int,
) -> None:
    frame = pd.read_csv(io.StringIO(content))
    ranks = [name for name in frame if name.endswith("rank") or name == "srcIndex"]
    frame[ranks] = frame[ranks].astype("float64")
    written = frame.to_csv(sep=separator, index=index, quoting=quoting)
    assert _blocks("\ufeff" + written) == _blocks(content)


@_TABLES
def test_index_columns_and_empty_last_columns_are_passed_over(content: str) -> None:
    rows = list(csv.reader(io.StringIO(content)))
    for name in ("Unnamed: 0", "__index_level_0__", ""):
        wide = [[name, *rows[0], "", ""], *(["3", *row, "", ""] for row in rows[1:])]
        assert _blocks(_written(wide, ";")) == _blocks(content)
    wide[2][-1] = "x"
    with pytest.raises(FormatError, match="line 3"):
        _blocks(_written(wide, ";"))


@_TABLES
@examples(60)
@given(data=st.data())
def test_a_cell_more_or_less_in_any_row_is_refused(
    content: str,
    data: st.DataObject,
) -> None:
    rows = list(csv.reader(io.StringIO(content)))
    separator = data.draw(st.sampled_from(",;\t"))
    row = rows[data.draw(st.integers(1, len(rows) - 1))]
    cell = data.draw(st.integers(0, len(row) - 1))
    if data.draw(st.booleans()):
        del row[cell]
    else:
        row.insert(cell, data.draw(st.sampled_from(["", "1", row[cell]])))
    with pytest.raises(
        FormatError,
        match=f"the row has {len(row)} cells, the header {len(rows[0])}",
    ):
        _blocks(_written(rows, separator))


def test_five_way_after_pandas_ranks_as_before() -> None:
    """Case 44."""
    folder = _CASES / "files/44-five-way-after-pandas"
    assert _blocks((folder / "pandas.csv").read_text()) == _blocks(_FIVE_WAY)


def test_minus_one_is_no_document() -> None:
    """Case 79."""
    read = read_judgments([str(_CASES / "files/79-document-id-minus-one/x.csv")])
    assert read.documents == ()
    assert read.ignored_documents is None
    content = (_CASES / "files/79-document-id-minus-one/x.csv").read_text()
    assert {row.document for row in read_five_way_csv(_stream(content), "x.csv")} == {
        "",
    }
