"""Check pictures, recordings and videos, and remove metadata, which could name a system.

Pillow decodes pictures, and writes PNG anew. FFmpeg (PyAV) decodes recordings and videos, and copies what is heard and
seen into a new file. The result depends only on the bytes, and reading it again gives the same bytes. Readers call this
in a process of its own (`campaign.formats.isolation`).
"""

import re
import struct
import warnings
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import av
from av.container import InputContainer, OutputContainer
from av.stream import Disposition, Stream
from av.video.stream import VideoStream
from PIL import Image, ImageOps
from PIL.ExifTags import Base

from campaign.formats.errors import FormatError
from campaign.formats.picture_metadata import (
    picture_without_metadata,
    profile_without_names,
)
from campaign.formats.records import MediaFile
from campaign.formats.streams import StoredFile
from campaign.texts.media import MEDIA_TYPES

#: Maximum size of a file, which is read whole.
MAX_BYTES: Final = 50_000_000
MAX_PIXELS: Final = 25_000_000
# Pillow warns above this number, and refuses twice as many.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS // 2
_DIGITS: Final = 32
_SUPPORTED: Final = "use PNG, JPEG or WebP for pictures, WAV, FLAC, MP3, Opus or M4A for sound, MP4 or WebM for video"
_CONVERT: Final = "convert it, for example by: ffmpeg -i OLD NEW.mp4 (sound: NEW.mp3)"
#: The first bytes of each type. MP3 begins with tags or with a frame of layer III.
_MAGIC: Final = {
    "png": rb"\x89PNG\r\n\x1a\n",
    "jpg": rb"\xff\xd8\xff",
    "webp": rb"(?s)RIFF.{4}WEBP",
    "wav": rb"(?s)RIFF.{4}WAVE",
    "opus": rb"(?s)OggS.{24}.?OpusHead",
    "mp4": rb"(?s).{4}ftyp",
    "webm": rb"\x1a\x45\xdf\xa3",
    "flac": rb"fLaC",
    "mp3": rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xef]",
}
_OTHER_TYPES: Final = {
    "compressed with gzip": rb"\x1f\x8b",
    "a GIF": rb"GIF8",
    "Ogg with another codec than Opus": rb"OggS",
    "a pointer of Git LFS": rb"version https://git-lfs",
    "an SVG, which can contain scripts": rb"(?s)[^\0]{0,1000}<svg",
    "text": rb"[^\0]+\Z",
}
_PICTURES: Final = {"png": "PNG", "jpg": "JPEG", "webp": "WEBP"}
#: FFmpeg's names of containers, if not that of the ending.
_DEMUXERS: Final = {"opus": "ogg", "mp4": "mov", "webm": "matroska"}
_OPTIONS: Final = {"mp3": {"id3v2_version": "0"}, "mp4": {"movflags": "faststart"}}
#: Codecs that browsers play; Firefox plays no WAV of 32-bit whole numbers.
_CODECS: Final = (
    r"h264|vp8|vp9|av1|aac|mp3|opus|vorbis|flac|pcm_(?:u8|s16le|s24le|f32le|alaw|mulaw)"
)
#: The header of MP3 with the number of frames. Without it, FFmpeg estimates the duration.
_MP3_LENGTH: Final = rb"(?s)\xff[\xe2-\xfb].{10,38}(?:Xing|Info)"
#: WAV whose program did not know how long the recording would be.
_ENDLESS_WAV: Final = (
    rb"(?s)(RIFF.{4}WAVE(?:(?!data).){0,9999}data)..[\xf0-\xff][\x7f\xff]"
)
_OGG_HEADER: Final = 27
#: Share of the declared duration from which a file is complete: durations are rounded, and that of the last picture of a
#: video may be unknown.
_COMPLETE: Final = 0.98
_COMPLETE_VIDEO: Final = 0.5


class _DamagedError(Exception):
    """The file cannot be decoded to its end."""


#: Errors of Pillow and PyAV about damaged files; the last one, because PyAV has no codec if such a file lacks it.
_FAILURES: Final = (
    _DamagedError,
    av.FFmpegError,
    OSError,
    ValueError,
    SyntaxError,
    IndexError,
    struct.error,
    AttributeError,
)


