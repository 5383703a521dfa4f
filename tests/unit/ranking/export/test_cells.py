"""Cells written by columns are what `json` and the writer of CSV lines write one by one."""

import json
from datetime import datetime
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from campaign.database.copied_rows import _as_text
from campaign.export.csv_lines import csv_line
from ranking.export.judgments.cells import csv_cells, json_cells
from ranking.export.judgments.row_lines import json_objects

TEXTS = st.lists(st.none() | st.text(st.sampled_from("=+-@'\t\r\n\",\\ax\x00\x1f\x7fčš𝒳 ")))


def _columns(texts: list[str | None]) -> list[Any]:
    """Return the texts as Arrow may hold them: whole, a part of more, and numbered."""
    whole = pa.array(texts, type=pa.string())
    longer = pa.array(["=cut,off", *texts, '"too"'], type=pa.string())
    return [whole, longer.slice(1, len(texts)), whole.dictionary_encode()]


@given(TEXTS)
def test_texts_in_json(texts: list[str | None]) -> None:
    for column in _columns(texts):
        assert json_cells(column, str).to_pylist() == [
            json.dumps(text, ensure_ascii=False) for text in texts
        ]


@given(TEXTS)
def test_texts_in_csv(texts: list[str | None]) -> None:
    for column in _columns(texts):
        # Beside another cell: a line of one empty cell is in quotes.
        assert [f"{cell},1\n" for cell in csv_cells(column, str).to_pylist()] == [
            csv_line([text, 1]) for text in texts
        ]


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)), st.lists(st.none() | st.booleans()))
def test_numbers_and_truth(numbers: list[int | None], truth: list[bool | None]) -> None:
    for values, column in (
        (numbers, pa.array(numbers, type=pa.int64())),
        (truth, pa.array(truth, type=pa.bool_())),
    ):
        assert json_cells(column, int).to_pylist() == [json.dumps(each) for each in values]
        assert [f"{cell},1\n" for cell in csv_cells(column, str).to_pylist()] == [
            csv_line([each, 1]) for each in values
        ]


@given(TEXTS, st.booleans())
def test_objects(texts: list[str | None], may_be_null: bool) -> None:
    shown = texts if may_be_null else [text or "" for text in texts]
    numbers = list(range(len(shown)))
    rows = pa.RecordBatch.from_arrays(
        [pa.array(shown, type=pa.string()), pa.array(numbers, type=pa.int64())], names=["a", "b"]
    )
    for columns in ({"a": str, "b": int}, {"b": int, "a": str}):
        batch = rows.select(list(columns))
        told = [json.dumps(row, ensure_ascii=False) for row in batch.to_pylist()]
        assert json_objects(columns, batch).to_pylist() == told


FIRST, LAST = map(datetime.fromisoformat, ("1900-01-01", "2100-01-01"))


@given(st.lists(st.none() | st.datetimes(FIRST, LAST)))
def test_times(times: list[datetime | None]) -> None:
    whole = [time and time.replace(microsecond=0) for time in times]
    for some in (times, whole, [*times, *whole]):
        column = pa.array(some, type=pa.timestamp("us"))
        assert _as_text(column).to_pylist() == [time and f"{time.isoformat()}Z" for time in some]
