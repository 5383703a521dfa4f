"""Recognise pictures, sound and video by their first bytes, and remove what could name a system.

Nothing is decoded: containers are walked. Of pictures, WAV and FLAC, the parts on a list are kept. In MP4, WebM and
Ogg, where positions must not change, comments, tags and dates are overwritten with zeros.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from campaign.formats.errors import FormatError
from campaign.formats.streams import StoredFile

#: Maximum size of a file, which is read whole.
MAX_BYTES: Final = 50_000_000
_DIGITS: Final = 32
_SUPPORTED: Final = "use PNG, JPEG or WebP for pictures, WAV, FLAC, MP3, Opus or M4A for sound, MP4 or WebM for video"


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A file without metadata; `name` is a digest of its content with the ending of its type."""

    name: str
    content: bytes


class _DamagedError(Exception):
    """The container cannot be walked to its end."""


def media_file_read(file: StoredFile) -> MediaFile:
    """Read a file. Raises FormatError if it is too large, of another type, damaged or incomplete."""
    with file.open() as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        problem = f"the file is larger than {MAX_BYTES // 1_000_000} MB"
        raise FormatError(file.name, problem, "shorten it or compress it more")
    ending = _ending_of(data)
    if ending is None:
        raise FormatError(file.name, _other_type(data), _SUPPORTED)
    try:
        content = _CLEANERS[ending](data)
    except (_DamagedError, struct.error, IndexError, RecursionError) as error:
        problem = f"the file begins like {ending.upper()}, but is damaged or incomplete"
        remedy = "check that it plays, and that it was transferred completely"
        raise FormatError(file.name, problem, remedy) from error
    if ending == "mp4" and b"vide" not in content:
        ending = "m4a"
    return MediaFile(f"{sha256(content).hexdigest()[:_DIGITS]}.{ending}", content)


_MAGIC: Final = {
    "png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "jpg": re.compile(rb"\xff\xd8\xff"),
    "webp": re.compile(rb"(?s)RIFF.{4}WEBP"),
    "wav": re.compile(rb"(?s)RIFF.{4}WAVE"),
    "opus": re.compile(rb"(?s)OggS.{24}.?OpusHead"),
    "mp4": re.compile(rb"(?s).{4}ftyp"),
    "webm": re.compile(rb"\x1a\x45\xdf\xa3"),
    "flac": re.compile(rb"fLaC"),
    # A frame of layer III.
    "mp3": re.compile(rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xef]"),
}
_OTHER_TYPES: Final = {
    "compressed with gzip": re.compile(rb"\x1f\x8b"),
    "a GIF": re.compile(rb"GIF8"),
    "Ogg with another codec than Opus": re.compile(rb"OggS"),
    "a pointer of Git LFS": re.compile(rb"version https://git-lfs"),
    "an SVG, which can contain scripts": re.compile(rb"(?s)[^\0]{0,1000}<svg"),
    "text": re.compile(rb"[^\0]{1,1000}(?![^\0])"),
}


def _ending_of(data: bytes) -> str | None:
    """Return the ending of the file's type, by its first bytes; None if it is not supported."""
    position = _after_id3(data)
    return next(
        (ending for ending, magic in _MAGIC.items() if magic.match(data, position)),
        None,
    )


def _other_type(data: bytes) -> str:
    """Return a message about a file of no supported type."""
    for called, magic in _OTHER_TYPES.items():
        if magic.match(data[:1000]):
            return f"the file is {called}"
    return "the type of the file is unknown"


def _part(data: bytes, start: int, end: int) -> bytes:
    """Return these bytes. Raises _DamagedError if the file ends before them."""
    if end > len(data):
        raise _DamagedError
    return data[start:end]


# --- Pictures ---

_PNG_CHUNKS: Final = b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs acTL fcTL fdAT"


def _clean_png(data: bytes) -> bytes:
    kept = [data[:8]]
    position = 8
    kind = b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", data, position)
        chunk = _part(data, position, position + 12 + length)
        position += len(chunk)
        if kind in _PNG_CHUNKS.split():
            kept.append(chunk)
    return b"".join(kept)


_JPEG_MARKER: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_END_OF_IMAGE: Final = b"\xff\xd9"
#: Applications' segments and comments, except sizes, colour profiles and colour transforms.
_JPEG_METADATA: Final = re.compile(
    rb"(?s)\xff(?:\xfe|[\xe0-\xef]..(?!JFIF\0|ICC_PROFILE\0|Adobe\0?))"
)


def _clean_jpeg(data: bytes) -> bytes:
    """Keep the picture, its colour profile and its orientation."""
    kept = [data[:2]]
    position = 2
    while found := _JPEG_MARKER.search(data, position):
        kept.append(data[position : found.start()])
        if found.group() == _END_OF_IMAGE:
            return b"".join(kept) + _END_OF_IMAGE
        (length,) = struct.unpack_from(">H", data, found.end())
        segment = _part(data, found.start(), found.end() + length)
        if not _JPEG_METADATA.match(segment):
            kept.append(segment)
        elif segment[4:8] == b"Exif":
            kept.append(_orientation(segment[10:]))
        position = found.end() + length
    raise _DamagedError