def media_file_read(file: StoredFile) -> MediaFile:
    """Read a file. Raises FormatError if it is too large, of another type, damaged or incomplete."""
    with file.open() as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        problem = f"the file is larger than {MAX_BYTES // 1_000_000} MB"
        raise FormatError(file.name, problem, "shorten it or compress it more")
    ending = _first_match(_MAGIC, data)
    if ending is None:
        other = _first_match(_OTHER_TYPES, data[:1000])
        if other:
            problem = f"the file is {other}"
        else:
            problem = "the type of the file is unknown"
        raise FormatError(file.name, problem, _SUPPORTED)
    named = file.name.rpartition(".")[2].lower()
    if named in MEDIA_TYPES and (named in _PICTURES) != (ending in _PICTURES):
        problem = f"the file is {ending.upper()}, but its name ends in .{named}"
        raise FormatError(
            file.name,
            problem,
            "provide the right file, or correct its name",
        )
    try:
        if ending in _PICTURES:
            return _picture(file.name, data, ending)
        return _recording(file.name, data, ending)
    except Image.DecompressionBombError as error:
        problem = f"the picture has more than {MAX_PIXELS // 1_000_000} million pixels"
        raise FormatError(file.name, problem, "make it smaller") from error
    except _FAILURES as error:
        problem = f"the file begins like {ending.upper()}, but is damaged or incomplete"
        remedy = "check that it plays, and that it was transferred completely"
        raise FormatError(file.name, problem, remedy) from error


def _first_match(patterns: dict[str, bytes], data: bytes) -> str | None:
    for name, pattern in patterns.items():
        if re.match(pattern, data):
            return name
    return None


def _make_media_file(
    content: bytes,
    ending: str,
    seconds: float | None = None,
) -> MediaFile:
    return MediaFile(
        f"{sha256(content).hexdigest()[:_DIGITS]}.{ending}",
        content,
        seconds,
    )


def _picture(name: str, data: bytes, ending: str) -> MediaFile:
    """Keep what is seen of a picture, upright, with its colour profile; WebP without loss becomes PNG."""
    with (
        warnings.catch_warnings(action="ignore"),
        Image.open(BytesIO(data), formats=[_PICTURES[ending]]) as image,
    ):
        if image.format == "MPO":
            # A photograph with a second one, such as a preview, which is dropped.
            image.format = "JPEG"
        elif getattr(image, "is_animated", False):
            raise FormatError(
                name,
                "the picture is animated",
                "convert it to MP4 or WebM",
            )
        image.load()
        is_upright = image.getexif().get(Base.Orientation, 1) == 1
        if ending == "webp" and b"VP8L" in data:
            ending = "png"
        if ending == "png" or not is_upright:
            data = _written_anew(image, ending)
    if ending != "png":
        data = picture_without_metadata(data, ending)
    return _make_media_file(data, ending)


def _written_anew(image: Image.Image, ending: str) -> bytes:
    """Return a picture, turned upright, in a new file."""
    written = BytesIO()
    ImageOps.exif_transpose(image, in_place=True)
    quality: int | str = 95
    if ending == "jpg":
        quality = "keep"
    image.save(
        written,
        _PICTURES[ending],
        quality=quality,
        icc_profile=profile_without_names(image.info.get("icc_profile") or b"") or None,
        comment=b"",
        exif=b"",
        xmp=b"",
    )
    return written.getvalue()


