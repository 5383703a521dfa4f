"""Bytes to lines: line ends, encodings, compression, damage."""

import gzip
import io
import pickle
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile
from campaign.formats.streams import MAX_LINE_BYTES, byte_chunks, peek, text_lines

MakeFile = Callable[[str, str | bytes], InputFile]


class _Dripping:
    """A stream that hands out the pieces it is given, however many bytes are asked for."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    def read(self, _size: int = -1, /) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


def test_lines_end_at_line_feeds_and_carriage_returns_only(make_file: MakeFile) -> None:
    content = "a\nb\r\nc\rd\u2028e\u2029f\x85g\n\nlast"
    assert list(text_lines(make_file("x", content))) == [
        "a", "b", "c", "d\u2028e\u2029f\x85g", "", "last",
    ]  # fmt: skip


@pytest.mark.parametrize(("content", "lines"), [("", []), ("\n", [""]), ("\r\n", [""]), ("a\r", ["a"]), ("\r\r\n", ["", ""]), ("a\n\n", ["a", ""])])  # fmt: skip
def test_the_last_line_end_begins_no_line(
    make_file: MakeFile,
    content: str,
    lines: list[str],
) -> None:
    assert list(text_lines(make_file("x", content))) == lines


@given(st.lists(st.text(st.sampled_from("aé\n\r\u2028 😀"), max_size=6)), st.booleans())
def test_lines_do_not_depend_on_how_the_bytes_arrive(
    texts: list[str],
    compressed: bool,
) -> None:
    whole = "".join(texts)
    data = whole.encode()
    pieces = (
        [data[i : i + 3] for i in range(0, len(data), 3)]
        if not compressed
        else [bytes([byte]) for byte in gzip.compress(data)]
    )
    expected = re.split(r"\r\n|\r|\n", whole)
    if expected[-1] == "":
        expected.pop()
    assert list(text_lines(InputFile("x", _Dripping(pieces)))) == expected


def test_a_byte_order_mark_at_the_start_is_no_text(make_file: MakeFile) -> None:
    assert list(text_lines(make_file("x", b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n"))) == [
        "a",
        "\ufeffb",
    ]


def test_gzip_is_recognised_by_content_also_when_concatenated_and_padded(
    make_file: MakeFile,
) -> None:
    data = gzip.compress(b"a\nb") + gzip.compress(b"c\n") + b"\0" * 512
    assert list(text_lines(make_file("no-ending", data))) == ["a", "bc"]


def test_members_of_gzip_as_small_as_a_byte_are_read_together(
    make_file: MakeFile,
) -> None:
    """A member may be 20 bytes; readers take time for each piece they get."""
    data = gzip.compress(b"x") * 5_000 + gzip.compress(b"") * 5_000
    assert list(byte_chunks(make_file("many", data))) == [b"x" * 5_000]


def test_blocks_of_bgzip_are_read_in_chunks(make_file: MakeFile) -> None:
    """bgzip ends with an empty member."""
    lines = b"".join(f"line {number}\n".encode() for number in range(100_000))
    blocks = [lines[i : i + 65_280] for i in range(0, len(lines), 65_280)]
    data = b"".join(gzip.compress(block) for block in [*blocks, b""])
    chunks = list(byte_chunks(make_file("blocks", data)))
    assert b"".join(chunks) == lines
    assert len(chunks) < len(blocks)


def test_the_first_bytes_of_gzip_are_those_of_all_its_members() -> None:
    members = [gzip.compress(bytes([byte])) for byte in b"ustar"]
    head, _whole = peek(InputFile("x", io.BytesIO(b"".join(members))), 512)
    assert head == b"ustar"


@pytest.mark.parametrize("rest", [b"text", b"\x1f", gzip.compress(b"b", mtime=0)[:-1]])
def test_gzip_with_something_else_at_its_end_is_refused(
    make_file: MakeFile,
    rest: bytes,
) -> None:
    with pytest.raises(FormatError, match=r"is damaged|ends too early"):
        list(text_lines(make_file("x", gzip.compress(b"a\n") + rest)))


def test_gzip_that_ends_too_early_is_refused(make_file: MakeFile) -> None:
    cut = gzip.compress(b"some text\n" * 1000)[:-9]
    with pytest.raises(FormatError) as caught:
        list(text_lines(make_file("src.gz", cut)))
    assert str(caught.value) == (
        "src.gz: the gzip data ends too early. What to do: compress the file again, or check "
        "that it was transferred completely."
    )


def test_damaged_gzip_is_refused(make_file: MakeFile) -> None:
    damaged = bytearray(gzip.compress(b"some text\n" * 1000))
    damaged[10:14] = b"\xff\xff\xff\xff"
    with pytest.raises(
        FormatError,
        match=r"^src\.gz: the gzip data is damaged \(Error -3 .*\)\. What",
    ):
        list(text_lines(make_file("src.gz", bytes(damaged))))


def test_bytes_that_are_not_utf8_are_named_with_line_and_byte_column(
    make_file: MakeFile,
) -> None:
    with pytest.raises(FormatError) as caught:
        list(text_lines(make_file("src.txt", "fine\näpfel ".encode() + b"caf\xe9\n")))
    assert str(caught.value) == (
        "src.txt, line 2, column 11: the byte 0xE9 is not UTF-8. What to do: convert the file "
        "from its ENCODING (often windows-1250, windows-1252 or GB18030), with: "
        "iconv -f ENCODING -t UTF-8 OLD > NEW."
    )


def test_byte_columns_count_the_byte_order_mark(make_file: MakeFile) -> None:
    with pytest.raises(FormatError) as caught:
        list(text_lines(make_file("src.txt", b"\xef\xbb\xbfab\xff")))
    assert (caught.value.line, caught.value.column) == (1, 6)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16_is_called_by_its_name(make_file: MakeFile, encoding: str) -> None:
    with pytest.raises(FormatError, match="UTF-16"):
        list(text_lines(make_file("src.txt", "Häuser\n".encode(encoding))))


@pytest.mark.parametrize(
    ("character", "problem", "command"),
    [
        (
            "\0",
            "the control character U+0000 (NUL) is not allowed in text",
            r"tr -d '\000'",
        ),
        (
            "\x07",
            "the control character U+0007 is not allowed in text",
            r"tr -d '\007'",
        ),
        (
            "\x0c",
            "the control character U+000C is not allowed in text",
            r"tr -d '\014'",
        ),
        (
            "\x7f",
            "the control character U+007F is not allowed in text",
            r"tr -d '\177'",
        ),
    ],
)
def test_control_characters_are_refused(
    make_file: MakeFile,
    character: str,
    problem: str,
    command: str,
) -> None:
    with pytest.raises(FormatError) as caught:
        list(text_lines(make_file("src.txt", f"a\r\nbé{character}c\n")))
    assert str(caught.value).startswith(
        f"src.txt, line 2, column 3: {problem}. What to do: ",
    )
    assert command in caught.value.remedy


def test_tabs_and_the_invisible_characters_of_real_output_are_text(
    make_file: MakeFile,
) -> None:
    line = "a\tb\x96c\u200bd"
    assert list(text_lines(make_file("x", line))) == [line]


def test_a_line_without_end_is_refused_before_it_fills_the_memory() -> None:
    pieces = [b"ok\r\nfine\n"] + [b"x" * 1024 * 1024] * 1000
    dripping = _Dripping(pieces)
    with pytest.raises(FormatError) as caught:
        list(text_lines(InputFile("src.txt", dripping)))
    assert str(caught.value) == (
        "src.txt, line 3: the line is longer than 4,194,304 bytes. What to do: check that this "
        "is a text file with one segment or record per line."
    )
    assert len(dripping._pieces) > 990
    assert MAX_LINE_BYTES == 4_194_304


@pytest.mark.parametrize("compress", [False, True])
def test_peeking_leaves_the_file_whole(compress: bool) -> None:
    data = b"first\n" * 100
    stream = io.BytesIO(gzip.compress(data) if compress else data)
    head, whole = peek(InputFile("x", stream), 10)
    assert head == (b"" if compress else b"first\nfirs")
    assert list(text_lines(whole)) == ["first"] * 100


def test_an_error_survives_the_way_from_a_worker() -> None:
    error = FormatError(
        "f",
        "problem",
        "remedy",
        line=12,
        column=3,
        field="system2rank",
    )
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert (
        str(copy)
        == 'f, line 12, column 3 (field "system2rank"): problem. What to do: remedy.'
    )
