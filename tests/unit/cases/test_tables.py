"""Test sets as pandas and spreadsheets write them."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import (
    FormatError,
    InputFile,
    ReadingOptions,
    SegmentTexts,
    read_test_set,
)
from campaign.formats.omissions import Omissions
from campaign.formats.test_sets import TestSetFormat

CASES = Path(__file__).parents[2] / "data" / "cases" / "files"


def _read(content: bytes) -> list[SegmentTexts]:
    file = InputFile("t.tsv", io.BytesIO(content))
    return list(
        read_test_set(
            source=file,
            options=ReadingOptions(file_format=TestSetFormat.TSV),
        ),
    )


def _case(folder: str) -> list[SegmentTexts]:
    return _read((CASES / folder / "t.tsv").read_bytes())


def test_unmatched_quotes_are_text() -> None:
    first = _case("09-unmatched-quote-in-tsv")[0]
    assert first.source == 'He said "open.'
    assert first.outputs == {"alpha": '"Offen, sagt er.', "beta": 'Er sagte: auf"'}


def test_quotes_of_pandas_are_undone() -> None:
    first = _case("10-tsv-quoted-by-pandas")[0]
    assert first.source == 'He said "open".'
    assert first.references == ('Er sagte "auf".',)
    assert first.outputs == {"alpha": 'Er sagt "offen".', "beta": "Er sagte: auf."}


def test_quoted_cell_that_goes_on_in_the_next_line_is_refused() -> None:
    with pytest.raises(FormatError) as caught:
        _case("11-line-break-in-a-quoted-tsv-cell")
    assert (caught.value.line, caught.value.column) == (2, 4)
    assert "continues on the next line" in caught.value.problem


@pytest.mark.parametrize("row", ["s\tb", "s\ta\tb\tc", "a\tb"])
def test_row_with_another_number_of_cells_is_refused(row: str) -> None:
    with pytest.raises(FormatError) as caught:
        _read(f"source\tA\tB\t\t\ns\ta\tb\t\t\n{row}\n".encode())
    assert caught.value.line == 3


# Without digits: a column of numbers is no system's.
_TEXTS = st.text(
    st.characters(exclude_categories=["C", "Z", "Nd"], include_characters=" \",;\t'"),
    min_size=1,
).filter(lambda text: text.strip() == text)


@given(
    st.lists(st.tuples(_TEXTS, _TEXTS, _TEXTS), min_size=1, max_size=5),
    st.sampled_from(["\t", ";", ","]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_table_of_any_csv_writer_is_read_as_it_was(
    rows: list[tuple[str, str, str]],
    separator: str,
    quoting: int,
    end: str,
) -> None:
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter=separator, quoting=quoting, lineterminator=end)  # type: ignore[arg-type]
    writer.writerows([("source", "A", "B"), *rows])
    found = _read(table.getvalue().encode())
    assert [(each.source, *each.outputs.values()) for each in found] == rows


@pytest.mark.parametrize(
    ("document", "segment"),
    [("doc_id", "seg_id"), ("docid", "segid"), ("Document", "Segment")],
)
def test_columns_of_a_segments_place_are_no_systems(
    document: str,
    segment: str,
) -> None:
    (found,) = _read(f"{document}\t{segment}\tsource\tA\nd\t7\ts\ta\n".encode())
    assert (found.document, found.outputs) == ("d", {"A": "a"})


def test_column_of_domains_is_left_out_and_named() -> None:
    omissions = Omissions()
    file = InputFile("t.tsv", io.BytesIO(b"domain\tsource\tA\nnews\ts\ta\n"))
    (found,) = read_test_set(source=file, omissions=omissions)
    assert found.outputs == {"A": "a"}
    assert [what for what, _why in omissions.left_out] == ['t.tsv, column "domain"']
