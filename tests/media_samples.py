"""Small pictures, recordings and videos, made by code, whose metadata name a system."""

import io
import struct
import zlib
from typing import Final

SECRET: Final = b"Made by SecretSystem"


def wav(frequency: int = 440, *, seconds: float = 0.5, secret: bytes = SECRET) -> bytes:
    """Return a recording of a square wave that browsers play."""
    rate = 8000
    half = rate // (2 * frequency)
    samples = bytes(96 if place // half % 2 else 160 for place in range(int(rate * seconds)))
    # Frequencies that sound alike differ all the same.
    samples += frequency.to_bytes(2)
    info = b"INFO" + _riff_chunk(b"INAM", secret)
    chunks = [
        _riff_chunk(b"fmt ", struct.pack("<HHIIHH", 1, 1, rate, rate, 1, 8)),
        _riff_chunk(b"LIST", info),
        _riff_chunk(b"data", samples),
    ]
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _riff_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack("<4sI", kind, len(content)) + content + bytes(len(content) % 2)


def png(grey: int = 128) -> bytes:
    """Return a grey picture that browsers show."""
    side = 8
    rows = (b"\0" + bytes([grey]) * side) * side
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [
            _png_chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)),
            _png_chunk(b"tEXt", b"Software\0" + SECRET),
            _png_chunk(b"IDAT", zlib.compress(rows)),
            _png_chunk(b"IEND", b""),
        ]
    )


def _png_chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I4s", len(content), kind) + content + struct.pack(">I", checksum)


def jpeg() -> bytes:
    """Return the segments of a picture that lies on its side, without a picture."""
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
    tiff = b"II*\0" + struct.pack("<IH", 8, 1) + entry + bytes(4) + SECRET
    scan = _jpeg_segment(0xDA, bytes(10)) + b"\x12\xff\x00\x34\xff\xd0\x56"
    return b"".join(
        [
            b"\xff\xd8",
            _jpeg_segment(0xE0, b"JFIF\0" + bytes(9)),
            _jpeg_segment(0xE1, b"Exif\0\0" + tiff),
            _jpeg_segment(0xFE, SECRET),
            scan,
            b"\xff\xd9",
            SECRET,
        ]
    )


def _jpeg_segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, 2 + len(content)) + content


def webp() -> bytes:
    """Return the chunks of a picture with EXIF."""
    body = b"WEBP" + _riff_chunk(b"VP8X", b"\x08" + bytes(9)) + _riff_chunk(b"VP8 ", bytes(10))
    body += _riff_chunk(b"EXIF", SECRET)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _id3() -> bytes:
    return b"ID3\x04\0\0" + bytes([0, 0, 0, len(SECRET)]) + SECRET


def mp3() -> bytes:
    frame = b"\xff\xfb\x90\x00" + bytes(413)
    return _id3() + frame * 3 + b"TAG" + SECRET.ljust(125)


def flac() -> bytes:
    comments = b"\x84" + len(SECRET).to_bytes(3) + SECRET
    return b"fLaC\0" + (34).to_bytes(3) + bytes(34) + comments + b"\xff\xf8" + bytes(20)


def opus() -> bytes:
    pages = [b"OpusHead" + bytes(11), b"OpusTags" + SECRET, bytes(40)]
    return b"".join(_ogg_page(number, content) for number, content in enumerate(pages))


def _ogg_page(number: int, content: bytes) -> bytes:
    """Return a page without a checksum."""
    flags = 2 if number == 0 else 0
    header = struct.pack("<4sBBqIIIBB", b"OggS", 0, flags, 0, 1, number, 0, 1, len(content))
    return header + content


def mp4(*, handler: bytes = b"vide") -> bytes:
    track = _box(b"mdia", _box(b"hdlr", bytes(8) + handler + bytes(12) + SECRET))
    moov = _box(b"mvhd", bytes(4) + SECRET[:8] + bytes(88)) + _box(b"trak", track)
    moov += _box(b"udta", _box(b"meta", SECRET))
    return _box(b"ftyp", b"isom" + bytes(4)) + _box(b"moov", moov) + _box(b"mdat", bytes(16))


def _box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), kind) + content


def webm() -> bytes:
    information = _element("1549a966", _element("5741", SECRET))
    tags = _element("1254c367", SECRET * 20)
    cluster = _element("1f43b675", bytes(30))
    segment = bytes.fromhex("18538067") + b"\x01" + b"\xff" * 7
    return _element("1a45dfa3", b"") + segment + information + tags + cluster


def _element(kind: str, content: bytes) -> bytes:
    return bytes.fromhex(kind) + struct.pack(">H", 0x4000 | len(content)) + content


def opened(content: bytes) -> io.BufferedReader:
    """Open a file in memory, as files on disk are opened."""
    return io.BufferedReader(io.BytesIO(content))


SAMPLES: Final = {
    "wav": wav(),
    "png": png(),
    "jpg": jpeg(),
    "webp": webp(),
    "mp3": mp3(),
    "flac": flac(),
    "opus": opus(),
    "mp4": mp4(),
    "m4a": mp4(handler=b"soun"),
    "webm": webm(),
}
