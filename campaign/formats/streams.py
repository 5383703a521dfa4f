"""Convert bytes to lines: decompression, UTF-8 and line endings, in bounded memory."""

import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import IO, Final, Protocol, cast

from campaign.formats.errors import FormatError, Location
from campaign.formats.records import CONTROL

CHUNK_BYTES: Final = 256 * 1024
MAX_LINE_BYTES: Final = 4 * 1024 * 1024
#: Maximum ratio of unpacked to packed size; checked once `_FREE_BYTES` have been unpacked.
MAX_RATIO: Final = 200
_FREE_BYTES: Final = 256 * 1024 * 1024

_PACKED_BYTES: Final = 16 * 1024
_GZIP_MAGIC = b"\x1f\x8b"
_BOMS = re.compile(rb"(?:\xef\xbb\xbf)+")
_TEXT_FILE: Final = "provide a text file with one segment or record per line, or an archive of such files"
_AS_TABLE: Final = "write it as a table (CSV, TSV) in UTF-8 or as JSON Lines"
_FROM_R: Final = 'write the table with: write.csv(frame, "NEW.csv", row.names = FALSE, fileEncoding = "UTF-8")'
#: Files that are no text, by their first bytes, with what to do.
_OTHER_FILES = {
    b"version https://git-lfs.github.com/spec/": (
        "a pointer of Git LFS, which says where the file itself is stored",
        "download the file itself, for example with: git lfs pull",
    ),
    b"PK\x03\x04": (
        "an Excel workbook, a Word document or a zip archive",
        "save a table as CSV and a document as text, or unpack the archive",
    ),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "pack the files as zip or tar.gz"),
    b"Rar!\x1a\x07": ("a RAR archive", "pack the files as zip or tar.gz"),
    b"\xfd7zXZ\x00": ("compressed with xz", "unpack it, or compress it with gzip"),
    b"BZh91AY&SY": ("compressed with bzip2", "unpack it, or compress it with gzip"),
    b"\x28\xb5\x2f\xfd": (
        "compressed with zstd",
        "unpack it, or compress it with gzip",
    ),
    b"%PDF-": ("a PDF", "provide the text itself"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": (
        "an old Excel workbook or Word document (.xls, .doc)",
        "save a table as CSV and a document as text",
    ),
    b"\xff\xfe\x00\x00": (
        "in UTF-32",
        "convert it to UTF-8, with: iconv -f UTF-32 -t UTF-8 OLD > NEW",
    ),
    b"SQLite format 3\x00": ("a SQLite database", "export the table as CSV"),
    b"\x04\x22\x4d\x18": ("compressed with lz4", "unpack it, or compress it with gzip"),
    b"PAR1": (
        "in Parquet",
        "only judgments and votes are read from Parquet; write it as JSON Lines or a table",
    ),
    b"ARROW1": ("an Arrow or Feather file", _AS_TABLE),
    b"Obj\x01": ("an Avro file", _AS_TABLE),
    b"\x89HDF\r\n": ("an HDF5 file", _AS_TABLE),
    b"\x93NUMPY": ("an array of NumPy", _AS_TABLE),
    b"\x80\x04\x95": ("a pickle of Python", _AS_TABLE),
    b"\x80\x05\x95": ("a pickle of Python", _AS_TABLE),
    b"$FL2@(#)": ("an SPSS file", _AS_TABLE),
    b"$FL3@(#)": ("an SPSS file", _AS_TABLE),
    b"<stata_dta>": ("a Stata file", _AS_TABLE),
    # Inside gzip, in which R saves by default.
    b"X\n\x00\x00\x00": ("an R object (.rds)", _FROM_R),
    b"RDX2\n": ("R data (.RData)", _FROM_R),
    b"RDX3\n": ("R data (.RData)", _FROM_R),
}
_MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")
# CONTROL without the line feed, to search a block of lines at once.
_LINE_END = re.compile(rb"\r\n?|\n")
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_DAMAGE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class ByteStream(Protocol):
    """The stream interface that readers need: an open binary file, an upload or the file of a socket."""

    def read(self, size: int = ..., /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class InputFile:
    """A stream, and its name for errors. gzip is recognised by its first bytes."""

    name: str
    stream: ByteStream

    @property
    def plain_name(self) -> str:
        """The name without folders and without ".gz"."""
        return plain_name(self.name)

    def size(self) -> int:
        """Return the number of bytes in a file whose stream can be read from any place."""
        stream = cast("IO[bytes]", self.stream)
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        return size


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that can be opened repeatedly; `name` may include folders."""

    name: str
    open: Callable[[], IO[bytes]]

    @property
    def plain_name(self) -> str:
        """The name without folders and without ".gz"."""
        return plain_name(self.name)

    def size(self) -> int:
        """Return the number of bytes in the file."""
        with self.open() as stream:
            return stream.seek(0, io.SEEK_END)


class ReadCounter:
    """Counts the bytes read from files; `watch` is called with the total."""

    def __init__(self, watch: Callable[[int], object]) -> None:
        self.bytes = 0
        self._watch = watch

    def opener(self, opened: Callable[[], IO[bytes]]) -> Callable[[], IO[bytes]]:
        """Wrap a function that opens a file on disk, so that bytes read from it are counted."""
        return partial(self._open, opened)

    def _open(self, opened: Callable[[], IO[bytes]]) -> IO[bytes]:
        return _Watched(cast("io.BufferedReader", opened()).detach(), self)

    def add(self, size: int) -> None:
        self.bytes += size
        self._watch(self.bytes)


class _Watched(io.BufferedReader):
    def __init__(self, raw: io.RawIOBase, counter: ReadCounter) -> None:
        super().__init__(raw, CHUNK_BYTES)
        self._counter = counter

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self._counter.add(len(data))
        return data


def plain_name(name: str) -> str:
    """Return the name without folders and without ".gz"."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    if last.lower().endswith(".gz"):
        return last[: -len(".gz")]
    return last


def peek(file: InputFile, size: int) -> tuple[bytes, InputFile]:
    """Return up to `size` first bytes, decompressed, and the file to continue with."""
    head = b""
    while len(head) < size and (more := file.stream.read(size - len(head))):
        head += more
    whole = InputFile(file.name, _Rewound(head, file.stream))
    if head.startswith(_GZIP_MAGIC):
        unpacked = b""
        # The reader reports an error with its place.
        with suppress(zlib.error, EOFError):
            for piece in _members(io.BytesIO(head)):
                unpacked += piece
        return unpacked[:size], whole
    return head, whole


def head_text(head: bytes) -> str:
    """Return the first bytes of a file as text, without what precedes its first visible character."""
    return head.decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")


def first_line_of(text: str) -> str:
    """Return the first line of a text, without its end."""
    return re.split(r"[\r\n]", text, maxsplit=1)[0]


class _Rewound:
    """A stream with its first bytes put back, for streams that cannot seek; `bytes` counts what was read."""

    def __init__(self, head: bytes, rest: ByteStream) -> None:
        self._head = head
        self._rest = rest
        self.bytes = 0

    def read(self, size: int = -1, /) -> bytes:
        end = len(self._head) if size < 0 else size
        piece = self._head[:end]
        self._head = self._head[end:]
        if size < 0 or not piece:
            piece += self._rest.read(size)
        self.bytes += len(piece)
        return piece


def byte_chunks(file: InputFile) -> Iterator[bytes]:
    """Yield the content in chunks, decompressed if it is gzip.

    Raises FormatError if the compressed data is damaged, truncated or unpacks to an unusual size for text.
    """
    first = file.stream.read(CHUNK_BYTES)
    while 0 < len(first) < len(_GZIP_MAGIC) and (more := file.stream.read(CHUNK_BYTES)):
        first += more
    if first.startswith(_GZIP_MAGIC):
        yield from _decompress_chunks(file.name, _Rewound(first, file.stream))
        return
    while first:
        yield first
        first = file.stream.read(CHUNK_BYTES)


def _decompress_chunks(name: str, packed: "_Rewound") -> Iterator[bytes]:
    out = 0
    try:
        # In chunks, so that a small file that unpacks to gigabytes does not fill the memory.
        for unpacked in _gathered(_members(packed)):
            out += len(unpacked)
            if out > _FREE_BYTES and out > MAX_RATIO * packed.bytes:
                raise Location(name).error(
                    f"the gzip data unpacks to more than {MAX_RATIO} times its size, which is unusual for text",
                    "provide the file uncompressed",
                )
            yield unpacked
    except EOFError as error:
        raise Location(name).error(
            "the gzip data ends too early",
            "compress the file again, or check that it was transferred completely",
        ) from error
    except zlib.error as error:
        raise Location(name).error(
            f"the gzip data is damaged ({error})",
            "compress the file again, or provide it uncompressed",
        ) from error


def _members(packed: ByteStream) -> Iterator[bytes]:
    """Yield the content of gzip, whose members may be as small as a byte; the module `gzip` takes long for each.

    Raises EOFError if it is cut off, and zlib.error if it is damaged.
    """
    member = None
    # Short, because what follows a member is copied.
    rest = packed.read(_PACKED_BYTES)
    while rest:
        if member is None:
            member = zlib.decompressobj(wbits=31)
        yield member.decompress(rest, CHUNK_BYTES)
        if member.eof:
            # Zeros may fill the last block of a tape.
            rest = member.unused_data.lstrip(b"\0")
            member = None
        else:
            rest = member.unconsumed_tail
        while not rest and (more := packed.read(_PACKED_BYTES)):
            rest = more if member else more.lstrip(b"\0")
    if member is not None:
        yield member.flush()
        if not member.eof:
            raise EOFError


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield pieces together, none of them empty, since readers take some time for each."""
    gathered: list[bytes] = []
    size = 0
    for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= CHUNK_BYTES:
            yield b"".join(gathered)
            gathered, size = [], 0
    if size:
        yield b"".join(gathered)


@dataclass(slots=True)
class CarriageReturns:
    """Number of lines that end with a lone carriage return, and the first such line."""

    count: int = 0
    first: int | None = None

    def add(self, block: bytes, number: int) -> None:
        """Count them in a block whose first line is `number`."""
        for match in _LONE_RETURN.finditer(block):
            self.count += 1
            if self.first is None:
                self.first = number + len(_LINE_END.findall(block, 0, match.start()))


def text_lines(
    file: InputFile,
    returns: CarriageReturns | None = None,
) -> Iterator[str]:
    r"""Yield the lines without their endings, which are only \n, \r\n and \r.

    Other Unicode separators (U+0085, U+2028 …) are text: MT output contains them, and splitting there
    would shift all later lines against the other files. A byte-order mark at the start is dropped.
    `returns` counts lines that end with \r alone.

    Raises FormatError for bytes that are not UTF-8, for control characters other than the
    tab, and for a line longer than MAX_LINE_BYTES.
    """
    number = 1
    for block in whole_lines(file):
        if returns is not None:
            returns.add(block, number)
        lines = _decode_block(file, block, number).split("\n")
        if lines[-1] == "":
            lines.pop()
        yield from lines
        number += len(lines)


def _decode_block(file: InputFile, block: bytes, number: int) -> str:
    """Decode a block of whole lines, the first of which is `number`, with line feeds as line endings."""
    if number == 1:
        refuse_other_file(file.name, block)
    # Some programs put a mark before the one that is there.
    start = None
    if number == 1:
        start = _BOMS.match(block)
    mark = start.group() if start else b""
    content = block.removeprefix(mark).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(file, content, error.start, number, len(mark)) from error
    if _DAMAGE.search(text):
        _refuse_control_character(file, text.split("\n"), number)
    return text


def text_of(file: InputFile, most_bytes: int) -> str:
    r"""Return the text of a file of at most `most_bytes`, with \n as line endings.

    Raises FormatError for a longer file, and like `text_lines`.
    """
    # One buffer, so that the bytes are in memory once while they are decoded.
    content = io.BytesIO()
    for chunk in byte_chunks(file):
        content.write(chunk)
        if content.tell() > most_bytes:
            raise Location(file.name).error(
                f"the file is longer than {most_bytes:,} bytes",
                "split it into several files",
            )
    return _decode_block(file, content.getvalue(), 1)


def whole_lines(file: InputFile) -> Iterator[bytes]:
    """Regroup the chunks so that each ends with a line (except possibly the last)."""
    rest = b""
    number = 1
    for chunk in byte_chunks(file):
        data = rest + chunk
        # A final \r may be the first half of \r\n.
        end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, len(data) - 1)) + 1
        if end:
            block = data[:end]
            yield block
            number += block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")
        rest = data[end:]
        if len(rest) > MAX_LINE_BYTES:
            raise Location(file.name, number).error(
                f"the line is longer than {MAX_LINE_BYTES:,} bytes",
                "check that this is a text file with one segment or record per line",
            )
    if rest:
        yield rest


def refuse_other_file(file: str, head: bytes) -> None:
    """Refuse a file that is no text by its first bytes, and name it."""
    for magic, (name, remedy) in _OTHER_FILES.items():
        if head.startswith(magic):
            raise Location(file).error(f"the file is {name}", remedy)
    if head.startswith(_MARKS_OF_UTF16) or _is_every_other_nul(head):
        raise Location(file, 1).error(
            "the file is in UTF-16",
            "convert it to UTF-8, with: iconv -f UTF-16 -t UTF-8 OLD > NEW",
        )


def _not_utf8(
    file: InputFile,
    content: bytes,
    start: int,
    number: int,
    skipped: int,
) -> FormatError:
    line_start = content.rfind(b"\n", 0, start) + 1
    line = number + content.count(b"\n", 0, start)
    column = start - line_start + 1
    if line == 1:
        column += skipped
    if b"\0" in content:
        return Location(file.name, line, column).error(
            f"the byte 0x{content[start]:02X} is not text and the file contains NUL bytes",
            _TEXT_FILE,
        )
    return Location(file.name, line, column).error(
        f"the byte 0x{content[start]:02X} is not UTF-8",
        "convert the file from its ENCODING (often windows-1250, windows-1252 or GB18030), "
        "with: iconv -f ENCODING -t UTF-8 OLD > NEW",
    )


def _is_every_other_nul(content: bytes) -> bool:
    """Return whether the bytes look like UTF-16 of mostly Latin letters; files of other programs have zeros everywhere."""
    if b"\0" not in content:
        return False
    fewer, more = sorted((content[0::2].count(0), content[1::2].count(0)))
    return more * 4 >= len(content) and fewer * 4 <= more


def _refuse_control_character(file: InputFile, lines: list[str], number: int) -> None:
    for line, text in enumerate(lines, number):
        match = CONTROL.search(text)
        if match:
            location = Location(file.name, line, match.start() + 1)
            if text.startswith("\0\0", match.start()):
                raise location.error(
                    "the file contains runs of NUL bytes, so it is no text",
                    _TEXT_FILE,
                )
            code = ord(match.group())
            name = " (NUL)" if code == 0 else ""
            raise location.error(
                f"the control character U+{code:04X}{name} is not allowed in text",
                f"remove it, for example with: tr -d '\\{code:03o}' < OLD > NEW",
            )
