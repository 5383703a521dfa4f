"""Parts of recordings, as media fragments (`talk.wav#t=12.61,18.2`) or in IWSLT's and MuST-C's segmentation.

A segmentation is a list in YAML of `wav`, `offset` and `duration` in seconds. Parts are cut out of WAV by its header,
whatever the samples are: PCM, float or companded, also in the extensible layout.
"""

import math
import re
import struct
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import IO, Final

from campaign.formats.errors import FormatError
from campaign.formats.streams import StoredFile
from campaign.formats.yaml_tree import MAX_BYTES, read_yaml

#: Before the time of a media fragment (W3C).
PART_BEGINS: Final = "#t="
#: Seconds that a part may reach beyond its recording, because segmentations are rounded.
TOLERANCE: Final = 0.05
_REMEDY: Final = (
    "write a list of segments with wav, offset and duration, or leave the file out"
)
_TIME_REMEDY: Final = (
    "write the seconds where it begins and ends, such as #t=12.5,18 or #t=1:02,1:10.5"
)
_WAV_REMEDY: Final = (
    "use WAV, or cut the part yourself, for example by: ffmpeg -i OLD -ss 2 -to 5 NEW"
)
#: Normal play time: hours, minutes and seconds, or seconds alone.
_CLOCK: Final = re.compile(
    r"(?:(?:(\d{1,4}):)?([0-5]?\d):(?=[0-5]\d(?!\d)))?(\d{1,9}(?:\.\d{0,9})?)s?",
    re.ASCII,
)
#: PCM, float, A-law and μ-law; 0xFFFE has one of these in its extension.
_SAMPLES: Final = {1, 3, 6, 7}
_EXTENSIBLE: Final = 0xFFFE
_FORMAT_PLACE: Final = 24
#: Declared by programs that did not know the length of the recording.
_ENDLESS: Final = 0xF0000000


@dataclass(frozen=True, slots=True)
class Part:
    """Seconds where a part of a recording begins and ends; None for the end of the recording."""

    start: float
    end: float | None

    def __str__(self) -> str:
        end = "the end" if self.end is None else f"{self.end:.3f}"
        return f"{self.start:.3f} to {end}"


@dataclass(frozen=True, slots=True)
class Clip:
    """A segment of a segmentation: the name of a recording, and a part of it."""

    wav: str
    part: Part


def clips(segmentation: StoredFile) -> list[Clip]:
    """Return the clip of each segment. Raises FormatError for another file of YAML."""
    with segmentation.open() as stream:
        segments = read_yaml(segmentation.name, stream.read(MAX_BYTES + 1)).value
    try:
        return [_clip(segment) for segment in segments]
    except (TypeError, KeyError, ValueError) as error:
        problem = "it is no segmentation of recordings"
        raise FormatError(segmentation.name, problem, _REMEDY) from error


def _clip(segment: dict[str, str | float]) -> Clip:
    start = float(segment["offset"])
    end = start + float(segment["duration"])
    if not math.isfinite(end):
        raise ValueError
    return Clip(str(segment["wav"]), Part(start, end))


def part_of(name: str, fragment: str, whose: str) -> Part:
    """Return the part in a media fragment of a file, such as `t=10,20`, `t=,5` or `t=npt:1:02:03`.

    Raises FormatError for any other fragment; `whose` says where the name stands.
    """
    times = fragment.removeprefix("t=").removeprefix("npt:").split(",")
    seconds = [_seconds(time) for time in times]
    is_time = fragment.startswith("t=") and len(times) <= 2 and times != [""]
    if not is_time or None in seconds[1:] or (seconds[0] is None and times[0]):
        raise FormatError(
            name,
            f"{whose} shows the part #{fragment}, which is no time of a recording",
            _TIME_REMEDY,
        )
    end = seconds[1] if len(seconds) > 1 else None
    return Part(seconds[0] or 0.0, end)


def _seconds(time: str) -> float | None:
    match = _CLOCK.fullmatch(time)
    if match is None:
        return None
    hours, minutes, seconds = match.groups()
    return 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds)


def part_cut(file: StoredFile, part: Part, whose: str) -> StoredFile:
    """Return a part of a recording in WAV. Raises FormatError if the recording does not have it."""
    with file.open() as stream:
        try:
            header = _header(stream)
        except (_NoWavError, struct.error) as error:
            problem = f"{whose} shows seconds {part}, but parts can be cut out of WAV only: {error}"
            raise FormatError(file.name, problem, _WAV_REMEDY) from error
        seconds = header.frames / header.rate
        problem = _problem(part, seconds)
        if problem:
            raise FormatError(
                file.name,
                f"{whose} shows seconds {part}, but {problem}",
                "correct the times of this segment, or provide the whole recording",
            )
        first = round(part.start * header.rate)
        last = header.frames
        if part.end is not None:
            last = min(last, round(part.end * header.rate))
        stream.seek(header.data_place + first * header.frame_bytes)
        samples = stream.read((last - first) * header.frame_bytes)
    body = b"WAVE" + _chunk(b"fmt ", header.format_chunk) + _chunk(b"data", samples)
    content = struct.pack("<4sI", b"RIFF", len(body)) + body
    return StoredFile(file.name, partial(BytesIO, content))


def _problem(part: Part, seconds: float) -> str:
    """Return why a recording of this length has no such part; empty if it has."""
    if part.start < 0:
        return "a part cannot begin before the recording"
    if part.end is not None and part.end <= part.start:
        return "a part must end after its beginning"
    if part.start >= seconds:
        return f"the recording ends at {seconds:.3f} s"
    if part.end is not None and part.end > seconds + TOLERANCE:
        return f"the recording ends at {seconds:.3f} s"
    return ""


class _NoWavError(Exception):
    """The file is not WAV whose frames can be told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """The content of a `fmt ` chunk, and where the frames are."""

    format_chunk: bytes
    rate: int
    frame_bytes: int
    data_place: int
    frames: int


def _header(stream: IO[bytes]) -> _Header:
    riff, _size, kind = struct.unpack("<4sI4s", stream.read(12))
    if (riff, kind) != (b"RIFF", b"WAVE"):
        message = "the file is no WAV"
        raise _NoWavError(message)
    format_chunk = b""
    while True:
        name, size = struct.unpack("<4sI", stream.read(8))
        if name == b"data":
            break
        content = stream.read(size + size % 2)
        if name == b"fmt ":
            format_chunk = content[:size]
    code, _channels, rate, _bytes, frame_bytes = struct.unpack_from(
        "<HHIIH",
        format_chunk,
    )
    if code == _EXTENSIBLE:
        [code] = struct.unpack_from("<H", format_chunk, _FORMAT_PLACE)
    if code not in _SAMPLES or not rate or not frame_bytes:
        message = f"it has samples of the unknown format {code}"
        raise _NoWavError(message)
    place = stream.tell()
    there = stream.seek(0, 2) - place
    if size >= _ENDLESS or size > there:
        size = there
    return _Header(
        format_chunk=format_chunk,
        rate=rate,
        frame_bytes=frame_bytes,
        data_place=place,
        frames=size // frame_bytes,
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack("<4sI", kind, len(content)) + content + bytes(len(content) % 2)