def _recording(name: str, data: bytes, ending: str) -> MediaFile:
    """Copy the first sound and the first video, which are decoded (of the video, the key frames)."""
    endless = re.match(_ENDLESS_WAV, data)
    if endless:
        size = len(data) - endless.end()
        data = endless.group(1) + size.to_bytes(4, "little") + data[endless.end() :]
    if ending == "opus":
        _refuse_incomplete_page(data)
    if ending == "flac":
        data = data[: _flac_end(data)]
    options = {"fflags": "bitexact", **_OPTIONS.get(ending, {})}
    with (
        TemporaryDirectory(prefix="quintet-") as folder,
        _open_container(data, ending) as source,
    ):
        path = Path(folder, "copy")
        with av.open(path, "w", format=ending, options=options) as target:
            streams = _streams(name, source)
            for stream in streams:
                copy = target.add_stream_from_template(stream, opaque=True)
                stream.codec_context.thread_count = 1
                if isinstance(stream, VideoStream) and isinstance(copy, VideoStream):
                    stream.codec_context.skip_frame = "NONKEY"
                    if stream.average_rate:
                        copy.codec_context.framerate = stream.average_rate
                    copy.set_display_rotation(_rotation(data, ending))
            seconds = _packets_copy(source, streams, target)
        content = path.read_bytes()
        declared = (source.duration or 0) / av.time_base
    has_video = isinstance(streams[-1], VideoStream)
    least = declared * (_COMPLETE_VIDEO if has_video else _COMPLETE)
    is_estimate = ending == "mp3" and not re.search(_MP3_LENGTH, data)
    if not seconds or (seconds < least and not is_estimate):
        raise _DamagedError
    if ending == "mp4" and not has_video:
        ending = "m4a"
    return _make_media_file(content, ending, seconds)


def _refuse_incomplete_page(data: bytes) -> None:
    """Refuse Ogg that ends within a page, which FFmpeg passes over."""
    header = data.rfind(b"OggS") + _OGG_HEADER
    sizes = data[header : header + data[header - 1]]
    if header + len(sizes) + sum(sizes) > len(data):
        raise _DamagedError


def _flac_end(data: bytes) -> int:
    """Return where the last frame of FLAC ends, which FFmpeg extends over whatever follows."""
    with _open_container(data, "flac") as source:
        last = None
        for packet in source.demux(audio=0):
            if packet.size:
                last = packet
        if last is None or last.pos is None:
            raise _DamagedError
    # A frame ends with its own checksum, so the checksum of all its bytes is 0.
    end = len(data)
    checksum = 0
    for place in range(last.pos, len(data)):
        checksum = _CRC_16[checksum >> 8 ^ data[place]] ^ (checksum & 0xFF) << 8
        if checksum == 0:
            end = place + 1
    return end


def _crc_16_table() -> list[int]:
    table = []
    for byte in range(256):
        checksum = byte << 8
        for _bit in range(8):
            checksum <<= 1
            if checksum & 0x10000:
                checksum ^= 0x18005
        table.append(checksum)
    return table


#: Of CRC-16 with the polynomial of FLAC.
_CRC_16: Final = _crc_16_table()


def _open_container(data: bytes, ending: str) -> InputContainer:
    """Open a container of a known type: FFmpeg must not try those that refer to other files."""
    demuxer = _DEMUXERS.get(ending, ending)
    return av.open(BytesIO(data), "r", format=demuxer, metadata_errors="ignore")


def _streams(name: str, source: InputContainer) -> list[Stream]:
    """Return the first sound and the first video, which must not be a cover."""
    videos = [
        video
        for video in source.streams.video
        if Disposition.attached_pic not in video.disposition
    ]
    streams = [*source.streams.audio[:1], *videos[:1]]
    if not streams:
        raise _DamagedError
    for stream in streams:
        codec = stream.codec.canonical_name
        if not re.fullmatch(_CODECS, codec):
            problem = f"its codec is {codec}, which browsers do not play"
            raise FormatError(name, problem, _CONVERT)
    return streams


def _rotation(data: bytes, ending: str) -> int:
    """Return by how many degrees a video is turned when it is shown."""
    with _open_container(data, ending) as source:
        frame = next(source.decode(video=0), None)
        if frame:
            return frame.rotation
        return 0


def _packets_copy(
    source: InputContainer,
    streams: list[Stream],
    target: OutputContainer,
) -> float:
    """Decode packets and copy them; return the seconds until the end of the last one."""
    seconds = 0.0
    copies = dict(
        zip([stream.index for stream in streams], target.streams, strict=True),
    )
    for packet in source.demux(streams):
        try:
            packet.decode()
        except av.FFmpegError:
            # Tags between frames.
            if target.format.name == "mp3":
                continue
            raise
        if packet.is_corrupt:
            raise _DamagedError
        if packet.size and packet.pts is not None:
            end = packet.pts + (packet.duration or 0)
            seconds = max(seconds, float(end * packet.time_base))
            packet.stream = copies[packet.stream_index]
            target.mux(packet)
    return seconds
