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


#: Tags of colour profiles that turn values into colours.
_COLOUR_TAGS: Final = frozenset(
    b"A2B0 A2B1 A2B2 B2A0 B2A1 B2A2 D2B0 D2B1 D2B2 D2B3 B2D0 B2D1 B2D2 B2D3 rXYZ gXYZ bXYZ rTRC gTRC bTRC kTRC wtpt "
    b"bkpt chad chrm cicp gamt lumi".split(),
)
#: Tags that every profile needs, but not their texts: name and copyright.
_TEXT_TAGS: Final = (b"desc", b"cprt")
_PROFILE_HEADER: Final = 128
#: In the header: software, date, manufacturer and model of the device, creator and digest.
_NAMES_IN_HEADER: Final = ((4, 8), (24, 36), (48, 56), (80, 100))
_PROFILE_PART: Final = 65_000


def profile_without_names(profile: bytes) -> bytes:
    """Return a colour profile without texts about its origin; empty if it is no profile."""
    try:
        return _profile_copied(profile)
    except struct.error:
        return b""


def _profile_copied(profile: bytes) -> bytes:
    header = bytearray(profile[:_PROFILE_HEADER])
    for start, end in _NAMES_IN_HEADER:
        header[start:end] = bytes(end - start)
    [count] = struct.unpack_from(">I", profile, _PROFILE_HEADER)
    contents: dict[bytes, bytes] = {}
    for number in range(min(count, len(profile) // 12)):
        entry = _PROFILE_HEADER + 4 + 12 * number
        name, place, size = struct.unpack_from(">4sII", profile, entry)
        if name in _COLOUR_TAGS:
            contents[name] = profile[place : place + size]
        elif name in _TEXT_TAGS:
            contents[name] = _empty_text(name, version=profile[8])
    places: dict[bytes, int] = {}
    table = struct.pack(">I", len(contents))
    data = b""
    start = _PROFILE_HEADER + 4 + 12 * len(contents)
    for name, content in contents.items():
        if content not in places:
            places[content] = start + len(data)
            data += content + bytes(-len(content) % 4)
        table += struct.pack(">4sII", name, places[content], len(content))
    header[:4] = struct.pack(">I", start + len(data))
    return bytes(header) + table + data


def _empty_text(tag: bytes, *, version: int) -> bytes:
    if version >= 4:
        return struct.pack(">4sIII", b"mluc", 0, 0, 12)
    if tag == b"desc":
        return struct.pack(">4sII", b"desc", 0, 1) + bytes(1 + 8 + 3 + 67)
    return struct.pack(">4sI", b"text", 0) + bytes(1)


def picture_without_metadata(data: bytes, ending: str) -> bytes:
    """Return a picture without metadata, as the same bytes if it has none.

    Raises ValueError or struct.error for files that Pillow would not decode.
    """
    if ending == "jpg":
        return _jpeg(data)
    return _webp(data)


def _jpeg(data: bytes) -> bytes:
    kept = []
    profile_parts: dict[int, bytes] = {}
    jfif = b""
    for marker, content, pixels in _jpeg_segments(data):
        if marker == _APP0 and content.startswith(b"JFIF\x00"):
            jfif = _JFIF
        elif marker == _APP14 and content.startswith(b"Adobe"):
            kept.append(_segment(marker, content[:_ADOBE]))
        elif marker == _APP2 and content.startswith(_PROFILE):
            number = content[len(_PROFILE)]
            profile_parts[number] = content[len(_PROFILE) + 2 :]
        elif marker in _DECODED:
            kept += [_segment(marker, content), pixels]
    profile = b"".join(profile_parts[number] for number in sorted(profile_parts))
    return b"".join([_START, jfif, *_profile_segments(profile), *kept, _END])


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the marker and the content of each segment, and the compressed pixels that follow it."""
    place = len(_START)
    while place < len(data):
        # Decoders pass over bytes between segments.
        place = data.index(b"\xff", place)
        while data[place] == 0xFF:
            place += 1
        marker = data[place]
        place += 1
        if marker == _END[1]:
            return
        if marker in {0, 1, *range(0xD0, 0xD9)}:
            continue
        [length] = struct.unpack_from(">H", data, place)
        content = data[place + 2 : place + length]
        place += length
        pixels = b""
        if marker == _SCAN:
            end = _scan_end(data, place)
            pixels = data[place:end]
            place = end
        yield marker, content, pixels


def _profile_segments(profile: bytes) -> list[bytes]:
    profile = profile_without_names(profile)
    parts = []
    for place in range(0, len(profile), _PROFILE_PART):
        parts.append(profile[place : place + _PROFILE_PART])
    segments = []
    for number, part in enumerate(parts, 1):
        numbers = bytes([number, len(parts)])
        segments.append(_segment(_APP2, _PROFILE + numbers + part))
    return segments


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
    profile = profile_without_names(chunks.get(b"ICCP", b""))
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
