"""The five-way CSV as it is written, and that reading gives back what was written."""

import io
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import JudgedBlock, read_five_way_csv, write_five_way_csv
from campaign.formats.tables import neutral, restored
from campaign.texts.normalisation import UNSEEN

_HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,"
    "system2Id,system3Number,system3Id,system1rank,system2rank,system3rank\n"
)
_ROW = JudgedBlock(
    source_language="Czech",
    target_language="English",
    segment=7,
    document="d",
    segment_id="s1",
    judge="judge01",
    candidates=(("A", "B"), ("C",)),
    labels=(1, None),
    system_numbers=((3, 7), (20,)),
)


def _read(content: str) -> list[JudgedBlock]:
    return list(read_five_way_csv(io.BytesIO(content.encode()), "j.csv"))


def test_rows_are_written_as_wmt_wrote_them() -> None:
    assert list(write_five_way_csv([_ROW], slots=3)) == [
        _HEADER,
        'Czech,English,7,d,s1,judge01,"3,7","A,B",20,C,,,1,-1,-1\n',
    ]


def test_cells_a_spreadsheet_would_take_for_formulas_are_neutral_and_read_back() -> (
    None
):
    candidates = (("+A", "@B"), ("-C",), ("'=D",))
    row = replace(
        _ROW,
        judge='=HYPERLINK("x")',
        candidates=candidates,
        labels=(1, 2, None),
        system_numbers=((-3, 7), (20,), (21,)),
    )
    written = "".join(write_five_way_csv([row]))
    assert (neutral(" =A"), restored("' =A")) == ("' =A", " =A")
    assert '"\'=HYPERLINK(""x"")","\'-3,7","\'+A,@B",20,\'-C,21,\'\'=D,' in written
    assert _read(written) == [row]


def test_rows_of_more_candidates_than_there_is_room_for_are_not_written() -> None:
    row = replace(_ROW, candidates=tuple((name,) for name in "ABCDEF"))
    with pytest.raises(ValueError, match="6 candidates do not fit into a row of 5"):
        list(write_five_way_csv([row]))


def test_rows_are_written_while_they_come() -> None:
    def endless() -> Iterator[JudgedBlock]:
        while True:
            yield _ROW

    lines = write_five_way_csv(endless())
    assert [next(lines) for _ in range(3)][1:] == [
        'Czech,English,7,d,s1,judge01,"3,7","A,B",20,C,,,,,,,1,-1,-1,-1,-1\n',
    ] * 2


_CELL = st.text(
    st.characters(
        codec="utf-8",
        exclude_characters="\x7f",
        exclude_categories=["Cc", "Cs"],
    )
    | st.sampled_from('",;\t =\u2028\x85'),
    max_size=100,
)
_FILLED = _CELL.filter(lambda cell: cell.strip() and not UNSEEN.search(cell))
_NAME = _FILLED.map(str.strip)
_SYSTEM = _FILLED.map(lambda name: name.replace(",", "·").replace("\t", "·").strip())
_LABEL = st.none() | st.integers(1, 5)
_NUMBER = st.integers(-(2**31) + 1, 2**31 - 1)


@st.composite
def _rows(draw: st.DrawFn, slots: int) -> JudgedBlock:
    systems = draw(
        st.lists(_SYSTEM.filter(bool), min_size=1, max_size=slots + 3, unique=True),
    )
    cuts = draw(st.sets(st.integers(1, len(systems)), max_size=slots - 1))
    bounds = sorted({0, *cuts, len(systems)})
    candidates = tuple(tuple(systems[start:end]) for start, end in pairwise(bounds))
    return JudgedBlock(
        source_language=draw(_NAME),
        target_language=draw(_NAME),
        segment=draw(st.integers(1, 2**31 - 1)),
        document=draw(_CELL),
        segment_id=draw(_CELL),
        judge=draw(_NAME),
        candidates=candidates,
        labels=tuple(draw(_LABEL) for _ in candidates),
        system_numbers=tuple(
            tuple(draw(_NUMBER) for _ in candidate) if draw(st.booleans()) else ()
            for candidate in candidates
        ),
    )


@given(st.data(), st.integers(2, 7))
def test_reading_what_was_written_gives_the_rows_back(
    data: st.DataObject,
    slots: int,
) -> None:
    rows = data.draw(st.lists(_rows(slots), max_size=4))
    written = "".join(write_five_way_csv(rows, slots=slots))
    read = _read(written)
    assert read == rows
    assert "".join(write_five_way_csv(read, slots=slots)) == written
