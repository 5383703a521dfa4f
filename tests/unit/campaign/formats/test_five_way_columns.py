"""Columns say what rows say, of any file: the same judged blocks, or the same error."""

import io
import random
from itertools import compress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.formats import (
    FiveWayColumns,
    FiveWayNames,
    FormatError,
    read_five_way_columns,
    read_five_way_csv,
)

_HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,"
    "system2Id,system3Number,system3Id,system1rank,system2rank,system3rank\n"
)
_GOOD = 'Czech,English,7,d,s1, judge01 ,"3,7","A, B",,,20,C,1,,-1'
_LANGUAGES = ["Czech", "English", " cs ", "", " "]
_INDICES = ["1", "7", "07", " 2 ", "0", "x", "", "2147483647", "2147483648", "\uff11"]
_NAMES = ["A", "B", "C", " A ", '"A,B"', '"A, D"', '"A,A"', '"A,"', "", " ", '"']
_NUMBERS = ["1", "", " ", '"1,2"', "x", '"1,"', "-3"]
_RANKS = ["1", "5", "", "-1", " 2 ", "0", "6", "x", "01"]
_JUDGES = ["ada", " ada ", "bob", "", "j" * 100, "j" * 101, '"a ""b"""']


def _rows(columns: FiveWayColumns) -> list[tuple[object, ...]]:
    """What the importers use of a row."""
    names = columns.names
    return [
        (
            columns.file,
            line,
            names.pairs[pair],
            index,
            document,
            segment_id,
            names.judges[judge],
            tuple(names.candidates[each] for each in candidates if each >= 0),
            tuple(label or None for label in compress(labels, [each >= 0 for each in candidates])),
        )
        for line, pair, index, document, segment_id, judge, candidates, labels in zip(
            columns.lines.tolist(),
            columns.pairs.tolist(),
            columns.source_index.tolist(),
            columns.documents,
            columns.segment_ids,
            columns.judges.tolist(),
            columns.candidates.tolist(),
            columns.labels.tolist(),
            strict=True,
        )
    ]


def _by_columns(content: bytes, known: set[str] | None, at_once: int) -> object:
    names = FiveWayNames(known)
    try:
        parts = list(
            read_five_way_columns(io.BytesIO(content), "f", names=names, rows_at_once=at_once)
        )
    except FormatError as error:
        return error.args
    assert all(1 <= len(part) <= at_once for part in parts)
    return [row for part in parts for row in _rows(part)]


def _by_rows(content: bytes, known: set[str] | None) -> object:
    try:
        return [
            (
                "f",
                row.line,
                (row.source_language.strip(), row.target_language.strip()),
                row.source_index,
                row.document,
                row.segment_id,
                row.judge.strip(),
                row.candidates,
                row.labels,
            )
            for row in read_five_way_csv(io.BytesIO(content), "f", known_systems=known)
        ]
    except FormatError as error:
        return error.args


