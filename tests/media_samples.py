"""Small pictures, recordings and videos, made by code, whose metadata name a system."""

import io
import math
import struct
from array import array
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

import av
from av.audio.stream import AudioStream
from av.video.stream import VideoStream
from PIL import Image, PngImagePlugin

SECRET: Final = b"Made by qx-SecretSystem"
_TAGS: Final = {
    "title": SECRET.decode(),
    "artist": SECRET.decode(),
    "comment": SECRET.decode(),
}
_RATE: Final = 48_000
#: Tags of EXIF.
_ORIENTATION: Final = 0x0112
_GPS: Final = 0x8825
_MAKER: Final = 0x010F


def wav(frequency: int = 440, *, seconds: float = 0.5, secret: bytes = SECRET) -> bytes:
    """Return a recording of a square wave that browsers play."""
    rate = 8000
    half = rate // (2 * frequency)
    length = int(rate * seconds)
    wave = bytes([160]) * half + bytes([96]) * half
    samples = (wave * (length // len(wave) + 1))[:length]
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
    tags = PngImagePlugin.PngInfo()
    tags.add_text("Software", SECRET.decode())
    return picture("png", Image.new("L", (8, 8), grey), pnginfo=tags)


def photograph(ending: str) -> bytes:
    """Return a picture that lies on its side, of a known place."""
    exif = Image.Exif()
    exif[_ORIENTATION] = 6
    exif.get_ifd(_GPS)[1] = SECRET.decode()
    exif[_MAKER] = SECRET.decode()
    xmp = b"<x>" + SECRET + b"</x>"
    content = picture(ending, Image.new("RGB", (24, 8), "teal"), exif=exif, xmp=xmp)
    return content + SECRET if ending == "jpg" else content


def picture(ending: str, image: Image.Image | None = None, **options: Any) -> bytes:
    """Return a picture, by default one with many colours, written with options of Pillow."""
    written = io.BytesIO()
    image = image or Image.radial_gradient("L").convert("RGB")
    image.save(written, **{"format": {"jpg": "JPEG"}.get(ending, ending), **options})
    return written.getvalue()


def sound(codec: str, container: str, *, tags: dict[str, str] = _TAGS) -> bytes:
    """Return a second of a tone."""
    written = io.BytesIO()
    with av.open(written, "w", format=container) as target:
        target.metadata.update(tags)
        stream = target.add_stream(codec, rate=_RATE, layout="mono")
        assert isinstance(stream, AudioStream)
        stream.metadata.update(tags)
        resampler = av.AudioResampler(stream.format, stream.layout, _RATE)
        for frame in _tone():
            for resampled in resampler.resample(frame):
                target.mux(stream.encode(resampled))
        target.mux(stream.encode(None))
    return written.getvalue()


def _tone() -> Iterable[av.AudioFrame]:
    size = 960
    for start in range(0, _RATE, size):
        frame = av.AudioFrame("s16", "mono", size)
        samples = [
            int(8000 * math.sin(place / 20)) for place in range(start, start + size)
        ]
        frame.planes[0].update(array("h", samples).tobytes())
        frame.sample_rate = _RATE
        frame.pts = start
        frame.time_base = Fraction(1, _RATE)
        yield frame


def video(codec: str, container: str, *, rotation: int = 0) -> bytes:
    """Return two seconds of a square that turns lighter."""
    written = io.BytesIO()
    with av.open(written, "w", format=container) as target:
        target.metadata.update(_TAGS)
        stream = target.add_stream(
            codec,
            rate=10,
            width=32,
            height=32,
            pix_fmt="yuv420p",
        )
        assert isinstance(stream, VideoStream)
        stream.metadata.update({**_TAGS, "handler_name": SECRET.decode()})
        if rotation:
            stream.set_display_rotation(rotation)
        for number in range(20):
            frame = av.VideoFrame(32, 32, "yuv420p")
            for plane in frame.planes:
                plane.update(bytes([number * 10]) * plane.buffer_size)
            frame.pts = number
            frame.time_base = Fraction(1, 10)
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return written.getvalue()


def opened(content: bytes) -> io.BufferedReader:
    """Open a file in memory, as files on disk are opened."""
    return io.BufferedReader(io.BytesIO(content))


SAMPLES: Final = {
    "wav": wav(),
    "png": png(),
    "jpg": photograph("jpg"),
    "webp": photograph("webp"),
    "mp3": sound("libmp3lame", "mp3"),
    "flac": sound("flac", "flac"),
    "opus": sound("libopus", "opus"),
    "mp4": video("libx264", "mp4"),
    "m4a": sound("aac", "ipod"),
    "webm": video("libvpx", "webm"),
}
