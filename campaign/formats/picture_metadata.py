"""Remove metadata from JPEG and lossy WebP without decoding, so that pictures keep every pixel.

Only the parts that decoders need are copied: what another program may have added, known or not, stays behind.
"""

import struct
from collections.abc import Iterator
from typing import Final

_JFIF: Final = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
_START, _END = b"\xff\xd8", b"\xff\xd9"
_SCAN: Final = 0xDA
#: Tables and frames: DQT, DHT, DAC, DRI and SOF; 0xC8 is reserved.
_DECODED: Final = {0xDB, 0xDD, 0xDA, *range(0xC0, 0xD0)} - {0xC8}
_APP0, _APP2, _APP14 = 0xE0, 0xE2, 0xEE
_PROFILE: Final = b"ICC_PROFILE\x00"
#: Adobe's segment tells how colours are stored; only its first bytes are defined.
_ADOBE: Final = 12
_RIFF_HEADER: Final = 12
_ALPHA, _HAS_PROFILE = 0x10, 0x20


def picture_without_metadata(data: bytes, ending: str) -> bytes:
    """Return a picture without metadata, as the same bytes if it has none.

    Raises ValueError or struct.error for files that Pillow would not decode.
    """
    if ending == "jpg":
        return _jpeg(data)
    return _webp(data)


def _jpeg(data: bytes) -> bytes:
    kept = []
    is_jfif = False
    place = len(_START)
    while True:
        # Decoders pass over bytes between segments.
        place = data.index(b"\xff", place)
        while data[place] == 0xFF:
            place += 1
        marker = data[place]
        place += 1
        if marker == _END[1]:
            break
        if marker in {0, 1, *range(0xD0, 0xD9)}:
            continue
        [length] = struct.unpack_from(">H", data, place)
        content = data[place + 2 : place + length]
        place += length
        if marker == _APP0 and content.startswith(b"JFIF\x00"):
            is_jfif = True
        elif marker == _APP14 and content.startswith(b"Adobe"):
            kept.append(_segment(marker, content[:_ADOBE]))
        elif marker in _DECODED or (
            marker == _APP2 and content.startswith(_PROFILE)
        ):
            kept.append(_segment(marker, content))
        if marker == _SCAN:
            end = _scan_end(data, place)
            kept.append(data[place:end])
            place = end
            if end == len(data):
                break
    return b"".join([_START, _JFIF if is_jfif else b"", *kept, _END])


def _segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def _scan_end(data: bytes, place: int) -> int:
    """Return where the compressed pixels end: at a marker that is neither a stuffed byte nor a restart."""
    while True:
        place = data.find(b"\xff", place)
        if place < 0 or place + 1 == len(data):
            return len(data)
        if data[place + 1] not in {0, 0xFF, *range(0xD0, 0xD8)}:
            return place
        place += 2 if data[place + 1] != 0xFF else 1


def _webp(data: bytes) -> bytes:
    chunks = dict[bytes, bytes]()
    for kind, content in _riff_chunks(data):
        chunks.setdefault(kind, content)
    bitstream = chunks[b"VP8 "]
    alpha = chunks.get(b"ALPH", b"")
    profile = chunks.get(b"ICCP", b"")
    body = b"WEBP"
    if alpha or profile:
        flags = (_ALPHA if alpha else 0) | (_HAS_PROFILE if profile else 0)
        width, height = struct.unpack_from("<HH", bitstream, 6)
        size = struct.pack("<II", (width & 0x3FFF) - 1, (height & 0x3FFF) - 1)
        body += _chunk(b"VP8X", bytes([flags, 0, 0, 0]) + size[:3] + size[4:7])
    if profile:
        body += _chunk(b"ICCP", profile)
    if alpha:
        body += _chunk(b"ALPH", alpha)
    body += _chunk(b"VP8 ", bitstream)
    return struct.pack("<4sI", b"RIFF", len(body)) + body


def _riff_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    [length] = struct.unpack_from("<I", data, 4)
    end = min(8 + length, len(data))
    place = _RIFF_HEADER
    while place + 8 <= end:
        kind, size = struct.unpack_from("<4sI", data, place)
        place += 8
        yield kind, data[place : place + size]
        place += size + size % 2


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack("<4sI", kind, len(content)) + content + bytes(len(content) % 2)
