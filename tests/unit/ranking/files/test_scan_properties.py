"""Whatever the bytes: what pyarrow reads is what Python's csv reads, and errors are the strict reader's."""

import csv
import io
import random
from typing import Final

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile
from ranking.files import InputFormat, SelectionError, read_judgments, scan
from tests.properties import examples

ALWAYS, NEVER = 0, 1 << 60
HEADER: Final = "x,y\n"
#: What a reader may take for something else than the text it is.
PIECES: Final = [
    *(piece.encode() for piece in ("a", "1", "-1", ",", ",", "\n", "\n", '"', '""', "\r\n", "\r")),
    *(piece.encode() for piece in (" ", "\t", "\0", "\x1f", "\x7f", "\\", "'", "#", "é", "\ufeff")),
    *(
        piece.encode()
        for piece in ("\u2028", "\u0085", "\u00a0", "NA", "null", "NaN", "0x1F", "1e3")
    ),
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
]
CELLS = st.text(
    st.sampled_from([*"abc1-, \t'\\#é", "\u2028", "\u0085", "\u00a0"]), max_size=20
) | st.sampled_from(["NA", "null", "nan", "true", "0x1F", "1e3", "2026-11-21"])


class _Dripping:
    """A stream that hands out a few bytes at a time, however many are asked for."""

    def __init__(self, data: bytes, size: int) -> None:
        self._stream = io.BytesIO(data)
        self._size = size

    def read(self, _size: int = -1, /) -> bytes:
        return self._stream.read(self._size)


def names_are_x_and_y(header: list[str]) -> None:
    assert header == ["x", "y"]


def scanned(data: bytes, at_a_time: int) -> list[list[str]]:
    """Return the rows as pyarrow reads them, in pieces of about `at_a_time` bytes."""
    rows: list[list[str]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "SCANNED_AT_A_TIME", at_a_time)
        file = InputFile("x", _Dripping(data, min(at_a_time, 1 << 18)))
        for columns in scan.scan(file, names_are_x_and_y):
            texts = [[one.texts[code] for code in one.code] for one in columns.values()]
            rows.extend(map(list, zip(*texts, strict=True)))
    return rows


def by_python(data: bytes) -> list[list[str]]:
    """Return the rows, a line each: a quote that is not closed on its line is an error."""
    lines = data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    return [next(csv.reader((line,), strict=True)) for line in lines if line][1:]


CELL_BYTES = st.one_of(
    st.sampled_from([b"a", b"", b"1", b'"a"', b'""', b'"a,b"', b'"', b'a"', b'"a"a', b'"a""b"']),
    st.lists(st.sampled_from(PIECES), max_size=3).map(b"".join),
)
ROWS = st.lists(st.tuples(CELL_BYTES, CELL_BYTES).map(b",".join), max_size=4)


@given(ROWS.map(b"\n".join), st.sampled_from([7, 1 << 20]))
@example(b'"a\n",1', 1 << 20)
@example(b'a","', 1 << 20)
@example(b"\xef\xbb\xbfa,1", 1 << 20)
@examples(400)
def test_python_reads_whatever_is_scanned_alike(content: bytes, at_a_time: int) -> None:
    data = HEADER.encode() + content
    try:
        found = scanned(data, at_a_time)
    except scan.NotPlainError:
        event("not plain")
        return
    event(f"plain, {min(len(found), 2)} rows or more")
    assert found == by_python(data)


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.booleans(),
    st.sampled_from([7, 1 << 20]),
)
def test_plain_cells_are_scanned(
    rows: list[tuple[str, str]], ends: str, mark: str, quoted: bool, at_a_time: int
) -> None:
    out = io.StringIO()
    writer = csv.writer(
        out, lineterminator=ends, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    )
    writer.writerows([["x", "y"], *rows])
    data = (mark + out.getvalue()).encode()
    assert scanned(data, at_a_time) == [list(row) for row in rows] == by_python(data)


FIVE_WAY: Final = """\
srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,system3Number,system3Id,system1rank,system2rank,system3rank
Czech,English,7,doc,7,ann,1,A,2,B,3,C,1,2,2
Czech,English,3,other,3,bob,3,C,"1,2","A,B",,,1,3,-1
Czech,English,9,doc,9,bob,3,C,1,A,2,B,2,-1,-1
"""
PAIRWISE: Final = """\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
Czech,English,7,7,ann,A,1,B,2,100
Czech,English,3,3,bob,C,1,A,3,101
Czech,English,7,7,ann,A,1,C,2,100
Czech,English,7,7,ann,B,2,C,2,100
Czech,English,3,3,bob,C,1,B,3,101
"""
_NUMBERS: Final = [b"0", b"05", b"+1", b"6", b"2147483648", b"\xd9\xa1", b"-1", b" 1", b"A", b"B,C"]


def damaged(content: str, seed: int) -> bytes:
    """Insert, remove or replace a few bytes or cells."""
    draw = random.Random(seed)
    data = content.encode()
    for _ in range(draw.randint(1, 3)):
        at = draw.randint(0, len(data))
        if draw.random() < 0.5:
            cells = data.split(b",")
            cells[draw.randrange(len(cells))] = draw.choice([*PIECES, *_NUMBERS, b""])
            data = b",".join(cells)
        else:
            data = data[:at] + draw.choice([b"", *PIECES]) + data[at + draw.randint(0, 1) :]
    return data


def outcome(data: bytes, form: InputFormat, scanned_from_bytes: int) -> object:
    try:
        read = read_judgments(
            ["-"],
            input_format=form,
            standard_input=io.BytesIO(data),
            scanned_from_bytes=scanned_from_bytes,
        )
    except FormatError as error:
        return error.args
    except SelectionError as error:
        return str(error)
    blocks = read.blocks
    arrays = (blocks.labels, blocks.candidates, blocks.judge, blocks.segment, blocks.key)
    documents = None if blocks.document is None else blocks.document.tolist()
    return (
        *(array.tolist() for array in arrays),
        *(blocks.systems, blocks.judges, documents),
        *(read.languages, read.skipped_by, read.blank_labels, read.files),
    )


@pytest.mark.parametrize(
    ("content", "form"),
    [(FIVE_WAY, InputFormat.FIVE_WAY_CSV), (PAIRWISE, InputFormat.PAIRWISE_CSV)],
)
@given(seed=st.integers(0, 1 << 32))
@examples(400)
def test_damaged_files_end_alike_whoever_reads_them(
    content: str, form: InputFormat, seed: int
) -> None:
    data = damaged(content, seed)
    assert outcome(data, form, ALWAYS) == outcome(data, form, NEVER)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("B,2,C,2,100", "B,2,C,2, 100"),
        ("B,2,C,2,100", "B,2,C,2,\u00a0100"),
        ("7,7,ann,B", "8,7,ann,B"),
        ("7,7,ann,B", "07,7,ann,B"),
        ("7,7,ann,B", "7,8,ann,B"),
        ("7,7,ann,B", "7,7,bob,B"),
        ("Czech,English,7,7,ann,B", "German,English,7,7,ann,B"),
    ],
)
def test_odd_rankings_end_alike_whoever_reads_them(old: str, new: str) -> None:
    assert old in PAIRWISE
    data = PAIRWISE.replace(old, new).encode()
    fast, strict = (outcome(data, InputFormat.PAIRWISE_CSV, size) for size in (ALWAYS, NEVER))
    assert fast == strict
    assert fast != outcome(PAIRWISE.encode(), InputFormat.PAIRWISE_CSV, NEVER)
