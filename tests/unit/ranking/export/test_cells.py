"""Rows written by columns are what `json` writes one by one."""

import json

from hypothesis import given
from hypothesis import strategies as st

from campaign.database.copied_rows import _columns
from ranking.export.rows import json_objects

COLUMNS = {"a%": str, "b": int, "c": bool}
TEXT = st.none() | st.text(st.sampled_from("=+-@'\t\r\n\",\\axN%\x00\x1f\x7fčš𝒳 "))
ROW = st.tuples(TEXT, st.none() | st.integers(-(2**63), 2**63 - 1), st.none() | st.booleans())


@given(st.lists(ROW))
def test_lines(rows: list[tuple[str | None, int | None, bool | None]]) -> None:
    columns = {name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}
    assert json_objects(COLUMNS, columns) == [
        json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) for row in rows
    ]


@given(st.lists(TEXT.map(lambda text: text and text.replace("\x00", "")), min_size=1))
def test_texts_copied(texts: list[str | None]) -> None:
    escapes = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
    cells = ["\\N" if text is None else text.translate(escapes) for text in texts]
    copied = "".join(f"{cell}\t1\n" for cell in cells)
    assert _columns(copied.encode(), {"a": str, "b": int}) == {"a": texts, "b": [1] * len(texts)}