def _orientation(tiff: bytes) -> bytes:
    """Return a segment of EXIF with nothing but the orientation; empty if the picture is upright."""
    order = "<" if tiff.startswith(b"II") else ">"
    tag = struct.pack(f"{order}HHI", 0x0112, 3, 1)
    place = tiff.find(tag)
    if place < 0:
        return b""
    (value,) = struct.unpack_from(f"{order}H", tiff, place + 8)
    header = struct.pack(">HH6s2sHIH", 0xFFE1, 34, b"Exif\0\0", b"MM", 42, 8, 1)
    return header + struct.pack(">HHIHHI", 0x0112, 3, 1, value, 0, 0)


_RIFF_CHUNKS: Final = b"VP8 |VP8L|VP8X|ALPH|ANIM|ANMF|ICCP|fmt |fact|data"
#: The flags that announce EXIF and XMP.
_WEBP_METADATA: Final = 0x0C
#: From here on, sizes mean that the program did not know how long a recording would be.
_UNKNOWN_SIZE: Final = 0x7FFFF000


def _clean_riff(data: bytes) -> bytes:
    """Keep the chunks of WebP and WAV that hold the picture or the sound."""
    kept = []
    position = 12
    while position + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, position)
        if kind == b"data" and size >= _UNKNOWN_SIZE:
            size = len(data) - position - 8
        content = _part(data, position + 8, position + 8 + size)
        if kind == b"VP8X":
            content = bytes([content[0] & ~_WEBP_METADATA]) + content[1:]
        if kind in _RIFF_CHUNKS.split(b"|"):
            kept.append(struct.pack("<4sI", kind, size) + content + bytes(size % 2))
        position += 8 + size + size % 2
    body = data[8:12] + b"".join(kept)
    if len(body) < 16:
        raise _DamagedError
    return struct.pack("<4sI", b"RIFF", len(body)) + body


# --- Sound ---

_ID3_HEADER: Final = 10
#: Tags at the end of a file.
_LAST_TAGS: Final = re.compile(rb"(?s)APETAGEX|LYRICSBEGIN|TAG(?=.{125}\Z)")


def _after_id3(data: bytes) -> int:
    """Return the position after an ID3 tag at the beginning, and the room that some programs leave after it."""
    if data[:3] != b"ID3" or len(data) < _ID3_HEADER:
        return 0
    size = 0
    for byte in data[6:_ID3_HEADER]:
        size = size << 7 | byte
    rest = data[_ID3_HEADER + size :]
    return len(data) - len(rest.lstrip(b"\0"))


def _clean_mp3(data: bytes) -> bytes:
    return _LAST_TAGS.split(data[_after_id3(data) :])[0]


def _clean_flac(data: bytes) -> bytes:
    """Keep the description of the stream, its seek table and its frames."""
    position = _after_id3(data) + 4
    kept = []
    is_last = False
    while not is_last:
        header, size = data[position], int.from_bytes(data[position + 1 : position + 4])
        block = _part(data, position, position + 4 + size)
        position += len(block)
        is_last = header >= 0x80
        if header & 0x7F in {0, 3}:
            kept.append(bytes([header & 0x7F]) + block[1:])
    if not kept or data[position : position + 2] not in {b"\xff\xf8", b"\xff\xf9"}:
        raise _DamagedError
    kept[-1] = bytes([kept[-1][0] | 0x80]) + kept[-1][1:]
    return b"fLaC" + b"".join(kept) + _LAST_TAGS.split(data[position:])[0]


_REVERSED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_OGG_HEADER: Final = 27


def _clean_opus(data: bytes) -> bytes:
    """Overwrite the comments: the second packet, which fills whole pages from the second."""
    content = bytearray(data)
    position = 0
    page = 0
    is_in_comments = True
    while data[position : position + 4] == b"OggS":
        start = position + _OGG_HEADER + data[position + _OGG_HEADER - 1]
        sizes = data[position + _OGG_HEADER : start]
        end = start + sum(sizes)
        _part(data, start, end)
        if page > 0 and is_in_comments:
            content[start:end] = (b"OpusTags" if page == 1 else b"").ljust(end - start, b"\0")
            content[position + 22 : position + 26] = bytes(4)
            content[position + 22 : position + 26] = _ogg_checksum(bytes(content[position:end]))
            is_in_comments = sizes[-1] == 255
        position = end
        page += 1
    if is_in_comments:
        raise _DamagedError
    return bytes(content[:position])