def _mostly(good: list[str]) -> st.SearchStrategy[str]:
    """The first half of the texts are good: taken three times in four."""
    return st.integers(0, 3).flatmap(
        lambda draw: st.sampled_from(good if not draw else good[: len(good) // 3 + 1])
    )


@st.composite
def _lines(draw: st.DrawFn) -> str:
    fixed = [
        draw(_mostly(_LANGUAGES)),
        draw(_mostly(_LANGUAGES)),
        draw(_mostly(_INDICES)),
        draw(st.sampled_from(["d", "", '"d,e"'])),
        draw(st.sampled_from(["1", "s"])),
        draw(_mostly(_JUDGES)),
    ]
    systems = draw(st.permutations(["A", "B", "C"]))
    if draw(st.integers(0, 2)) == 0:
        systems = [draw(st.sampled_from(_NAMES)) for _each in systems]
    shown = [cell for system in systems for cell in (draw(st.sampled_from(_NUMBERS[:3])), system)]
    ranks = [draw(_mostly(_RANKS)) for _each in systems]
    return ",".join([*fixed, *shown, *ranks]) + draw(
        st.sampled_from(["\n"] * 6 + ["\r\n", "\n\n", ",\n"])
    )


@given(
    lines=st.lists(_lines(), max_size=8),
    known=st.sampled_from([None, {"A", "B", "C"}, {"A", "B", "C", "D"}]),
    at_once=st.integers(1, 5),
)
@example(lines=[_GOOD + "\n", 'a,b,1,"d,s,j,,A,,B,,C,1,2,3\n', _GOOD + "\n"], known=None, at_once=5)
@example(lines=['a,b,1,d,s,j,,A,"x",,,C,1,-1,3\n'], known=None, at_once=5)
@example(lines=["a,b,1,d,s,j,,A,,,,C,1,2,3\n"], known=None, at_once=5)
@example(lines=["a,b,1,d,s,j,,,,,,,,,\n"], known=None, at_once=5)
@example(lines=["a,b,1,d,s,j,,A,,,,,1,,\n"] * 3, known=None, at_once=2)
@example(lines=['a,b,1,d,s,j,1,"A,B",,,,,1,,\n'], known=None, at_once=2)
@example(lines=['a,b,1,d,s,j,"1,x","A,B",,,,,1,,\n'], known=None, at_once=2)
@example(lines=['a,b,1,d,s,j,,"A,B",,C,,B,1,2,3\n'], known=None, at_once=2)
@example(lines=["   \n", _GOOD + "\n", "\t\n"], known={"A", "B"}, at_once=2)
def test_columns_say_what_rows_say(lines: list[str], known: set[str] | None, at_once: int) -> None:
    content = (_HEADER + "".join(lines)).encode()
    assert _by_columns(content, known, at_once) == _by_rows(content, known)


@pytest.mark.parametrize("unreadable", [b"\0", b"\xff"])
def test_of_two_mistakes_the_first_is_named(unreadable: bytes) -> None:
    content = _HEADER.encode() * 2 + unreadable
    assert _by_columns(content, None, 3) == _by_rows(content, None)


@given(st.data())
def test_whatever_the_bytes(data: st.DataObject) -> None:
    pieces = [
        _HEADER.encode(),
        _GOOD.encode(),
        b"\n",
        b'"',
        b",",
        b"\xff",
        b"\0",
        b"a,b,1,d,s,j,",
        b"1",
    ]
    content = data.draw(st.lists(st.sampled_from(pieces), max_size=12).map(b"".join))
    assert _by_columns(content, None, 3) == _by_rows(content, None)


def test_many_rows_are_read_alike() -> None:
    draw = random.Random(3)
    lines = []
    for _each in range(2_000):
        systems = draw.sample(["A", "B", "C", '"D,E"', ""], 3)
        ranks = [str(draw.randint(1, 5)) if system else "-1" for system in systems]
        shown = ",".join(f",{system}" for system in systems)
        lines.append(
            f"a,b,{draw.randint(1, 50)},d,s,j{draw.randint(1, 9)},{shown},{','.join(ranks)}\n"
        )
    content = (_HEADER + "".join(lines)).encode()
    rows = _by_rows(content, None)
    assert isinstance(rows, list)
    assert len(rows) == 2_000
    assert _by_columns(content, None, 300) == rows


def test_files_may_share_their_names() -> None:
    names = FiveWayNames()
    one, two = (
        next(read_five_way_columns(io.BytesIO((_HEADER + row).encode()), "f", names=names))
        for row in ("a,b,1,d,s,j,,A,,B,,,1,2,\n", "a,b,1,d,s,k,,B,,C,,,1,2,\n")
    )
    assert names.judges == ["j", "k"]
    assert (one.candidates.tolist(), two.candidates.tolist()) == ([[0, 1, -1]], [[1, 2, -1]])


def test_only_keeps_the_rows_and_their_lines() -> None:
    content = (_HEADER + "a,b,1,d,s,j,,A,,B,,,1,2,\nc,d,2,e,t,k,,B,,C,,,1,2,\n").encode()
    (columns,) = read_five_way_columns(io.BytesIO(content), "f", names=FiveWayNames())
    second = columns.only(columns.source_index == 2)
    assert _rows(second) == _rows(columns)[1:]
    error = second.error(0, "wrong", "mend it", field="srcIndex")
    assert (error.file, error.line, error.field) == ("f", 3, "srcIndex")


@pytest.mark.parametrize("size", [1, 2, 3])
def test_an_error_comes_after_the_rows_before_it(size: int) -> None:
    content = (_HEADER + (_GOOD + "\n") * 3 + "wrong\n").encode()
    parts = read_five_way_columns(io.BytesIO(content), "f", names=FiveWayNames(), rows_at_once=size)
    assert [len(next(parts)) for _each in range(3 // size)] == [size] * (3 // size)
    with pytest.raises(FormatError, match="line 5: the row has 1 cell"):
        next(parts)