def _ogg_checksum(page: bytes) -> bytes:
    """Return the checksum of a page: zlib's with all bits reversed, and without its inversions."""
    checksum = zlib.crc32(page.translate(_REVERSED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return checksum.to_bytes(4).translate(_REVERSED)


# --- Video ---


@dataclass(frozen=True, slots=True)
class _Part:
    """A box of MP4 or an element of WebM: the position of its header, and the range of its content."""

    kind: bytes
    position: int
    start: int
    end: int

    @property
    def zeros(self) -> bytes:
        return bytes(self.end - self.start)


_BOXES: Final = b"moov trak mdia minf moof traf"
_EMPTIED_BOXES: Final = b"udta meta uuid free skip ID32"
_DATED_BOXES: Final = b"mvhd tkhd mdhd"
#: Position of the name in a handler box.
_HANDLER_NAME: Final = 24


def _mp4_boxes(data: bytes, start: int, end: int) -> Iterator[_Part]:
    """Yield the boxes in a range, and those inside them."""
    position = start
    while position + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, position)
        header = 8
        if size == 1:
            header = 16
            (size,) = struct.unpack_from(">Q", data, position + 8)
        elif size == 0:
            size = end - position
        if size < header or position + size > end:
            raise _DamagedError
        yield _Part(kind, position, position + header, position + size)
        if kind in _BOXES.split():
            yield from _mp4_boxes(data, position + header, position + size)
        position += size


def _clean_mp4(data: bytes) -> bytes:
    content = bytearray(data)
    kinds = set()
    for box in _mp4_boxes(data, 0, len(data)):
        kinds.add(box.kind)
        if box.kind in _EMPTIED_BOXES.split():
            content[box.position + 4 : box.position + 8] = b"free"
            content[box.start : box.end] = box.zeros
        elif box.kind in _DATED_BOXES.split():
            dates = 16 if data[box.start] else 8
            content[box.start + 4 : box.start + 4 + dates] = bytes(dates)
        elif box.kind == b"hdlr":
            content[box.start + _HANDLER_NAME : box.end] = box.zeros[_HANDLER_NAME:]
    if not {b"moov", b"mdat"} <= kinds:
        raise _DamagedError
    return bytes(content)


_SEGMENT: Final = bytes.fromhex("18538067")
_CLUSTER: Final = bytes.fromhex("1f43b675")
#: Information, tracks, a track.
_MASTERS: Final = (bytes.fromhex("1549a966"), bytes.fromhex("1654ae6b"), b"\xae")
#: Title, programs, date, file, IDs, names of tracks and codecs, unused bytes.
_EMPTIED: Final = [
    bytes.fromhex(each)
    for each in ["7ba9", "4d80", "5741", "4461", "7384", "73a4", "536e", "258688", "ec"]
]
#: Tags, attachments, chapters and checksums become unused bytes.
_VOIDED: Final = [bytes.fromhex(each) for each in ["1254c367", "1941a469", "1043a770", "bf"]]


def _number_end(data: bytes, position: int) -> int:
    """Return the end of a number, whose first byte has its length."""
    return position + 9 - data[position].bit_length()


def _webm_elements(data: bytes) -> Iterator[_Part]:
    """Yield the elements, the masters before their content."""
    position = 0
    while position < len(data):
        id_end = _number_end(data, position)
        start = _number_end(data, id_end)
        kind = data[position:id_end]
        unknown = (1 << 7 * (start - id_end)) - 1
        size = int.from_bytes(data[id_end:start]) & unknown
        is_open = size == unknown and kind in {_SEGMENT, _CLUSTER}
        end = len(data) if is_open else start + size
        _part(data, start, end)
        yield _Part(kind, position, start, end)
        is_entered = is_open or kind == _SEGMENT or kind in _MASTERS
        position = start if is_entered else end


def _clean_webm(data: bytes) -> bytes:
    content = bytearray(data)
    kinds = set()
    for element in _webm_elements(data):
        kinds.add(element.kind)
        if element.kind in _VOIDED:
            content[element.position : element.end] = _void(element.end - element.position)
        elif element.kind in _EMPTIED:
            content[element.start : element.end] = element.zeros
    if _CLUSTER not in kinds:
        raise _DamagedError
    return bytes(content)


def _void(size: int) -> bytes:
    """Return unused bytes of WebM, `size` in all."""
    if size < 9:
        return bytes([0xEC, 0x80 | size - 2]).ljust(size, b"\0")
    return (b"\xec\x01" + (size - 9).to_bytes(7)).ljust(size, b"\0")


_CLEANERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "png": _clean_png,
    "jpg": _clean_jpeg,
    "webp": _clean_riff,
    "wav": _clean_riff,
    "flac": _clean_flac,
    "mp3": _clean_mp3,
    "opus": _clean_opus,
    "mp4": _clean_mp4,
    "webm": _clean_webm,
}
